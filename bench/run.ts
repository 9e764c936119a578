// Speed as ratios within one run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longRun } from './data.ts';
import { bare, binOf, type Case, firstByte, idle, inTurns, percentile10, race, runwire, time } from './race.ts';

const root = join(import.meta.dirname, '..');
const bin = binOf(root);
const megabytes = Number(process.env.BENCH_MB ?? 500);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
/** Paired, so that a busy machine slows both sides: many short turns say more than a few long ones. */
const claimRounds = rounds * 3;
const starts = Number(process.env.BENCH_STARTS ?? 25);

function compare(title: string, file: string, floor: Case, cases: readonly Case[], target?: number): void {
  const size = statSync(file).size / 1e6;
  const all = [floor, ...cases];
  const best = race(all, rounds);
  const base = best[0]?.wall ?? 0;
  console.log(`\n${title} (${size.toFixed(0)} MB, best of ${rounds})`);
  for (const [index, { name }] of all.entries()) {
    const { wall } = best[index] ?? { wall: Number.NaN };
    const goal =
      target !== undefined && name.startsWith('runwire') && (name.includes('--no-redact') || name.includes('outcome'))
        ? `  target >= ${target}`
        : '';
    console.log(
      `  ${name.padEnd(44)} ${(size / wall).toFixed(0).padStart(5)} MB/s  ratio ${(base / wall).toFixed(2)}${goal}`,
    );
  }
}

const codex = longRun('codex', megabytes * 1e6);
const opencode = longRun('opencode', megabytes * 1e6);
const jq = spawnSync('jq', ['--version']).status === 0;

compare(
  'outcome, codex',
  codex,
  bare(codex),
  [
    runwire(bin, 'outcome', codex),
    ...(jq ? [{ name: 'jq -c .type', command: 'jq', args: ['-c', '.type', codex] }] : []),
  ],
  0.7,
);
compare('outcome, opencode', opencode, bare(opencode), [runwire(bin, 'outcome', opencode)], 0.7);
for (const [title, file, to] of [
  ['convert codex to agent-code', codex, 'agent-code'],
  ['convert opencode to runwire', opencode, 'runwire'],
] as const) {
  const [whole, redacted] = [['--no-redact'], []].map((flags) =>
    runwire(bin, 'convert', ...flags, '--notes', 'none', '--to', to, file),
  );
  compare(title, file, bare(file, '--stringify'), [whole as Case, redacted as Case], 0.6);
}

const folded = (file: string, claims: 'with' | 'without'): Case => ({
  name: claims,
  command: process.execPath,
  args: [join(import.meta.dirname, 'outcome-claims.ts'), file, claims],
});
console.log(`\nCPU time of an outcome with its claims against without (median of ${claimRounds} turns)`);
for (const [title, file] of [
  ['a run of one megabyte', longRun('codex', 1e6)],
  ['recorded lines', longRun('codex', Math.min(megabytes, 60) * 1e6)],
  ['lines of 200 bytes', longRun('codex', Math.min(megabytes, 60) * 1e6, 'short')],
] as const) {
  const [withClaims = [], without = []] = inTurns([folded(file, 'with'), folded(file, 'without')], claimRounds);
  const ratios = withClaims
    .map(({ cpu }, round) => cpu / (without[round]?.cpu ?? Number.NaN))
    .toSorted((a, b) => a - b);
  console.log(`  ${title.padEnd(24)} ratio ${(ratios[claimRounds >> 1] ?? Number.NaN).toFixed(2)}  target <= 1.05`);
}

if (!jq) console.log('\n(jq is not installed; its figure is left out)');

function peakRss(args: string[]): number {
  const { stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'measured.ts'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return Number(/peak-rss-kb (\d+)/.exec(stderr.toString())?.[1] ?? Number.NaN) / 1024;
}

console.log('\npeak memory (MB)');
const sizes = [megabytes / 5, megabytes * 2] as const;
const [small, large] = sizes.map((size) => longRun('codex', size * 1e6)) as [string, string];
for (const command of [['outcome'], ['convert', '--notes', 'none', '--to', 'agent-code']]) {
  const [first, second] = [peakRss([...command, small]), peakRss([...command, large])];
  console.log(
    `  ${command[0]?.padEnd(10)} ${sizes[0]} MB: ${first.toFixed(0)}  ${sizes[1]} MB: ${second.toFixed(0)}  difference ${(second - first).toFixed(0)}  target <= 20`,
  );
}

const recording = join(root, 'examples', 'fix-the-test', 'model.jsonl');
const start: Case = {
  ...runwire(bin, '--cwd', tmpdir(), '--model', `replay/${recording}`, '--output-format', 'json', '-p', 'hi'),
  env: { PATH: process.env.PATH, HOME: mkdtempSync(join(tmpdir(), 'runwire-bench-')) },
};
const times = { idle: [] as number[], help: [] as number[], first: [] as number[] };
for (let run = 0; run < starts; run += 1) {
  times.idle.push(time(idle).wall);
  times.help.push(time(runwire(bin, '--help')).wall);
  times.first.push(await firstByte(start));
}
const ms = (seconds: readonly number[]): string => `${(percentile10(seconds) * 1000).toFixed(0)} ms`;
const ratio = (seconds: readonly number[]): string => (percentile10(seconds) / percentile10(times.idle)).toFixed(2);
console.log(`\nstart-up, p10 of ${starts} interleaved runs`);
console.log(`  node -e 0       ${ms(times.idle)}`);
console.log(`  runwire --help  ${ms(times.help)}  ratio ${ratio(times.help)}  target <= 1.3`);
console.log(`  session_start   ${ms(times.first)}  ratio ${ratio(times.first)}`);
