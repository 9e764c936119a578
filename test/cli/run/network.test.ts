import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/events/event.ts';
import { messageOf } from '../../../src/failure.ts';
import { OwnNetwork } from '../../../src/network/own-network.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { whyNoOverlay } from '../../../src/workspace/overlay.ts';
import type { TurnInput } from '../../support/model-server/index.ts';
import { inside, live, modelAt, project, serve } from './live.ts';
import { folder } from './scripted.ts';
import { some } from '../../support/sweep.ts';

/** Why this system has no networks for single processes; undefined: it has them. */
const lack = await OwnNetwork.open().then(
  (network): undefined => void network.close(),
  (error: unknown) => messageOf(error),
);
const noOverlay = await whyNoOverlay(folder());

/** A program that asks its model, and then asks the model's server past the gateway; it prints what Codex would. */
const program = `
  const tell = (line) => console.log(JSON.stringify(line));
  tell({ type: 'thread.started', thread_id: 'its-own' });
  tell({ type: 'turn.started' });
  const ask = async (base) => {
    try {
      const answer = await fetch(base + '/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY },
        body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'go' }] }),
      });
      return (await answer.json()).choices[0].message.content;
    } catch (error) {
      return 'no answer';
    }
  };
  const text = (await ask(process.env.OPENAI_BASE_URL)) + ' / ' + (await ask(process.argv[2]));
  tell({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } });
  tell({ type: 'turn.completed', usage: { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 50 } });
`;
const answer: TurnInput = { text: 'Hello.', usage: { input: 1000, output: 50 } };

function read(stdout: string): { records: EventRecord[]; outcome: RunOutcome } {
  const records = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as EventRecord);
  const last = records.at(-1);
  return {
    records,
    outcome: (last?.type === 'thread.completed' ? last.final_report : undefined) as unknown as RunOutcome,
  };
}

const plainly = ['--ledger', 'none', '--to', 'runwire'];

async function asked(run: typeof inside, flags: readonly string[], cwd = project()) {
  const server = await serve([answer], 'sk-its-own-key');
  writeFileSync(join(cwd, 'agent.mjs'), program);
  const env = { OPENAI_BASE_URL: server.baseUrl('chat'), OPENAI_API_KEY: 'sk-its-own-key' };
  const command = [process.execPath, 'agent.mjs', server.baseUrl('chat')];
  const args = ['run', ...plainly, '--env', 'OPENAI_API_KEY', '--env', 'OPENAI_BASE_URL', ...flags, '--', ...command];
  const { stdout, stderr, status } = await run(args, { cwd, env });
  return { ...read(stdout), stderr, status, requests: server.served.requests.length };
}

function repository(): string {
  const cwd = project();
  writeFileSync(join(cwd, 'agent.mjs'), program);
  const git = (...args: string[]): void => void execFileSync('git', ['-C', cwd, ...args], { stdio: 'ignore' });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'begin');
  return cwd;
}

