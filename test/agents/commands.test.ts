import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plannedFlags } from '../../src/agents/checkup.ts';
import { agents, findAgent } from '../../src/agents/registry.ts';
import { recordUnknownShapes } from '../../src/agents/unknown-shapes.ts';
import { inProcess } from '../fleet/support/in-process.ts';
import { runwire, type Result } from '../support/command.ts';
import { read } from '../support/reading.ts';

const root = mkdtempSync(join(tmpdir(), 'runwire-agents-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function folder(name: string): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  return path;
}

function program(place: string, name: string, script: string, mode = 0o755): string {
  const path = join(folder(place), name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, mode);
  return path;
}

/** Prints a version as the real one does, and a help that names these flags. */
function fakeAgent(place: string, id: string, printed: string, flags: readonly string[]): string {
  const agent = findAgent(id);
  const script = `case "$*" in\n*--help*) echo "usage: ${flags.join(' ')}" ;;\n*--version*) ${printed} ;;\nesac`;
  return program(place, agent.binaries[0] ?? id, script);
}

const goodFlags = (id: string): string[] => plannedFlags(findAgent(id), findAgent(id).tested);

/** Nothing of the machine is seen: PATH has the fakes alone, and no key is set. */
function ask(place: string, args: readonly string[], more: Record<string, string> = {}): Promise<Result> {
  return runwire(args, { env: seen(place, more) });
}

/** The same without a process of its own. */
function askHere(place: string, args: readonly string[], more: Record<string, string> = {}): Promise<Result> {
  return inProcess(args, { env: seen(place, more), cwd: root });
}

function seen(place: string, more: Record<string, string>): Record<string, string> {
  const none = Object.fromEntries(agents.flatMap(({ keys }) => keys).map((name) => [name, '']));
  const home = folder(`${place}-home`);
  return {
    ...none,
    // A program that hangs is waited for long enough here too.
    RUNWIRE_PATIENCE: '0.25',
    PATH: join(root, place),
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    TMPDIR: root,
    ...more,
  };
}

const lineOf = (text: string, start: string): string => text.split('\n').find((line) => line.startsWith(start)) ?? '';

describe('agents', () => {
  let paths: Record<string, string>;
  // Started at once: each waits for the program that hangs.
  let [asTable, asJson]: Promise<Result>[] = [];
  beforeAll(() => {
    paths = {
      codex: fakeAgent('mixed', 'codex', 'echo "codex-cli 0.169.0"', goodFlags('codex')),
      gemini: fakeAgent('mixed', 'gemini', 'exec /bin/sleep 1000', []),
      qwen: fakeAgent('mixed', 'qwen', 'echo "hello, \\033[31mworld"', []),
      pi: fakeAgent('mixed', 'pi', 'echo noise >&2; echo v0.73.1-rc.1 >&2; exit 3', []),
      opencode: program('mixed', 'opencode', 'echo 1.0.0', 0o644),
      agent: program('mixed', 'agent', 'echo 2026.01.23-abc'),
    };
    [asTable, asJson] = [ask('mixed', ['agents']), ask('mixed', ['agents', '--json'])];
  });

  it('lists what is here, what it can do, and how to install the rest', async () => {
    const { stdout, stderr, status } = await (asTable ?? expect.unreachable());
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(lineOf(stdout, 'AGENT').split(/ {2,}/)).toEqual([
      'AGENT',
      'VERSION',
      'PERMISSION MODES',
      'KNOWN',
      'TAKES',
      'PATH, OR HOW TO INSTALL IT',
    ]);
    expect(lineOf(stdout, 'codex ')).toMatch(
      /^codex +0\.169\.0 +read-only, edit, full +live, \S+(?: ago)? +model, resume +\S*\/mixed\/codex$/,
    );
    expect(lineOf(stdout, 'gemini ')).toMatch(/^gemini +\? .+\/mixed\/gemini$/);
    expect(lineOf(stdout, 'qwen ')).toMatch(/^qwen +\? .+ model, resume, turns +\S*\/mixed\/qwen$/);
    expect(lineOf(stdout, 'pi ')).toMatch(/^pi +0\.73\.1-rc\.1 /);
    expect(lineOf(stdout, 'opencode ')).toMatch(/^opencode +- .+ npm install -g opencode-ai$/);
    // The program called `agent` is Cursor's by its version.
    expect(lineOf(stdout, 'agent-code ')).toMatch(/^agent-code +- /);
    expect(lineOf(stdout, 'claude ')).toMatch(/^claude +- .+ npm install -g @anthropic-ai\/claude-code$/);
    expect(lineOf(stdout, 'opencode:')).toMatch(/^opencode: \S*\/mixed\/opencode is not executable$/);
  });

  it('fits a terminal of 80 columns and 24 rows', async () => {
    const lines = (await ask('none', ['agents'], { COLUMNS: '80' })).stdout.trimEnd().split('\n');
    expect({ rows: lines.length < 24, wide: lines.filter((line) => line.length > 80) }).toEqual({
      rows: true,
      wide: [],
    });
    // Those that do not fit are named.
    expect(lines).toHaveLength(Math.min(agents.length, 20) + 3);
    for (const { id } of agents) expect(lines.join(' ')).toContain(id);
  });

  it('prints the same as JSON, one entry for each agent', async () => {
    const { stdout, status } = await (asJson ?? expect.unreachable());
    const all = JSON.parse(stdout) as {
      id: string;
      installed: boolean;
      version: string | null;
      path: string | null;
      problem: string | null;
    }[];
    expect(status).toBe(0);
    expect(all.map(({ id }) => id)).toEqual(agents.map(({ id }) => id));
    const brief = Object.fromEntries(all.map(({ id, version, path, problem }) => [id, [path, version, problem]]));
    expect(brief).toMatchObject({
      codex: [paths['codex'], '0.169.0', null],
      gemini: [paths['gemini'], null, `${paths['gemini']} --version did not exit within 5 s`],
      qwen: [paths['qwen'], null, `${paths['qwen']} --version printed no version`],
      opencode: [null, null, `${paths['opencode']} is not executable`],
      claude: [null, null, 'no claude in PATH'],
    });
  });

  it('says how well each agent is known, and since when', async () => {
    const { stdout } = await askHere('mixed', ['agents', '--json']);
    const known = (JSON.parse(stdout) as { id: string; known: { by: string; version?: string; at: string } }[]).map(
      ({ id, known: { by, version, at } }) => [id, by, version !== undefined, /^2026-\d\d-\d\d$/.test(at)],
    );
    expect(known).toContainEqual(['codex', 'live', true, true]);
    expect(known).toContainEqual(['dexter', 'files', true, true]);
    expect(known).toContainEqual(['kimi', 'documents', false, true]);
    expect(known.filter(([, , , isDate]) => isDate !== true)).toEqual([]);
    expect((await askHere('mixed', ['agents', 'kimi'])).stdout).toMatch(/known +by its documents, 2026-11-19 \(/);
    expect((await askHere('mixed', ['agents'])).stdout).toMatch(/dexter .* files, \d/);
  });

  it('tells all about one agent, with the exact command line of a run', async () => {
    const { stdout, status } = await askHere('mixed', ['agents', 'codex']);
    expect(status).toBe(0);
    expect(stdout).toContain(
      `--permission-mode edit:\n  ${paths['codex']} exec --json --skip-git-repo-check --sandbox=workspace-write '--config=approval_policy="never"' -- 'fix the tests' < /dev/null\n`,
    );
  });

  it.each([
    [['agents', 'codx'], 1, 'unknown agent "codx" (did you mean "codex"?)'],
    [['agents', 'codex', 'pi'], 2, 'agents takes one agent at most'],
    [['agents', 'builtin'], 2, 'the built-in agent is part of Runwire'],
    [['doctor', 'nothing'], 1, 'unknown agent "nothing"; known: builtin, codex'],
    [['doctor', 'acp'], 2, 'acp needs the command of an agent'],
    [['doctor', 'acp:amp'], 1, 'Amp does not speak ACP by itself'],
    [['agents', 'acp:gemini'], 2, '"runwire doctor" checks whether it speaks ACP'],
  ])('refuses %j', async (args, status, message) => {
    const result = await askHere('empty', args);
    expect({ status: result.status, stdout: result.stdout }).toEqual({ status, stdout: '' });
    expect(result.stderr).toContain(message);
  });
});

interface Diagnosis {
  ok: boolean;
  host: { what: string; status: string; detail: string }[];
  builtin: { what: string; status: string; detail: string }[];
  agents: { id: string; checks: { what: string; status: string; detail: string }[] }[];
  unknown_shapes: { dialect: string; shape: string; count: number }[];
}

async function diagnose(
  place: string,
  args: readonly string[],
  env?: Record<string, string>,
): Promise<Diagnosis & { status: number | null }> {
  const { stdout, status } = await askHere(place, ['doctor', ...args, '--json'], env);
  return { ...(JSON.parse(stdout) as Diagnosis), status };
}

const statuses = ({ agents: [agent] }: Diagnosis): Record<string, string> =>
  Object.fromEntries((agent?.checks ?? []).map(({ what, status }) => [what, status]));

describe('doctor', () => {
  it('finds a good agent well, and shows no key', async () => {
    fakeAgent('good', 'codex', 'echo "codex-cli 0.169.3"', goodFlags('codex'));
    const { stdout, status } = await ask('good', ['doctor', 'codex'], { CODEX_API_KEY: 'sk-very-secret-value' });
    expect(stdout).toMatch(
      /^Codex\n {2}ok {2}program .*\n {2}ok {2}version +0\.169\.3\n {2}ok {2}key +in CODEX_API_KEY\n {2}ok {2}flags +.*\n/m,
    );
    expect(stdout).toMatch(/All is well\.\n$/);
    expect({ status, shows: stdout.includes('very-secret') }).toEqual({ status: 0, shows: false });
  });

  it('greets a command that speaks ACP, and no more', async () => {
    const writer = join(import.meta.dirname, '..', 'support', 'acp', 'writer.mjs');
    expect(await diagnose('acp', [`acp:${process.execPath} ${writer} never written`])).toMatchObject({
      ok: true,
      agents: [
        {
          id: 'acp',
          checks: [
            { what: 'program', status: 'ok', detail: process.execPath },
            { what: 'ACP', status: 'ok', detail: 'version 1' },
          ],
        },
      ],
    });
    program('acp', 'mute', 'exit 3');
    expect((await diagnose('acp', ['acp:mute'])).agents[0]?.checks[1]).toEqual({
      what: 'ACP',
      status: 'wrong',
      detail: 'it ended with 3 before it answered',
    });
    expect((await diagnose('acp', ['acp:gemini'])).agents[0]?.checks).toMatchObject([
      { what: 'program', status: 'wrong' },
    ]);
  });

  it('takes the file of a login for a key', async () => {
    fakeAgent('login', 'codex', 'echo 0.169.0', goodFlags('codex'));
    writeFileSync(join(folder('login-home/.codex'), 'auth.json'), '{}');
    expect(statuses(await diagnose('login', ['codex']))).toEqual({
      program: 'ok',
      version: 'ok',
      key: 'ok',
      flags: 'ok',
    });
  });

  it.skipIf(process.platform === 'darwin')('says what is wrong: no key, a flag that is gone', async () => {
    fakeAgent(
      'bad',
      'codex',
      'echo 0.999.0',
      goodFlags('codex').filter((flag) => flag !== '--sandbox'),
    );
    const diagnosis = await diagnose('bad', ['codex']);
    expect({ ok: diagnosis.ok, status: diagnosis.status }).toEqual({ ok: false, status: 1 });
    expect(diagnosis.agents[0]?.checks.map(({ what, status, detail }) => [what, status, detail])).toEqual([
      ['program', 'ok', join(root, 'bad', 'codex')],
      ['version', 'unsure', '0.999.0; tried with 0.169.0, this one is newer'],
      ['key', 'wrong', 'none of CODEX_API_KEY, CODEX_ACCESS_TOKEN is set, and there is no ~/.codex/auth.json'],
      ['flags', 'wrong', '"codex exec --help" does not name --sandbox'],
    ]);
  });

  it.skipIf(process.platform === 'darwin')(
    'knows what looks like a key and is none, and flags that a help does not show',
    async () => {
      fakeAgent('mistaken', 'codex', 'echo 0.169.0', goodFlags('codex'));
      fakeAgent(
        'hidden',
        'claude',
        'echo 2.1.63',
        goodFlags('claude').filter((flag) => flag !== '--max-turns'),
      );
      const [mistaken, hidden] = await Promise.all([
        diagnose('mistaken', ['codex'], { OPENAI_API_KEY: 'sk-x' }),
        diagnose('hidden', ['claude'], { ANTHROPIC_API_KEY: 'x' }),
      ]);
      expect(mistaken.agents[0]?.checks.find(({ what }) => what === 'key')).toEqual({
        what: 'key',
        status: 'wrong',
        detail:
          'none of CODEX_API_KEY, CODEX_ACCESS_TOKEN is set, and there is no ~/.codex/auth.json; OPENAI_API_KEY is set, but is not sent: set CODEX_API_KEY',
      });
      expect(hidden.agents[0]?.checks.find(({ what }) => what === 'flags')).toMatchObject({
        status: 'ok',
        detail: expect.stringContaining('but --max-turns, which works anyway') as string,
      });
    },
  );

  it('is not well where nothing can be run: no agent, no model, or no key for it', async () => {
    const model = { RUNWIRE_MODEL: 'openai/gpt-5' };
    program('broken', 'claude', 'echo "Error: claude native binary not installed." >&2; exit 1');
    const [nothing, keyless, whole, broken] = await Promise.all([
      diagnose('nothing', []),
      diagnose('nothing', [], { ...model, OPENAI_API_KEY: '' }),
      diagnose('nothing', [], { ...model, OPENAI_API_KEY: 'sk-x' }),
      diagnose('broken', ['claude'], { ANTHROPIC_API_KEY: 'x' }),
    ]);
    expect(nothing).toMatchObject({ ok: false, status: 1, builtin: [{ what: 'model', status: 'wrong' }] });
    expect(keyless).toMatchObject({ status: 1, builtin: [{ status: 'ok' }, { what: 'key', status: 'wrong' }] });
    expect(whole).toMatchObject({ ok: true, status: 0 });
    expect(broken.agents[0]?.checks.find(({ what }) => what === 'version')).toMatchObject({
      status: 'wrong',
      detail: expect.stringMatching(/printed no version: Error: claude native binary not installed\.$/) as string,
    });
  });

  it.each([
    ['opencode', 'echo "error: boom" >&2; echo "Bun v1.3.14 (Linux x64)" >&2; exit 1'],
    ['continue', 'echo "    at run (/a/b.js:10:2)" >&2; echo "Node.js v24.21.0" >&2; exit 1'],
    ['amp', 'echo "gave up after 41.439 s" >&2; exit 1'],
    ['goose', 'echo "goose: fatal: needs glibc 2.38.0 or newer" >&2; exit 127'],
    ['cline', 'echo "Node.js v24.21.0"'],
  ])('takes no version from the crash of %s', async (id, script) => {
    fakeAgent(`crash-${id}`, id, script, goodFlags(id));
    const { agents: checked } = await diagnose(`crash-${id}`, [id]);
    expect(checked[0]?.checks.find(({ what }) => what === 'version')).toMatchObject({
      status: 'wrong',
      detail: expect.stringContaining('printed no version') as string,
    });
  });

  it('says what it could not check', async () => {
    fakeAgent('silent', 'droid', 'echo 0.174.0', []);
    const diagnosis = await diagnose('silent', [], { FACTORY_API_KEY: 'fk-1' });
    expect(statuses(diagnosis)).toEqual({ program: 'ok', version: 'unsure', key: 'ok', flags: 'unsure' });
    expect(diagnosis).toMatchObject({ ok: true, status: 0 });
  });

  it('finds an agent wrong that is not there, or gives no version', async () => {
    fakeAgent('hanging', 'gemini', 'exec /bin/sleep 1000', goodFlags('gemini'));
    const [missing, waited] = await Promise.all([
      diagnose('none', ['codex']),
      // In a process of its own, which has less patience.
      ask('hanging', ['doctor', 'gemini', '--json'], { GEMINI_API_KEY: 'x' }),
    ]);
    expect(missing).toMatchObject({
      status: 1,
      agents: [
        {
          checks: [
            {
              what: 'program',
              status: 'wrong',
              detail: 'no codex in PATH; to install it: npm install -g @openai/codex',
            },
          ],
        },
      ],
    });
    expect(statuses(JSON.parse(waited.stdout) as Diagnosis)).toMatchObject({ version: 'wrong', flags: 'ok' });
  });

  it('finds a state folder wrong that is a file', async () => {
    const file = join(root, 'a-file');
    writeFileSync(file, '');
    const { host, status } = await diagnose('empty', ['builtin'], { XDG_STATE_HOME: file });
    expect({ status, state: host.find(({ what }) => what === 'state folder')?.status }).toEqual({
      status: 1,
      state: 'wrong',
    });
  });

  it('names the events that no decoder knew', async () => {
    const place = basename(mkdtempSync(join(root, 'seen-')));
    const state = folder(`${place}-home/state`);
    const { outcome } = read({
      dialect: 'codex',
      stdout: [
        { type: 'thread.started', thread_id: 't' },
        { type: 'turn.dreamt', secret: 'do not keep' },
        { type: 'turn.dreamt' },
      ],
    });
    const env = { XDG_STATE_HOME: state };
    await Promise.all(Array.from({ length: 8 }, () => recordUnknownShapes(outcome, env, Date.UTC(2026, 0, 2))));
    const { unknown_shapes: shapes, status } = await diagnose(place, ['builtin']);
    expect({ shapes, status }).toEqual({ shapes: [], status: 0 });
    const all = await diagnose(place, []);
    expect(all.unknown_shapes).toEqual([
      {
        dialect: 'codex',
        shape: 'line of type "turn.dreamt"',
        count: 16,
        first_seen: '2026-01-02T00:00:00.000Z',
        last_seen: '2026-01-02T00:00:00.000Z',
      },
    ]);
    const kept = join(state, 'runwire');
    expect(readdirSync(kept)).toEqual(['unknown-shapes.json']);
    expect(readFileSync(join(kept, 'unknown-shapes.json'), 'utf8')).not.toContain('do not keep');
    expect((await askHere(place, ['doctor'])).stdout).toContain(
      'Events that no decoder knew\n  ??  codex  line of type "turn.dreamt": 16 times',
    );
  });
});

describe('recordUnknownShapes', () => {
  const strange = (type: string): ReturnType<typeof read>['outcome'] =>
    read({ dialect: 'codex', stdout: [{ type: 'thread.started', thread_id: 't' }, { type }] }).outcome;

  it('keeps the newest two hundred', async () => {
    const env = { XDG_STATE_HOME: folder('many') };
    for (let index = 0; index < 205; index += 1)
      await recordUnknownShapes(strange(`new.kind${index}`), env, index * 1000);
    const file = join(root, 'many', 'runwire', 'unknown-shapes.json');
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { shape: string }[];
    expect([kept.length, kept[0]?.shape, kept.at(-1)?.shape]).toEqual([
      200,
      'line of type "new.kind204"',
      'line of type "new.kind5"',
    ]);
  });

  it('starts anew after damage, and never fails a run', async () => {
    const place = folder('damaged/runwire');
    writeFileSync(join(place, 'unknown-shapes.json'), '[{"dialect":');
    await recordUnknownShapes(strange('a.b'), { XDG_STATE_HOME: join(root, 'damaged') }, 0);
    expect(JSON.parse(readFileSync(join(place, 'unknown-shapes.json'), 'utf8'))).toHaveLength(1);
    writeFileSync(join(root, 'no-folder'), '');
    await expect(
      recordUnknownShapes(strange('a.b'), { XDG_STATE_HOME: join(root, 'no-folder') }, 0),
    ).resolves.toBeUndefined();
  });
});
