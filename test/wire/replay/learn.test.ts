import { expect, it } from 'vitest';
import type { Json } from '../../../src/json/json.ts';
import type { RecordedExchange } from '../../../src/wire/recording/recording.ts';
import { learnRules, type Recorded } from '../../../src/wire/replay/learn.ts';

function recorded(...bodies: Json[]): Recorded {
  const exchanges = bodies.map((body, index): RecordedExchange => ({
    request: {
      number: index + 1,
      at_ms: 0,
      api: 'responses',
      route: 'openai',
      method: 'POST',
      path: '/responses',
      body,
    },
    answer: undefined,
  }));
  return { exchanges, folders: {} };
}

const body = (id: string, output: string): Json => ({
  cache_key: id,
  metadata: { session: id, agent: 'new' },
  input: [
    { id: `msg_${id}`, role: 'user', content: `hello ${output}` },
    { type: 'function_call_output', call_id: 'c', output: { text: output, took: id } },
  ],
});

it('learns the names that an agent makes up anew, and nothing that anybody said', () => {
  expect(
    learnRules(recorded(body('a', 'one'), body('a', 'one')), recorded(body('b', 'two'), body('b', 'two')), {}),
  ).toEqual({
    drop: ['cache_key', 'input.*.id', 'metadata.session'],
  });
});

it('adds to what is known', () => {
  expect(learnRules(recorded({ a: '1', b: '1' }), recorded({ a: '2', b: '2' }), { drop: ['a'] })).toEqual({
    drop: ['a', 'b'],
  });
});

it('learns nothing from two runs that are the same, or that asked for different things', () => {
  expect(learnRules(recorded(body('a', 'one')), recorded(body('a', 'one')), {})).toEqual({ drop: [] });
  expect(learnRules(recorded(body('a', 'one')), recorded(), {})).toEqual({ drop: [] });
});
