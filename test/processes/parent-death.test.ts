import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled } from '../support/compiled.ts';
import { processesWith, until } from '../support/processes.ts';
import { isSweep } from '../support/sweep.ts';

const all = mkdtempSync(join(tmpdir(), 'runwire-death-'));
const cwd = mkdtempSync(join(tmpdir(), 'runwire-grown-'));
afterAll(() => [all, cwd].forEach((path) => rmSync(path, { recursive: true, force: true })));
/** For the files of one death. */
const newFolder = (): string => mkdtempSync(join(all, 'one-'));
const supervising = join(import.meta.dirname, '..', 'support', 'supervising.ts');
// Whoever is killed keeps nothing of what it compiled: this one does.
beforeAll(() => once(superviser(newFolder(), 'true'), 'exit'));

/** A tree with all that is hard to find: it ignores signals, leaves its group, loses its parents and its environment. */
const tree = (mark: string): string => `
  trap '' INT TERM HUP
  (setsid sh -c '(sleep 600; : ${mark}) <&- >&- 2>&- &' <&- >&- 2>&- &)
  env -i /bin/sh -c '/bin/sleep 600; : ${mark}' &
  ${existsSync('/usr/bin/prlimit') ? `(env -i setsid /bin/sh -c '(/bin/sleep 600; : ${mark}) <&- >&- 2>&- &' <&- >&- 2>&- &)` : ''}
  sh -c 'sleep 600; : ${mark}' &
  echo grown
  while :; do sleep 600; done; : ${mark}`;

