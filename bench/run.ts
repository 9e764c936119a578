// Speed as ratios within one run: machines are noisy, so only figures printed side by side mean anything.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longRun } from './data.ts';

const here = import.meta.dirname;
const bin = join(here, '..', 'bin', 'runwire.js');
const megabytes = Number(process.env.BENCH_MB ?? 500);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const node = process.execPath;

interface Case {
  name: string;
  command: string;
  args: string[];
}

function seconds({ command, args }: Case): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} → ${status}: ${stderr.toString()}`);
  return (performance.now() - start) / 1000;
}

/** Interleaved rounds; the best of each, since noise only ever slows down. */
function race(cases: readonly Case[], times: number): Map<string, number> {
  const best = new Map<string, number>();
  for (let round = 0; round < times; round += 1) {
    for (const each of cases) best.set(each.name, Math.min(best.get(each.name) ?? Infinity, seconds(each)));
  }
  return best;
}

function compare(title: string, file: string, floor: Case, cases: readonly Case[], target?: number): void {
  const size = statSync(file).size / 1e6;
  const best = race([floor, ...cases], rounds);
  const base = best.get(floor.name) ?? 0;
  console.log(`\n${title} (${size.toFixed(0)} MB, best of ${rounds})`);
  for (const { name } of [floor, ...cases]) {
    const time = best.get(name) ?? 0;
    const goal =
      target !== undefined && name.startsWith('runwire') && (name.includes('--no-redact') || name.includes('outcome'))
        ? `  target >= ${target}`
        : '';
    console.log(`  ${name.padEnd(44)} ${(size / time).toFixed(0).padStart(5)} MB/s  ratio ${(base / time).toFixed(2)}${goal}`);
  }
}

const codex = longRun('codex', megabytes * 1e6);
const opencode = longRun('opencode', megabytes * 1e6);
const bare = (file: string, ...more: string[]): Case => ({
  name: `bare parse${more.length > 0 ? ' + stringify' : ''}`,
  command: node,
  args: [join(here, 'bare-parse.ts'), file, ...more],
});
const runwire = (...args: string[]): Case => ({ name: `runwire ${args.slice(0, -1).join(' ')}`, command: node, args: [bin, ...args] });
const jq = spawnSync('jq', ['--version']).status === 0;

compare(
  'outcome, codex',
  codex,
  bare(codex),
  [runwire('outcome', codex), ...(jq ? [{ name: 'jq -c .type', command: 'jq', args: ['-c', '.type', codex] }] : [])],
  0.7,
);
compare('outcome, opencode', opencode, bare(opencode), [runwire('outcome', opencode)], 0.7);
compare(
  'convert codex to agent-code',
  codex,
  bare(codex, '--stringify'),
  [
    runwire('convert', '--no-redact', '--notes', 'none', '--to', 'agent-code', codex),
    runwire('convert', '--notes', 'none', '--to', 'agent-code', codex),
  ],
  0.6,
);
compare(
  'convert opencode to runwire',
  opencode,
  bare(opencode, '--stringify'),
  [
    runwire('convert', '--no-redact', '--notes', 'none', '--to', 'runwire', opencode),
    runwire('convert', '--notes', 'none', '--to', 'runwire', opencode),
  ],
  0.6,
);
if (!jq) console.log('\n(jq is not installed; its figure is left out)');

function peakRss(args: string[]): number {
  const { stderr } = spawnSync(node, [join(here, 'measured.ts'), ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  return Number(/peak-rss-kb (\d+)/.exec(stderr.toString())?.[1] ?? Number.NaN) / 1024;
}

console.log('\npeak memory (MB)');
const [small, large] = [100, 1000].map((size) => longRun('codex', size * 1e6)) as [string, string];
for (const command of [['outcome'], ['convert', '--notes', 'none', '--to', 'agent-code']]) {
  const [first, second] = [peakRss([...command, small]), peakRss([...command, large])];
  console.log(
    `  ${command[0]?.padEnd(10)} 100 MB: ${first.toFixed(0)}  1 GB: ${second.toFixed(0)}  difference ${(second - first).toFixed(0)}  target <= 20`,
  );
}

const percentile10 = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 10)] ?? Number.NaN;
const idle: number[] = [];
const help: number[] = [];
for (let run = 0; run < 25; run += 1) {
  idle.push(seconds({ name: 'node', command: node, args: ['-e', '0'] }));
  help.push(seconds({ name: 'help', command: node, args: [bin, '--help'] }));
}
console.log('\nstart-up, p10 of 25 interleaved runs');
console.log(`  node -e 0       ${(percentile10(idle) * 1000).toFixed(0)} ms`);
console.log(
  `  runwire --help  ${(percentile10(help) * 1000).toFixed(0)} ms  ratio ${(percentile10(help) / percentile10(idle)).toFixed(2)}  target <= 1.3`,
);

/** From the start of the process to its first line on stdout. */
function firstLine(args: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(node, [bin, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, HOME: mkdtempSync(join(tmpdir(), 'runwire-bench-')) },
    });
    child.on('error', reject);
    child.stdout.once('data', () => {
      resolve((performance.now() - start) / 1000);
      child.kill('SIGKILL');
    });
  });
}

const recording = join(here, '..', 'examples', 'fix-the-test', 'model.jsonl');
const first: number[] = [];
for (let run = 0; run < 25; run += 1) {
  idle.push(seconds({ name: 'node', command: node, args: ['-e', '0'] }));
  first.push(await firstLine(['--cwd', tmpdir(), '--model', `replay/${recording}`, '--output-format', 'json', '-p', 'hi']));
}
console.log(
  `  session_start   ${(percentile10(first) * 1000).toFixed(0)} ms  ratio ${(percentile10(first) / percentile10(idle)).toFixed(2)}`,
);
