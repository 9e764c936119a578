// `runwire serve` under load, beside a bare relay of server-sent events in the same run: live runs of another process,
// viewers of some of them; nothing may be lost for who keeps up. Larger: BENCH_SECONDS, BENCH_RUNS, BENCH_RATE, BENCH_VIEWERS.
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const runs = Number(process.env['BENCH_RUNS'] ?? 200);
const rate = Number(process.env['BENCH_RATE'] ?? 5000);
const viewers = Number(process.env['BENCH_VIEWERS'] ?? 50);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 5);

/** What Linux counts CPU time in, whatever its clock. */
const ticksPerSecond = 100;

const bin = join(import.meta.dirname, '..', 'bin', 'runwire.js');
const folder = mkdtempSync(join(tmpdir(), 'runwire-bench-'));
const ledger = join(folder, 'ledger.db');
const children: ChildProcessByStdio<Writable, Readable, Readable>[] = [];

function start(args: readonly string[]) {
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, XDG_STATE_HOME: folder },
  });
  children.push(child);
  return child;
}

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  yield* createInterface({ input: stream });
}

function memoryOf(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}

/** The CPU time that a process has used, in seconds. */
function cpuOf(pid: number | undefined): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) / ticksPerSecond;
}

/** Reads a stream until it ends; hears every text of it. */
function watch(url: string, onText: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (response) => {
      response.setEncoding('utf8').on('data', onText);
      response.on('end', resolve).on('error', resolve);
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Milliseconds between the making of an event and its arrival. */
class Arrivals {
  readonly delays: number[] = [];
  readonly #pattern: RegExp;

  constructor(pattern: RegExp) {
    this.#pattern = pattern;
  }

  see(text: string): void {
    const now = Date.now();
    for (const [, at] of text.matchAll(this.#pattern)) this.delays.push(now - Number(at));
  }

  quantile(share: number): number {
    const sorted = this.delays.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  }
}

function startUp(args: readonly string[], times = 5): number {
  const took = Array.from({ length: times }, () => {
    const begun = performance.now();
    spawnSync(process.execPath, args, { stdio: 'ignore' });
    return performance.now() - begun;
  });
  return Math.min(...took);
}

async function serveStartUp(): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < 5; time += 1) {
    const begun = performance.now();
    const child = start([bin, 'serve', '--port', '0', '--no-token', '--ledger', ledger]);
    for await (const line of linesOf(child.stderr)) if (line.includes(' open ')) break;
    took.push(performance.now() - begun);
    child.kill('SIGKILL');
  }
  return Math.min(...took);
}

try {
  console.log(
    `start-up: node -e 0 ${startUp(['-e', '0']).toFixed(0)} ms, serve until it listens ${(await serveStartUp()).toFixed(0)} ms`,
  );
  const relay = start([join(import.meta.dirname, 'serve-relay.ts')]);
  const relayPort = String((await linesOf(relay.stdout).next()).value);
  const relayUrl = `http://127.0.0.1:${relayPort}`;
  const server = start([bin, 'serve', '--port', '0', '--no-token', '--ledger', ledger]);
  let origin = '';
  for await (const line of linesOf(server.stderr)) {
    origin = /open (\S+)\/$/.exec(line)?.[1] ?? '';
    if (origin !== '') break;
  }
  const writer = start([
    join(import.meta.dirname, 'serve-writer.ts'),
    ledger,
    relayUrl,
    String(runs),
    String(rate),
    String(seconds),
  ]);
  writer.stderr.pipe(process.stderr);
  const said = linesOf(writer.stdout);
  const ids = JSON.parse(String((await said.next()).value)) as string[];
  // Their begin is in the ledger a moment later.
  for (let known = 0; known < runs;)
    known = ((await (await fetch(`${origin}/api/runs?total=1&limit=1`)).json()) as { total: number }).total;
  const before = memoryOf(server.pid);
  const ours = ids.slice(0, viewers).map(() => new Arrivals(/"text":"(\d{13}) x/g));
  const bare = new Arrivals(/data: (\d{13})\n/g);
  const watching = ours.map((arrivals, index) =>
    watch(`${origin}/api/runs/${ids[index]}/records`, (text) => arrivals.see(text)),
  );
  let changes = 0;
  void watch(`${origin}/api/live`, (text) => (changes += text.split('event: run').length - 1)).catch(() => {});
  for (let index = 0; index < viewers; index += 1)
    void watch(`${relayUrl}/${index}`, (text) => bare.see(text)).catch(() => {});
  await new Promise((resolve) => void setTimeout(resolve, 500));
  let most = 0;
  const meter = setInterval(() => (most = Math.max(most, memoryOf(server.pid))), 250);
  const cpuBefore = cpuOf(server.pid);
  writer.stdin.write('go\n');
  const made = Number((await said.next()).value);
  await Promise.all(watching);
  clearInterval(meter);
  const cpu = cpuOf(server.pid) - cpuBefore;
  const wanted = ours.map((_, index) => Math.floor(made / runs) + (index < made % runs ? 1 : 0));
  const lost = ours.reduce((sum, { delays }, index) => sum + Math.max(0, (wanted[index] ?? 0) - delays.length), 0);
  const doubled = ours.reduce((sum, { delays }, index) => sum + Math.max(0, delays.length - (wanted[index] ?? 0)), 0);
  const all = new Arrivals(/x/g);
  for (const { delays } of ours) all.delays.push(...delays);
  console.log(
    `${runs} live runs, ${made} events in ${seconds} s (${(made / seconds).toFixed(0)}/s), ${viewers} viewers, ${changes} changes of the list`,
  );
  console.log(`arrived ${all.delays.length}, lost ${lost}, twice ${doubled}`);
  const row = (name: string, { quantile }: { quantile: (share: number) => number }): string =>
    `${name.padEnd(8)} p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms`;
  console.log(row('serve', { quantile: (share) => all.quantile(share) }));
  console.log(row('relay', { quantile: (share) => bare.quantile(share) }));
  console.log(`added p99 ${all.quantile(0.99) - bare.quantile(0.99)} ms`);
  console.log(
    `CPU of the server ${cpu.toFixed(2)} s, ${((cpu * 1e6) / all.delays.length).toFixed(0)} µs for each event that arrived`,
  );
  console.log(`memory of the server ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most`);
  process.exitCode = lost + doubled === 0 ? 0 : 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
