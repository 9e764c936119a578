import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/events/event.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { type ModelApi, modelApis } from '../../../src/words/vocabulary.ts';
import type { TurnInput } from '../../support/model-server/index.ts';
import { apis } from '../../wire/support/clients.ts';
import { inside, live, project, serve } from './live.ts';

const variables: Record<ModelApi, string> = {
  chat: 'OPENAI_BASE_URL',
  responses: 'OPENAI_BASE_URL',
  messages: 'ANTHROPIC_BASE_URL',
  gemini: 'GOOGLE_GEMINI_BASE_URL',
};

/** Asks in rows, each of several requests at once, whatever it is answered, and leaves work behind. */
const program = `
  import { writeFileSync } from 'node:fs';
  const { base, path, rows, heeds, stays, encoding } = JSON.parse(process.argv[2]);
  const tell = (line) => console.log(JSON.stringify(line));
  if (stays) process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  tell({ type: 'thread.started', thread_id: 'its-own' });
  tell({ type: 'turn.started' });
  writeFileSync('work.txt', 'what it did');
  const ask = async (body) => {
    const answer = await fetch(process.env[base] + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(encoding ? { 'content-encoding': encoding } : {}) },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (answer.status === 400) writeFileSync('refusal.json', text);
    return answer.ok;
  };
  for (const row of rows) {
    const isGood = (await Promise.all(row.map((body) => ask(body).catch(() => false)))).every((each) => each);
    if (heeds && !isGood) {
      tell({ type: 'error', message: 'unexpected status 400 Bad Request' });
      tell({ type: 'turn.failed', error: { message: 'unexpected status 400 Bad Request' } });
      process.exit(1);
    }
  }
  if (stays) setInterval(() => {}, 1000);
  else tell({ type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } });
`;

interface Asked {
  api?: ModelApi;
  rows: readonly (readonly Record<string, unknown>[])[];
  flags: readonly string[];
  turns?: readonly TurnInput[];
  /** It ends when it is refused. */
  heeds?: boolean;
  /** It ignores signals and never ends. */
  stays?: boolean;
  /** What it says of its bodies. */
  encoding?: string;
  run?: typeof inside | typeof live;
}

const answer: TurnInput = { text: 'Hello.', usage: { input: 1000, output: 50 } };

async function asked({ api = 'chat', rows, flags, turns = [answer], heeds, stays, encoding, run = inside }: Asked) {
  const server = await serve(turns);
  const cwd = project();
  writeFileSync(join(cwd, 'agent.mjs'), program);
  const { format, path } = apis[api];
  const orders = JSON.stringify({ base: variables[api], path: path(false), rows, heeds, stays, encoding });
  const flagsBefore = ['--wire', 'meter', '--ledger', 'none', '--to', 'runwire', ...flags];
  const { stdout, status } = await run(['run', ...flagsBefore, '--', process.execPath, 'agent.mjs', orders], {
    cwd,
    env: { [variables[api]]: server.baseUrl(format) },
  });
  const records = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as EventRecord);
  const last = records.at(-1);
  const outcome = (last?.type === 'thread.completed' ? last.final_report : undefined) as unknown as RunOutcome;
  const fileIn = (name: string): string | undefined =>
    existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), 'utf8') : undefined;
  return {
    status,
    class: outcome.verdict.class,
    served: server.served.requests.length,
    limits: records.flatMap((each) =>
      each.type === 'limit.reached' ? [{ limit: each.limit, source: each.source }] : [],
    ),
    work: fileIn('work.txt'),
    refusal: JSON.parse(fileIn('refusal.json') ?? 'null') as unknown,
    records,
    outcome,
  };
}

const many = (count: number, body: Record<string, unknown>): Record<string, unknown>[][] =>
  Array.from({ length: count }, () => [body]);
const tools = { tools: [{ type: 'function', function: { name: 'run', parameters: {} } }] };
/** No shorter than the tokens that the model counts. */
const title = { model: 'gpt-5', messages: [{ role: 'user', content: 'go on '.repeat(200) }], max_tokens: 1000 };
const work = { ...title, ...tools };
const price = ['--price', 'input=10,output=100'];

const limits: [name: string, flags: string[], status: number, kind: string, served: number][] = [
  ['turns', ['--max-turns', '3'], 6, 'turn_limit', 3],
  ['tokens', ['--max-tokens', '5000'], 5, 'cost_limit', 3],
  ['cost', ['--max-cost-usd', '0.15', ...price], 5, 'cost_limit', 3],
];

