import type { ModelMessage } from 'ai';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { planCompaction, promptWithSummary } from '../../src/builtin/compaction.ts';

/** A conversation as runs leave it: earlier prompts, then this run's prompt and its rounds, each a call and its result or plain words. */
const conversation = fc
  .record({
    earlier: fc.array(fc.constantFrom('round', 'words', 'prompt'), { maxLength: 6 }),
    rounds: fc.array(fc.constantFrom('round', 'words'), { maxLength: 6 }),
  })
  .map(({ earlier, rounds }) => {
    const message = (kind: string, index: number): ModelMessage[] => {
      if (kind === 'prompt') return [{ role: 'user', content: `prompt ${index}` }];
      if (kind === 'words') return [{ role: 'assistant', content: `words ${index}` }];
      const call = { toolCallId: `call ${index}`, toolName: 'echo' };
      return [
        { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { index } }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', ...call, output: { type: 'text', value: `result ${index}` } }],
        },
      ];
    };
    const before = earlier.length === 0 ? [] : ['prompt', ...earlier].flatMap(message);
    const after = rounds.flatMap((kind, index) => message(kind, index + 100));
    return { messages: [...before, { role: 'user' as const, content: 'now' }, ...after], promptAt: before.length };
  });

const idsOf = (messages: readonly ModelMessage[], type: 'tool-call' | 'tool-result'): string[] =>
  messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap((part) => (part.type === type ? [part.toolCallId] : [])),
  );

it('leaves a conversation that a provider takes, shorter than before, with nothing lost', () => {
  fc.assert(
    fc.property(conversation, fc.constantFrom(1 as const, 2 as const), ({ messages, promptAt }, level) => {
      const plan = planCompaction(messages, promptAt, level);
      expect(plan === undefined).toBe(messages.length === 1);
      if (plan === undefined) return;
      const next = [promptWithSummary('now', 'summary'), ...plan.kept];
      expect(next.length).toBeLessThanOrEqual(messages.length);
      expect(plan.kept[0]?.role ?? 'assistant').toBe('assistant');
      expect(idsOf(next, 'tool-result')).toEqual(idsOf(next, 'tool-call'));
      expect(messages.slice(plan.olderCount)).toEqual(plan.kept);
      for (const { content } of messages.slice(0, plan.olderCount))
        for (const part of typeof content === 'string'
          ? [content]
          : content.map((each) => JSON.stringify('output' in each ? each.output : 'input' in each ? each.input : '')))
          expect(plan.transcript).toContain(part);
    }),
  );
});

it('keeps the beginning and the end of what is too long', () => {
  const value = `start ${'x'.repeat(500_000)} end`;
  const messages: ModelMessage[] = [
    { role: 'user', content: value },
    { role: 'assistant', content: 'words' },
  ];
  const { transcript } = planCompaction(messages, 0, 1) ?? { transcript: '' };
  expect(transcript.length).toBeLessThan(101_000);
  expect(transcript).toMatch(/^user: start x+\n\[… \d+ characters left out …\]\nx+ end\n\nassistant: words$/);
});
