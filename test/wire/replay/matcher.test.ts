import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/json/json.ts';
import { Redactor } from '../../../src/redact/redactor.ts';
import type { RecordedExchange } from '../../../src/wire/recording/recording.ts';
import { departureText } from '../../../src/wire/replay/departure.ts';
import { Matcher } from '../../../src/wire/replay/matcher.ts';
import { type ReplayRules, rulesFor } from '../../../src/wire/replay/rules.ts';

const redactor = new Redactor();

function exchange(number: number, body: Json, path = '/responses'): RecordedExchange {
  const answer = {
    number,
    status: 200,
    content_type: 'text/event-stream',
    ended: 'complete',
    duration_ms: 1,
    body: `answer ${number}`,
  };
  return { request: { number, at_ms: 0, api: 'responses', route: 'openai', method: 'POST', path, body }, answer };
}

function matcherOf(
  bodies: readonly Json[],
  rules: ReplayRules = {},
  folders = { cwd: '/home/me/project', home: '/home/me' },
): Matcher {
  return new Matcher(
    bodies.map((body, index) => exchange(index + 1, body)),
    { rules, clean: (text) => redactor.text(text), recordedIn: { cwd: '/home/me/project', home: '/home/me' }, folders },
  );
}

/** What it answers, or where it departs. */
function replyTo(matcher: Matcher, body: Json, path = '/responses'): string {
  const match = matcher.match({ method: 'POST', path, body });
  return 'departure' in match
    ? departureText(match.departure, matcher.size)
    : `${match.answer.body}${match.isLoose ? ', loosely' : ''}`;
}

const say = (text: string): Json => ({ model: 'm', input: [{ role: 'user', content: text }] });

describe('a request is answered', () => {
  it('by what it says, in any order, and once', () => {
    const matcher = matcherOf([say('one'), say('two'), say('one')]);
    expect([say('two'), say('one'), say('one'), say('one')].map((body) => replyTo(matcher, body))).toEqual([
      'answer 2',
      'answer 1',
      'answer 3',
      'departed at request 4: the recording has no further answer to POST /responses',
    ]);
    expect(matcher.given).toBe(3);
  });

  it('whatever the order of its fields', () => {
    expect(replyTo(matcherOf([{ a: 1, b: [{ c: 2, d: 3 }] }]), { b: [{ d: 3, c: 2 }], a: 1 })).toBe('answer 1');
  });

  it.each([
    ['2026-11-18', '2026-11-19'],
    ['Today is Wednesday, November 18, 2026.', 'Today is Thursday, November 19, 2026.'],
    ['Today is 18 November 2026.', 'Today is 2 December 2026.'],
    ['Wed Nov 18 2026', 'Thu Nov 19 2026'],
    ['at 2026-11-18T10:51:29.123Z', 'at 2026-11-19T00:00:00+01:00'],
    ['on 11/18/2026', 'on 11/19/2026'],
  ])('on another day: %s', (before, now) => {
    expect(replyTo(matcherOf([say(before)]), say(now))).toBe('answer 1');
  });

  it('with the skills of Gemini CLI in another order', () => {
    const tool = (names: string): Json => ({
      tools: [{ functionDeclarations: [{ description: `By name (Available: ${names}).` }] }],
    });
    const matcher = matcherOf([tool("'a', 'b'")], rulesFor('gemini'));
    expect(replyTo(matcher, tool("'b', 'c'"))).toContain('departed');
    expect(replyTo(matcher, tool("'b', 'a'"))).toBe('answer 1');
  });

  it('only where a date is that of the day', () => {
    const at = { cwd: '/home/me/project', home: '/home/me', at: Date.parse('2026-11-19T10:00:00Z') };
    const matcher = new Matcher([exchange(1, say('2026-11-18, since 2025-01-02'))], {
      rules: {},
      clean: (text) => text,
      recordedIn: { ...at, at: Date.parse('2026-11-18T10:00:00Z') },
      folders: at,
    });
    expect(replyTo(matcher, say('2026-11-19, since 2026-01-02'))).toContain('departed');
    expect(replyTo(matcher, say('2026-11-19, since 2025-01-02'))).toBe('answer 1');
  });

  it('in another folder, and by another user', () => {
    const matcher = matcherOf([say('in /home/me/project/src of /home/me')], {}, { cwd: '/tmp/copy', home: '/root' });
    expect(replyTo(matcher, say('in /tmp/copy/src of /root'))).toBe('answer 1');
  });

  it('with the secrets of both taken out alike', () => {
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH-xyzAAAAA';
    expect(replyTo(matcherOf([say(redactor.text(`key ${key}`))]), say(`key ${key}`))).toBe('answer 1');
    // It was known by its value then.
    expect(replyTo(matcherOf([say('key [redacted:secret-value]')]), say(`key ${key}`))).toBe('answer 1');
  });

  it('although codex names its chunks and its items anew, and takes another time', () => {
    const body = (id: string, time: string): Json => ({
      prompt_cache_key: id,
      client_metadata: { session: id },
      input: [
        {
          id,
          type: 'function_call_output',
          call_id: 'call_1',
          output: `Chunk ID: ${id}\nWall time: ${time} seconds\nOutput:\nok`,
        },
      ],
    });
    expect(replyTo(matcherOf([body('a1b2c3', '0.0512')], rulesFor('codex')), body('ffee01', '1.2'))).toBe('answer 1');
    expect(replyTo(matcherOf([body('a1b2c3', '0.0512')]), body('ffee01', '1.2'))).toMatch(
      /^departed at request 1 of 1/,
    );
  });

  it('although gemini orders its skills by chance', () => {
    const body = (names: string[], id: string): Json => ({
      systemInstruction: { parts: [{ text: names.map((name) => `- ${name}`).join('\n') }] },
      tools: [
        {
          functionDeclarations: [
            { description: names.join('\n'), parametersJsonSchema: { properties: { name: { enum: names } } } },
          ],
        },
      ],
      contents: [{ role: 'model', parts: [{ functionCall: { id: `run${id}`, name: 'run', args: {} } }] }],
    });
    expect(
      replyTo(
        matcherOf([body(['a', 'b', 'c'], '_1763462000000_1')], rulesFor('gemini')),
        body(['c', 'a', 'b'], '_1763462999999_1'),
      ),
    ).toBe('answer 1');
  });
});

