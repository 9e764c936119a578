import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inside, live, modelAt, project, serve, twoTurns, ways } from './live.ts';
import { lines } from './scripted.ts';

describe('--output-format', () => {
  it.each([
    [
      'an unknown format',
      ['-p', 'Do it', '--output-format', 'xml'],
      'runwire: unknown output format: xml (expected text or json)\n',
    ],
    [
      'json without a prompt',
      ['--output-format', 'json'],
      'runwire: --output-format json requires --prompt, such as: runwire -p "fix the tests" --output-format json\n',
    ],
  ])('rejects %s before the config is read', async (_what, args, stderr) => {
    const cwd = project();
    writeFileSync(join(cwd, 'runwire.json'), 'this is not JSON');
    expect(await inside(args, { cwd })).toEqual({ stdout: '', stderr, status: 2, cwd });
  });

  it('does not wait for ever for a prompt that nobody writes', async () => {
    const { stderr, status } = await live(['--output-format', 'json'], { stdin: null });
    expect(stderr).toContain('requires --prompt');
    expect(status).toBe(2);
  });

  it('shows in the help', async () => {
    expect((await live(['--help'])).stdout).toContain('--output-format text|json');
  });

  it('is text unless told', async () => {
    const server = await serve(twoTurns);
    const { stdout, status } = await live([...modelAt(server), '-p', 'Do it']);
    expect({ stdout, status }).toEqual({ stdout: 'All\ndone ✓\n', status: 0 });
  });

  it('emits only JSON lines without a key', async () => {
    const { stdout, status } = await inside([
      '-p',
      'Do it',
      '--output-format',
      'json',
      '--model',
      'anthropic/claude-sonnet-4-5',
    ]);
    const events = lines(stdout);
    expect(events.map(({ type }) => type)).toEqual(['session_start', 'error', 'session_end']);
    expect(events.at(-1)).toEqual({ type: 'session_end', turns: 0, total_cost_usd: 0, exit_code: 1 });
    expect(status).toBe(1);
  });

  it('JSON, in any case: eight events, with their turns and tools, and status on stderr', async () => {
    const server = await serve(twoTurns);
    const { stdout, stderr, status } = await live([
      '-p',
      'Do it',
      '--output-format',
      'JSON',
      '--price',
      'input=1,output=1',
      ...modelAt(server),
    ]);
    const events = lines(stdout);
    const text = (turn: number): string =>
      events
        .flatMap((each) => (each.type === 'text_delta' && each.turn === turn ? [each.content as string] : []))
        .join('');
    expect([text(1), text(2)]).toEqual(['I look at both.', 'All\ndone ✓']);
    expect(events[0]).toEqual({
      type: 'session_start',
      session_id: expect.any(String) as string,
      model: 'openai-compatible/test-model',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    });
    expect(events.filter(({ type }) => type !== 'text_delta').slice(1)).toEqual([
      { type: 'thinking', content: 'Two files.', turn: 1 },
      { type: 'tool_call', tool: 'read', input: { path: 'a.txt' }, turn: 1 },
      { type: 'tool_call', tool: 'write', input: { path: 'b.txt', content: 'new\n' }, turn: 1 },
      { type: 'tool_result', tool: 'read', output: 'hello\n', is_error: false, turn: 1 },
      { type: 'tool_result', tool: 'write', output: expect.any(String) as string, is_error: false, turn: 1 },
      { type: 'turn_complete', turn: 1, input_tokens: 1000, output_tokens: 40, cost_usd: 0.00104 },
      {
        type: 'turn_complete',
        turn: 2,
        input_tokens: 1100,
        output_tokens: 10,
        cost_usd: expect.closeTo(0.00111, 8) as number,
      },
      { type: 'session_end', turns: 2, total_cost_usd: 0.00215, exit_code: 0 },
    ]);
    expect(stderr).toContain('runwire: › write  b.txt\n');
    expect(status).toBe(0);
  });

  it('names the tool that ended, not the one that started last', async () => {
    const server = await serve([
      {
        calls: [
          { name: 'bash', args: { command: 'sleep 0.5; echo slow' } },
          { name: 'read', args: { path: 'a.txt' } },
        ],
      },
      { text: 'Done.' },
    ]);
    const { stdout } = await inside([
      '-p',
      'Do it',
      '--output-format',
      'json',
      '--permission-mode',
      'full',
      ...modelAt(server),
    ]);
    const results = lines(stdout).filter(({ type }) => type === 'tool_result');
    expect(results.map(({ tool, turn }) => [tool, turn])).toEqual([
      ['read', 1],
      ['bash', 1],
    ]);
    expect(results[1]?.output).toContain('slow');
  });

  it.each(ways)('%s: the process exits with what session_end says', async (_name, code, turns, flags) => {
    const server = await serve(turns);
    const { stdout, status } = await inside(['-p', 'Do it', '--output-format', 'json', ...modelAt(server), ...flags]);
    expect(lines(stdout).at(-1)).toMatchObject({ type: 'session_end', exit_code: code });
    expect(status).toBe(code);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s still ends with session_end', async (signal, code) => {
    const server = await serve([{ text: 'x', fault: { type: 'stall' } }]);
    let sent = false;
    const { stdout, status } = await live(['-p', 'Do it', '--output-format', 'json', ...modelAt(server)], {
      watch(child, so) {
        if (sent || so === '') return;
        sent = true;
        setTimeout(() => child.kill(signal), 500);
      },
    });
    expect(lines(stdout).at(-1)).toMatchObject({ type: 'session_end', exit_code: code });
    expect(status).toBe(code);
  });

  it('writes session_start before the model is asked', async () => {
    const server = await serve([{ text: 'x', fault: { type: 'stall' } }]);
    let asked: number | undefined;
    await live(['-p', 'Do it', '--output-format', 'json', '--timeout', '3s', ...modelAt(server)], {
      watch(_child, so) {
        if (so !== '') asked ??= server.requests.length;
      },
    });
    expect(asked).toBe(0);
  });
});
