import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitForUpdate } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { periodMs, tierStarts } from '../../src/outcome/requests.ts';
import { inside } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { type Case, cases } from '../support/costs/cases.ts';
import { streams, textOf } from '../support/costs/streams.ts';

const dollars = (micro: number): number => Number((micro / 1e6).toPrecision(12));

function fileOf({ stream, model, calls }: Pick<Case, 'stream' | 'model' | 'calls'>): string {
  const file = join(folder(), 'run.jsonl');
  writeFileSync(file, textOf(stream, model, calls));
  return file;
}

async function metricsOf(text: string, dialect: string): Promise<RunOutcome['metrics']> {
  const file = join(folder(), 'run.jsonl');
  writeFileSync(file, text);
  const { stdout } = await inside(['outcome', '--json', '--from', dialect, file]);
  return (JSON.parse(stdout) as RunOutcome).metrics;
}

it.each(cases)('$title', async (each) => {
  const { stdout } = await inside(['outcome', '--json', '--from', streams[each.stream].dialect, fileOf(each)]);
  const { metrics } = JSON.parse(stdout) as RunOutcome;
  expect({ cost: metrics.cost, source: metrics.cost_source, is: metrics.cost_is }).toEqual({
    cost: dollars(each.micro),
    source: 'computed',
    is: each.is,
  });
});

describe('what is told twice is paid once', () => {
  const line = (second: number, type: string, payload: object): string =>
    `${JSON.stringify({ timestamp: `2026-11-01T10:00:0${second}.000Z`, type, payload })}\n`;
  const counts = (input: number): object => ({
    input_tokens: input,
    cached_input_tokens: 0,
    output_tokens: 0,
    total_tokens: input,
  });

  it('every line of a Claude message has its usage', async () => {
    const [init = '', message = '', end = ''] = textOf('claude stream', 'claude-sonnet-4-5', [
      { fresh: 90_000, output: 100 },
    ]).split('\n');
    const { cost } = await metricsOf(`${init}\n${message}\n${message}\n${message}\n${end}\n`, 'claude');
    expect(cost).toBe(dollars(90_000 * 3 + 100 * 15));
  });

  it('a count of Codex may come again, and a call may be missing', async () => {
    const told = (total: number, last: number): string =>
      line(2, 'event_msg', {
        type: 'token_count',
        info: { total_token_usage: counts(total), last_token_usage: counts(last) },
      });
    const begin = line(0, 'session_meta', { id: 's', cwd: '/w' }) + line(1, 'turn_context', { model: 'gpt-5.5' });
    const twice = await metricsOf(
      begin + told(200_000, 200_000) + told(200_000, 200_000) + told(400_000, 200_000),
      'codex',
    );
    expect([twice.input_tokens, twice.cost, twice.cost_is]).toEqual([400_000, dollars(400_000 * 5), undefined]);
    // 300,000 tokens of some other call or calls: perhaps one that was above the tier.
    const lost = await metricsOf(begin + told(200_000, 200_000) + told(700_000, 200_000), 'codex');
    expect([lost.input_tokens, lost.cost, lost.cost_is]).toEqual([700_000, dollars(700_000 * 5), 'at_least']);
  });
});

it('output that only the total has belongs to the calls that are known', async () => {
  const told = (output: number): object => ({ input_tokens: 250_000, output_tokens: output });
  const lines = [
    { type: 'system', subtype: 'init', session_id: 's', cwd: '/w', tools: [], model: 'claude-sonnet-4-5' },
    {
      type: 'assistant',
      session_id: 's',
      message: {
        id: 'm',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [{ type: 'text', text: 'Done.' }],
        usage: told(1),
      },
    },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Done.',
      session_id: 's',
      modelUsage: { 'claude-sonnet-4-5[1m]': { inputTokens: 250_000, outputTokens: 400 } },
    },
  ];
  const metrics = await metricsOf(lines.map((each) => `${JSON.stringify(each)}\n`).join(''), 'claude');
  expect([metrics.output_tokens, metrics.cost, metrics.cost_is]).toEqual([
    400,
    dollars(250_000 * 6 + 400 * 22.5),
    undefined,
  ]);
});

