// What the benches share: commands that are timed in turns, since machines are noisy and only figures side by side mean anything.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const node = process.execPath;

export interface Case {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string | undefined>;
}

export interface Time {
  /** Seconds on the clock. */
  wall: number;
  /** Seconds of CPU, of all threads and children: steadier than the clock when others use the machine. */
  cpu: number;
}

/** The floor: read, split, `JSON.parse`, and with `--stringify` the way back. */
export const bare = (file: string, ...more: '--stringify'[]): Case => ({
  name: `bare parse${more.length > 0 ? ' + stringify' : ''}`,
  command: node,
  args: [join(import.meta.dirname, 'bare-parse.ts'), file, ...more],
});

/** The built command of a checkout. */
export const binOf = (root: string): string => join(root, 'bin', 'runwire.js');

export const runwire = (bin: string, ...args: string[]): Case => ({
  name: `runwire ${args.slice(0, -1).join(' ')}`,
  command: node,
  args: [bin, ...args],
});

export const idle: Case = { name: 'node -e 0', command: node, args: ['-e', '0'] };

export function time({ command, args, env }: Case): Time {
  const start = performance.now();
  // The shell's `times` says what its children took, which Node cannot.
  const script = '"$@" >/dev/null || exit; times';
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script, 'sh', command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A run tells all that it does.
    maxBuffer: 1 << 28,
    ...(env === undefined ? {} : { env }),
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} → ${status}: ${stderr.toString().slice(-1000)}`);
  const children = stdout.toString().trimEnd().split('\n').at(-1) ?? '';
  const cpu = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
  return { wall: (performance.now() - start) / 1000, cpu };
}

/** All of them in turns, round by round: the times of each. */
export function inTurns(cases: readonly Case[], rounds: number): Time[][] {
  const times = cases.map((): Time[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, each] of cases.entries()) times[index]?.push(time(each));
  return times;
}

/** The best of each, since noise only ever slows down. */
export function race(cases: readonly Case[], rounds: number): Time[] {
  return inTurns(cases, rounds).map((times) => ({
    wall: Math.min(...times.map(({ wall }) => wall)),
    cpu: Math.min(...times.map(({ cpu }) => cpu)),
  }));
}

/** How much of the floor's speed is left, on the clock and in CPU time: in each round, since a machine that others use too is slow for minutes, and of those the median. */
export function shares(floor: readonly Time[], mine: readonly Time[]): string {
  const share = (kind: keyof Time): string => {
    const ratios = floor
      .map((each, round) => each[kind] / (mine[round]?.[kind] ?? Number.NaN))
      .toSorted((a, b) => a - b);
    return (ratios[ratios.length >> 1] ?? Number.NaN).toFixed(2);
  };
  return `${share('wall')} / ${share('cpu')}`;
}

/** Seconds from the start of the process to its first byte on stdout. */
export function firstByte({ command, args, env }: Case): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], ...(env === undefined ? {} : { env }) });
    child.on('error', reject);
    let seconds: number | undefined;
    child.stdout.once('data', () => {
      seconds = (performance.now() - start) / 1000;
      child.kill('SIGKILL');
    });
    child.on('close', () => (seconds === undefined ? reject(new Error(`${command} said nothing`)) : resolve(seconds)));
  });
}

/** A time that is seldom beaten, and not the luckiest. */
export const percentile10 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)] ?? Number.NaN;
