import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { supervise } from '../src/processes/supervise.ts';

// How late a line is heard from a supervised process, against the same process on a pipe, and what an idle one costs.
const lines = Number(process.env['BENCH_LINES'] ?? 2000);
const writer = `
  const { writeSync } = require('node:fs');
  let left = ${lines};
  const timer = setInterval(() => {
    writeSync(1, process.hrtime.bigint() + '\\n');
    if (--left === 0) clearInterval(timer);
  }, 3)`;
const env = { PATH: process.env['PATH'] ?? '' };

function listener(): { hear: (bytes: Uint8Array) => void; told: () => Record<string, string> } {
  const delays: number[] = [];
  return {
    hear(bytes) {
      const now = process.hrtime.bigint();
      for (const line of Buffer.from(bytes).toString().trimEnd().split('\n'))
        delays.push(Number(now - BigInt(line)) / 1e6);
    },
    told() {
      const sorted = delays.toSorted((a, b) => a - b);
      const at = (share: number): string => `${(sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(3)} ms`;
      return { lines: String(sorted.length), p50: at(0.5), p99: at(0.99), worst: at(1) };
    },
  };
}

async function piped(): Promise<Record<string, string>> {
  const { hear, told } = listener();
  const child = spawn(process.execPath, ['-e', writer], { stdio: ['ignore', 'pipe', 'ignore'], env });
  child.stdout.on('data', hear);
  await once(child, 'close');
  return told();
}

async function supervised(command: string, args: string[], hear: (bytes: Uint8Array) => void): Promise<void> {
  const { ended } = await supervise({
    command,
    args,
    cwd: '/',
    env,
    stdin: undefined,
    onStdout: hear,
    onStderr: () => {},
  });
  await ended;
}

// Both at once, so that what else the machine does falls on both.
const { hear, told } = listener();
const [onPipe] = await Promise.all([piped(), supervised(process.execPath, ['-e', writer], hear)]);
console.table({ 'on a pipe': onPipe, supervised: told() });

const before = process.cpuUsage();
await supervised('sleep', ['5'], () => {});
const { user, system } = process.cpuUsage(before);
console.log(`idle: ${((user + system) / 50_000).toFixed(2)} % of a core, start and end included`);