describe('a cost that the agent calls a guess is not reported', () => {
  const end = (more: object): string =>
    `${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, duration_api_ms: 1, result: 'Done.', session_id: 's', total_cost_usd: 9, ...more })}\n`;
  const usage = (model: string, more: object): object => ({
    modelUsage: { [model]: { inputTokens: 1000, outputTokens: 100, costUSD: 9, ...more } },
  });

  it.each([
    [
      'of a model that the table knows',
      usage('claude-sonnet-4-5', { costBasis: 'unknown' }),
      dollars(1000 * 3 + 100 * 15),
      'computed',
    ],
    ['of a model that is unknown', usage('claude-nobody-knows', { costBasis: 'unknown' }), undefined, 'unknown'],
    [
      'of the whole run',
      { ...usage('claude-sonnet-4-5', {}), hasUnknownModelCost: true },
      dollars(1000 * 3 + 100 * 15),
      'computed',
    ],
    ['no guess', usage('claude-sonnet-4-5', { costBasis: 'list' }), 9, 'reported'],
  ])('%s', async (_, more, cost, source) => {
    const metrics = await metricsOf(end(more), 'claude');
    expect([metrics.cost, metrics.cost_source]).toEqual([cost, source]);
  });
});

it('a total that names no model is for all models', async () => {
  const modelUsage = {
    'claude-sonnet-4-5': { inputTokens: 1000, outputTokens: 100 },
    'claude-haiku-4-5': { inputTokens: 5000, outputTokens: 100 },
  };
  const end = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_api_ms: 1,
    result: 'Done.',
    session_id: 's',
    total_cost_usd: 0.25,
    modelUsage,
  };
  const metrics = await metricsOf(`${JSON.stringify(end)}\n`, 'claude');
  expect([metrics.cost, metrics.cost_source]).toEqual([0.25, 'reported']);
});

it.each([
  // $3 in and $15 out; in one region of Bedrock 10 % more.
  ['claude-sonnet-4-5-20250929', 1],
  ['claude-sonnet-4-5@20250929', 1],
  ['claude-sonnet-4-5[1m]', 1],
  ['openrouter/anthropic/claude-sonnet-4.5', 1],
  ['global.anthropic.claude-sonnet-4-5-20250929-v1:0', 1],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 1.1],
  ['anthropic.claude-sonnet-4-5-20250929-v1:0', 1.1],
  ['amazon-bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 1.1],
  ['arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0', 1.1],
])('the price of %s', async (model, factor) => {
  const calls = [{ fresh: 1000, read: 2000, write: 300, hour: 400, output: 100 }];
  const { cost } = await metricsOf(textOf('claude session', model, calls), 'claude');
  expect(cost).toBeCloseTo((factor * (1000 * 3 + 2000 * 0.3 + 300 * 3.75 + 400 * 6 + 100 * 15)) / 1e6, 12);
});

describe('a total without its calls', () => {
  const end = (usage: object, total: object): string =>
    `${JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Done.',
      session_id: 's',
      usage: { input_tokens: 1000, output_tokens: 100, ...usage },
      modelUsage: { 'claude-sonnet-4-5': { inputTokens: 1000, outputTokens: 100, ...total } },
    })}\n`;
  const written = {
    cache_creation_input_tokens: 5000,
    cache_creation: { ephemeral_5m_input_tokens: 2000, ephemeral_1h_input_tokens: 3000 },
  };
  const cached = dollars(1000 * 3 + 2000 * 3.75 + 3000 * 6 + 100 * 15);

  it.each([
    [
      'says what was written for an hour',
      {},
      { cacheCreationInputTokens: 5000, cacheCreationEphemeral1hInputTokens: 3000 },
      cached,
    ],
    ['is that of its turn, which says it', written, { cacheCreationInputTokens: 5000 }, cached],
    ['of batches is half', { service_tier: 'batch' }, {}, dollars((1000 * 3 + 100 * 15) / 2)],
  ])('%s', async (_, usage, total, cost) => {
    expect(await metricsOf(end(usage, total), 'claude')).toMatchObject({ cost, cost_source: 'computed' });
  });

  it.each([{ service_tier: 'priority' }, { speed: 'fast' }])('of a dearer tier is a lower bound: %j', async (usage) => {
    expect(await metricsOf(end(usage, {}), 'claude')).toMatchObject({
      cost: dollars(1000 * 3 + 100 * 15),
      cost_is: 'at_least',
    });
  });
});

