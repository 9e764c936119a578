import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runEnvironment } from '../../src/fleet/run-environment.ts';
import type { RunSpec } from '../../src/contract/spec.ts';
import type { PostgresDatabase } from '../stores/support/postgres.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { atFileEnd } from '../support/at-file-end.ts';
import { newFleet, newRepository, RunningWorker, temporary, until } from './support/fleet.ts';
import { inProcess } from './support/in-process.ts';
import { some } from '../support/sweep.ts';

let server: PostgresDatabase;
beforeAll(async () => void (server = await sharedPostgres()));
afterAll(() => server.remove());

const mark = 'none-of-yours';
/** What a worker may have, each with a value that is found wherever it gets to. */
const secrets: Record<string, string> = Object.fromEntries(
  [
    'OPENAI_API_KEY ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN CLAUDE_CODE_OAUTH_TOKEN GEMINI_API_KEY GOOGLE_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY AZURE_API_KEY AZURE_OPENAI_API_KEY RUNWIRE_API_KEY RUNWIRE_REPORT_TOKEN CODEX_API_KEY',
    'GITHUB_TOKEN AWS_SECRET_ACCESS_KEY SSH_AUTH_SOCK GIT_SSH_COMMAND SOMETHING_OF_THE_TEAM',
  ]
    .flatMap((line) => line.split(' '))
    .map((name, index) => [name, `${mark}-${index}-${name.toLowerCase()}`]),
);

/** A model server of somebody else, which writes down all that it is sent. */
async function listen(): Promise<{ url: string; heard: () => string }> {
  let heard = '';
  const http = createServer((request, response) => {
    heard += `${request.method} ${request.url} ${JSON.stringify(request.rawHeaders)}\n`;
    request.setEncoding('utf8').on('data', (text: string) => void (heard += text));
    request.on('end', () =>
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}'),
    );
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', () => resolve()));
  atFileEnd(() => void http.close());
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, heard: () => heard };
}

/** Prints, in Codex's words, what it and every process that it may look at was started with. */
const spy = `#!/bin/sh
[ "$1" = --version ] && { echo 9.9.9; exit; }
echo "$0" >> "$LOOKED"
{ env; for each in /proc/[0-9]*; do tr '\\0' '\\n' < "$each/environ"; tr '\\0' '\\n' < "$each/cmdline"; done; } >> "$LOOKED" 2>/dev/null
cat <<'END'
{"type":"thread.started","thread_id":"x"}
{"type":"turn.started"}
{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1,"reasoning_output_tokens":0}}
END
`;

