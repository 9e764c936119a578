import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { printed } from '../../src/processes/printed.ts';
import { processesWith, until } from '../support/processes.ts';

const root = join(import.meta.dirname, '..', '..');
const bin = join(root, 'bin', 'runwire.js');
const base = mkdtempSync(join(tmpdir(), 'runwire-children-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** An agent that is over at once. */
const agent = ['--', 'cat', join(root, 'test', 'recordings', 'codex@0.166.0', 'plain', 'stdout.jsonl')];

/** A folder whose name is found in whatever is started from it. */
function marked(): { folder: string; mark: string; up: string } {
  const mark = randomUUID();
  const folder = join(base, mark);
  mkdirSync(folder);
  return { folder, mark, up: join(folder, 'up') };
}

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const home = join(base, 'home');
  return spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: home, ...env },
    stdio: 'ignore',
  });
}

async function expectNobodyAfterKill(parent: ChildProcess, mark: string): Promise<void> {
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  await until(() => processesWith(mark).length === 0);
  expect(processesWith(mark)).toEqual([]);
}

it('kill -9 of Runwire ends the command of --on-end', async () => {
  const { mark, up } = marked();
  const command = `trap '' HUP INT TERM; echo up > ${up}; setsid sleep 600 & sleep 600; : ${mark}`;
  const parent = start([bin, 'run', '--ledger', 'none', '--on-end', command, ...agent]);
  expect(await until(() => existsSync(up))).toBe(true);
  await expectNobodyAfterKill(parent, mark);
});

it('kill -9 of Runwire ends a program that was asked for its version and hangs', async () => {
  const { folder, mark, up } = marked();
  writeFileSync(
    join(folder, 'codex'),
    `#!/bin/sh\ntrap '' HUP INT TERM\necho up > ${up}\nwhile :; do sleep 600; done\n`,
  );
  chmodSync(join(folder, 'codex'), 0o755);
  const parent = start([bin, 'agents'], { PATH: `${folder}:/usr/bin:/bin` });
  expect(await until(() => existsSync(up))).toBe(true);
  await expectNobodyAfterKill(parent, mark);
});

it('kill -9 of Runwire ends a search', async () => {
  const { folder, mark } = marked();
  // ripgrep waits for somebody to write into it.
  execFileSync('mkfifo', [join(folder, mark)]);
  const script = `
    import { builtinTools } from './src/builtin/tools/index.ts';
    const grep = builtinTools({ permissions: { mode: 'full', allow: [], deny: [], directories: [] } }).find(({ name }) => name === 'grep');
    const signal = new AbortController().signal;
    await grep.run({ pattern: 'x', path: '${mark}' }, { itemId: 'i', cwd: '${folder}', env: process.env, signal, emit: () => {} });`;
  const parent = start(['--input-type=module', '-e', script]);
  expect(await until(() => processesWith(mark).length >= 2)).toBe(true);
  await expectNobodyAfterKill(parent, mark);
});

it('what a command of --on-end leaves running ends with it, and its failure is told', async () => {
  const { folder, mark } = marked();
  const command = `setsid sh -c 'trap "" TERM; sleep 600; : ${mark}' & cat > ${folder}/outcome; exit 3`;
  const { status, stderr } = spawnSync(
    process.execPath,
    [bin, 'run', '-q', '--ledger', 'none', '--on-end', command, ...agent],
    {
      env: { PATH: process.env['PATH'], HOME: join(base, 'home') },
      encoding: 'utf8',
    },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: `runwire: warning: --on-end ${command}: exit code 3\n` });
  expect(JSON.parse(readFileSync(join(folder, 'outcome'), 'utf8'))).toMatchObject({ status: 'success' });
  expect(processesWith(mark)).toEqual([]);
});

describe('a program that only prints', () => {
  const sh = (script: string) => ({ command: '/bin/sh', args: ['-c', script], env: { PATH: process.env['PATH'] } });

  it('takes with it what it left behind', async () => {
    const { mark } = marked();
    const said = await printed(
      sh(`setsid sh -c 'trap "" TERM; sleep 600; : ${mark}' & echo 1.2.3; echo more >&2; exit 4`),
      20_000,
    );
    expect(said).toEqual({ stdout: '1.2.3\n', stderr: 'more\n', exitCode: 4, timedOut: false });
    expect(processesWith(mark)).toEqual([]);
  });

  it('is ended when it takes too long', async () => {
    const { mark } = marked();
    const said = await printed(sh(`trap '' TERM; echo 1.2.3; while :; do sleep 600; done; : ${mark}`), 500);
    expect(said).toEqual({ stdout: '1.2.3\n', stderr: '', exitCode: null, timedOut: true });
    expect(processesWith(mark)).toEqual([]);
  });

  it('may be none', async () => {
    await expect(printed({ command: '/no/such/program', args: [], env: {} }, 1000)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});
