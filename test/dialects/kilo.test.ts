import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/json/json.ts';
import { kilo } from '../../src/dialects/kilo.ts';
import { detectDialect } from '../../src/dialects/registry.ts';
import { Reader } from '../../src/pipeline/reader.ts';

const line = (type: string, part: JsonObject, timestamp = 1794772784987): JsonObject => ({
  type,
  timestamp,
  sessionID: 'ses_1',
  part: { id: `prt_${type}`, sessionID: 'ses_1', messageID: 'msg_1', ...part },
});
const stepStart = line('step_start', { type: 'step-start' });
const stepFinish = line('step_finish', {
  type: 'step-finish',
  reason: 'stop',
  metrics: { generation: 30.5, source: 'computed' },
  time: { start: 1, end: 2, elapsed: 1 },
  cost: 0.001,
  tokens: { total: 20, input: 5, output: 5, reasoning: 0, cache: { read: 10, write: 0 } },
});
const failure = (error: JsonObject | string): JsonObject => ({
  type: 'error',
  timestamp: 1794772784987,
  sessionID: 'ses_1',
  error,
});
const apiError = { name: 'APIError', data: { message: 'Bad key', statusCode: 401, isRetryable: false } };

const who = (head: JsonObject[], stderr: string[] = []) => {
  const found = detectDialect(head, stderr);
  return `${found?.dialect.id ?? 'nobody'} ${found?.sure ?? 0}`;
};

function read(lines: readonly JsonObject[], stderr: string, exit: number) {
  const reader = new Reader();
  reader.stdout(new TextEncoder().encode(lines.map((each) => `${JSON.stringify(each)}\n`).join('')));
  reader.stderr(new TextEncoder().encode(stderr));
  return reader.end({ exit_code: exit, signal: null });
}

describe('detection', () => {
  it.each<[string, string, JsonObject[], string[]]>([
    ['the order of keys', 'kilo 0.7', [stepStart], []],
    [
      'that order before Kilo was a fork',
      'opencode 0.9',
      [line('step_start', { type: 'step-start' }, 1767036059338)],
      [],
    ],
    [
      'the other order',
      'opencode 1',
      [{ ...stepStart, part: { id: 'p', messageID: 'm', sessionID: 's', type: 'step-start' } }],
      [],
    ],
    ['metrics and time of a step', 'kilo 1', [stepStart, stepFinish], []],
    [
      'a step without them',
      'opencode 1',
      [stepStart, line('step_finish', { type: 'step-finish', reason: 'stop' })],
      [],
    ],
    [
      'the rule that approved a tool',
      'kilo 1',
      [
        stepStart,
        line('tool_use', {
          type: 'tool',
          state: { status: 'completed', metadata: { approval: { source: 'global' } } },
        }),
      ],
      [],
    ],
    ['an error that is a string', 'kilo 1', [failure('run ended')], []],
    ['an error on both outputs', 'kilo 0.7', [failure(apiError)], ['\u001b[91m\u001b[1mError: \u001b[0mBad key']],
    ['an error on stdout alone', 'opencode 0.7', [failure(apiError)], []],
    [
      'the name it was forked from, for a sentence that both print',
      'opencode 0.6',
      [],
      ['\u001b[91m\u001b[1mError: \u001b[0mYou must provide a message or a command'],
    ],
  ])('goes by %s', (_, expected, head, stderr) => expect(who(head, stderr)).toBe(expected));
});

describe('reading', () => {
  it('names itself', () => {
    const outcome = read(
      [stepStart, line('text', { type: 'text', text: 'Hi', time: { start: 1, end: 2 } }), stepFinish],
      '',
      0,
    );
    expect(outcome).toMatchObject({
      status: 'success',
      message: 'Hi',
      metrics: { input_tokens: 15, output_tokens: 5, cost: 0.001 },
      provenance: { agent: 'kilo', dialect: 'kilo' },
    });
  });

  it('ends as permission after an auto-rejected permission', () => {
    const message = 'run ended with an auto-rejected permission; pass --auto for autonomous use';
    const outcome = read([stepStart, failure(message)], `\u001b[91m\u001b[1mError: \u001b[0m${message}\n`, 1);
    expect(outcome).toMatchObject({
      verdict: { class: 'permission' },
      error_details: { type: 'UnknownError', message },
    });
  });

  it('is not fooled by a stop before its error', () => {
    const outcome = read([stepStart, stepFinish, failure('the model returned no output')], '', 1);
    expect(outcome.verdict.class).toBe('incomplete');
  });

  it('does not take the text after an error for an answer', () => {
    const error = failure({ name: 'UnknownError', data: { message: '{"type":"overloaded_error"}' } });
    const outcome = read(
      [stepStart, error, line('text', { type: 'text', text: 'Half an ans', time: { start: 1, end: 2 } })],
      '',
      1,
    );
    expect(outcome).toMatchObject({ verdict: { class: 'provider', code: 'server' }, message: 'Half an ans' });
  });

  it('fits its schema in every recording', async () => {
    const schema = await kilo.schema();
    const home = join(import.meta.dirname, '..', 'recordings', 'kilo@7.7.7');
    const wires = readdirSync(home).flatMap((scenario) =>
      readFileSync(join(home, scenario, 'stdout.jsonl'), 'utf8')
        .split('\n')
        .filter((each) => each.endsWith('}'))
        .map((each): unknown => JSON.parse(each)),
    );
    expect(wires.length).toBeGreaterThan(50);
    expect(wires.flatMap((wire) => schema.safeParse(wire).error?.issues ?? [])).toEqual([]);
  });
});
