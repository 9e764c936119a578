import { describe, expect, it } from 'vitest';
import type { AgentEvent, EventOf } from '../../src/events/event.ts';
import { type FoldOptions, OutcomeFold } from '../../src/outcome/fold.ts';
import { RunOutcome } from '../../src/outcome/outcome.ts';
import { costAt, type Price } from '../../src/outcome/price.ts';

type Responded = EventOf<'model.responded'>;

/** Dollars per million tokens. */
const price: Price = (model, tokens) =>
  model === 'unpriced' ? undefined : costAt({ input: 10, output: 100, cacheRead: 1 }, tokens);

function fold(events: readonly AgentEvent[], options: FoldOptions = {}): RunOutcome {
  const machine = new OutcomeFold(options);
  for (const event of events) machine.apply(event);
  return RunOutcome.parse(machine.outcome('test', [], price));
}

let number = 0;
const request = (fields: Partial<Responded> = {}): Responded => ({
  type: 'model.responded',
  request: ++number,
  api: 'chat',
  route: 'own',
  model: 'gpt-x',
  model_served: 'gpt-x',
  status: 200,
  ended: 'complete',
  usage: 'final',
  input_tokens: 1000,
  output_tokens: 100,
  duration_ms: 5,
  request_bytes: 9,
  response_bytes: 9,
  ...fields,
});
const { usage: _usage, model_served: _served, input_tokens: _input, output_tokens: _output, ...bare } = request();
/** One that nobody answered with a model's words. */
const failed = (fields: Partial<Responded>): Responded => ({ ...bare, ...fields });

const started: AgentEvent = { type: 'thread.started', agent: 'a', session_id: 's-1' };
const hi: AgentEvent = { type: 'text.completed', turn_id: 't', message_id: 'm', block_id: 'b', text: 'Hi.' };
const ok: AgentEvent = { type: 'agent.finished', status: 'ok' };
const used = (input: number, output: number, cost?: number): AgentEvent => ({
  type: 'usage.reported',
  scope: 'thread',
  input_tokens: input,
  output_tokens: output,
  ...(cost === undefined ? {} : { cost_usd: cost }),
});

describe('what a run used', () => {
  it('is what was served, and what the agent says stands beside it', () => {
    const { metrics, wire, models_served, warnings } = fold([
      started,
      request({ cache_read_tokens: 400, reasoning_tokens: 60 }),
      request(),
      hi,
      used(7, 3, 0.5),
      ok,
    ]);
    expect(metrics).toMatchObject({
      tokens_used: 2200,
      input_tokens: 2000,
      output_tokens: 200,
      cache_read_tokens: 400,
      reasoning_tokens: 60,
    });
    expect(metrics).toMatchObject({ cost: 0.0364, cost_source: 'wire', model_name: 'gpt-x', turns: 2 });
    expect(metrics.cost_is).toBeUndefined();
    expect(models_served).toEqual(['gpt-x']);
    expect(wire).toEqual({ requests: 2, agent_reported: { input_tokens: 7, output_tokens: 3, cost: 0.5 } });
    expect(warnings).toEqual([
      'the agent reported 7 input tokens; 2000 were served',
      'the agent reported 3 output tokens; 200 were served',
    ]);
  });

  it('is not contradicted by a rounding', () => {
    expect(fold([started, request(), hi, used(1004, 100, 0.0201), ok])).toMatchObject({ warnings: [] });
    expect(fold([started, request(), hi, used(1000, 100, 0.03), ok]).warnings).toEqual([
      'the agent reported a cost of $0.03; its requests cost $0.02',
    ]);
  });

  it('adds up over models, side requests and attempts', () => {
    const outcome = fold([
      started,
      request({ model: 'small', model_served: 'small', input_tokens: 50, output_tokens: 5, is_side: true }),
      request(),
      { type: 'retry.scheduled', scope: 'run', cause: 'it broke' },
      request(),
      hi,
      ok,
    ]);
    expect(outcome.metrics).toMatchObject({
      input_tokens: 2050,
      output_tokens: 205,
      cost: 0.041,
      turns: 2,
      model_name: 'gpt-x',
    });
    expect(outcome).toMatchObject({ wire: { requests: 3, side: 1 }, models_served: ['small', 'gpt-x'] });
    expect(outcome.usage_by_model?.map(({ model_name, cost }) => [model_name, cost])).toEqual([
      ['small', 0.001],
      ['gpt-x', 0.04],
    ]);
  });

  it('is a lower bound where a request never told it', () => {
    const cut = request({ ended: 'cut_by_provider', usage: 'unknown', code: 'network' });
    const { input_tokens: _none, output_tokens: _neither, ...unknown } = cut;
    const outcome = fold([
      started,
      unknown,
      request({ ended: 'cut_by_agent', usage: 'partial', output_tokens: 1 }),
      request(),
      hi,
      used(5000, 500),
      ok,
    ]);
    expect(outcome.metrics).toMatchObject({
      input_tokens: 2000,
      output_tokens: 101,
      cost_is: 'at_least',
      cost_source: 'wire',
    });
    expect(outcome.wire).toMatchObject({ requests: 3, uncounted: 2, failed: 1 });
    // More than what is known is no contradiction; less is.
    expect(outcome.warnings).toEqual([
      '2 requests of 3 ended before they told what was used: tokens and cost are lower bounds',
    ]);
    expect(fold([started, unknown, request(), hi, used(900, 100), ok]).warnings).toEqual([
      'the agent reported 900 input tokens; 1000 were served',
      'one request of 2 ended before it told what was used: tokens and cost are lower bounds',
    ]);
  });

  it('is what the agent says where nobody told the wire', () => {
    const { metrics, wire } = fold([
      started,
      { ...failed({ status: 200 }), usage: 'unknown' },
      hi,
      used(70, 30, 0.5),
      ok,
    ]);
    expect(metrics).toMatchObject({ input_tokens: 70, output_tokens: 30, cost: 0.5, cost_source: 'reported' });
    expect(wire).toEqual({
      requests: 1,
      uncounted: 1,
      agent_reported: { input_tokens: 70, output_tokens: 30, cost: 0.5 },
    });
  });

  it('is unknown, never 0, where the model has no price', () => {
    const { metrics } = fold([started, request({ model: 'unpriced', model_served: 'unpriced' }), hi, ok]);
    expect(metrics).toMatchObject({ input_tokens: 1000, cost_source: 'unknown' });
    expect(metrics.cost).toBeUndefined();
  });

  it('takes the price that a request had when it was made', () => {
    expect(
      fold([started, request({ cost_usd: 0.3 }), request({ cost_usd: 0.4, cost_computed: true }), hi, ok]).metrics,
    ).toMatchObject({
      cost: 0.7,
      cost_source: 'wire',
    });
  });

  it('has nothing of the wire where there was none', () => {
    const { wire, models_served, metrics } = fold([started, hi, used(7, 3, 0.5), ok]);
    expect({ wire, models_served, source: metrics.cost_source }).toEqual({
      wire: undefined,
      models_served: undefined,
      source: 'reported',
    });
  });
});

