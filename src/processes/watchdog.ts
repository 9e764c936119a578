import { closeSync } from 'node:fs';

/** A machine may be this slow, and a run whose event loop still works ends itself more cleanly. */
const usualPatienceMs = 10_000;
/** The longest delay of a Node timer: a longer one would fire immediately. */
const longestTimer = 2 ** 31 - 1;
const place = Symbol.for('runwire.watchdog');

/**
 * The watchdog's program, in a separate thread. When the time is up it repeatedly asks the main thread for a sign of life. If none
 * comes, some code there never returns; the inspector can call a function even then. If that does not help either, the main
 * thread is blocked in a system call, and only a signal ends it; the guards then end what it started.
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
 * Calls a function if our own event loop is blocked when the time is up, interrupting whatever runs there, which no timer
 * could do. The function must end the process. Returns a function that cancels the watchdog.
 */
export function startWatchdog(afterMs: number, onBlocked: () => void, patienceMs = usualPatienceMs): () => void {
  // Loaded on demand: the module takes a while to load, and most runs have no time limit.
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const worker = new Worker(script, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { afterMs: Math.min(afterMs, longestTimer), patienceMs },
  });
  // Node.js has no inspector, or there is no memory for a thread: the run continues with its timers alone.
  worker.on('error', () => {});
  worker.on('message', () => worker.postMessage('yes', []));
  worker.unref();
  Reflect.set(globalThis, place, () => {
    // Otherwise Node.js would print a message about waiting for a debugger.
    process.on('exit', () => closeSync(2));
    onBlocked();
  });
  return () => {
    Reflect.deleteProperty(globalThis, place);
    void worker.terminate();
  };
}
