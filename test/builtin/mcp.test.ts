import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { connectMcp, McpServer, type McpConnection } from '../../src/builtin/mcp/connect.ts';
import { decide, parseRules } from '../../src/builtin/permissions/rules.ts';
import { body } from '../support/secrets.ts';
import { callTool, temporaryFolder, type CallOptions } from '../support/tool-call.ts';

const program = join(import.meta.dirname, '..', 'support', 'mcp-server.ts');
const environment = { PATH: process.env.PATH ?? '', HOME: '/home/somebody', OUR_SECRET: 'x', NAME: 'you "there"' };

const connect = async (
  servers: Record<string, McpServer>,
  options: { cwd?: string; signal?: AbortSignal } = {},
): Promise<McpConnection> => {
  const { cwd = process.cwd(), signal = new AbortController().signal } = options;
  const connection = await connectMcp(servers, { cwd, env: environment, signal });
  onTestFinished(() => connection.close());
  return connection;
};
const child = (...args: string[]): McpServer => ({
  command: process.execPath,
  args: [program, 'stdio', ...args],
  env: { GREETING: 'hello, ${NAME}' },
});

/** A server on loopback, in a process of its own. */
async function serve(kind: 'http' | 'sse'): Promise<string> {
  const server = spawn(process.execPath, [program, kind], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void server.kill('SIGKILL'));
  const port = await new Promise<string>((resolve) => void server.stdout.setEncoding('utf8').once('data', resolve));
  return `http://127.0.0.1:${port.trim()}/${kind}`;
}

const call = async (connection: McpConnection, name: string, input: unknown, options: Partial<CallOptions> = {}) => {
  const tool = connection.tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  const { status, output } = await callTool(tool, input, { cwd: '/', ...options });
  return { status, output };
};

const isAlive = (pid: string): boolean =>
  existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

it('connects to nothing when nothing is configured', async () => {
  expect((await connect({})).tools).toEqual([]);
});

describe.each<[string, () => Promise<McpServer>]>([
  ['stdio', () => Promise.resolve(child())],
  ['http', async () => ({ url: await serve('http'), headers: { authorization: 'Bearer open' } })],
  ['sse', async () => ({ type: 'sse', url: await serve('sse'), headers: { authorization: 'Bearer open' } })],
])('over %s', (_kind, server) => {
  it('lists all pages of tools and calls them', async () => {
    const connection = await connect({ small: await server() });
    expect(connection.tools.map(({ name, kind, description }) => [name, kind, description])).toEqual([
      ['mcp__small__add', 'mcp', 'Adds two numbers.'],
      ['mcp__small__env', 'mcp', ''],
      ['mcp__small__odd_name_with_spaces', 'mcp', 'Odd.'],
      ['mcp__small__odd_name_with_spaces_2', 'mcp', 'Not odd.'],
      ['mcp__small__fail', 'mcp', ''],
      ['mcp__small__parts', 'mcp', ''],
      ['mcp__small__wait', 'mcp', ''],
      ['mcp__small__crash', 'mcp', ''],
    ]);
    expect([
      await call(connection, 'mcp__small__add', { a: 1, b: 2 }),
      await call(connection, 'mcp__small__add', { a: 'one' }),
      await call(connection, 'mcp__small__fail', {}),
      await call(connection, 'mcp__small__parts', {}),
      await call(connection, 'mcp__small__odd_name_with_spaces', {}),
      await call(connection, 'mcp__small__odd_name_with_spaces_2', {}),
      await call(connection, 'mcp__small__wait', {}, { signal: AbortSignal.timeout(50) }),
    ]).toEqual([
      { status: 'success', output: '3' },
      { status: 'error', output: 'a and b are numbers' },
      { status: 'error', output: 'it did not work' },
      { status: 'success', output: 'see\n[image, image/png, 3 bytes]\ninside\n[file:///b]' },
      { status: 'success', output: 'called odd.name/with spaces' },
      { status: 'success', output: 'called odd_name_with_spaces' },
      { status: 'cancelled', output: 'cancelled' },
    ]);
  });
});

it('takes a key out of the name of a tool before it is cut', async () => {
  const key = `gh${'p_'}${body(36)}`;
  const connection = await connect({ small: child(`tool=${'look_'.repeat(5)} ${key}`) });
  const name = connection.tools.at(-1)?.name ?? '';
  expect(name).toBe(`mcp__small__${'look_'.repeat(5)}__redacted_github-token_`.slice(0, 64));
  expect(await call(connection, name, {})).toEqual({ status: 'success', output: `called ${'look_'.repeat(5)} ${key}` });
});

it("shows the model the server's own schema", async () => {
  const [add] = (await connect({ small: child() })).tools;
  expect(z.toJSONSchema(add?.input ?? z.never())).toEqual({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { a: { type: 'number' }, b: { $ref: '#/$defs/number' } },
    required: ['a', 'b'],
    additionalProperties: {},
    $defs: { number: { type: 'number', description: 'The other.' } },
  });
});

