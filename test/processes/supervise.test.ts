import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/failure.ts';
import { supervise } from '../../src/processes/supervise.ts';
import type { Ended, Graces, ProcessOrder, Supervised } from '../../src/processes/supervised.ts';
import { isStopped, processesWith, until } from '../support/processes.ts';

const env = { PATH: process.env['PATH'] ?? '' };
const folder = mkdtempSync(join(tmpdir(), 'runwire-supervise-'));
// Other tests of the same process supervise at the same time; what is in this folder is ours.
const sinks = join(folder, 'sinks');
let cwd: string;
const usualFolder = process.env['TMPDIR'];
const useFolder = (path: string | undefined): void => {
  if (path === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = path;
};
beforeAll(() => {
  mkdirSync(sinks);
  useFolder(sinks);
});
beforeEach(() => void (cwd = mkdtempSync(join(folder, 'cwd-'))));
afterAll(() => {
  useFolder(usualFolder);
  rmSync(folder, { recursive: true, force: true });
});

/** Only a limit tells whose it is, and some systems have no tool to set one. */
const daemonWithoutEnvironment: [string, string][] = existsSync('/usr/bin/prlimit')
  ? [
      [
        'that is a daemon with no environment',
        `env -i setsid sh -c '(sleep 600; : MARK) <&- >&- 2>&- &' <&- >&- 2>&-; exit 5`,
      ],
    ]
  : [];

interface Heard extends Supervised {
  stdout(): string;
  stderr(): string;
  /** Resolves when the text was heard on stdout. */
  says(text: string): Promise<void>;
}

async function start(
  command: string,
  args: readonly string[],
  order: Partial<ProcessOrder> = {},
  graces?: Partial<Graces>,
): Promise<Heard> {
  const heard = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  const supervised = await supervise(
    {
      command,
      args,
      cwd,
      env,
      stdin: undefined,
      onStdout(bytes) {
        heard.stdout += Buffer.from(bytes).toString('latin1');
        for (const check of waiting) check();
      },
      onStderr: (bytes) => void (heard.stderr += Buffer.from(bytes).toString('latin1')),
      ...order,
    },
    graces,
  );
  return {
    pid: supervised.pid,
    ended: supervised.ended,
    stop: (signal) => supervised.stop(signal),
    kill: () => supervised.kill(),
    send: (text) => supervised.send(text),
    freeze: () => supervised.freeze(),
    thaw: () => supervised.thaw(),
    hangUp: () => supervised.hangUp(),
    stdout: () => heard.stdout,
    stderr: () => heard.stderr,
    says: (text) =>
      new Promise((resolve) => {
        const check = (): void => void (heard.stdout.includes(text) && resolve());
        waiting.add(check);
        check();
      }),
  };
}

const sh = (script: string, order?: Partial<ProcessOrder>, graces?: Partial<Graces>): Promise<Heard> =>
  start('/bin/sh', ['-c', script], order, graces);
const node = (script: string, order?: Partial<ProcessOrder>): Promise<Heard> =>
  start(process.execPath, ['-e', script], order);
const clean: Ended = { exit_code: 0, signal: null, left_running: 0 };

/** A digest of what was heard, for more than one wants to keep. */
function digest(): { hear: (bytes: Uint8Array) => void; told: () => { length: number; sha256: string } } {
  const hash = createHash('sha256');
  let length = 0;
  return {
    hear(bytes) {
      length += bytes.length;
      hash.update(bytes);
    },
    told: () => ({ length, sha256: hash.digest('hex') }),
  };
}

describe('what a process writes', () => {
  it('on stderr is heard when what it wrote on stdout before was taken', async () => {
    const heard: string[] = [];
    const { ended } = await sh('echo out; echo err >&2', {
      async onStdout() {
        await wait(50);
        heard.push('stdout');
      },
      onStderr: () => void heard.push('stderr'),
    });
    await ended;
    expect(heard).toEqual(['stdout', 'stderr']);
  });

  it('on stderr is heard, though nobody takes what it wrote on stdout', async () => {
    const [taken, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { ended } = await sh('echo out; echo err >&2', {
      onStdout: () => taken.promise,
      onStderr: () => heard.resolve(),
    });
    await heard.promise;
    taken.resolve();
    expect(await ended).toEqual(clean);
  });

  it('arrives whole, in order, on both streams, with the end of the process', async () => {
    const { ended, stdout, stderr } = await node(`
      for (let line = 0; line < 20000; line++) (line % 2 ? process.stderr : process.stdout).write(line + ' äöü\\n');
      process.exitCode = 3`);
    expect(await ended).toEqual({ exit_code: 3, signal: null, left_running: 0 });
    const lines = (odd: number): string =>
      Array.from(
        { length: 10_000 },
        (_, index) => `${index * 2 + odd} ${Buffer.from('äöü').toString('latin1')}\n`,
      ).join('');
    expect(stdout() === lines(0)).toBe(true);
    expect(stderr() === lines(1)).toBe(true);
  });

  it('arrives though the process exits with all of it unread', async () => {
    const { ended, stdout } = await node(`process.stdout.write('x'.repeat(1e6) + 'end'); process.exit()`);
    expect(await ended).toEqual(clean);
    expect({ length: stdout().length, end: stdout().slice(-4) }).toEqual({ length: 1e6 + 3, end: 'xend' });
  });

  it('never waits for a slow listener', async () => {
    let bytes = 0;
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    const marker = join(cwd, 'done');
    const { ended } = await sh(`head -c 5000000 /dev/zero; echo yes > ${marker}`, {
      async onStdout(chunk) {
        await gate;
        bytes += chunk.length;
      },
    });
    // Nothing was taken yet, and the process is through.
    expect(await until(() => statSync(marker, { throwIfNoEntry: false })?.size === 4)).toBe(true);
    expect(bytes).toBe(0);
    open();
    expect(await ended).toEqual(clean);
    expect(bytes).toBe(5_000_000);
  });

  it('comes as it is written, not at the end', async () => {
    const { ended, says, kill } = await sh('echo first; sleep 60');
    await says('first');
    kill();
    expect(await ended).toEqual({ exit_code: null, signal: 'SIGKILL', requested_signal: 'SIGKILL', left_running: 0 });
  });

  it('may come from those who open their streams again, or write side by side', async () => {
    const { ended, stdout, stderr } = await sh(
      `
      sh -c 'echo one >> /dev/stdout'; cat /proc/self/fd/0 >> /proc/self/fd/1
      for each in 1 2 3 4; do (for line in 1 2 3 4 5 6 7 8 9; do echo $each; done) & done; wait; echo end >> /dev/stderr`,
      { stdin: 'fed\n' },
    );
    expect(await ended).toEqual(clean);
    expect(stdout().slice(0, 8)).toBe('one\nfed\n');
    expect(stdout().slice(8).split('\n').toSorted().join('')).toBe(
      '1'.repeat(9) + '2'.repeat(9) + '3'.repeat(9) + '4'.repeat(9),
    );
    expect(stderr()).toBe('end\n');
  });

  it('is heard on from the beginning when somebody emptied the file', async () => {
    const { ended, stdout, says, pid } = await sh(
      'echo one and a half; while [ ! -e go ]; do sleep 0.02; done; echo two and three quarters > /dev/stdout; echo three',
    );
    await says('one');
    writeFileSync(join(cwd, 'go'), '');
    expect(await ended).toEqual(clean);
    expect({ pid: pid > 1, heard: stdout() }).toEqual({
      pid: true,
      heard: 'one and a half\ntwo and three quarters\nthree\n',
    });
  });

  it('may be 200 MB, with flat memory, and gives its place on the disk back while it is read', async () => {
    const megabytes = 200;
    const { hear, told } = digest();
    const memory = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
    const atStart = memory();
    let most = 0;
    const done = join(cwd, 'read');
    const script = `yes 0123456789abcde | head -c ${megabytes * 1024 * 1024}; while [ ! -e ${done} ]; do sleep 0.02; done`;
    const { ended } = await sh(script, {
      onStdout(bytes) {
        hear(bytes);
        most = Math.max(most, memory());
      },
    });
    const size = (): number => Math.max(...openSinks().map((each) => each.size));
    const onDisk = (): number => Math.max(...openSinks().map((each) => each.blocks * 512));
    expect(await until(() => size() === megabytes * 1024 ** 2 && onDisk() < 100 * 1024 ** 2)).toBe(true);
    writeFileSync(done, '');
    expect(await ended).toEqual(clean);
    const expected = digest();
    const million = Buffer.from('0123456789abcde\n'.repeat(65_536));
    for (let each = 0; each < megabytes; each += 1) expected.hear(million);
    expect(told()).toEqual(expected.told());
    expect((most - atStart) / 1024 ** 2).toBeLessThan(100);
  });
});

describe('a process that writes faster than it is heard', () => {
  it('waits when very much is unread, in a session of its own too, and then arrives whole', async () => {
    let bytes = 0;
    const gate = Promise.withResolvers<void>();
    const size = 200_000_000;
    const { ended, pid } = await sh(`setsid head -c ${size} /dev/zero & wait`, {
      async onStdout(chunk) {
        await gate.promise;
        bytes += chunk.length;
      },
    });
    expect(await until(() => isStopped(pid))).toBe(true);
    const written = Math.max(...openSinks().map((each) => each.size));
    expect(written).toBeGreaterThan(64 * 1024 ** 2);
    expect(written).toBeLessThan(size);
    gate.resolve();
    expect(await ended).toEqual(clean);
    expect(bytes).toBe(size);
  });

  it('is not heard to its end once it is killed, and how much that was is told', async () => {
    const { ended, kill } = await sh('yes', { onStdout: () => new Promise(() => {}) }, { drain: 20 });
    expect(await until(() => openSinks().some((each) => each.size > 1e6))).toBe(true);
    kill();
    const { unread_bytes, ...end } = await ended;
    expect(end).toEqual({ exit_code: null, signal: 'SIGKILL', requested_signal: 'SIGKILL', left_running: 0 });
    expect(unread_bytes).toBeGreaterThan(1e6 - 64 * 1024);
  });

  it('can also be cut off when it has ended by itself', async () => {
    const heard = Promise.withResolvers<void>();
    const { ended, kill, pid } = await sh('echo one; exit 3', {
      onStdout() {
        heard.resolve();
        return new Promise(() => {});
      },
    });
    await heard.promise;
    expect(await until(() => !existsSync(`/proc/${pid}`))).toBe(true);
    kill();
    expect(await ended).toMatchObject({ exit_code: 3, signal: null, left_running: 0 });
  });

  it('wakes up for the signal that ends it', async () => {
    const { ended, stop, kill, pid } = await sh(`trap 'exit 9' TERM; while :; do head -c 10000000 /dev/zero; done`, {
      onStdout: () => new Promise(() => {}),
    });
    expect(await until(() => isStopped(pid))).toBe(true);
    stop('SIGTERM');
    expect(await until(() => !existsSync(`/proc/${pid}`))).toBe(true);
    kill();
    expect(await ended).toMatchObject({ exit_code: 9, signal: null, requested_signal: 'SIGTERM' });
  });

  it('is killed before its grace is over if it goes on like that', async () => {
    const flood = `trap '' TERM; while :; do head -c 10000000 /dev/zero; done`;
    const { ended, stop, kill, pid } = await sh(flood, { onStdout: () => new Promise(() => {}) }, { stop: 600_000 });
    expect(await until(() => isStopped(pid))).toBe(true);
    stop('SIGTERM');
    expect(await until(() => !existsSync(`/proc/${pid}`))).toBe(true);
    kill();
    expect(await ended).toMatchObject({ exit_code: null, signal: 'SIGKILL', requested_signal: 'SIGTERM' });
  });
});

/** The nameless files that this process follows now. */
function openSinks(): Stats[] {
  const files = readdirSync('/proc/self/fd').map((name) => `/proc/self/fd/${name}`);
  return files
    .filter((path) => {
      try {
        return readlinkSync(path).startsWith(sinks);
      } catch {
        return false;
      }
    })
    .map((path) => statSync(path));
}

describe('what a process reads', () => {
  it('is empty unless told', async () => {
    const { ended, stdout } = await sh('cat; echo end');
    expect(await ended).toEqual(clean);
    expect(stdout()).toBe('end\n');
  });

  it.each([
    ['little', 'fix the tests\n'],
    ['nothing', ''],
    ['much', 'line\n'.repeat(400_000)],
  ])('is what it was fed, and ends: %s', async (_, stdin) => {
    const { ended, stdout } = await node(`setTimeout(() => process.stdin.pipe(process.stdout), 100)`, { stdin });
    expect(await ended).toEqual(clean);
    expect(stdout() === stdin).toBe(true);
  });

  it('may stay unread', async () => {
    const { ended } = await sh('exit 4', { stdin: 'x'.repeat(1_000_000) });
    expect(await ended).toEqual({ ...clean, exit_code: 4 });
  });
});

describe('the tree', () => {
  it('gets the signal once, as a group', async () => {
    const { ended, says, stop, stdout } = await sh(
      // Both are ready when the child says so: its parent has set its own trap before.
      `trap 'echo main; wait; exit 7' TERM; sh -c 'trap "echo child; exit" TERM; echo ready; while :; do sleep 0.05; done' & wait`,
    );
    await says('ready');
    stop('SIGTERM');
    stop('SIGTERM');
    expect(await ended).toEqual({ exit_code: 7, signal: null, requested_signal: 'SIGTERM', left_running: 0 });
    expect(stdout().split('\n').toSorted()).toEqual(['', 'child', 'main', 'ready']);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('is killed after a grace if it ignores %s', async (signal) => {
    const mark = randomUUID();
    const { ended, says, stop } = await sh(
      `trap '' INT TERM; sleep 600 & echo ready ${mark}; while :; do sleep 600; done`,
      {},
      { stop: 200 },
    );
    await says('ready');
    stop(signal);
    expect(await ended).toEqual({ exit_code: null, signal: 'SIGKILL', requested_signal: signal, left_running: 0 });
    expect(processesWith(mark)).toEqual([]);
  });

  it('is killed at once on demand, also while it is being asked', async () => {
    const { ended, says, stop, kill } = await sh(
      `trap '' INT TERM; echo ready; while :; do sleep 600; done`,
      {},
      { stop: 600_000 },
    );
    await says('ready');
    stop('SIGTERM');
    kill();
    expect(await ended).toEqual({ exit_code: null, signal: 'SIGKILL', requested_signal: 'SIGTERM', left_running: 0 });
    kill();
    stop('SIGINT');
  });

  it.each<[string, string]>([
    ['that keeps stdout open', `sleep 600 MARK & exit 5`],
    ['that ignores SIGTERM', `(trap '' TERM HUP; sleep 600; : MARK) & sleep 0.2; exit 5`],
    [
      'that is a daemon: its own session, no parent, no streams',
      `setsid sh -c '(sleep 600; : MARK) <&- >&- 2>&- &' <&- >&- 2>&-; exit 5`,
    ],
    ['that cleared its environment', `env -i sh -c 'sleep 600; : MARK' & sleep 0.2; exit 5`],
    ...daemonWithoutEnvironment,
  ])('has nobody left of it, not even one %s', async (_, script) => {
    const mark = randomUUID();
    const { ended } = await sh(
      script.replace('sleep 600 MARK', `sh -c 'sleep 600; : ${mark}'`).replaceAll('MARK', mark),
      {},
      { leftover: 300 },
    );
    const { left_running, ...end } = await ended;
    expect(end).toEqual({ exit_code: 5, signal: null });
    expect(left_running).toBeGreaterThan(0);
    expect(processesWith(mark)).toEqual([]);
  });

  it('may say its last words when the main process is gone', async () => {
    const { ended, stdout } = await sh(
      `(trap 'echo goodbye; exit' TERM; echo ready; while :; do sleep 0.05; done) & while ! [ -e never ]; do sleep 0.3; exit; done`,
    );
    expect(await ended).toEqual({ ...clean, left_running: expect.any(Number) });
    expect(stdout()).toBe('ready\ngoodbye\n');
  });

  it('is killed when nobody listens any more', async () => {
    const { ended } = await sh('while :; do echo more; sleep 0.05; done', {
      onStdout() {
        throw new Error('no room');
      },
    });
    const { listener_error, ...end } = await ended;
    expect(listener_error).toEqual(new Error('no room'));
    expect(end).toEqual({ exit_code: null, signal: 'SIGKILL', left_running: 0 });
  });
});

describe('what cannot be started', () => {
  it('says what is wrong and what to try', async () => {
    const plain = join(cwd, 'plain');
    writeFileSync(plain, 'text');
    chmodSync(plain, 0o644);
    const message = async (
      command: string,
      order: Partial<ProcessOrder> = {},
      args: string[] = [],
    ): Promise<unknown> => {
      const failure = await start(command, args, order).then(
        () => undefined,
        (error: unknown) => error,
      );
      return failure instanceof Failure ? `${failure.code}: ${failure.message}` : failure;
    };
    expect(await message('no-such-agent')).toBe(
      'config: there is no program no-such-agent in PATH; install it, or give its path',
    );
    expect(await message('./no-such-agent')).toMatch(
      /^config: there is no program \.\/no-such-agent, or the interpreter/,
    );
    expect(await message(plain)).toMatch(/^config: .*plain may not be executed/);
    expect(await message('sh', { cwd: '/nowhere/at/all' })).toBe(
      'config: sh cannot be started in /nowhere/at/all: there is no such folder',
    );
    expect(await message('sh', { cwd: plain })).toMatch(
      /^config: sh cannot be started in .*plain: it is not a folder$/,
    );
    expect(await message('sh', {}, ['-c', 'x'.repeat(10_000_000)])).toMatch(
      /^config: the arguments .* too long .* stdin$/,
    );
    expect(await message('sh', {}, ['a\0b'])).toMatch(/^config: sh cannot be started: .*null bytes/);
  });

  it('says so when there is no place for temporary files', async () => {
    useFolder('/nowhere/at/all');
    try {
      await expect(sh('true')).rejects.toMatchObject({
        code: 'config',
        message: expect.stringContaining('set TMPDIR'),
      });
    } finally {
      useFolder(sinks);
    }
  });
});

it('leaves neither a guard nor a file behind', async () => {
  expect(openSinks()).toEqual([]);
  expect(readdirSync(sinks)).toEqual([]);
  // The guard of what could not be started goes by itself, and nobody waits for it.
  await expect.poll(() => processesWith(join(sinks, 'runwire-'))).toEqual([]);
});