function superviser(folder: string, ...command: string[]): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, [supervising, ...command], {
    // Every file that is left behind is ours, and the folder's name is in the environment of nobody but this process.
    env: { PATH: process.env['PATH'], TMPDIR: folder, ...compiled },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Resolves when all the words have been said, in this order. */
async function says({ stdout }: { stdout: Readable }, ...words: string[]): Promise<void> {
  let text = '';
  for await (const bytes of stdout.iterator({ destroyOnReturn: false })) {
    text += String(bytes);
    if (words.every((word) => text.includes(word))) return;
  }
}

async function expectNobody(mark: string, folder: string): Promise<void> {
  await until(
    () => processesWith(mark).length === 0 && guardsFor(folder).length === 0 && readdirSync(folder).length === 0,
  );
  expect({ left: processesWith(mark), guards: guardsFor(folder), files: readdirSync(folder) }).toEqual({
    left: [],
    guards: [],
    files: [],
  });
}

/** A guard knows the folder that it would have to remove. */
const guardsFor = (path: string): number[] => processesWith(join(path, 'runwire-'));

// Most of it is waiting for the guard.
describe.concurrent('kill -9 of who supervises', () => {
  // The delays count from the moment before the start: the first ones hit the guard's start, the child's, and the first fork.
  const longest = isSweep ? [0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 40, 80] : [0, 2, 20];
  const delays = longest.map((most) => most * Math.random());

  it.each(delays.map((delay) => [delay.toFixed(2), delay] as const))(
    'leaves nobody, %s ms after its start',
    async (_, delay) => {
      const [mark, folder] = [randomUUID(), newFolder()];
      const parent = superviser(folder, '/bin/sh', '-c', tree(mark));
      await says(parent, 'starting');
      if (delay > 0) await wait(delay);
      parent.kill('SIGKILL');
      await once(parent, 'exit');
      await expectNobody(mark, folder);
    },
  );

  it('leaves nobody when everything is up', async () => {
    const [mark, folder] = [randomUUID(), newFolder()];
    const parent = superviser(folder, '/bin/sh', '-c', tree(mark));
    await says(parent, 'started', 'grown');
    expect(await until(() => processesWith(mark).length >= 4)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expectNobody(mark, folder);
  });

  it('leaves nobody of a run inside a run, whichever of the two is killed', async () => {
    for (const victim of ['outer', 'inner'] as const) {
      const [mark, folder] = [randomUUID(), newFolder()];
      const outer = superviser(folder, process.execPath, supervising, '/bin/sh', '-c', tree(mark));
      const ended = once(outer, 'exit');
      await says(outer, 'grown');
      if (victim === 'outer') outer.kill('SIGKILL');
      else
        for (const pid of processesWith(mark).filter((each) => each !== outer.pid && isSuperviser(each)))
          process.kill(pid, 'SIGKILL');
      await ended;
      await expectNobody(mark, folder);
    }
  });
});

it('a guard leaves in time where nobody reaps the dead, as in a container without an init', async () => {
  const [mark, folder] = [randomUUID(), newFolder()];
  const namespace = process.getuid?.() === 0 ? ['-pf'] : ['-Urpf'];
  const first = ['sh', '-c', '"$@" & exec sleep 600', 'sh', process.execPath, supervising, '/bin/sh', '-c', tree(mark)];
  const world = spawn('unshare', [...namespace, '--mount-proc', '--kill-child', ...first], {
    env: { PATH: process.env['PATH'], TMPDIR: folder, ...compiled },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const members = (): number[] => processesWith(mark).filter((pid) => pid !== world.pid);
  /** The processes that were ever started there; each round of a guard starts some. */
  const started = (): number => {
    const inside = [
      ...(namespace[0] === '-pf' ? [] : [`--user=/proc/${world.pid}/ns/user`]),
      `--pid=/proc/${world.pid}/ns/pid_for_children`,
    ];
    return Number(execFileSync('nsenter', [...inside, 'cat', '/proc/loadavg'], { encoding: 'utf8' }).split(' ')[4]);
  };
  try {
    await says(world, 'started', 'grown');
    expect(await until(() => members().length >= 4)).toBe(true);
    const before = started();
    for (const pid of members().filter(isSuperviser)) process.kill(pid, 'SIGKILL');
    expect(await until(() => members().length === 0 && guardsFor(folder).length === 0)).toBe(true);
    // A guard that counts the dead gives up after 150 rounds.
    expect(started() - before).toBeLessThan(150);
  } finally {
    const gone = once(world, 'exit');
    world.kill('SIGKILL');
    await gone;
  }
});

it('a guard that was never told whom to watch finds everybody', async () => {
  const [mark, folder] = [randomUUID(), newFolder()];
  const unwatched = join(import.meta.dirname, '..', 'support', 'unwatched.ts');
  const dying = spawn(process.execPath, [unwatched, randomUUID(), join(folder, 'runwire-none'), tree(mark)], {
    stdio: 'ignore',
  });
  expect(await once(dying, 'exit')).toEqual([null, 'SIGKILL']);
  await expectNobody(mark, folder);
});

it('kill -9 of who supervises ends a tree that grows faster than it can be looked through', async () => {
  const [mark, folder] = [randomUUID(), newFolder()];
  const count = join(cwd, 'count');
  const most = 2000;
  const parent = superviser(
    folder,
    '/bin/sh',
    '-c',
    `echo grown; i=0; while [ $i -lt ${most} ]; do sh -c 'sleep 60; : ${mark}' & i=$((i + 1)); echo $i > ${count}; sleep 0.005; done; wait; : ${mark}`,
  );
  await says(parent, 'started', 'grown');
  expect(await until(() => processesWith(mark).length >= 200)).toBe(true);
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await expectNobody(mark, folder);
  expect(Number(readFileSync(count, 'utf8'))).toBeLessThan(most);
});

it('who supervises may leave without waiting', async () => {
  const [mark, folder] = [randomUUID(), newFolder()];
  const parent = superviser(folder, '/bin/sh', '-c', tree(mark));
  await says(parent, 'started', 'grown');
  parent.kill('SIGUSR2');
  expect(await once(parent, 'exit')).toEqual([9, null]);
  await expectNobody(mark, folder);
});

const isSuperviser = (pid: number): boolean => processesWith(supervising).includes(pid);
