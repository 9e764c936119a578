import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadPrices } from '../../src/outcome/price-table.ts';
import { fold } from '../../src/pipeline/convert.ts';
import { cases } from '../support/costs/cases.ts';
import { type Call, type StreamName, textOf } from '../support/costs/streams.ts';
import { homeWith, places, usageOf } from './stores.ts';

const stored = {
  'claude session': 'claude',
  'codex session': 'codex',
  'qwen session': 'qwen',
  'pi session': 'pi',
} as const satisfies Partial<Record<StreamName, keyof typeof places>>;
type Stored = keyof typeof stored;
const isStored = (name: StreamName): name is Stored => Object.hasOwn(stored, name);

describe('each price that was worked out by hand', () => {
  it.each(cases.flatMap((each) => (isStored(each.stream) ? [{ ...each, stream: each.stream }] : [])))(
    '$title',
    async ({ stream, model, calls, micro, is }) => {
      const home = homeWith({ [places[stored[stream]]]: textOf(stream, model, calls) });
      const { total } = await usageOf(home);
      expect({ micro: Math.round((total.cost ?? 0) * 1e6), is: total.cost_is }).toEqual({
        micro: Math.round(micro),
        is,
      });
    },
  );
});

const counts = fc.nat({ max: 400_000 });
const call: fc.Arbitrary<Call> = fc.record(
  {
    fresh: counts,
    output: fc.nat({ max: 5000 }),
    read: counts,
    write: counts,
    hour: counts,
    searches: fc.nat({ max: 3 }),
    model: fc.constantFrom('claude-sonnet-4-5', 'claude-haiku-4-5', 'gpt-5.5', 'a-model-without-a-price'),
    tier: fc.constantFrom('standard', 'batch', 'priority'),
  },
  { requiredKeys: ['fresh', 'output'] },
);

describe.each(Object.entries(stored) as [Stored, keyof typeof places][])('%s', (stream, agent) => {
  it('says what the outcome says, whatever the calls', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), async (calls) => {
        const text = textOf(stream, 'claude-sonnet-4-5', calls);
        const { metrics } = await fold([Buffer.from(text)], { from: agent, price: await loadPrices() });
        const { total } = await usageOf(homeWith({ [places[agent]]: text }));
        expect({ input: total.input_tokens, output: total.output_tokens, read: total.cache_read_tokens }).toEqual({
          input: metrics.input_tokens ?? 0,
          output: metrics.output_tokens ?? 0,
          read: metrics.cache_read_tokens ?? 0,
        });
        if (total.unpriced_calls !== undefined) expect(metrics.cost).toBeUndefined();
        else {
          expect(total.cost ?? 0).toBeCloseTo(metrics.cost ?? 0, 9);
          expect(total.cost_is).toBe(metrics.cost_is);
        }
      }),
      { numRuns: 15 },
    );
  });
});
