// Events of runs on one machine as two dashboards on others see them, through chunks and hints in PostgreSQL: all must arrive, once
// and in order. Beside NATS core in the same run, if nats-server is installed. BENCH_SECONDS, BENCH_RUNS, BENCH_RATE change its size.
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../test/stores/support/postgres.ts';

const runs = Number(process.env['BENCH_RUNS'] ?? 20);
const rate = Number(process.env['BENCH_RATE'] ?? 5000);
const seconds = Number(process.env['BENCH_SECONDS'] ?? 8);
const dashboards = 2;

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'runwire-bench-'));
const children: ChildProcessByStdio<Writable, Readable, Readable>[] = [];

function start(command: string, args: readonly string[], home: string) {
  mkdirSync(join(folder, home), { recursive: true });
  const env = { ...process.env, XDG_STATE_HOME: join(folder, home), RUNWIRE_TAPES: '' };
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env });
  children.push(child);
  return child;
}

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  yield* createInterface({ input: stream });
}

/** Milliseconds between the making of an event and its arrival; both clocks are one machine's. */
class Arrivals {
  readonly delays: number[] = [];

  see(text: string): void {
    const now = Date.now();
    for (const [, at] of text.matchAll(/made at (\d+)/g)) this.delays.push(now - Number(at));
  }

  at(share: number): number {
    const sorted = this.delays.toSorted((a, b) => a - b);
    return sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
  }
}

/** Until the last record of the run has come. */
function watch(url: string, onData: (data: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent: false }, (response) => {
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.startsWith('data: [')) onData(line);
      });
      response.on('end', resolve).on('error', resolve);
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** A dashboard as a team has it, on a machine of its own, without a token for the sake of the bench. */
async function dashboard(name: string, ledger: string): Promise<string> {
  const child = start(
    process.execPath,
    [join(root, 'bin', 'runwire.js'), 'serve', '--no-token', '--port', '0', '--ledger', ledger],
    name,
  );
  for await (const line of linesOf(child.stderr)) {
    const found = /open (\S+)\/$/.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error('the dashboard did not start');
}

const cpuOf = (pid: number | undefined): number => {
  const { stdout } = spawnSync('ps', ['-o', 'cputimes=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(stdout.trim());
};

async function fleet(): Promise<void> {
  const server = await startPostgres();
  try {
    const ledger = server.url('bench');
    const origins = await Promise.all(
      Array.from({ length: dashboards }, (_, index) => dashboard(`dashboard-${index}`, ledger)),
    );
    const writer = start(
      process.execPath,
      [join(import.meta.dirname, 'fleet-writer.ts'), ledger, String(runs), String(rate), String(seconds)],
      'worker',
    );
    writer.stderr.pipe(process.stderr);
    const told = linesOf(writer.stdout);
    const ids = JSON.parse(String((await told.next()).value)) as string[];
    const arrivals = new Arrivals();
    let broken = 0;
    const watching = origins.flatMap((origin) =>
      ids.map((id) => {
        let last = 0;
        return watch(`${origin}/api/runs/${id}/records`, (data) => {
          arrivals.see(data);
          for (const [, sequence] of data.matchAll(/"sequence":(\d+)/g)) {
            if (Number(sequence) !== last + 1) broken += 1;
            last = Number(sequence);
          }
        });
      }),
    );
    await sleep(1000);
    writer.stdin.write('go\n');
    const made = Number((await told.next()).value);
    await Promise.all(watching);
    const lost = made * dashboards - arrivals.delays.length;
    console.log(`${runs} runs, ${rate} events a second for ${seconds} s, ${dashboards} dashboards: ${made} events`);
    console.log(
      `  PostgreSQL chunks + NOTIFY   arrived ${arrivals.delays.length}, lost ${lost}, out of order ${broken}`,
    );
    console.log(
      `                               p50 ${arrivals.at(0.5)} ms  p99 ${arrivals.at(0.99)} ms  worker CPU ${cpuOf(writer.pid)} s`,
    );
    if (lost !== 0 || broken !== 0) process.exitCode = 1;
  } finally {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await server.remove();
  }
}

/** The same events over NATS core, in its own plain protocol: a floor, which forgets what nobody hears. */
async function nats(): Promise<void> {
  if (spawnSync('nats-server', ['--version']).error !== undefined)
    return console.log('  NATS core                    nats-server is not installed');
  const port = 14_222;
  const server = start('nats-server', ['-a', '127.0.0.1', '-p', String(port)], 'nats');
  const reach = async (): Promise<Socket> => {
    for (;;) {
      const socket = connect(port, '127.0.0.1');
      const isOpen = await new Promise<boolean>(
        (resolve) => void socket.once('connect', () => resolve(true)).once('error', () => resolve(false)),
      );
      if (isOpen) return socket;
      await sleep(50);
    }
  };
  const arrivals = new Arrivals();
  const listeners = await Promise.all(Array.from({ length: dashboards }, reach));
  for (const socket of listeners) {
    socket.write('CONNECT {"verbose":false}\r\nSUB events 1\r\n');
    let rest = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\r\n');
      rest = lines.pop() ?? '';
      arrivals.see(lines.join('\n'));
    });
  }
  const publisher = await reach();
  publisher.write('CONNECT {"verbose":false}\r\n');
  await sleep(300);
  const begun = performance.now();
  let made = 0;
  while (performance.now() - begun < seconds * 1000) {
    const due = Math.floor(((performance.now() - begun) / 1000) * rate);
    for (; made < due; made += 1) {
      const body = `{"text":"made at ${Date.now()} ${'x'.repeat(250)}"}`;
      publisher.write(`PUB events ${Buffer.byteLength(body)}\r\n${body}\r\n`);
    }
    await sleep(5);
  }
  while (arrivals.delays.length < made * dashboards) await sleep(20);
  console.log(`  NATS core                    arrived ${arrivals.delays.length} of ${made * dashboards}`);
  console.log(`                               p50 ${arrivals.at(0.5)} ms  p99 ${arrivals.at(0.99)} ms`);
  for (const socket of [...listeners, publisher]) socket.destroy();
  server.kill('SIGKILL');
}

try {
  await fleet();
  await nats();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
