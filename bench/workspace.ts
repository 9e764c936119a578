// How fast a private copy is there, against `git worktree add` in the same run: alone, and twenty at once.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { owners } from '../src/run/sources/isolated.ts';
import type { Environment, IsolationKind } from '../src/words/vocabulary.ts';
import { Workspace } from '../src/workspace/workspace.ts';

const files = Number(process.env['BENCH_FILES'] ?? 20_000);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const atOnce = Number(process.env['BENCH_AT_ONCE'] ?? 20);
const targets = { overlay: 0.3, clone: 1.1 } as const;
const memory = '/dev/shm';

const { signal } = new AbortController();
let number = 0;

interface Place {
  folder: string;
  root: string;
  env: Environment;
}

type Undo = () => Promise<unknown>;

async function worktree({ folder, root, env }: Place): Promise<Undo> {
  const name = `tree-${(number += 1)}`;
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: root, env: { ...env } });
  // Several at once get into each other's way.
  for (;;) {
    const isMade = await git('worktree', 'add', '-q', '--no-track', '-B', name, join(folder, name), 'main').then(
      () => true,
      () => false,
    );
    if (isMade) break;
  }
  return () => git('worktree', 'remove', '--force', join(folder, name));
}

/** As an orchestration asks for it, which has refused a dirty checkout before it starts anybody. */
async function copy(isolate: IsolationKind, { root, env }: Place): Promise<Undo> {
  const ask = { isolate, dirty: 'ignore', branch: `runwire/bench/${(number += 1)}`, copied: [] } as const;
  const workspace = await Workspace.plan(ask, { cwd: root, env, owners });
  await workspace.create(signal);
  return () => workspace.remove();
}

const ways = {
  worktree,
  overlay: (place: Place) => copy('overlay', place),
  clone: (place: Place) => copy('clone', place),
};
const names = ['worktree', 'overlay', 'clone'] as const;

interface Took {
  clock: number;
  cpu: number;
}

/** Milliseconds of CPU of this process and of all that it has started and seen the end of; zero where there is no `/proc`. */
function cpuSoFar(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? [];
  return fields.slice(11, 15).reduce((sum, ticks) => sum + 10 * Number(ticks), 0);
}

function makeRepository(parent: string): Place {
  const folder = mkdtempSync(join(parent, 'runwire-bench-'));
  const root = join(folder, 'project');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    GIT_CONFIG_NOSYSTEM: '1',
  };
  for (let index = 0; index < files; index += 1) {
    const at = join(root, `part-${index % 40}`, `folder-${index % 400}`);
    if (index < 400) mkdirSync(at, { recursive: true });
    writeFileSync(join(at, `file-${index}.ts`), `export const value${index} = ${index};\n`.repeat(1 + (index % 80)));
  }
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=b@example.com', ...args], { cwd: root, env });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'first');
  git('repack', '-adq');
  return { folder, root, env };
}

const best = (all: readonly Took[], which: keyof Took): number => Math.min(...all.map((took) => took[which]));

/** Whoever comes after another one finds the disk busy. */
const rotated = <T>(list: readonly T[], by: number): T[] => [
  ...list.slice(by % list.length),
  ...list.slice(0, by % list.length),
];

async function measure(count: number, { times, parent }: { times: number; parent: string }): Promise<void> {
  const place = makeRepository(parent);
  const took: Record<keyof typeof ways, Took[]> = { worktree: [], overlay: [], clone: [] };
  try {
    for (let round = 0; round < times; round += 1)
      for (const name of rotated(names, round)) {
        const [clock, cpu] = [performance.now(), cpuSoFar()];
        const made = await Promise.all(Array.from({ length: count }, () => ways[name](place)));
        took[name].push({ clock: performance.now() - clock, cpu: cpuSoFar() - cpu });
        // Not on a disk: a file system without a journal looks at every file that was just deleted before it makes a new one.
        if (parent === memory) for (const undo of made) await undo();
      }
  } finally {
    rmSync(place.folder, { recursive: true, force: true });
  }
  const clock = best(took.worktree, 'clock');
  const cpu = best(took.worktree, 'cpu');
  console.log(
    `${count === 1 ? 'alone' : `${count} at once`}, ${files} files, ${parent}: git worktree add ${clock.toFixed(0)} ms`,
  );
  for (const name of ['overlay', 'clone'] as const) {
    const ratio = best(took[name], 'clock') / clock;
    const ofCpu = cpu === 0 ? '' : `, ${(best(took[name], 'cpu') / cpu).toFixed(2)} of its CPU time`;
    console.log(
      `  ${name.padEnd(8)} ${ratio.toFixed(2)} of it${ofCpu} (target: at most ${targets[name]})${ratio > targets[name] ? ' !' : ''}`,
    );
  }
}

await measure(1, { times: rounds, parent: tmpdir() });
// Where there is room: 800,000 files on a disk tell of the disk.
await measure(atOnce, {
  times: Math.ceil(rounds / 3),
  parent: process.env['TMPDIR'] === undefined && existsSync(memory) ? memory : tmpdir(),
});