describe.skipIf(lack !== undefined)(`a network of its own${lack === undefined ? '' : ` (skipped: ${lack})`}`, () => {
  it.each([
    ['in this process', inside],
    ['as a user runs it', live],
  ])('has a model in it and nothing else, %s', async (_name, run) => {
    const { outcome, status, requests } = await asked(run, ['--network', 'model']);
    expect({ status, message: outcome.message, requests }).toEqual({
      status: 0,
      message: 'Hello. / no answer',
      requests: 1,
    });
    expect(outcome).toMatchObject({ network: { mode: 'model', enforced: true }, wire: { requests: 1 } });
  });

  it('has nothing in it', async () => {
    const { outcome, status, requests } = await asked(inside, ['--network', 'none']);
    expect({ status, message: outcome.message, requests }).toEqual({
      status: 0,
      message: 'no answer / no answer',
      requests: 0,
    });
    expect(outcome.network).toMatchObject({ mode: 'none', enforced: true });
  });

  it('is not there unless it is asked for', async () => {
    const { outcome, requests } = await asked(inside, []);
    expect({ message: outcome.message, requests, network: outcome.network }).toEqual({
      message: 'Hello. / Hello.',
      requests: 2,
      network: undefined,
    });
  });

  it.each(some(['overlay', 'clone', 'worktree'], 3))('goes together with a private copy: %s', async (isolation) => {
    if (isolation === 'overlay' && noOverlay !== undefined) return;
    const flags = ['--network', 'model', '--isolate', isolation];
    const { outcome, status, requests } = await asked(live, flags, repository());
    expect({ status, message: outcome.message, requests }).toEqual({
      status: 0,
      message: 'Hello. / no answer',
      requests: 1,
    });
  });

  it('tells what was stopped, by whom, and how often', async () => {
    const script =
      'for each in 1 2 3; do curl -s -m 5 https://a.example; done; curl -s -m 5 http://b.example; getent hosts c.example; curl -s -m 5 --noproxy "*" http://198.51.100.1; exit 0';
    const { stdout } = await live(['run', ...plainly, '--network', 'none', '--', 'sh', '-c', script]);
    const { records, outcome } = read(stdout);
    expect(outcome.network?.stopped_hosts).toEqual([
      { host: 'a.example', port: 443, process: 'curl', count: 3 },
      { host: 'b.example', port: 80, process: 'curl', count: 1 },
      { host: 'c.example', process: 'getent', count: expect.any(Number) as number },
    ]);
    const told = records.flatMap((record) => (record.type === 'network.refused' ? [record] : []));
    expect(told.map(({ source }) => source)).toEqual(told.map(() => 'wire'));
    expect(told.find(({ via }) => via === 'direct')).toMatchObject({ count: 1 });
    expect(outcome.network?.stopped).toBe(told.reduce((sum, { count }) => sum + count, 0));
  });

  it('leaves the variables of a command as they are, also where sockets are covered', async () => {
    const socket = createServer().listen(join(folder(), 'outside.sock'));
    await once(socket, 'listening');
    const path = `${folder()}:/usr/bin:/bin`;
    const { stdout } = await live(
      ['run', ...plainly, '--network', 'none', '--', '/bin/sh', '-c', 'echo "PATH is $PATH"'],
      { env: { PATH: path } },
    );
    socket.close();
    expect(stdout).toContain(`PATH is ${path}`);
  });

  it('is shown with a stored run', async () => {
    const ledger = join(folder(), 'ledger.db');
    const script = 'curl -s -m 5 https://a.example; exit 0';
    const cwd = project();
    await live(['run', '--quiet', '--ledger', ledger, '--network', 'none', '--', 'sh', '-c', script], { cwd });
    const { stdout } = await live(['runs', 'show', 'last', '--text', '--ledger', ledger], { cwd });
    expect(stdout).toMatch(/^network {2}none; 1 attempt to reach anything else stopped: a\.example \(curl\)$/m);
  });

  it('is where the commands of --expect are run, too', async () => {
    const reach = `${process.execPath} -e "fetch(process.env.OPENAI_BASE_URL).catch(() => process.exit(1))"`;
    const results = async (flags: readonly string[]) =>
      (await asked(inside, [...flags, '--expect', `after: ${reach}`])).outcome.expectations;
    expect(await results([])).toMatchObject([{ passed: true }]);
    expect(await results(['--network', 'none'])).toMatchObject([{ passed: false }]);
  });

  it.each([
    ['--network none without a model', ['--allow-host', 'a.example'], '--network model or --network none'],
    ['an address', ['--network', 'none', '--allow-host', '127.0.0.1'], 'it is an address'],
    ['the wire switched off', ['--network', 'model', '--wire', 'off'], 'leave out --wire off'],
  ])('is refused with %s', async (_name, flags, words) => {
    const { stderr, status } = await inside(['run', ...plainly, ...flags, '--', 'true']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(words) as string });
  });
});

describe.skipIf(lack !== undefined)('the tools of the built-in agent', () => {
  const turns: readonly TurnInput[] = [
    { calls: [{ name: 'bash', args: { command: 'curl -s -m 5 https://a.example; echo tried' } }] },
    { calls: [{ name: 'fetch', args: { url: 'https://b.example/' } }] },
    { text: 'Done.', usage: { input: 10, output: 10 } },
  ];
  const full = ['--permission-mode', 'full', '--network', 'model', ...plainly];

  const folders: [string, string[]][] = [
    ...(noOverlay === undefined ? [['in an overlay', ['--isolate', 'overlay']] as [string, string[]]] : []),
    ['in this folder', []],
  ];
  it.each(some(folders))('reach nothing, %s', async (_name, flags) => {
    const server = await serve(turns);
    const cwd = repository();
    const { stdout, status } = await live(['run', ...full, ...flags, ...modelAt(server), 'go'], { cwd });
    const { outcome } = read(stdout);
    expect({ status, message: outcome.message }).toEqual({ status: 0, message: 'Done.' });
    expect(outcome.network).toEqual({
      mode: 'model',
      enforced: true,
      stopped: 2,
      stopped_hosts: [
        { host: 'a.example', port: 443, process: 'curl', count: 1 },
        { host: 'b.example', port: 443, count: 1 },
      ],
    });
  });

  it('cannot be without their model', async () => {
    const server = await serve(turns);
    const { stderr, status } = await inside(['run', ...plainly, '--network', 'none', ...modelAt(server), 'go']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('--network model') as string });
  });
});

describe('where the system has no such network', () => {
  /** A user namespace in which no further network may be made. */
  const without = 'echo 0 > /proc/sys/user/max_net_namespaces && exec "$@"';
  const isPossible = (() => {
    try {
      execFileSync('unshare', ['-Ur', 'sh', '-c', without, 'sh', 'true'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  })();

  it.skipIf(!isPossible)('nothing is started, and that is said', () => {
    const cwd = project();
    const bin = join(import.meta.dirname, '..', '..', '..', 'bin', 'runwire.js');
    const args = [process.execPath, bin, 'run', ...plainly, '--network', 'none', '--', 'touch', 'started'];
    let result = { status: 0, stdout: '', stderr: '' };
    try {
      execFileSync('unshare', ['-Ur', 'sh', '-c', without, 'sh', ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
    } catch (error) {
      result = error as typeof result;
    }
    expect(result.status).toBe(1);
    expect(result.stderr).toContain('network: not enforced');
    const { outcome } = read(result.stdout);
    expect(outcome.network).toMatchObject({ mode: 'none', enforced: false, stopped: 0 });
    expect(outcome.network?.lack).not.toBe('');
    expect(execFileSync('ls', [cwd], { encoding: 'utf8' })).not.toContain('started');
  });
});
