import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JsonResponse } from '../../../src/dialects/dexter/wire.ts';
import { endless, inside, live, modelAt, project, serve, twoTurns, ways } from './live.ts';

const json = (text: string): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;

const scratchpadOf = (stdout: string, cwd: string): string => join(cwd, json(stdout).scratchpadFile as string);

describe('--json', () => {
  it('writes one JsonResponse and nothing else, and keeps the scratchpad it names', async () => {
    const server = await serve(twoTurns);
    const { stdout, stderr, status, cwd } = await live(['--json', ...modelAt(server), 'Look at both']);
    const response = json(stdout);
    const { scratchpadFile, metadata, ...rest } = response as {
      scratchpadFile: string;
      metadata: { totalTimeMs: number };
    };
    expect(rest).toEqual({
      status: 'success',
      query: 'Look at both',
      answer: 'All\ndone ✓',
      tools: [
        { name: 'read', args: { path: 'a.txt' }, result: 'hello\n' },
        { name: 'write', args: { path: 'b.txt', content: 'new\n' }, result: expect.any(String) as string },
      ],
    });
    expect(metadata).toEqual({
      model: 'openai-compatible/test-model',
      iterations: 2,
      totalTimeMs: expect.any(Number) as number,
      tokenUsage: { inputTokens: 2100, outputTokens: 50, totalTokens: 2150 },
    });
    expect(JsonResponse.safeParse(response).success).toBe(true);
    expect({ stderr, status, lines: stdout.trimEnd().split('\n').length }).toEqual({ stderr: '', status: 0, lines: 1 });
    // The first 12 hex digits of md5("Look at both").
    expect(scratchpadFile).toMatch(/^\.dexter\/scratchpad\/\d{4}-\d\d-\d\d-\d{6}_ba8bc4824759\.jsonl$/);
    expect(readdirSync(join(cwd, '.dexter', 'scratchpad'))).toEqual([
      scratchpadFile.slice('.dexter/scratchpad/'.length),
    ]);
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    expect(readFileSync(join(cwd, scratchpadFile), 'utf8').trimEnd().split('\n').map(json)).toEqual([
      { type: 'init', content: 'Look at both', timestamp },
      { type: 'thinking', content: 'I look at both.', timestamp },
      { type: 'tool_result', timestamp, toolName: 'read', args: { path: 'a.txt' }, result: 'hello\n' },
      {
        type: 'tool_result',
        timestamp,
        toolName: 'write',
        args: { path: 'b.txt', content: 'new\n' },
        result: expect.any(String) as string,
      },
    ]);
  });

  it('takes the query from stdin', async () => {
    const server = await serve(twoTurns);
    const { stdout, status } = await live(['--json', ...modelAt(server)], { stdin: 'Look at both\n' });
    expect({ query: json(stdout).query, status }).toEqual({ query: 'Look at both', status: 0 });
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n\n'],
  ])('answers NO_QUERY to %s', async (_what, stdin) => {
    const { stdout, stderr, status, cwd } = await inside(['--json'], { stdin });
    expect(json(stdout)).toEqual({
      status: 'error',
      query: '',
      answer: '',
      tools: [],
      scratchpadFile: expect.stringMatching(
        /^\.dexter\/scratchpad\/\d{4}-\d\d-\d\d-\d{6}_d41d8cd98f00\.jsonl$/,
      ) as string,
      metadata: { model: '', iterations: 0, totalTimeMs: expect.any(Number) as number },
      error: { code: 'NO_QUERY', message: 'No query: give one as an argument, with -p, or on stdin' },
    });
    expect({ stderr, status, kept: existsSync(scratchpadOf(stdout, cwd)) }).toEqual({
      stderr: '',
      status: 1,
      kept: true,
    });
  });

  it('does not wait for stdin to refuse a query', async () => {
    for (const wrong of ['--colour', '--max-turns=many']) {
      const { stdout, stderr, status } = await live(['--json', wrong, 'Do it'], { stdin: null });
      expect({ query: json(stdout).query, stderr, status }).toEqual({ query: 'Do it', stderr: '', status: 1 });
    }
  });

  it.each([
    ['an unknown flag', ['--json', '--colour', 'Do it'], 'unknown option --colour'],
    ['a flag without its value', ['Do it', '--json', '--model'], '--model needs a value'],
    ['a mistyped command', ['--json', 'stats'], 'unknown command "stats"'],
  ])('answers %s with a response, its scratchpad and exit code 1', async (_what, args, message) => {
    const { stdout, stderr, status, cwd } = await inside(args);
    expect(json(stdout)).toMatchObject({
      status: 'error',
      error: { code: 'CONFIG_ERROR', message: expect.stringContaining(message) as string },
    });
    expect({ stderr, status, kept: existsSync(scratchpadOf(stdout, cwd)) }).toEqual({
      stderr: '',
      status: 1,
      kept: true,
    });
    expect(JsonResponse.safeParse(json(stdout)).success).toBe(true);
  });

  it('says so where the scratchpad cannot be written', async () => {
    const cwd = project();
    writeFileSync(join(cwd, '.dexter'), '');
    for (const args of [
      ['--json', 'Do it'],
      ['--json', '--max-turns', 'many', 'Do it'],
    ]) {
      const { stdout, status } = await inside(args, { cwd });
      expect(json(stdout)).toMatchObject({
        scratchpadFile: expect.stringMatching(/^\.dexter\/scratchpad\//) as string,
      });
      expect(json(stdout)).toMatchObject({
        error: { message: expect.stringMatching(/cannot write .*\.dexter is not a folder/) as string },
      });
      expect(status).toBe(1);
    }
  });

  it('keeps denied calls in the scratchpad, which is the only file that read-only mode writes', async () => {
    const server = await serve([
      { calls: [{ name: 'write', args: { path: 'b.txt', content: 'x' } }] },
      { text: 'It was denied.' },
    ]);
    const { stdout, cwd } = await inside(['--json', ...modelAt(server), '--permission-mode', 'read-only', 'Write it']);
    const lines = readFileSync(scratchpadOf(stdout, cwd), 'utf8').trimEnd().split('\n').map(json);
    expect(lines.map(({ type, toolName, result }) => [type, toolName, String(result).slice(0, 7)])).toEqual([
      ['init', undefined, 'undefin'],
      ['tool_result', 'write', 'Error: '],
    ]);
    expect(readdirSync(cwd).toSorted()).toEqual(['.dexter', 'a.txt']);
  });

  it('counts the iterations that were completed', async () => {
    const server = await serve([{ calls: [{ name: 'read', args: { path: 'a.txt' } }] }, { fault: { status: 401 } }]);
    const { stdout } = await inside(['--json', ...modelAt(server), 'Do it']);
    expect(json(stdout)).toMatchObject({ status: 'error', metadata: { iterations: 1 } });
  });

  it('answers CONFIG_ERROR without a model', async () => {
    const { stdout, status } = await inside(['--json', 'Do it']);
    expect(json(stdout)).toMatchObject({ status: 'error', query: 'Do it', error: { code: 'CONFIG_ERROR' } });
    expect(status).toBe(1);
  });

  it('answers UNKNOWN_ERROR when nothing is said', async () => {
    const server = await serve([{ text: '' }]);
    const { stdout, status } = await inside(['--json', ...modelAt(server), 'Do it']);
    expect(json(stdout)).toMatchObject({ status: 'error', error: { code: 'UNKNOWN_ERROR' } });
    expect(status).toBe(1);
  });

  it.each(ways.filter(([name]) => name !== 'success'))(
    'a run of class %s is an error with exit code 1',
    async (name, _code, turns, flags) => {
      const server = await serve(turns);
      const { stdout, status } = await inside(['--json', ...modelAt(server), ...flags, 'Do it']);
      const response = json(stdout);
      expect(response).toMatchObject({
        status: 'error',
        query: 'Do it',
        answer: '',
        tools: [],
        error: { code: name === 'provider' ? 'PROVIDER_ERROR' : 'AGENT_ERROR' },
      });
      expect({ valid: JsonResponse.safeParse(response).success, status }).toEqual({ valid: true, status: 1 });
    },
  );

  it('says what is wrong with a flag in the same shape', async () => {
    const { stdout, stderr, status } = await inside(['--json', '--max-turns', 'many', 'Do it']);
    expect(json(stdout)).toMatchObject({
      status: 'error',
      query: 'Do it',
      error: { message: 'Bad input: --max-turns many: expected a number from 1, such as 20' },
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 1 });
  });

  it('is complete in a slow pipe', async () => {
    const answer = 'x'.repeat(300_000);
    const server = await serve([{ text: answer, chunkSize: 10_000, usage: { input: 1, output: 1 } }]);
    const { stdout, status } = await live(['--json', ...modelAt(server), 'Do it'], {
      watch(child) {
        child.stdout?.pause();
        setTimeout(() => child.stdout?.resume(), 5);
      },
    });
    expect(json(stdout).answer).toBe(answer);
    expect(status).toBe(0);
  });

  it('keeps a scratchpad for each of equal queries in the same second', async () => {
    const server = await serve(endless);
    const cwd = project();
    const run = (): Promise<{ stdout: string }> =>
      live(['--json', ...modelAt(server), '--max-turns', '1', 'Do it'], { cwd });
    const files = (await Promise.all([run(), run()])).map(({ stdout }) => scratchpadOf(stdout, cwd));
    expect(new Set(files).size).toBe(2);
    for (const file of files) {
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      expect(lines.map((line) => json(line).type)).toEqual(['init', 'tool_result']);
    }
  });
});
