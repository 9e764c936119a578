import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../support/checkouts.ts';
import { live } from '../run/live.ts';
import { clean, networkFlags, reading, type Recorded, stage } from './recorded.ts';
import { isSweep } from '../../support/sweep.ts';

const usage = { input: 1000, output: 50 };

async function recorded(...given: Parameters<typeof stage>): Promise<Recorded> {
  const made = await stage(...given);
  const { status, stderr } = await made.record();
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return made;
}

/** One run for all that change nothing about it. */
let same: Promise<Recorded> | undefined;
const once = (): Promise<Recorded> =>
  (same ??= recorded()).then((made) => {
    made.quirk({});
    return made;
  });

/** Git writes an empty list of packed branches whenever one is deleted. */
function filesOf(cwd: string): Record<string, string> {
  const { 'git/packed-refs': _packed, ...files } = fingerprint(cwd);
  return files;
}

describe('a replay that is the same to the end', () => {
  it('asks no model, leaves the checkout and its branches alone, and needs no key', async () => {
    const made = await once();
    const { cwd, place, server, env } = made;
    const before = { files: filesOf(cwd), asked: server.served.requests.length };
    await server.close();
    const { status, stdout, stderr } = await live(['replay', 'last', '--json', ...networkFlags], {
      cwd,
      env: { ...env, RIG_API_KEY: undefined },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      result: 'same',
      requests: { recorded: 3, answered: 3 },
      verdict: { recorded: { class: 'success', exit_code: 0 }, now: { class: 'success', exit_code: 0 } },
      differences: [],
      files: 1,
    });
    expect(filesOf(cwd)).toEqual(before.files);
    expect(server.served.requests.length).toBe(before.asked);
    expect(place.git(cwd, 'branch', '--list')).toBe('* main');
  });

  it('is told in words', async () => {
    const made = await once();
    const { stdout } = await made.runwire('replay', 'last', '--text', ...networkFlags);
    expect(stdout).toMatch(/^replay of \w+ {2}.*the same to the end\n/);
    expect(stdout).toContain('3 of 3 answered from the recording');
    expect(stdout).toContain('1 file, the same');
  });

  it.runIf(isSweep)('whatever was committed, changed and deleted since', async () => {
    const made = await recorded();
    const { place, cwd } = made;
    writeFileSync(join(cwd, 'README.md'), 'other\n');
    place.git(cwd, 'rm', '-q', 'src/main.ts');
    place.git(cwd, 'commit', '-qam', 'second');
    place.git(cwd, 'checkout', '-q', '-b', 'elsewhere');
    writeFileSync(join(cwd, 'README.md'), 'and not committed\n');
    expect(await made.replay()).toMatchObject({ status: 0, report: { result: 'same' } });
  });

  it('of a run in a copy', async () => {
    const made = await stage();
    await made.record(['--isolate', 'auto']);
    expect(await made.replay()).toMatchObject({ status: 0, report: { result: 'same', files: 1 } });
  });

  it.runIf(isSweep)('of a run that failed', async () => {
    const made = await stage([...reading.slice(0, 2), { fault: { status: 401 } }]);
    await made.record();
    expect(await made.replay()).toMatchObject({
      status: 0,
      report: { result: 'same', verdict: { now: { class: 'provider', exit_code: 4 } } },
    });
  });

  it('in whatever order requests come that are made at once', async () => {
    const facts = ['one', 'two', 'three'].map((name) => ({ text: `fact of ${name}`, usage }));
    const made = await recorded([
      { calls: [{ name: 'parallel', args: {} }], usage },
      ...facts,
      { text: 'Three facts.', usage },
    ]);
    for (let again = 0; again < (isSweep ? 4 : 1); again += 1)
      expect(await made.replay()).toMatchObject({ status: 0, report: { result: 'same' } });
  });

  it.runIf(isSweep)('several at once', async () => {
    const made = await recorded();
    const all = await Promise.all([1, 2, 3, 4].map(() => made.replay()));
    expect(all.map(({ status, report }) => `${status} ${report?.result}`)).toEqual(Array(4).fill('0 same'));
    expect(made.place.git(made.cwd, 'branch', '--list')).toBe('* main');
  });
});

describe('a replay that is not', () => {
  it('departs where a tool says something else, is refused, and shows that field alone', async () => {
    const made = await once();
    made.quirk({ read: 'and more\n' });
    const { status, report } = await made.replay();
    expect({ status, report }).toMatchObject({
      status: 9,
      report: {
        result: 'departed',
        requests: { recorded: 3, answered: 1 },
        departure: { request: 2, recorded_request: 2, path: 'messages.3.content', others: 0 },
        differences: [],
      },
    });
    expect(report?.departure?.call).toContain('README.md');
    expect(report?.departure).toMatchObject({ recorded: 'read me\n', now: 'read me\nand more\n' });
    const { stdout } = await made.runwire('replay', 'last', '--text', ...networkFlags);
    expect(stdout).toContain('departed at request 2 of 3: the result of');
    expect(stdout).toContain('now       read me⏎and more⏎');
  });

  it.runIf(isSweep)('is told when the agent asks on after the recording has ended', async () => {
    const made = await recorded();
    made.quirk({ prompt: 'something else' });
    expect(await made.replay()).toMatchObject({
      status: 9,
      report: { departure: { request: 1, path: 'messages.1.content' } },
    });
    made.quirk({ path: '/v1/responses' });
    expect(await made.replay()).toMatchObject({ status: 9, report: { departure: { request: 1 } } });
  });

  it('says which file, answer and verdict differ', async () => {
    const made = await once();
    made.quirk({ write: 'beta\n', answer: 'I wrote more.', exit: 3 });
    const { status, report } = await made.replay();
    expect({ status, result: report?.result }).toEqual({ status: 9, result: 'different' });
    expect(report?.differences).toMatchObject([
      { what: 'verdict', recorded: 'success (exit 0)' },
      { what: 'answer', recorded: 'I wrote the notes.', now: 'I wrote more.' },
      { what: 'file', path: 'notes.txt' },
    ]);
  });

  it.runIf(isSweep)('learns from a second recording what changes each time', async () => {
    const made = await stage([...reading, ...reading]);
    made.quirk({ random: true });
    await made.record();
    const first = JSON.parse((await made.runwire('runs', 'show', 'last', '--json')).stdout) as { id: string };
    clean(made);
    await made.record();
    expect(await made.replay()).toMatchObject({ status: 9, report: { departure: { path: 'trace', others: 0 } } });
    expect(await made.replay('--learn-from', first.id)).toMatchObject({ status: 0, report: { result: 'same' } });
  });
});

