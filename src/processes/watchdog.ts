import { closeSync } from 'node:fs';

/** A machine may be that slow, and a run that still turns ends itself better. */
const usualPatienceMs = 10_000;
/** Timers of Node hold no more: a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;
const place = Symbol.for('runwire.watchdog');

/**
 * The watchdog's whole life, in a thread of its own. When the time is over it asks the main thread for a sign of life, again and
 * again. If none comes, something there runs on and on; the inspector can call a function even then. If that does not help
 * either, the main thread waits for the system, and only a signal ends it; the guards then end what it started.
 */
const script = `
const { parentPort, workerData: { afterMs, patienceMs } } = require('node:worker_threads');
let isAlive = true;
parentPort.on('message', () => void (isAlive = true));
function look() {
  isAlive = false;
  parentPort.postMessage('alive?');
  setTimeout(() => (isAlive ? look() : interrupt()), patienceMs);
}
function interrupt() {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), patienceMs);
  const session = new (require('node:inspector').Session)();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: "globalThis[Symbol.for('runwire.watchdog')]?.()" });
}
setTimeout(look, afterMs);
`;

/**
 * Calls a function if our own event loop does not turn any more when the time is over, in the middle of whatever runs there:
 * no timer of ours could. The function must end the process. Answers how to call the watchdog off.
 */
export function startWatchdog(afterMs: number, onBlocked: () => void, patienceMs = usualPatienceMs): () => void {
  // Threads take a while to load, and most runs have no time limit.
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const worker = new Worker(script, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { afterMs: Math.min(afterMs, longestTimer), patienceMs },
  });
  // A Node.js without an inspector, or no memory for a thread: the run goes on, with its timers alone.
  worker.on('error', () => {});
  worker.on('message', () => worker.postMessage('yes', []));
  worker.unref();
  Reflect.set(globalThis, place, () => {
    // Node.js would tell about a debugger that it waits for.
    process.on('exit', () => closeSync(2));
    onBlocked();
  });
  return () => {
    Reflect.deleteProperty(globalThis, place);
    void worker.terminate();
  };
}
