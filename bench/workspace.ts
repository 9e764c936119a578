// How fast a private copy is there, against `git worktree add` in the same run: alone, and twenty at once.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { owners } from '../src/run/sources/isolated.ts';
import type { IsolationKind } from '../src/vocabulary.ts';
import { Workspace } from '../src/workspace/workspace.ts';

const files = Number(process.env['BENCH_FILES'] ?? 20_000);
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5);
const atOnce = Number(process.env['BENCH_AT_ONCE'] ?? 20);
const targets = { overlay: 0.3, clone: 1.1 } as const;

const folder = mkdtempSync(join(tmpdir(), 'runwire-bench-'));
const root = join(folder, 'project');
const env = { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_STATE_HOME: join(folder, 'state'), GIT_CONFIG_NOSYSTEM: '1' };
const { signal } = new AbortController();
let number = 0;

type Undo = () => Promise<unknown>;

async function worktree(): Promise<Undo> {
  const name = `tree-${(number += 1)}`;
  const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: root, env });
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

async function copy(isolate: IsolationKind): Promise<Undo> {
  const ask = { isolate, dirty: 'refuse', branch: `runwire/bench/${(number += 1)}`, copied: [] } as const;
  const workspace = await Workspace.plan(ask, { cwd: root, env, owners });
  await workspace.create(signal);
  return () => workspace.remove();
}

const ways: Readonly<Record<string, () => Promise<Undo>>> = { worktree, overlay: () => copy('overlay'), clone: () => copy('clone') };

async function time(way: () => Promise<Undo>, count: number): Promise<number> {
  const start = performance.now();
  const undo = await Promise.all(Array.from({ length: count }, way));
  const took = performance.now() - start;
  for (const each of undo) await each();
  return took;
}

/** Whoever comes after another one finds the disk busy. */
const rotated = <T>(list: readonly T[], by: number): T[] => [...list.slice(by % list.length), ...list.slice(0, by % list.length)];

try {
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
  for (const [title, count, times] of [
    ['alone', 1, rounds],
    [`${atOnce} at once`, atOnce, Math.ceil(rounds / 2)],
  ] as const) {
    const took = new Map<string, number[]>();
    for (let round = 0; round < times; round += 1)
      for (const [name, way] of rotated(Object.entries(ways), round)) took.set(name, [...(took.get(name) ?? []), await time(way, count)]);
    const base = Math.min(...(took.get('worktree') ?? []));
    console.log(`${title}, ${files} files: git worktree add ${base.toFixed(0)} ms`);
    for (const [name, target] of Object.entries(targets)) {
      const ratio = Math.min(...(took.get(name) ?? [])) / base;
      console.log(`  ${name.padEnd(8)} ${ratio.toFixed(2)} of it (target: at most ${target})${ratio > target ? ' !' : ''}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
