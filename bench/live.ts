// A live run against the bare process: how late an event is, how many bytes a second, how long until the first of them.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longRun } from './data.ts';

const bin = join(import.meta.dirname, '..', 'bin', 'runwire.js');
const node = process.execPath;
const events = Number(process.env.BENCH_LINES ?? 2000);
const megabytes = Number(process.env.BENCH_MB ?? 200);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const startCount = Number(process.env.BENCH_STARTS ?? 15);
const home = mkdtempSync(join(tmpdir(), 'runwire-bench-'));
const env = { PATH: process.env.PATH, HOME: home };
const runwire = (...args: string[]): string[] => [bin, 'run', ...args];

/** An agent in the dialect of codex that says, in every message, when it says it. */
const agent = `
  const { writeSync } = require('node:fs');
  const say = (line) => writeSync(1, JSON.stringify(line) + '\\n');
  say({ type: 'thread.started', thread_id: 'bench' });
  say({ type: 'turn.started' });
  let id = 0;
  const timer = setInterval(() => {
    say({ type: 'item.completed', item: { id: 'item_' + id, type: 'agent_message', text: 'at ' + process.hrtime.bigint() + ' ns' } });
    if (++id < ${events}) return;
    clearInterval(timer);
    say({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
  }, 3)`;

/** Delays in ms between the writing of an event and its reading at the end of the pipe. */
async function delays(command: string, args: readonly string[], stdin?: NodeJS.ReadableStream): Promise<number[]> {
  const child = spawn(command, args, { stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'], env });
  if (stdin !== undefined && child.stdin !== null) stdin.pipe(child.stdin);
  const found: number[] = [];
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const now = process.hrtime.bigint();
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const at = /at (\d+) ns/.exec(line)?.[1];
      if (at !== undefined && !line.includes('final_report')) found.push(Number(now - BigInt(at)) / 1e6);
    }
  });
  await once(child, 'close');
  if (found.length < events) throw new Error(`${command}: ${found.length} of ${events} events came`);
  return found.toSorted((a, b) => a - b);
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
const ms = (value: number): string => `${value.toFixed(3)} ms`;

// Both at once, so that what else the machine does falls on both.
const [bare, run] = await Promise.all([
  delays('/bin/sh', ['-c', `"${node}" -e "$0" | cat`, agent]),
  delays(node, runwire('--to', 'codex', '--', node, '-e', agent)),
]);
console.log(`delay of an event, ${events} events, both at once`);
console.log(`  agent | cat         p50 ${ms(at(bare, 0.5))}  p99 ${ms(at(bare, 0.99))}`);
console.log(`  runwire run         p50 ${ms(at(run, 0.5))}  p99 ${ms(at(run, 0.99))}`);
console.log(
  `  added               p50 ${ms(at(run, 0.5) - at(bare, 0.5))}  p99 ${ms(at(run, 0.99) - at(bare, 0.99))}  target p99 <= 2 ms`,
);

function seconds(command: string, args: readonly string[]): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
    maxBuffer: Infinity,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} → ${status}: ${stderr.toString()}`);
  return (performance.now() - start) / 1000;
}

const file = longRun('codex', megabytes * 1e6);
const best = { convert: Infinity, run: Infinity };
for (let round = 0; round < rounds; round += 1) {
  best.convert = Math.min(best.convert, seconds(node, [bin, 'convert', file]));
  best.run = Math.min(best.run, seconds(node, runwire('--', 'cat', file)));
}
console.log(`\nthroughput (${megabytes} MB, best of ${rounds})`);
console.log(`  convert FILE        ${(megabytes / best.convert).toFixed(0)} MB/s`);
console.log(
  `  run -- cat FILE     ${(megabytes / best.run).toFixed(0)} MB/s  ratio ${(best.convert / best.run).toFixed(2)}`,
);

async function firstByte(command: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], env });
  await once(child.stdout, 'data');
  const time = performance.now() - start;
  child.kill();
  await once(child, 'close');
  return time;
}

const starts = { node: [] as number[], bare: [] as number[], run: [] as number[] };
const first = `console.log('{"type":"thread.started","thread_id":"bench"}'); setTimeout(() => {}, 1000)`;
for (let round = 0; round < startCount; round += 1) {
  starts.node.push(seconds(node, ['-e', '0']) * 1000);
  starts.bare.push(await firstByte(node, ['-e', first]));
  starts.run.push(await firstByte(node, runwire('--to', 'codex', '--from', 'codex', '--', node, '-e', first)));
}
const p10 = (times: number[]): number =>
  at(
    times.toSorted((a, b) => a - b),
    0.1,
  );
console.log(`\nstart to first byte, p10 of ${startCount} interleaved runs`);
console.log(`  node -e 0           ${p10(starts.node).toFixed(0)} ms`);
console.log(`  agent, bare         ${p10(starts.bare).toFixed(0)} ms`);
console.log(
  `  agent in a run      ${p10(starts.run).toFixed(0)} ms  added ${((p10(starts.run) - p10(starts.bare)) / p10(starts.node)).toFixed(2)} x node -e 0`,
);
rmSync(home, { recursive: true, force: true });
