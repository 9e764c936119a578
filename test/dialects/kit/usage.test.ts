import { expect, it } from 'vitest';
import { anthropicFields, camelFields, reportUsage, tokensIn } from '../../../src/dialects/kit/usage.ts';
import { collectingSink } from '../../support/collecting-sink.ts';

it('reads the counts that are there, by their names', () => {
  expect(
    tokensIn(
      { fields: camelFields },
      { inputTokens: 5, outputTokens: 0, cacheReadTokens: -1, cacheWriteTokens: '2', other: 1 },
    ),
  ).toEqual({
    input_tokens: 5,
    output_tokens: 0,
  });
});

it('adds the cache to the input, and the reasoning to the output, where an agent counts them apart', () => {
  const wire = {
    input_tokens: 1,
    output_tokens: 2,
    cache_read_input_tokens: 10,
    cache_creation_input_tokens: 100,
    thinking_tokens: 1000,
  };
  const fields = { ...anthropicFields, thinking_tokens: 'reasoning_tokens' } as const;
  const parts = { cache_read_tokens: 10, cache_write_tokens: 100, reasoning_tokens: 1000 };
  expect(tokensIn({ fields }, wire)).toEqual({ input_tokens: 1, output_tokens: 2, ...parts });
  expect(tokensIn({ fields, cacheIsApart: true }, wire)).toEqual({ input_tokens: 111, output_tokens: 2, ...parts });
  expect(tokensIn({ fields, reasoningIsApart: true }, wire)).toEqual({
    input_tokens: 1,
    output_tokens: 1002,
    ...parts,
  });
  expect(tokensIn({ fields, cacheIsApart: true, reasoningIsApart: true }, { cache_read_input_tokens: 3 })).toEqual({
    cache_read_tokens: 3,
  });
});

it('takes the first of several names, and no 0 that stands for a number that is not known', () => {
  const fields = { cost: 'cost_usd', total_cost: 'cost_usd', input: 'input_tokens' } as const;
  expect(tokensIn({ fields }, { total_cost: 2, cost: 1 })).toEqual({ cost_usd: 1 });
  expect(tokensIn({ fields }, { total_cost: 2 })).toEqual({ cost_usd: 2 });
  expect(tokensIn({ fields, unknownIfZero: ['cost_usd'] }, { cost: 0, input: 0 })).toEqual({ input_tokens: 0 });
});

it('takes no cost that the agent itself calls a guess', () => {
  expect(
    tokensIn({ fields: { cost: 'cost_usd', input: 'input_tokens' } }, { cost: 1, input: 2, costBasis: 'fallback' }),
  ).toEqual({
    input_tokens: 2,
  });
});

it('reports nothing if nothing was counted', () => {
  const sink = collectingSink();
  expect(reportUsage(sink, 'turn', {})).toBe(false);
  expect(reportUsage(sink, 'turn', { input_tokens: 0, output_tokens: 0 }, { model: 'm' })).toBe(false);
  expect(reportUsage(sink, 'thread', { input_tokens: 0, output_tokens: 1 }, { model: 'm', whole_session: true })).toBe(
    true,
  );
  expect(sink.drafts).toStrictEqual([
    { type: 'usage.reported', scope: 'thread', input_tokens: 0, output_tokens: 1, model: 'm', whole_session: true },
  ]);
});
