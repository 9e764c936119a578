import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/event.ts';
import { type FoldOptions, OutcomeFold } from '../../src/outcome/fold.ts';
import { idleAnswer } from '../../src/outcome/idle-answer.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { idleAnswers } from '../../src/outcome/warnings.ts';

const asking = [
  'What would you like me to work on?',
  'What would you like to do?',
  'Hello! What would you like me to help you with today?',
  "Hi there! I'm ready to help. What can we build together? What task would you like me to start with?",
  "I'm ready to help! Please provide the task you'd like me to work on.",
  "It looks like your message was empty. Could you tell me what you'd like me to do?",
  'It seems your prompt came through empty.',
  "I don't see a task in your message. Please share what you want me to build.",
  "I don’t see any specific request. Let me know what you'd like me to do!",
  'No task was provided.',
  "I'm Claude Code, and I can help with:\n\n- Fixing bugs\n- Writing tests\n- Explaining code\n\nWhat would you like to work on?",
  "You haven't given me a task yet. What should I do?",
];

const announcing = [
  "I'll start by exploring the repository to understand its structure.",
  'Let me look at the failing test first.',
  "Sure! I'll fix the parser now.",
  "I'm going to read src/a.ts and then update the tests.",
  "Okay. First, I'll check the configuration. Then I'll run the tests.",
  'Now let me implement the fix.',
];

const legitimate = [
  'Hello! How can I help you with this project today?',
  'Hello! I read your prompt from stdin.',
  'Noted.',
  "I'll remember the word marmalade.",
  'The answer is 42.',
  'The function is fine. What would you like me to do next?',
  'Which of the two configurations should I change, `a.json` or `b.json`?',
  'What would you like me to do about the failing test in src/parser.ts?',
  'Should I use PostgreSQL or SQLite?',
  "I'll fix it once you confirm the approach.",
  "I'll use pnpm from now on.",
  "I won't change anything.",
  'I fixed the parser. Let me know if you want me to add tests.',
  "I'll start with the facts: the parser reads twice.\n\nThe second read is wrong, so I changed src/a.ts.",
  'Let me explain: the cache is never emptied.',
  "I can't do that without network access. What would you like me to do instead of `npm install`?",
  'Please provide the path of the file that fails.',
  'Let me know what you think of the design.',
  '',
];

describe('an answer that speaks of no work', () => {
  const at = { prompt: '', hasCalled: false };

  it.each(asking)('asks: %s', (answer) => {
    expect(idleAnswer(answer, at)).toBe('asks');
    expect(idleAnswer(answer, { prompt: 'fix the failing test', hasCalled: false })).toBe('asks');
    expect(idleAnswer(answer, { prompt: '', hasCalled: true })).toBeUndefined();
    expect(idleAnswer(answer, { prompt: 'Say hello and ask me what I want', hasCalled: false })).toBeUndefined();
  });

  it.each(announcing)('announces: %s', (answer) => {
    expect(idleAnswer(answer, at)).toBe('announces');
    expect(idleAnswer(answer, { prompt: 'fix it', hasCalled: true })).toBe('announces');
    expect(idleAnswer(answer, { prompt: 'How would you approach it?', hasCalled: false })).toBeUndefined();
  });

  it.each(legitimate)('neither: %s', (answer) => {
    expect(idleAnswer(answer, at)).toBeUndefined();
    expect(idleAnswer(answer, { prompt: '', hasCalled: true })).toBeUndefined();
  });

  it('a greeting answers a greeting, and nothing else', () => {
    const hello = 'Hello! How can I help you today?';
    expect(idleAnswer(hello, { prompt: 'Say hello.', hasCalled: false })).toBeUndefined();
    expect(idleAnswer(hello, { prompt: 'Fix the failing test', hasCalled: false })).toBe('asks');
  });
});

describe('a run that ends on one', () => {
  const said = (text: string): AgentEvent => ({
    type: 'text.completed',
    turn_id: 't',
    message_id: 'm',
    block_id: 'b',
    text,
  });
  const run = (text: string, between: readonly AgentEvent[] = [], options: FoldOptions = {}): RunOutcome => {
    const fold = new OutcomeFold(options);
    const events: AgentEvent[] = [
      { type: 'thread.started', agent: 'a', session_id: 's' },
      ...between,
      said(text),
      { type: 'agent.finished', status: 'ok' },
      { type: 'process.ended', exit_code: 0, signal: null, reason: 'exited' },
    ];
    for (const event of events) fold.apply(event);
    return fold.outcome('test', []);
  };
  const call: AgentEvent[] = [
    { type: 'item.started', item_id: 'i', turn_id: 't', kind: 'read', name: 'read', args: {} },
    { type: 'item.completed', item_id: 'i', status: 'success' },
  ];
  const [asks = '', announces = ''] = [asking[0], announcing[0]];

  it('is a success with a warning and evidence', () => {
    const outcome = run(asks);
    expect(outcome.verdict.class).toBe('success');
    expect(outcome.warnings).toEqual([idleAnswers.asks]);
    expect(outcome.verdict.evidence).toContainEqual({
      signal: 'answer',
      detail: `only a question for the task, and no tool was called: ${JSON.stringify(asks)}`,
    });
    expect(run(announces, call).warnings).toEqual([idleAnswers.announces]);
  });

  it.each(['empty', 'warning'] as const)('is a failure with --fail-on %s', (word) => {
    for (const outcome of [run(asks, [], { failOn: [word] }), run(announces, call, { failOn: [word] })])
      expect(outcome.verdict).toMatchObject({ class: 'incomplete', exit_code: 8 });
    expect(run('Done.', call, { failOn: [word] }).verdict.class).toBe('success');
  });

  it('is nothing special after a tool call, or where calls are not told', () => {
    expect(run(asks, call).warnings).toEqual([]);
    const fold = new OutcomeFold();
    for (const event of [
      { type: 'thread.started', agent: 'continue' },
      said(asks),
      { type: 'agent.finished', status: 'ok' },
    ] satisfies AgentEvent[])
      fold.apply(event);
    expect(fold.outcome('continue', []).warnings).toEqual([]);
  });
});