it('gives a child only what its entry names, PATH, HOME and the mark of the run', async () => {
  const cwd = temporaryFolder();
  const { output } = await call(await connect({ small: child() }, { cwd }), 'mcp__small__env', {});
  expect(JSON.parse(output)).toEqual({
    env: ['GREETING', 'HOME', 'PATH', 'RUNWIRE_RUNS'],
    greeting: 'hello, you "there"',
    cwd,
  });
});

it('is asked for like a command', async () => {
  const [add] = (await connect({ small: child() })).tools;
  const need = add?.need(add.input.parse({}), { cwd: '/' }) ?? { access: 'none', subject: '' };
  expect(need).toEqual({ access: 'execute', subject: 'mcp__small__add' });
  const isAllowed = (rules: ReturnType<typeof parseRules>): boolean => decide(rules, 'mcp__small__add', need).allowed;
  expect([
    isAllowed(parseRules('edit')),
    isAllowed(parseRules('edit', ['mcp__small'])),
    isAllowed(parseRules('full')),
  ]).toEqual([false, true, true]);
});

it('ends the whole tree of a server, even one that does not listen', async () => {
  const file = join(temporaryFolder(), 'pids');
  const connection = await connect({ small: child(`pids=${file}`) });
  const pids = readFileSync(file, 'utf8').trim().split('\n');
  expect(pids.map(isAlive)).toEqual([true, true]);
  await connection.close();
  await wait(100);
  expect(pids.map(isAlive)).toEqual([false, false]);
});

it('tells what a server said that crashed in a call, and in the next', async () => {
  const connection = await connect({ small: child() });
  expect(await call(connection, 'mcp__small__crash', {})).toEqual({
    status: 'error',
    output: 'Connection closed; it ended with exit code 9; it said: the server is unwell',
  });
  expect(await call(connection, 'mcp__small__add', { a: 1, b: 2 })).toEqual({
    status: 'error',
    output: expect.stringContaining('it said: the server is unwell'),
  });
});

describe('a server that does not start', () => {
  const failure = async (
    servers: Record<string, McpServer>,
    options: { signal?: AbortSignal } = {},
  ): Promise<unknown> => {
    try {
      await connect(servers, options);
      return 'it started';
    } catch (error) {
      return error;
    }
  };

  it.each<[string, Record<string, McpServer>, string]>([
    [
      'is not there',
      { bad: { command: 'no-such-program-anywhere' } },
      'the MCP server "bad" did not start: spawn no-such-program-anywhere ENOENT',
    ],
    ['dies', { bad: child('dies') }, '; it ended with exit code 3; it said: cannot find my database'],
    ['is not one', { bad: { command: 'true' } }, '; it ended with exit code 0'],
    [
      'does not listen',
      { bad: { url: 'http://127.0.0.1:1/' } },
      'the MCP server "bad" did not start: fetch failed: bad port',
    ],
    [
      'lacks a variable',
      { bad: { command: 'x', env: { A: '${MISSING}' } } },
      'the MCP server "bad" needs the variable MISSING, which is not set',
    ],
    [
      'has a bad name',
      { 'b d': child() },
      'invalid MCP server name: "b d"; use letters, digits, - and single _, such as "my-files"',
    ],
    [
      'has a confusing name',
      { a__b: child() },
      'invalid MCP server name: "a__b"; use letters, digits, - and single _, such as "my-files"',
    ],
  ])('because it %s', async (_title, servers, message) => {
    expect(await failure(servers)).toMatchObject({
      name: 'Failure',
      code: 'config',
      message: expect.stringContaining(message),
    });
  });

  it('because it does not know us', async () => {
    expect(await failure({ bad: { url: await serve('http') } })).toMatchObject({
      code: 'config',
      message: expect.stringContaining('401'),
    });
  });

  it('takes the others with it', async () => {
    const file = join(temporaryFolder(), 'pids');
    expect(await failure({ good: child(`pids=${file}`), bad: { command: 'true' } })).toMatchObject({ code: 'config' });
    await wait(100);
    expect(readFileSync(file, 'utf8').trim().split('\n').map(isAlive)).toEqual([false, false]);
  });

  it('because the run was cancelled', async () => {
    expect(
      await failure({ slow: { command: 'sleep', args: ['60'] } }, { signal: AbortSignal.timeout(100) }),
    ).toMatchObject({
      code: 'config',
    });
  });
});

it.each([
  [{ command: 'x', args: ['a'], env: { A: 'b' }, cwd: 'c' }, true],
  [{ url: 'https://example.com/mcp' }, true],
  [{ type: 'sse', url: 'http://localhost:1/', headers: { a: 'b' } }, true],
  [{ url: 'file:///x' }, false],
  [{ command: '' }, false],
  [{ command: 'x', url: 'https://example.com' }, false],
  [{}, false],
])('%j is an entry: %s', (entry, expected) => {
  expect(McpServer.safeParse(entry).success).toBe(expected);
});