describe('an agent that says "done"', () => {
  const refusedByProvider = failed({ status: 529, code: 'server', error: 'Overloaded' });

  it.each<[string, AgentEvent[], string, string | undefined]>([
    ['after an answer', [request(), ok], 'success', undefined],
    ['after a request that failed', [request(), refusedByProvider, ok], 'provider', 'server: HTTP 529: Overloaded'],
    ['before that became known', [request(), ok, refusedByProvider], 'provider', 'server: HTTP 529: Overloaded'],
    [
      'after one that was cut off',
      [request({ ended: 'cut_by_provider' }), ok],
      'provider',
      'network: the answer stopped in the middle',
    ],
    [
      'after one that nobody answered',
      [failed({ ended: 'cut_by_provider', code: 'network', error: 'socket hang up' }), ok],
      'provider',
      'network: socket hang up',
    ],
    ['after asking again', [refusedByProvider, request(), ok], 'success', undefined],
    ['after it hung up', [request(), request({ ended: 'cut_by_agent', usage: 'partial' }), ok], 'success', undefined],
    [
      'after a failure, and hung up',
      [refusedByProvider, request({ ended: 'cut_by_agent' }), ok],
      'provider',
      'server: HTTP 529: Overloaded',
    ],
    [
      'after a title that failed',
      [request(), failed({ status: 500, code: 'server', is_side: true }), ok],
      'success',
      undefined,
    ],
    [
      'after a new start',
      [refusedByProvider, { type: 'retry.scheduled', scope: 'run', cause: 'x' }, request(), ok],
      'success',
      undefined,
    ],
  ])('%s', (_name, events, wanted, evidence) => {
    const { verdict } = fold([
      started,
      hi,
      ...events,
      { type: 'text.completed', turn_id: 't', message_id: 'm2', block_id: 'c', text: 'Done.' },
    ]);
    expect({ class: verdict.class, wire: verdict.evidence.find(({ signal }) => signal === 'wire')?.detail }).toEqual({
      class: wanted,
      wire: evidence,
    });
  });

  it('and one that says nothing is judged by its last request', () => {
    expect(fold([started, refusedByProvider]).verdict).toMatchObject({
      class: 'provider',
      exit_code: 4,
      code: 'server',
    });
    expect(fold([started, request()]).verdict).toMatchObject({ class: 'incomplete' });
  });

  it('and one that gives no reason for its failure has that of its last request', () => {
    const auth = failed({ status: 401, code: 'auth', error: 'no' });
    expect(fold([started, auth, { type: 'agent.finished', status: 'failed' }]).verdict).toMatchObject({
      class: 'provider',
      code: 'auth',
    });
  });

  it('is believed although a request was refused here: the limit says why', () => {
    const { status: _none, ...refused } = failed({ ended: 'refused', code: 'refused' });
    const outcome = fold([started, request(), refused, hi, ok]);
    expect(outcome).toMatchObject({ verdict: { class: 'success' }, wire: { requests: 1, refused: 1 } });
  });
});

describe('another model than the one that was asked', () => {
  const swapped = [
    started,
    request(),
    request({ model_served: 'gpt-x-mini' }),
    request({ model_served: 'gpt-x-mini' }),
    hi,
    ok,
  ];

  it('is a warning and evidence', () => {
    const { warnings, verdict, models_served } = fold(swapped);
    expect(warnings).toEqual(['gpt-x was asked for, and gpt-x-mini answered']);
    expect(verdict).toMatchObject({ class: 'success' });
    expect(verdict.evidence).toContainEqual({
      signal: 'model',
      detail: 'gpt-x was asked for, and gpt-x-mini answered 2 requests',
    });
    expect(models_served).toEqual(['gpt-x', 'gpt-x-mini']);
  });

  it('is a failure where --fail-on says so', () => {
    expect(fold(swapped, { failOn: ['model'] }).verdict).toMatchObject({ class: 'provider', exit_code: 4 });
    expect(
      fold([started, request({ model_served: 'gpt-x-2026-01-01' }), hi, ok], { failOn: ['model'] }).verdict.class,
    ).toBe('success');
  });

  it('and wrong figures are warnings for --fail-on warning', () => {
    expect(fold([started, request(), hi, used(1, 1), ok], { failOn: ['warning'] }).verdict.class).toBe('incomplete');
    expect(fold([started, request(), hi, used(1000, 100), ok], { failOn: ['warning'] }).verdict.class).toBe('success');
  });
});