describe('a run that cannot be replayed says why, and what to try', () => {
  const refused = async (made: Recorded, ...flags: readonly string[]): Promise<string> => {
    const { status, stderr, report } = await made.replay(...flags);
    expect({ status, report }).toEqual({ status: expect.not.stringMatching(/^[09]$/) as unknown, report: undefined });
    expect([1, 2]).toContain(status);
    return stderr;
  };

  it('without a recording', async () => {
    const made = await stage();
    await made.record(['--wire', 'meter']);
    expect(await refused(made)).toContain('--wire record');
  });

  it('with files that were not committed', async () => {
    const made = await stage();
    writeFileSync(join(made.cwd, 'more.txt'), 'x');
    await made.record();
    expect(await refused(made)).toMatch(/1 of its files.*not committed.*--dirty include/);
  });

  it('with a commit that is gone', async () => {
    const made = await recorded();
    rmSync(join(made.cwd, '.git'), { recursive: true });
    made.place.git(made.cwd, 'init', '-q');
    expect(await refused(made)).toMatch(/its commit [0-9a-f]{12} is not in/);
  });

  it.runIf(isSweep)('with a folder that is gone, or is no repository', async () => {
    const made = await recorded();
    rmSync(join(made.cwd, '.git'), { recursive: true });
    expect(await refused(made)).toContain('not a git repository');
  });

  it.runIf(isSweep)('with an agent that is not installed, or a program that is not there', async () => {
    const made = await recorded(reading, true);
    rmSync(join(made.place.folder, 'bin'), { recursive: true });
    const { status, stderr } = await live(['replay', 'last', ...networkFlags], {
      cwd: made.cwd,
      env: { ...made.env, PATH: '/usr/bin:/bin' },
    });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('npm install -g @openai/codex') });
    expect(await refused(made, '--with', './nothing')).toContain('no program');
  });

  it('whose tape was changed, or came from elsewhere, unless it is trusted', async () => {
    const made = await recorded();
    const { tape, id } = JSON.parse((await made.runwire('runs', 'show', 'last', '--json')).stdout) as {
      tape: string;
      id: string;
    };
    const path =
      [join(made.place.folder, 'tapes', tape), join(made.place.folder, 'state', 'runwire', 'tapes', tape)].find(
        existsSync,
      ) ?? '';
    expect(readdirSync(join(path, '..')).length).toBeGreaterThan(0);
    const exported = await made.runwire('play', '--speed', 'max', path);
    expect(exported.stdout).toContain('wire.recorded');
    const file = join(made.place.folder, 'evil.tape');
    const evil = exported.stdout
      .replaceAll('agent.mjs', 'evil.mjs')
      .replaceAll(id, `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`);
    writeFileSync(file, evil);
    writeFileSync(
      join(made.place.folder, 'home', 'evil.mjs'),
      `import { writeFileSync } from 'node:fs'; writeFileSync(process.env.HOME + '/pwned', '');`,
    );
    const { RUNWIRE_LEDGER: _own, ...others } = made.env;
    const env = { ...others, RUNWIRE_LEDGER: join(made.place.folder, 'other.db') };
    await live(['runs', 'import', file], { cwd: made.cwd, env });
    const { status, stderr } = await live(['replay', 'last', ...networkFlags], { cwd: made.cwd, env });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/imported|--trust/) });
    expect(existsSync(join(made.place.folder, 'home', 'pwned'))).toBe(false);
  });
});

it('stops at once when it is interrupted, and leaves nothing behind', async () => {
  const made = await recorded([
    { calls: [{ name: 'read', args: { path: 'README.md' } }], usage },
    { text: 'Done.', usage },
  ]);
  writeFileSync(
    join(made.place.folder, 'home', 'agent.mjs'),
    `import { writeFileSync } from 'node:fs'; writeFileSync(process.env.HOME + '/begun', ''); setInterval(() => {}, 1000);`,
  );
  const begun = join(made.place.folder, 'home', 'begun');
  let isTold = false;
  const { status } = await live(['replay', 'last', '--json', ...networkFlags], {
    cwd: made.cwd,
    env: made.env,
    watch(child) {
      const timer = setInterval(() => {
        if (!existsSync(begun) || isTold) return;
        isTold = true;
        clearInterval(timer);
        child.kill('SIGINT');
      }, 20);
      child.once('close', () => clearInterval(timer));
    },
  });
  expect({ status, isTold }).toEqual({ status: 130, isTold: true });
  expect(made.place.git(made.cwd, 'branch', '--list')).toBe('* main');
});