/** What each provider says to a request that it does not take. */
const inTheWordsOf: Record<ModelApi, (message: unknown) => object> = {
  messages: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  responses: (message) => ({
    error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' },
  }),
  chat: (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  gemini: (message) => ({ error: { code: 400, message, status: 'FAILED_PRECONDITION' } }),
};

describe.each(modelApis)('a limit on %s requests', (api) => {
  it('of turns holds, and is told in its words', async () => {
    const { refusal, ...told } = await asked({
      api,
      rows: many(5, apis[api].body(false)),
      flags: ['--max-turns', '2'],
      heeds: true,
    });
    expect(told).toMatchObject({
      status: 6,
      class: 'turn_limit',
      served: 2,
      limits: [{ limit: 'turns', source: 'wire' }],
      work: 'what it did',
    });
    expect(refusal).toEqual(inTheWordsOf[api]('the turn limit of 2 was reached'));
  });
});

describe.each(limits)('a limit of %s', (_name, flags, status, kind, served) => {
  it.each([
    ['that heeds a refusal', { heeds: true }],
    ['that asks on', {}],
  ])('ends a program %s, and its work is kept', async (_of, more) => {
    expect(await asked({ rows: many(40, work), flags, ...more })).toMatchObject({
      status,
      class: kind,
      served,
      work: 'what it did',
      outcome: { wire: { requests: served } },
    });
  });

  it('holds for requests at the same time', async () => {
    const told = await asked({ rows: [Array.from({ length: 12 }, () => work)], flags });
    expect(told).toMatchObject({ status, class: kind });
    expect(told.served).toBeLessThanOrEqual(served);
    expect(told.served).toBeGreaterThan(0);
    expect(told.limits.length).toBe(1);
  });

  it('is not spent by what a provider turns down, and holds over retries', async () => {
    const turns: TurnInput[] = [{ fault: { status: 503 } }, { fault: { status: 503 } }, answer];
    const told = await asked({ rows: many(3, work), flags: [...flags, '--retries', '2'], turns });
    const whole = told.records.filter((each) => each.type === 'model.responded' && each.status === 200);
    expect(whole.length).toBeLessThanOrEqual(served);
    expect(told.outcome.wire?.failed).toBeGreaterThanOrEqual(2);
  });
});

it.each([
  ['tokens', ['--max-tokens', '5000']],
  ['cost', ['--max-cost-usd', '0.25', ...price]],
])('of what was cut off, all that it may have used counts: %s', async (_name, flags) => {
  const turns: TurnInput[] = [{ ...answer, fault: { type: 'disconnect' } }];
  const told = await asked({ rows: many(5, { ...work, stream: true }), flags, turns });
  // About 2300 tokens, or $0.11, are held for each.
  expect(told).toMatchObject({ status: 5, class: 'cost_limit', served: 2, outcome: { wire: { uncounted: 2 } } });
});

describe('a title or the like', () => {
  it('is no turn, whenever it is asked for', async () => {
    const rows = [[title], [work], [title], [work], [work]];
    expect(await asked({ rows, flags: ['--max-turns', '2'] })).toMatchObject({ status: 6, served: 4 });
  });

  it('costs what others cost', async () => {
    const rows = [[work], ...many(5, title)];
    expect(await asked({ rows, flags: ['--max-tokens', '5000'] })).toMatchObject({ status: 5, served: 3 });
  });
});

it('what nobody can read is a turn', async () => {
  const rows = [[work], [title], [title]];
  expect(await asked({ rows, flags: ['--max-turns', '2'], encoding: 'unknown' })).toMatchObject({
    status: 6,
    served: 2,
  });
});

describe('a program that ignores everything', () => {
  it('is killed after its request was refused, and its work is kept', async () => {
    const {
      status,
      served,
      work: left,
      outcome,
    } = await asked({
      rows: many(2, work),
      flags: ['--max-turns', '1'],
      stays: true,
      run: live,
    });
    expect({ status, served, left }).toEqual({ status: 6, served: 1, left: 'what it did' });
    expect(outcome.verdict.evidence).toContainEqual({ signal: 'process', detail: expect.stringContaining('SIGKILL') });
  });
});

it('refuses what has no price where cost is limited, and says how to name one', async () => {
  const told = await asked({
    rows: many(2, { ...work, model: 'a-model-of-our-own' }),
    flags: ['--max-cost-usd', '1'],
    heeds: true,
  });
  expect(told).toMatchObject({ status: 1, served: 0 });
  expect(JSON.stringify(told.refusal)).toContain('the price of a-model-of-our-own is not known');
});