const conversations: [string, (output: string) => Json][] = [
  [
    'Responses',
    (output) => ({
      input: [
        { type: 'function_call', call_id: 'c', name: 'shell', arguments: '{"cmd":"cat README.md"}' },
        { type: 'function_call_output', call_id: 'c', output },
      ],
    }),
  ],
  [
    'Chat Completions',
    (output) => ({
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', function: { name: 'bash', arguments: '{"command":"cat README.md"}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: output },
      ],
    }),
  ],
  [
    'Messages',
    (output) => ({
      messages: [
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c', name: 'Bash', input: { command: 'cat README.md' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: output }] },
      ],
    }),
  ],
  [
    'Gemini',
    (output) => ({
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'run', args: { command: 'cat README.md' } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'run', response: { output } } }] },
      ],
    }),
  ],
];

describe.each(conversations)('a tool of %s', (_api, conversation) => {
  it('that prints its lines in another order is matched, and that is told', () => {
    expect(replyTo(matcherOf([conversation('to stdout\nto stderr')]), conversation('to stderr\nto stdout'))).toBe(
      'answer 1, loosely',
    );
  });

  it('that prints something else is a departure that names it, and shows both', () => {
    const text = replyTo(
      matcherOf([say('x'), conversation('# Sample\n\nA small project.')]),
      conversation('# Changed\n\nA larger project.'),
    );
    expect(text).toMatch(
      /^departed at request 1 of 2: the result of `cat README\.md` \([\w.]+\) differs\n {2}recorded {2}# Sample⏎⏎A small project\.\n {2}now {7}# Changed⏎⏎A larger project\.$/,
    );
  });
});

describe('a departure', () => {
  it('of a long text shows where it differs', () => {
    const text = replyTo(matcherOf([say(`${'same '.repeat(500)}here`)]), say(`${'same '.repeat(500)}there`));
    expect(text).toContain('same here');
    expect(text).toContain('same there');
    expect(text.length).toBeLessThan(1000);
  });

  it('counts what differs besides', () => {
    expect(replyTo(matcherOf([{ a: 1, b: 2, c: 3 }]), { a: 1, b: 3, c: 4 })).toBe(
      'departed at request 1 of 1: b differs, and 1 more\n  recorded  2\n  now       3',
    );
  });

  it('is measured against the answer that was meant, not against the next one', () => {
    const body = (last: string): Json => ({ input: ['one', 'two', 'three', last] });
    expect(replyTo(matcherOf([say('other'), body('recorded')]), body('now'))).toContain(
      'input.3 differs\n  recorded  recorded\n  now       now',
    );
  });

  it('says that something came which nothing was recorded for', () => {
    expect(replyTo(matcherOf([say('x')]), say('x'), '/messages')).toBe(
      'departed at request 1: the recording has no further answer to POST /messages',
    );
  });
});