describe('agents that pass on the usage of the Messages API', () => {
  const usage = {
    input_tokens: 1000,
    output_tokens: 100,
    cache_creation_input_tokens: 500,
    cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 300 },
    server_tool_use: { web_search_requests: 2 },
    service_tier: 'batch',
  };
  const model = 'claude-sonnet-4-5';
  const init = { type: 'system', subtype: 'init', cwd: '/w', tools: [] };

  it.each([
    [
      'amp',
      [
        { ...init, session_id: 'T-1' },
        {
          type: 'assistant',
          session_id: 'T-1',
          parent_tool_use_id: null,
          message: {
            id: 'm',
            type: 'message',
            role: 'assistant',
            model,
            content: [{ type: 'text', text: 'Done.' }],
            usage,
          },
        },
        {
          type: 'result',
          subtype: 'success',
          is_error: false,
          duration_ms: 9,
          num_turns: 1,
          result: 'Done.',
          session_id: 'T-1',
        },
      ],
    ],
    [
      'droid',
      [
        { ...init, session_id: 's', model, reasoning_effort: 'none' },
        { type: 'message', role: 'assistant', id: 'm', text: 'Done.', session_id: 's' },
        { type: 'completion', finalText: 'Done.', numTurns: 1, durationMs: 9, session_id: 's', usage },
      ],
    ],
  ])('%s', async (dialect, lines) => {
    const { cost } = await metricsOf(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), dialect);
    expect(cost).toBeCloseTo((1000 * 3 + 200 * 3.75 + 300 * 6 + 100 * 15) / 2e6 + 0.02, 12);
  });
});

describe('0 is no price', () => {
  const model = 'claude-sonnet-4-5';
  const used = { prompt_tokens: 1000, completion_tokens: 100 };
  const atif = (step: object, final: object): object => ({
    schema_version: 'ATIF-v1.4',
    session_id: 's',
    agent: { name: 'x', version: '1', model_name: model },
    steps: [{ step_id: 1, source: 'agent', model_name: model, message: 'Done.', metrics: { ...used, ...step } }],
    final_metrics: { total_prompt_tokens: 1000, total_completion_tokens: 100, ...final },
  });

  it.each([
    ['of an ATIF step', atif({ cost_usd: 0 }, {})],
    ['of an ATIF total', atif({}, { total_cost_usd: 0 })],
  ])('%s', async (_, document) => {
    expect(await metricsOf(`${JSON.stringify(document)}\n`, 'atif')).toMatchObject({
      cost: 0.0045,
      cost_source: 'computed',
    });
  });

  it('of Goose', async () => {
    const lines = [
      {
        type: 'message',
        message: { id: 'm', role: 'assistant', created: 1793527200, content: [{ type: 'text', text: 'Done.' }] },
      },
      { type: 'complete', total_tokens: 1100, input_tokens: 1000, output_tokens: 100, cost_usd: 0 },
    ];
    expect(await metricsOf(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 'goose')).toMatchObject({
      cost_source: 'unknown',
    });
  });
});

it('a call has the price of its day', async () => {
  const day = (date: string): Promise<RunOutcome['metrics']> =>
    metricsOf(
      textOf('codex session', 'gpt-5.6-terra', [{ fresh: 100_000, output: 1000 }]).replaceAll('2026-11-01', date),
      'codex',
    );
  expect((await day('2026-07-29')).cost).toBe(dollars(100_000 * 2.5 + 1000 * 15));
  expect((await day('2026-07-30')).cost).toBe(dollars(100_000 * 2 + 1000 * 12));
});

it('the tiers and times that are known here are those of the table', async () => {
  const starts = new Set<number>();
  const times: string[] = [];
  for (const { models } of (await waitForUpdate()) ?? [])
    for (const { prices } of models)
      for (const row of Array.isArray(prices) ? prices : [{ prices }]) {
        if ('constraint' in row && row.constraint?.type === 'time_of_date')
          times.push(row.constraint.start_time, row.constraint.end_time);
        for (const price of Object.values(row.prices))
          if (typeof price === 'object') for (const { start } of price.tiers) starts.add(start);
      }
  expect([...starts].toSorted((a, b) => a - b)).toEqual([...tierStarts]);
  expect(times.filter((time) => Date.parse(`1970-01-01T${time}`) % periodMs !== 0)).toEqual([]);
});
