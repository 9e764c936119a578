// How long `/healthz` of `runwire serve` takes while somebody floods it, beside the same server in peace, for both kinds of ledger.
// Smaller: BENCH_RUNS (of 200 labels each), BENCH_RECORDS (of the long run), BENCH_UPLOADS, BENCH_SECONDS. BENCH_MOST_MS is what an answer may take.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { newRunId } from '../src/ids/run-id.ts';
import { startPostgres } from '../test/stores/support/postgres.ts';

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);
const runs = number('BENCH_RUNS', 500);
const records = number('BENCH_RECORDS', 20_000);
const uploads = number('BENCH_UPLOADS', 20);
const labelsPerRun = 200;
const mostMs = number('BENCH_MOST_MS', 1000);
const peaceMs = number('BENCH_SECONDS', 2) * 1000;
const bin = join(import.meta.dirname, '..', 'bin', 'runwire.js');
const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Asks again and again, in a thread that the attack does not hold up, until it is told to stop. */
interface Watch {
  origin: string;
  /** The slowest answer so far in ms, how many there were, and whether to go on. */
  shared: SharedArrayBuffer;
}

async function watch({ origin, shared }: Watch): Promise<void> {
  const figures = new Int32Array(shared);
  while (Atomics.load(figures, 2) === 0) {
    const start = performance.now();
    const answer = await fetch(`${origin}/healthz`);
    if ((await answer.text()) !== 'ok\n') throw new Error(`/healthz: ${answer.status}`);
    const ms = Math.ceil(performance.now() - start);
    Atomics.store(figures, 0, Math.max(ms, Atomics.load(figures, 0)));
    Atomics.add(figures, 1, 1);
  }
}

async function slowestDuring(origin: string, work: () => Promise<unknown>): Promise<{ ms: number; asked: number }> {
  const shared = new SharedArrayBuffer(12);
  const figures = new Int32Array(shared);
  const worker = new Worker(import.meta.filename, { workerData: { origin, shared } satisfies Watch });
  const ended = new Promise<void>((resolve, reject) => void worker.once('exit', () => resolve()).once('error', reject));
  while (Atomics.load(figures, 1) < 5) await pause(5);
  Atomics.store(figures, 0, 0);
  await work();
  Atomics.store(figures, 2, 1);
  await ended;
  return { ms: Atomics.load(figures, 0), asked: Atomics.load(figures, 1) };
}

const started = Date.now();
const headOf = (more: object = {}): string =>
  JSON.stringify({ meta: { started_at: started, prompt: '', host: 'h', pid: 1, labels: {}, ...more }, after: 0 });
const recordOf = (sequence: number): string =>
  JSON.stringify({
    type: 'log',
    stream: 'agent',
    level: 'info',
    text: 'x'.repeat(1000),
    sequence,
    timestamp: null,
    thread_id: 't',
  });
const bodyOf = (count: number): string =>
  [headOf(), ...Array.from({ length: count }, (_, index) => recordOf(index + 1))].join('\n');
const labelsOf = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`label-${index}`, `value ${index}`]));

async function serve(ledger: string, state: string): Promise<{ child: ChildProcess; origin: string }> {
  const env = { ...process.env, XDG_STATE_HOME: state };
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--no-token', '--ledger', ledger], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface({ input: child.stderr })) {
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (origin !== undefined) return { child, origin };
  }
  throw new Error('the server did not start');
}

async function measure(name: string, ledger: string, folder: string): Promise<boolean> {
  const { child, origin } = await serve(ledger, join(folder, name));
  const upload = async (body: string, id = newRunId(started)): Promise<number> => {
    const answer = await fetch(`${origin}/api/report/${id}`, { method: 'POST', headers: { 'X-Runwire': '1' }, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  /** The whole answer is taken. */
  const get = async (path: string): Promise<unknown> => (await fetch(`${origin}${path}`)).arrayBuffer();
  /** Nothing of the answer is taken for that long. */
  const stall = async (path: string): Promise<void> => {
    const { hostname, port, host } = new URL(origin);
    const socket = connect(Number(port), hostname, () => socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
    socket.on('error', () => {});
    await pause(peaceMs);
    socket.destroy();
  };
  const times = (count: number, work: () => Promise<unknown>): (() => Promise<unknown>) => {
    return () => Promise.all(Array.from({ length: count }, work));
  };
  try {
    const long = newRunId(started);
    if ((await upload(bodyOf(records), long)) !== 200) throw new Error('the long run was not accepted');
    const labelled = headOf({ labels: labelsOf(labelsPerRun) });
    for (let left = runs; left > 0; left -= 5) await times(Math.min(5, left), () => upload(labelled))();
    const large = bodyOf(4700);
    const tooMany = headOf({ labels: labelsOf(200_000) });
    const attacks: readonly (readonly [name: string, attack: () => Promise<unknown>])[] = [
      ['nothing', () => pause(peaceMs)],
      [`${uploads} uploads of ${(large.length / 1e6).toFixed(1)} MB at once`, times(uploads, () => upload(large))],
      [`50 viewers of ${records} records that read nothing`, times(50, () => stall(`/api/runs/${long}/records`))],
      [`50 readers of the same tape`, times(50, () => get(`/api/runs/${long}/tape`))],
      [
        `5 lists of ${runs} runs with ${labelsPerRun} labels`,
        times(5, () => get(`/api/runs?limit=${Math.min(runs, 500)}`)),
      ],
      ['100 requests for /metrics', times(100, () => get('/metrics'))],
      ['4 uploads of 200,000 labels', times(4, () => upload(tooMany))],
    ];
    let isFast = true;
    for (const [attack, work] of attacks) {
      const begin = performance.now();
      const { ms, asked } = await slowestDuring(origin, work);
      isFast &&= ms < mostMs;
      const took = ((performance.now() - begin) / 1000).toFixed(1);
      console.log(`${name.padEnd(10)} ${attack.padEnd(46)} ${String(ms).padStart(6)} ms  of ${asked} in ${took} s`);
    }
    return isFast;
  } finally {
    child.kill('SIGKILL');
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-attacked-'));
  const server = await startPostgres();
  try {
    console.log('the slowest answer of /healthz under');
    const sqlite = await measure('SQLite', join(folder, 'ledger.db'), folder);
    const postgres = await measure('PostgreSQL', server.url('attacked'), folder);
    process.exitCode = sqlite && postgres ? 0 : 1;
  } finally {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

await (isMainThread ? main() : watch(workerData as Watch));
