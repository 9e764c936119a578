// Speed beside that of an earlier commit, in one run and in turns: `npm run bench:before -- REV`.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { longRun } from './data.ts';
import {
  bare,
  binOf,
  type Case,
  firstByte,
  idle,
  inTurns,
  percentile10,
  runwire,
  shares,
  type Time,
  time,
} from './race.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string', multiple: true, default: [] } },
});
const revision = positionals[0] ?? 'HEAD~1';
/** A million short lines, unless told. */
const megabytes = Number(process.env.BENCH_MB ?? 207);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const startCount = Number(process.env.BENCH_STARTS ?? 15);
const root = join(import.meta.dirname, '..');
const wanted = (title: string): boolean => values.only.length === 0 || values.only.some((word) => title.includes(word));

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

/** The commit as it was, built with the packages of now, and with those that went since. An archive, not a work tree: nothing is left in the repository. */
function checkOut(): string {
  const above = mkdtempSync(join(tmpdir(), 'runwire-before-'));
  const folder = join(above, 'commit');
  mkdirSync(folder);
  const archive = execFileSync('git', ['archive', '--format=tar', revision], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const gone = Object.entries({ ...dependencies, ...devDependencies })
    .filter(([name]) => !existsSync(join(root, 'node_modules', name)))
    .map(([name, version]) => `${name}@${version}`);
  // One folder above, where they are looked for next.
  if (gone.length > 0) execFileSync('npm', ['install', '--no-save', '--prefix', above, ...gone], { stdio: 'ignore' });
  return folder;
}

function build(folder: string, ...flags: string[]): void {
  execFileSync(process.execPath, [join(folder, 'scripts', 'build.ts'), ...flags], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const before = checkOut();
const home = mkdtempSync(join(tmpdir(), 'runwire-bench-'));
build(before);
build(root, '--if-stale');
const bins = [binOf(before), binOf(root)] as const;
console.log(
  `before: ${execFileSync('git', ['log', '-1', '--format=%h %s', revision], { cwd: root, encoding: 'utf8' }).trim()}`,
);

const row = (title: string, old: string, now: string, goal: string): void =>
  console.log(`  ${title.padEnd(46)} ${old.padStart(14)} ${now.padStart(14)}  ${goal}`);
const header = (title: string): void => {
  console.log(`\n${title}`);
  row('', 'before', 'now', 'target');
};

/** How much of the floor's speed is left, on the clock and in CPU time. */
function share(title: string, floor: Case, of: (bin: string) => Case, target: string): void {
  if (!wanted(title)) return;
  const [base, old, now] = inTurns([floor, of(bins[0]), of(bins[1])], rounds) as [Time[], Time[], Time[]];
  row(title, shares(base, old), shares(base, now), target);
}

const short = longRun('codex', megabytes * 1e6, 'short');
const long = longRun('codex', megabytes * 1e6, 'long');
header(`share of the bare loop's speed, clock / CPU (median of ${rounds} rounds)`);
for (const [file, what] of [
  [short, 'short lines'],
  [long, 'long lines'],
] as const) {
  const size = `${what}, ${(statSync(file).size / 1e6).toFixed(0)} MB`;
  share(`outcome, ${size}`, bare(file), (bin) => runwire(bin, 'outcome', file), what === 'short lines' ? '>= 0.8' : '');
  for (const to of ['runwire', 'agent-code']) {
    const goal = what === 'short lines' ? '>= 0.7' : '';
    share(
      `convert to ${to}, ${size}`,
      bare(file, '--stringify'),
      (bin) => runwire(bin, 'convert', '--notes', 'none', '--to', to, file),
      goal,
    );
  }
}

const env = { PATH: process.env.PATH, HOME: home };
const live = longRun('codex', megabytes * 1e6);
/** How much of the speed of one command another one keeps, each of the same commit. */
function kept(title: string, floor: string[], args: string[], target: string): void {
  if (!wanted(title)) return;
  const cases = bins.flatMap((bin) => [floor, args].map((each) => ({ ...runwire(bin, ...each), env })));
  const [oldFloor, old, nowFloor, now] = inTurns(cases, rounds) as [Time[], Time[], Time[], Time[]];
  row(title, shares(oldFloor, old), shares(nowFloor, now), target);
}

// As people type them: tape, ledger and narration beside the answer, against the tape alone. Then another format instead of that one, which a run writes beside its tape.
kept('run -- cat FILE, of convert FILE', ['convert', live], ['run', '--', 'cat', live], '>= 0.7');
const to = ['--to', 'agent-code'];
kept(
  'run -- cat FILE, of convert FILE, to agent-code',
  ['convert', '--notes', 'none', ...to, live],
  ['run', ...to, '--', 'cat', live],
  '',
);

if (wanted('start')) {
  const recording = join(root, 'examples', 'fix-the-test', 'model.jsonl');
  const starts = (bin: string): Case => ({
    ...runwire(bin, '--cwd', tmpdir(), '--model', `replay/${recording}`, '--output-format', 'json', '-p', 'hi'),
    env,
  });
  // What is compiled is kept at the end of a process: starts after the first one are what people wait for.
  for (const bin of bins)
    for (const each of [runwire(bin, '--help'), starts(bin)])
      spawnSync(each.command, each.args, { env, stdio: 'ignore' });
  const times = {
    idle: [] as number[],
    help: [[], []] as [number[], number[]],
    first: [[], []] as [number[], number[]],
  };
  for (let round = 0; round < startCount; round += 1) {
    times.idle.push(time(idle).wall);
    for (const index of [0, 1] as const) {
      times.help[index].push(time(runwire(bins[index], '--help')).wall);
      times.first[index].push(await firstByte(starts(bins[index])));
    }
  }
  header(`start, times \`node -e 0\` (p10 of ${startCount})`);
  const ratio = (list: readonly number[]): string => (percentile10(list) / percentile10(times.idle)).toFixed(2);
  row('--help', ratio(times.help[0]), ratio(times.help[1]), '<= 1.2');
  row('first line of a run', ratio(times.first[0]), ratio(times.first[1]), '<= 2.5');
}

rmSync(dirname(before), { recursive: true, force: true });
rmSync(home, { recursive: true, force: true });
