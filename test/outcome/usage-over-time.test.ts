import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/event.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import type { Price } from '../../src/outcome/price.ts';
import { time } from '../../src/json/read.ts';

const began = Date.UTC(2026, 9, 24, 22);
const hour = 3_600_000;
type Usage = Extract<AgentEvent, { type: 'usage.reported' }>;
const step = (input_tokens: number, fields: Partial<Usage> = {}): Usage => ({
  type: 'usage.reported',
  scope: 'step',
  input_tokens,
  output_tokens: 10,
  ...fields,
});

function outcomeOf(reports: readonly [at: number | undefined, usage: Usage][], price?: Price): RunOutcome {
  const fold = new OutcomeFold({ startedAt: began });
  for (const [at, usage] of reports) fold.apply(usage, at);
  return fold.outcome('claude', [], price);
}

const partsOf = (outcome: RunOutcome): unknown =>
  outcome.usage_over_time?.map(({ at, input_tokens, cost }) => [(at - began) / hour, input_tokens, cost]);

it('is left out where all was used when the run began, or nobody knows when', () => {
  expect(outcomeOf([[began + 1000, step(100)]]).usage_over_time).toBeUndefined();
  expect(outcomeOf([[undefined, step(100)]]).usage_over_time).toBeUndefined();
});

it('says what was used in which quarter of an hour, and what that cost', () => {
  const reports: [number, Usage][] = [
    [began, step(100, { cost_usd: 1 })],
    [began + 5 * hour + 1, step(200, { cost_usd: 2 })],
    [began + 5 * hour + 2, step(300, { cost_usd: 3 })],
    // Parts may be reported out of order.
    [began + 2, step(50, { cost_usd: 0.5 })],
  ];
  expect(partsOf(outcomeOf(reports))).toEqual([
    [0, 150, 1.5],
    [5, 500, 5],
  ]);
});

it('shares out a computed cost by the prices of the tokens', () => {
  const price: Price = (_model, { input = 0, output = 0 }) => (input + 5 * output) / 1e6;
  const outcome = outcomeOf(
    [
      [began, step(950, { model: 'x' })],
      [began + hour, step(1950, { model: 'x' })],
    ],
    price,
  );
  expect(partsOf(outcome)).toEqual([
    [0, 950, 0.001],
    [1, 1950, 0.002],
  ]);
});

it('takes what the last total has less out of the last parts', () => {
  const outcome = outcomeOf([
    [began, step(100)],
    [began + hour, step(100)],
    [began + 2 * hour, { type: 'usage.reported', scope: 'thread', input_tokens: 150, output_tokens: 20 }],
  ]);
  expect(partsOf(outcome)).toEqual([
    [0, 100, undefined],
    [1, 50, undefined],
  ]);
});

it('adds up to the whole, and stays small, whatever is reported when', () => {
  // A leap second is no time that a computer knows.
  const at = fc.oneof(
    fc.integer({ min: began, max: began + 400 * 24 * hour }),
    fc.constantFrom('2026-12-31T23:59:60Z', '2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00').map(time),
  );
  const count = fc.integer({ min: 0, max: 100_000 });
  const usage = fc
    .record({ input_tokens: count, output_tokens: count, cost_usd: fc.double({ min: 0, max: 10, noNaN: true }) })
    .chain((figures) =>
      fc
        .constantFrom<Usage['scope']>('step', 'turn', 'thread')
        .map((scope): Usage => ({ type: 'usage.reported', scope, ...figures })),
    );
  fc.assert(
    fc.property(fc.array(fc.tuple(at, usage), { maxLength: 60 }), (reports) => {
      const { metrics, usage_over_time: parts } = outcomeOf(reports);
      if (parts === undefined) return;
      const sum = (name: 'input_tokens' | 'output_tokens' | 'cost'): number =>
        parts.reduce((whole, each) => whole + (each[name] ?? 0), 0);
      expect([sum('input_tokens'), sum('output_tokens')]).toEqual([metrics.input_tokens, metrics.output_tokens]);
      expect(sum('cost')).toBeCloseTo(metrics.cost ?? 0, 9);
    }),
  );
  const year = Array.from({ length: 24 * 365 }, (_, index): [number, Usage] => [began + index * hour, step(1)]);
  const { usage_over_time: parts = [] } = outcomeOf(year);
  expect(parts.length).toBeLessThan(1001);
  expect(parts.reduce((whole, { input_tokens = 0 }) => whole + input_tokens, 0)).toBe(24 * 365);
});
