import fc from 'fast-check';
import { exitCodes } from '../../../src/failure.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import type { RunFilter, TreePlace } from '../../../src/stores/run-store.ts';
import { anyText } from '../../support/any-text.ts';
import { type Changes, noon, outcomeWith } from './runs.ts';

const hostile = anyText(30);
const phrase = fc
  .array(fc.constantFrom('fix', 'Parser', 'tests', 'größe', '日本語', 'a.b-c', "o'clock", '"quoted"', 'AND', '*'), {
    maxLength: 5,
  })
  .map((words) => words.join(' '));
const someText = fc.oneof(phrase, hostile);
const tokens = fc.option(fc.nat(1e6), { nil: undefined });
const classes = Object.keys(exitCodes) as (keyof typeof exitCodes)[];

/** Leaves out what is undefined, as exact optional fields want it. */
function trimmed<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

export const someOutcome: fc.Arbitrary<RunOutcome> = fc
  .record({
    class: fc.constantFrom(...classes),
    message: someText,
    prompt: someText,
    model: fc.option(fc.constantFrom('a', 'b', 'c/d', ''), { nil: undefined }),
    agent: fc.option(fc.constantFrom('codex', 'claude', 'pi'), { nil: undefined }),
    cost: fc.option(fc.double({ min: 0, max: 10, noNaN: true, noDefaultInfinity: true }), { nil: undefined }),
    input: tokens,
    output: tokens,
    duration: fc.option(fc.nat(1e6), { nil: undefined }),
    warnings: fc.array(hostile, { maxLength: 3 }),
    tools: fc.array(
      fc.record({
        name: hostile,
        status: fc.constantFrom('completed' as const, 'error' as const, 'cancelled' as const),
        secret: hostile,
      }),
      { maxLength: 3 },
    ),
    models: fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', 'e'), { minLength: 2, maxLength: 3 }), {
      nil: undefined,
    }),
  })
  .map(({ class: verdict, message, prompt, model, agent, cost, input, output, duration, warnings, tools, models }) =>
    outcomeWith({
      status: verdict === 'success' || verdict === 'cancelled' || verdict === 'incomplete' ? verdict : 'error',
      message,
      warnings,
      tool_calls: tools.map(({ name, status, secret }) => ({ name, status, inputs: { secret }, outputs: secret })),
      metrics: trimmed({
        cost_source: cost === undefined ? ('unknown' as const) : ('reported' as const),
        api_calls_count: tools.length,
        tool_calls_count: tools.length,
        turns: 1,
        model_name: model,
        cost,
        input_tokens: input,
        output_tokens: output,
        duration_ms: duration,
      } as RunOutcome['metrics']),
      metadata: { initial_prompt: prompt },
      verdict: { class: verdict, exit_code: exitCodes[verdict] },
      provenance: trimmed({ agent } as RunOutcome['provenance']),
      ...(models === undefined
        ? {}
        : {
            usage_by_model: models.map((name, index) => ({ model_name: name, input_tokens: index, cost: index / 4 })),
          }),
    } as Changes),
  )
  .map((outcome) => ({ ...outcome, metrics: trimmed(outcome.metrics), provenance: trimmed(outcome.provenance) }));

const some = <T>(...values: T[]): fc.Arbitrary<T[]> => fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 });
const moment = fc.integer({ min: noon - 5, max: noon + 25 });
const price = fc.double({ min: 0, max: 10, noNaN: true });

export const someLabels = fc.dictionary(fc.constantFrom('team', 'ci', 'git.branch'), fc.constantFrom('x', 'y', 'ü'), {
  maxKeys: 3,
});
/** Places in two trees whose tops are there. */
export const somePlace: fc.Arbitrary<TreePlace> = fc.constantFrom<TreePlace[]>(
  {},
  { parent_run_id: '0-top-1', root_run_id: '0-top-1' },
  { parent_run_id: 'child-1', root_run_id: '0-top-1' },
  { parent_run_id: '0-top-2', root_run_id: '0-top-2' },
);
const fields = {
  status: some('success', 'error', 'cancelled', 'incomplete', 'running'),
  class: some('success', 'provider', 'tool'),
  agent: some('codex', 'claude', 'nobody'),
  model: some('a', 'b', 'c/d'),
  parent: some('child-1', '0-top-1', '0-top-2', 'gone'),
  root: some('0-top-1', '0-top-2', 'gone'),
  top: fc.boolean(),
  labels: someLabels,
  started_from: moment,
  started_to: moment,
  cost_min: price,
  cost_max: price,
  text: fc.oneof(phrase, fc.constantFrom('pars*', 'gr*', '日*', '!!')),
};
/** A few conditions: all of them at once match nothing. */
export const someFilter: fc.Arbitrary<RunFilter> = fc
  .tuple(fc.record(fields), fc.subarray(Object.keys(fields), { maxLength: 3 }))
  .map(([filter, chosen]) => Object.fromEntries(Object.entries(filter).filter(([field]) => chosen.includes(field))));