/** The spy as a program of a repository, under the names of known agents, and one of them also installed. */
function spies(looked: string): { checkout: string; installed: string } {
  const { checkout, git } = newRepository();
  const text = spy.replaceAll('$LOOKED', looked);
  const write = (path: string): void => writeFileSync(path, text, { mode: 0o755 });
  mkdirSync(join(checkout, 'node_modules', '.bin'), { recursive: true });
  for (const name of ['claude', 'gemini', 'node_modules/.bin/codex']) write(join(checkout, name));
  git('add', '-f', '.');
  git('commit', '-qm', 'spies');
  git('push', '-q', 'origin', 'main');
  const installed = temporary();
  write(join(installed, 'claude'));
  return { checkout, installed };
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

const providers = ['openai', 'anthropic', 'google', 'azure', 'openai-compatible', 'ollama'];
const nobody = 65534;
const users = [
  ['as this user', []],
  ...(process.getuid?.() === 0
    ? [['as another user', ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']] as const]
    : []),
] as const;

describe("a worker's variables", () => {
  it.concurrent.each(some(users))('are in no process, request or file of a run, %s', async (_user, as) => {
    const fleet = await newFleet(server, `keys_${as.length}`);
    const looked = join(fleet.folder, 'looked');
    const { checkout, installed } = spies(looked);
    const { url, heard } = await listen();
    const here = { cwd: checkout, limits: { timeout_ms: 60_000 } };
    const specs: object[] = [
      ...providers.map((name) => ({
        cwd: fleet.folder,
        prompt: 'x',
        model: `${name}/m`,
        base_url: url,
        pass_env: ['*'],
      })),
      { ...here, prompt: 'x', model: 'openai/m', base_url: url, expect: [] },
      ...['./claude', 'node_modules/.bin/codex', 'claude'].map((program) => ({
        ...here,
        command: [program],
        pass_env: ['*'],
      })),
      { ...here, agent: 'claude', prompt: 'x', base_url: url, agent_args: ['--settings={}'] },
      {
        ...here,
        command: ['true'],
        workspace: { isolate: 'auto', dirty: 'refuse', copy: [], setup: './claude' },
        pass_env: ['*'],
      },
      { ...here, agent: 'acp:./gemini', prompt: 'x', limits: { timeout_ms: 3000 } },
      { cwd: fleet.folder, command: [join(installed, 'claude')], workspace: undefined },
    ];
    const queued = await fleet.runwire(['enqueue', '-'], specs.map((spec) => `${JSON.stringify(spec)}\n`).join(''));
    expect(queued).toMatchObject({ status: 0, stderr: '' });
    const state = join(fleet.folder, 'there');
    const home = join(fleet.folder, 'home');
    mkdirSync(home);
    mkdirSync(state);
    // A key of the operator's config file is for no address of a spec's either.
    mkdirSync(join(home, '.config', 'runwire'), { recursive: true });
    writeFileSync(
      join(home, '.config', 'runwire', 'config.json'),
      JSON.stringify({ keys: { openai: `${mark}-config` } }),
    );
    writeFileSync(looked, '');
    if (as.length > 0) execFileSync('chown', ['-R', `${nobody}:${nobody}`, fleet.folder, join(checkout, '..')]);
    for (const folder of [installed, join(checkout, '..')]) chmodSync(folder, 0o755);
    const [program = '', ...args] = [
      ...as,
      process.execPath,
      join(import.meta.dirname, '..', '..', 'bin', 'runwire.js'),
      'worker',
      '--slots',
      '4',
    ];
    const worker = new RunningWorker(
      spawn(program, args, {
        cwd: fleet.folder,
        env: { PATH: `${installed}:.:${process.env['PATH']}`, ...fleet.env('there'), HOME: home, ...secrets },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    await until('all have ended', async () =>
      (await fleet.jobs()).every(({ state: each }) => each === 'ended'),
    ).finally(() => worker.kill('SIGTERM'));
    await worker.ended;
    const said = worker.stdout + worker.stderr;
    const jobs = await fleet.jobs();
    expect(jobs.map(({ state: each }) => each)).toEqual(specs.map(() => 'ended'));
    expect(heard().match(/POST \//g)?.length ?? 0).toBeGreaterThan(1);
    expect(
      readFileSync(looked, 'utf8').match(/^\/.*\/(?:claude|codex|gemini)$|^\.\/claude$/gm)?.length ?? 0,
    ).toBeGreaterThan(3);
    const configured = join(home, '.config', 'runwire', 'config.json');
    const leaks = filesUnder(fleet.folder).filter((path) => path !== configured && readFileSync(path).includes(mark));
    expect({
      said: said.includes(mark),
      heard: heard().includes(mark),
      jobs: JSON.stringify(jobs).includes(mark),
      leaks,
    }).toEqual({
      said: false,
      heard: false,
      jobs: false,
      leaks: [],
    });
  });

  it('are named where a run failed that would have used them, and sent where they are allowed', async () => {
    const { url, heard } = await listen();
    const fleet = await newFleet(server, 'missed');
    const spec = { cwd: fleet.folder, prompt: 'x', model: 'openai/m', base_url: url };
    const { stdout } = await fleet.runwire(['enqueue', '-'], `${JSON.stringify(spec)}\n`.repeat(2));
    const [first = '', second = ''] = stdout
      .split('\n')
      .map((line) => (line === '' ? '' : (JSON.parse(line) as { id: string }).id));
    const work = async (flags: string[]): Promise<number | null> => {
      const env = { ...fleet.env('there'), OPENAI_API_KEY: secrets['OPENAI_API_KEY'] ?? '' };
      return (await inProcess(['worker', '--once', ...flags], { env, cwd: fleet.folder })).status;
    };
    expect([await work([]), heard()]).toEqual([1, '']);
    expect((await fleet.job(first)).message).toBe(
      'this worker has OPENAI_API_KEY, and does not allow it to runs: see "runwire worker --allow-env"',
    );
    expect([await work(['--allow-env', 'OPENAI_API_KEY']), heard().includes(secrets['OPENAI_API_KEY'] ?? '')]).toEqual([
      4,
      true,
    ]);
    expect((await fleet.job(second)).message).toBeUndefined();
  });

  const installed = temporary();
  for (const name of ['claude', 'codex', 'gemini'])
    writeFileSync(join(installed, name), '#!/bin/sh\n', { mode: 0o755 });
  const place = temporary();
  writeFileSync(join(place, 'goose'), '#!/bin/sh\n', { mode: 0o755 });
  const env = {
    PATH: `.:${installed}:${place}`,
    HOME: '/home/me',
    ANTHROPIC_BASE_URL: 'https://gateway.example.com',
    OPENAI_BASE_URL: 'https://x.example.com?key=1',
    ...secrets,
  };
  const named = async (spec: Partial<RunSpec>, allowEnv: string[]): Promise<string[]> => {
    const { env: given } = await runEnvironment({ agent: 'builtin', pass_env: [], ...spec } as RunSpec, {
      env,
      allowEnv,
      places: place,
    });
    return Object.keys(given)
      .filter((name) => name !== 'HOME' && name !== 'PATH')
      .toSorted();
  };
  const key = 'ANTHROPIC_API_KEY';
  const url = 'ANTHROPIC_BASE_URL';
  it.each<[string, Partial<RunSpec>, string[], string[]]>([
    ['the built-in agent, nothing allowed', {}, [], [url]],
    ['the built-in agent, its key allowed', {}, [key], [key, url]],
    ['the built-in agent at an address of the spec', { base_url: 'http://x' }, [], [url, 'RUNWIRE_CONFIG_KEYS']],
    ['all asked for, nothing allowed', { pass_env: ['*'] }, [], [url]],
    ['an agent, its key allowed', { agent: 'claude' }, [key], [key, url]],
    ['another agent', { agent: 'gemini' }, [key], []],
    ['an agent that is not known', { agent: 'nobody' }, ['*'], ['GIT_SSH_COMMAND', 'SSH_AUTH_SOCK']],
    ['an installed program', { command: ['claude'] }, [key], [key, url]],
    ['an installed program by its path', { command: [join(installed, 'claude')] }, [key], [key, url]],
    ['a program of the repository', { command: ['./claude'] }, [key], []],
    ['a program of the repository that it names the key for', { command: ['./claude'], pass_env: [key] }, [key], [key]],
    ['a program somewhere else', { command: ['/tmp/claude'] }, [key], []],
    ['a program in a checkout of the worker', { command: ['goose'] }, [key], []],
    ['an ACP agent of the repository', { agent: 'acp', command: ['bin/claude', '--acp'] }, [key], []],
    ['an ACP agent by its words', { agent: 'acp:./claude --acp' }, [key], []],
    ['an installed ACP agent', { agent: 'acp:gemini' }, ['GEMINI_*'], ['GEMINI_API_KEY']],
    ['words that are not closed', { agent: "acp:'claude" }, ['ANTHROPIC_*'], []],
    ['another program', { command: ['sh', '-c', './claude'] }, [key], []],
    ['who the worker is', { command: ['true'] }, ['SSH_AUTH_SOCK'], ['SSH_AUTH_SOCK']],
  ])('go to %s: only where they are allowed and wanted', async (_name, spec, allowEnv, expected) => {
    expect(await named(spec, allowEnv)).toEqual(expected);
  });

  it('have no relative folder in their PATH, and those that an agent misses are named', async () => {
    const given = await runEnvironment({ agent: 'codex', pass_env: [] }, { env, allowEnv: [], places: place });
    expect([given.env['PATH'], given.withheld]).toEqual([`${installed}:${place}`, ['OPENAI_API_KEY', 'CODEX_API_KEY']]);
  });
});
