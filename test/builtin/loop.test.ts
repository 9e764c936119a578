import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { providers, removeTemporaryFolders, type Run, runAgent, temporaryFolder } from '../support/agent.ts';
import { startModelServer, type ModelServer, type TurnInput } from '../support/model-server/index.ts';
import { truthOf } from '../support/recordings.ts';
import { isSweep } from '../support/sweep.ts';

const open: ModelServer[] = [];
async function serve(...args: Parameters<typeof startModelServer>): Promise<ModelServer> {
  const server = await startModelServer(...args);
  open.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(removeTemporaryFolders);

const usage = { input: 100, cached: 30, output: 20, reasoning: 5 };
const echo = (text: string): NonNullable<TurnInput['calls']>[number] => ({ name: 'echo', args: { text } });
const types = ({ events }: Run): string[] => events.map(({ type }) => type);
const verdict = ({ verdict: { class: name, exit_code, code } }: RunOutcome): object => ({
  class: name,
  exit_code,
  ...(code === undefined ? {} : { code }),
});
const claim = ({ of }: Run): object => {
  const [{ type: _, duration_ms, ...said } = { type: '', duration_ms: undefined }, ...more] = of('agent.finished');
  expect([typeof duration_ms, more]).toEqual(['number', []]);
  return said;
};

/** The run and the server must tell the same: words, calls and tokens. */
function expectTruth({ outcome, of }: Run, server: ModelServer): void {
  const { message, calls, tokens } = truthOf(server.served);
  expect({
    message: outcome.message,
    calls: of('item.started').map(({ name }) => name),
    tokens: {
      input: outcome.metrics.input_tokens,
      output: outcome.metrics.output_tokens,
      cached: outcome.metrics.cache_read_tokens,
      reasoning: outcome.metrics.reasoning_tokens,
    },
  }).toEqual({ message, calls, tokens });
}

/** Two of the four formats; the others are in `npm run test:sweeps`, and all are in providers.test.ts. */
const formats = isSweep ? providers : providers.filter((_, index) => index % 2 === 0);

describe.each(formats)('$format', (provider) => {
  const { format } = provider;

  it('tells a run of two turns, parallel calls and all, in order', async () => {
    const server = await serve({
      turns: [
        { reasoning: 'Hm, two.', text: 'Both at once.', calls: [echo('one'), echo('two')], usage },
        { text: 'All is said.', usage: { input: 200, output: 4 } },
      ],
    });
    const run = await runAgent({
      provider,
      server,
      prompt: 'Say both.',
      projectName: 'demo',
      parentBranchId: 'main',
      price: { input: 1, output: 10, cacheRead: 0.1 },
    });
    await server.settled();
    const [first] = server.served.requests;
    const [one, two] = first?.answer?.calls ?? [];
    const raw = {
      chat: ['tool_calls', 'stop'],
      responses: [undefined, undefined],
      anthropic: ['tool_use', 'end_turn'],
      gemini: ['STOP', 'STOP'],
    }[format];
    const start = run.events[0] as Extract<AgentEvent, { type: 'thread.started' }>;
    const cwd = start.cwd ?? '';
    const said = (type: string, text: string, iteration: number, block: number): object => ({
      type,
      turn_id: `turn_${iteration}`,
      message_id: `message_${iteration}`,
      block_id: `message_${iteration}_${block}`,
      text,
    });
    const rawOf = (index: number): object => (raw?.[index] === undefined ? {} : { raw_finish_reason: raw[index] });
    const used = (numbers: object, cost_usd: number): object => ({
      type: 'usage.reported',
      scope: 'step',
      model: provider.model,
      ...numbers,
      cost_usd,
    });
    const deltas = run.events.filter(({ type }) => type === 'text.delta' || type === 'reasoning.delta') as Extract<
      AgentEvent,
      { type: 'text.delta' }
    >[];
    expect(deltas.map(({ text }) => text).join('|')).toBe('Hm, two.|Both at once.|All is said.');
    const withoutTimes = run.events
      .filter((event) => !event.type.endsWith('.delta'))
      .map((event) => ('duration_ms' in event ? { ...event, duration_ms: 0 } : event));
    const cacheWrite = run
      .of('usage.reported')
      .map(({ cache_write_tokens }) => (cache_write_tokens === undefined ? {} : { cache_write_tokens }));
    expect(withoutTimes).toEqual([
      {
        type: 'thread.started',
        task: 'Say both.',
        agent: 'runwire',
        agent_version: start.agent_version,
        model: provider.model,
        session_id: run.sessionId,
        cwd,
        project_name: 'demo',
        parent_branch_id: 'main',
        headless: true,
      },
      { type: 'prompt.submitted', text: 'Say both.', system: expect.stringContaining('You are Runwire') as string },
      { type: 'turn.started', turn_id: 'turn_1', iteration: 1, message_count: 1, tool_count: 4, model: provider.model },
      said('reasoning.completed', 'Hm, two.', 1, 1),
      said('text.completed', 'Both at once.', 1, 2),
      used(
        { input_tokens: 100, output_tokens: 20, reasoning_tokens: 5, cache_read_tokens: 30, ...cacheWrite[0] },
        (70 * 1 + 30 * 0.1 + 20 * 10) / 1e6,
      ),
      {
        type: 'item.started',
        item_id: one?.id,
        turn_id: 'turn_1',
        kind: 'read',
        name: 'echo',
        args: { text: 'one' },
        call_count: 2,
      },
      { type: 'item.started', item_id: two?.id, turn_id: 'turn_1', kind: 'read', name: 'echo', args: { text: 'two' } },
      { type: 'item.output', item_id: one?.id, stream: 'stdout', chunk: 'one' },
      { type: 'item.output', item_id: two?.id, stream: 'stdout', chunk: 'two' },
      { type: 'item.completed', item_id: one?.id, status: 'success', output: 'echo: one', duration_ms: 0 },
      { type: 'item.completed', item_id: two?.id, status: 'success', output: 'echo: two', duration_ms: 0 },
      {
        type: 'turn.completed',
        turn_id: 'turn_1',
        iteration: 1,
        tool_call_count: 2,
        has_final_report: false,
        finish_reason: 'tool_calls',
        ...rawOf(0),
      },
      { type: 'turn.started', turn_id: 'turn_2', iteration: 2, message_count: 3, tool_count: 4, model: provider.model },
      said('text.completed', 'All is said.', 2, 1),
      used(
        { input_tokens: 200, output_tokens: 4, reasoning_tokens: 0, cache_read_tokens: 0, ...cacheWrite[1] },
        (200 * 1 + 4 * 10) / 1e6,
      ),
      {
        type: 'turn.completed',
        turn_id: 'turn_2',
        iteration: 2,
        tool_call_count: 0,
        has_final_report: true,
        finish_reason: 'stop',
        ...rawOf(1),
      },
      { type: 'agent.finished', status: 'ok', message: 'All is said.', duration_ms: 0 },
      run.events.at(-1),
    ]);
    expectTruth(run, server);
    expect({ verdict: verdict(run.outcome), cost: run.outcome.metrics.cost }).toEqual({
      verdict: { class: 'success', exit_code: 0 },
      cost: 0.000513,
    });
    expect(server.served.requests[1]?.toolResults?.map(({ result }) => result)).toEqual(
      ['echo: one', 'echo: two'].map((text) => expect.stringContaining(text)),
    );
    expect(server.served.requests.map(({ tools }) => tools.toSorted())).toEqual([
      ['echo', 'fail', 'note', 'wait'],
      ['echo', 'fail', 'note', 'wait'],
    ]);
  });

  it('tells the model what went wrong with a call, and goes on', async () => {
    const calls = [
      { name: 'fail', args: {} },
      { name: 'fail', args: { throws: true } },
      { name: 'echo', args: { txt: 'typo' } },
      { name: 'nothing', args: {} },
    ];
    const server = await serve({
      turns: [
        { calls, usage },
        { text: 'It all failed.', usage },
      ],
    });
    const run = await runAgent({ provider, server });
    await server.settled();
    const told = server.served.requests[1]?.toolResults?.map(({ result }) => result) ?? [];
    expect(told).toHaveLength(4);
    for (const words of ['no luck', 'the tool failed: it broke', 'Unrecognized key', 'nothing'])
      expect(told.join('\n')).toContain(words);
    expect(
      run
        .of('item.completed')
        .map(({ status, exit_code, output, error }) => ({ status, exit_code, says: String(output ?? error) }))
        .toSorted((a, b) => (a.says < b.says ? -1 : 1)),
    ).toEqual([
      { status: 'error', exit_code: undefined, says: expect.stringMatching(/nothing/) },
      { status: 'error', exit_code: 1, says: 'no luck' },
      { status: 'error', exit_code: undefined, says: expect.stringMatching(/^the arguments do not fit: .*"?txt"?/s) },
      { status: 'error', exit_code: undefined, says: 'the tool failed: it broke' },
    ]);
    expectTruth(run, server);
    expect(verdict(run.outcome)).toEqual({ class: 'success', exit_code: 0 });
  });

  it('tells the model of broken arguments', async () => {
    const server = await serve({
      turns: [
        { calls: [{ name: 'echo', rawArgs: '{"text": ' }], usage },
        { text: 'Never mind.', usage },
      ],
    });
    const run = await runAgent({ provider, server, retries: 0 });
    // Gemini's format has no text for arguments: the provider itself reports the broken call.
    if (format === 'gemini') {
      expect(claim(run)).toEqual({
        status: 'failed',
        code: 'server',
        message: 'the model ended its answer with an error: MALFORMED_FUNCTION_CALL',
      });
      return;
    }
    expect(run.of('item.started').map(({ args }) => args)).toEqual(['{"text": ']);
    expect(run.of('item.completed').map(({ status }) => status)).toEqual(['error']);
    expect([run.outcome.message, verdict(run.outcome)]).toEqual(['Never mind.', { class: 'success', exit_code: 0 }]);
  });

  it('denies, tells the model why, and lets it go on', async () => {
    const server = await serve({
      turns: [
        { calls: [echo('secret')], usage },
        { text: 'I may not.', usage },
      ],
    });
    const run = await runAgent({
      provider,
      server,
      permissions: { mode: 'full', allow: [], deny: ['echo'], directories: [] },
    });
    await server.settled();
    const id = server.served.requests[0]?.answer?.calls?.[0]?.id;
    expect(run.events.slice(4, 8)).toEqual([
      { type: 'item.started', item_id: id, turn_id: 'turn_1', kind: 'read', name: 'echo', args: { text: 'secret' } },
      { type: 'permission.requested', permission_id: `permission_${id}`, item_id: id, what: 'echo', pattern: 'secret' },
      { type: 'permission.resolved', permission_id: `permission_${id}`, item_id: id, decision: 'denied', by: 'rule' },
      { type: 'item.completed', item_id: id, status: 'denied', error: 'echo is not allowed', duration_ms: 0 },
    ]);
    expect(server.served.requests[1]?.toolResults?.map(({ result }) => result)).toEqual([
      expect.stringContaining('echo is not allowed'),
    ]);
    expectTruth(run, server);
    expect(verdict(run.outcome)).toEqual({ class: 'permission', code: 'permission', exit_code: 7 });
  });

  it('ends on a denial when the model says no more', async () => {
    const server = await serve({ turns: [{ calls: [echo('secret')], usage }, { usage }] });
    const run = await runAgent({
      provider,
      server,
      permissions: { mode: 'full', allow: [], deny: ['echo'], directories: [] },
    });
    expect({ claim: claim(run), verdict: verdict(run.outcome) }).toEqual({
      claim: { status: 'ok' },
      verdict: { class: 'permission', exit_code: 7, code: 'permission' },
    });
  });

  it('says ok to an empty answer, and the fold does not believe it', async () => {
    const server = await serve({ turns: [{ usage, fault: { type: 'empty' } }] });
    const run = await runAgent({ provider, server });
    expect({ claim: claim(run), verdict: verdict(run.outcome) }).toEqual({
      claim: { status: 'ok' },
      verdict: { class: 'incomplete', exit_code: 8 },
    });
  });

  it.each([
    [{ status: 401 }, 'auth', 'provider', 4],
    [{ status: 403 }, 'auth', 'provider', 4],
    [{ status: 400, kind: 'invalid_request' }, 'refused', 'provider', 4],
    [{ status: 402 }, 'quota', 'provider', 4],
    [{ status: 404 }, 'model_not_found', 'config', 1],
  ] as const)('gives up at once on %j', async (fault, code, name, exit_code) => {
    const server = await serve({ turns: [{ text: 'unsaid', fault }] });
    const run = await runAgent({ provider, server });
    const [error, ...more] = run.of('error');
    expect({ ...error, message: '' }).toEqual({
      type: 'error',
      scope: 'provider',
      code,
      name: 'AI_APICallError',
      message: '',
      retryable: false,
      fatal: true,
      http_status: fault.status,
      iteration: 1,
      turn_id: 'turn_1',
    });
    expect({
      more,
      served: server.served.requests.length,
      claim: claim(run),
      verdict: verdict(run.outcome),
      retries: run.of('retry.scheduled'),
    }).toEqual({
      more: [],
      served: 1,
      claim: { status: 'failed', code, message: error?.message },
      verdict: { class: name, exit_code, code },
      retries: [],
    });
    expect(types(run).slice(-4)).toEqual(['error', 'turn.completed', 'agent.finished', 'thread.completed']);
  });

  it.each([
    ['bad_key', 'auth'],
    ['quota', 'quota'],
    ['context_length', 'context_overflow'],
    ['invalid_request', 'refused'],
  ] as const)('gives up at once on %s inside the stream', async (kind, code) => {
    // Gemini has one word for a quota and a rate limit, OpenAI's failed responses have no word for a bad request: both may pass.
    const mayPass = (format === 'gemini' && kind === 'quota') || (format === 'responses' && kind === 'invalid_request');
    const passing = kind === 'quota' ? 'rate_limit' : 'server';
    const server = await serve({ turns: [{ text: 'unsaid', fault: { type: 'stream-error', kind, after: 0 } }] });
    const run = await runAgent({ provider, server, retries: 1 });
    expect({ served: server.served.requests.length, verdict: verdict(run.outcome) }).toEqual({
      served: mayPass ? 2 : 1,
      verdict: { class: 'provider', exit_code: 4, code: mayPass ? passing : code },
    });
  });

  it('is not let in with a wrong key', async () => {
    const server = await serve({ turns: [{ text: 'unsaid' }], requireKey: 'right' });
    const run = await runAgent({ provider, server });
    expect({ served: server.served.requests.length, verdict: verdict(run.outcome) }).toEqual({
      served: 1,
      verdict: { class: 'provider', exit_code: 4, code: 'auth' },
    });
  });

  it('does not wait for a quota to come back', async () => {
    // Gemini has one status and one word for quotas and rate limits; only its sentence differs.
    const body = {
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: 'You exceeded your current quota, please check your plan.',
      },
    };
    const server = await serve({
      turns: [{ fault: { status: 429, kind: 'quota', ...(format === 'gemini' ? { body } : {}) } }],
    });
    const run = await runAgent({ provider, server });
    expect({ served: server.served.requests.length, verdict: verdict(run.outcome) }).toEqual({
      served: 1,
      verdict: { class: 'provider', exit_code: 4, code: 'quota' },
    });
  });

  it('waits as long as it is asked to, then goes on', async () => {
    const server = await serve({
      turns: [{ text: 'At last.', usage, fault: { status: 429, retryAfter: 0.03, times: 2 } }],
    });
    const run = await runAgent({ provider, server, retryDelayMs: 60_000 });
    await server.settled();
    expect(run.of('retry.scheduled')).toEqual(
      [1, 2].map((attempt) => ({
        type: 'retry.scheduled',
        attempt,
        max_attempts: 4,
        delay_ms: 30,
        code: 'rate_limit',
        cause: 'Too many requests, slow down. (HTTP 429)',
      })),
    );
    expectTruth(run, server);
    expect([verdict(run.outcome), run.of('turn.started').length]).toEqual([{ class: 'success', exit_code: 0 }, 1]);
  });

  it.each([
    ['500 for ever', { status: 500 }, 'server'],
    ['an overloaded model', { status: 529 }, 'server'],
    ['a page of a proxy', { status: 502, body: '<html>bad gateway</html>' }, 'server'],
    ['a limit that stays', { status: 429 }, 'rate_limit'],
    ['a broken connection', { type: 'disconnect', after: 1 }, 'network'],
    ['a cut stream', { type: 'cut', after: 1 }, 'network'],
    ['an error inside the stream', { type: 'stream-error', after: 1 }, 'server'],
    ['a broken event', { type: 'bad-json', after: 1 }, 'network'],
  ] as const)('tries again after %s, and fails when that does not help', async (_, fault, code) => {
    const server = await serve({ turns: [{ text: 'one two three', chunkSize: 4, usage, fault }] });
    const run = await runAgent({ provider, server, retries: 2 });
    expect(server.served.requests).toHaveLength(3);
    expect(
      run.of('retry.scheduled').map(({ attempt, max_attempts, code: why }) => ({ attempt, max_attempts, why })),
    ).toEqual([
      { attempt: 1, max_attempts: 2, why: code },
      { attempt: 2, max_attempts: 2, why: code },
    ]);
    expect({
      verdict: verdict(run.outcome),
      usage: run.of('usage.reported'),
      fatal: run.of('error').map(({ retryable, fatal }) => ({ retryable, fatal })),
    }).toEqual({
      verdict: { class: 'provider', exit_code: 4, code },
      usage: [],
      fatal: [{ retryable: true, fatal: true }],
    });
  });

  it.each([
    { type: 'disconnect', after: 2, times: 1 },
    { type: 'cut', after: 2, times: 1 },
    { type: 'bad-json', after: 2, times: 1 },
    { type: 'stream-error', after: 2, times: 1 },
  ] as const)('keeps what was said before $type apart from what was said after', async (fault) => {
    const server = await serve({ turns: [{ text: 'one two three', chunkSize: 4, usage, fault }] });
    const run = await runAgent({ provider, server });
    await server.settled();
    const said = run.of('text.completed').map(({ message_id, text }) => ({ message_id, text }));
    expect(said).toEqual([
      { message_id: 'message_1', text: fault.type === 'bad-json' ? 'one two three' : 'one two ' },
      { message_id: 'message_1_try_2', text: 'one two three' },
    ]);
    expectTruth(run, server);
    expect(verdict(run.outcome)).toEqual({ class: 'success', exit_code: 0 });
  });

  it.each([
    ['refusal', 'I will not.', 'refused', 'the model refused: I will not.', 'provider', 4],
    ['content_filter', '', 'refused', 'the model refused to answer', 'provider', 4],
    ['length', 'Half of', 'output_length', 'the answer was longer than the model may write', 'incomplete', 8],
  ] as const)('fails on %s after "%s"', async (finish, text, code, message, name, exit_code) => {
    const server = await serve({ turns: [{ text, finish, usage }] });
    const run = await runAgent({ provider, server });
    expect({
      claim: claim(run),
      verdict: verdict(run.outcome),
      finish: run.of('turn.completed').map(({ finish_reason }) => finish_reason),
    }).toEqual({
      claim: { status: 'failed', code, message },
      verdict: { class: name, exit_code, code },
      finish: [finish === 'length' ? 'length' : 'content_filter'],
    });
    expectTruth(run, server);
  });

  it('makes a conversation shorter when it is too long, and goes on', async () => {
    const server = await serve({
      turns: [
        { calls: [echo('one')], usage },
        { calls: [echo('two')], usage },
        { calls: [echo('three')], usage },
        { text: 'Done in short.', usage, fault: { status: 400, times: 1 } },
      ],
      side: { text: 'Echoed one.' },
    });
    const run = await runAgent({ provider, server, prompt: 'Echo a lot.' });
    await server.settled();
    expect(run.of('log')).toEqual([
      {
        type: 'log',
        stream: 'agent',
        level: 'info',
        text: 'the conversation was too long: 3 messages became a summary of 11 characters',
      },
    ]);
    const [summary, again] = [server.requests.at(-2), server.requests.at(-1)];
    for (const words of ['Echo a lot.', 'echo: one']) expect(summary?.body).toContain(words);
    expect(summary?.body).not.toContain('echo: two');
    for (const words of ['Echo a lot.', 'Echoed one.', 'echo: two', 'echo: three'])
      expect(again?.body).toContain(words);
    expect(again?.body).not.toContain('echo: one');
    const summaryUsage = server.served.requests.find(({ side }) => side)?.answer?.usage;
    expect({
      message: run.outcome.message,
      verdict: verdict(run.outcome),
      turns: run.outcome.metrics.turns,
      input: run.outcome.metrics.input_tokens,
    }).toEqual({
      message: 'Done in short.',
      verdict: { class: 'success', exit_code: 0 },
      turns: 4,
      input: 400 + (summaryUsage?.input ?? 0),
    });
  });

  it('gives up when a shorter conversation is still too long', async () => {
    const server = await serve({
      turns: [{ calls: [echo('one')], usage }, { calls: [echo('two')], usage }, { fault: { status: 400 } }],
      side: { text: 'Echoed.' },
      select: 'sequential',
    });
    const run = await runAgent({ provider, server });
    expect({ verdict: verdict(run.outcome), compactions: run.of('log').length, claim: claim(run) }).toEqual({
      verdict: { class: 'provider', exit_code: 4, code: 'context_overflow' },
      compactions: 2,
      claim: { status: 'failed', code: 'context_overflow', message: run.of('error')[0]?.message },
    });
  });

  it('has nothing to shorten when the prompt alone is too long', async () => {
    const server = await serve({ turns: [{ fault: { status: 400 } }] });
    const run = await runAgent({ provider, server });
    expect({ verdict: verdict(run.outcome), served: server.served.requests.length }).toEqual({
      verdict: { class: 'provider', exit_code: 4, code: 'context_overflow' },
      served: 1,
    });
  });

  it('makes the conversation shorter before it is too long', async () => {
    const full = { input: 900, output: 10 };
    const server = await serve({
      turns: [
        { calls: [echo('one')], usage },
        { calls: [echo('two')], usage: full },
        { text: 'Done.', usage },
      ],
      side: { text: 'Echoed one.' },
    });
    const run = await runAgent({ provider, server, contextWindow: 1000 });
    await server.settled();
    expect({
      message: run.outcome.message,
      log: run.of('log').length,
      side: server.served.requests.map(({ side }) => side === true),
    }).toEqual({
      message: 'Done.',
      log: 1,
      side: [false, false, true, false],
    });
  });

  it('stops at its turn limit', async () => {
    const server = await serve({
      turns: [{ calls: [echo('one')], usage }, { calls: [echo('two')], usage }, { text: 'unsaid' }],
    });
    const run = await runAgent({ provider, server, maxTurns: 2 });
    await server.settled();
    const message = 'the run reached its limit of 2 turns';
    expect({
      limits: run.of('limit.reached'),
      claim: claim(run),
      verdict: verdict(run.outcome),
      turns: run.outcome.metrics.turns,
    }).toEqual({
      limits: [{ type: 'limit.reached', limit: 'turns', value: 2, maximum: 2, message }],
      claim: { status: 'failed', code: 'turn_limit', message },
      verdict: { class: 'turn_limit', exit_code: 6 },
      turns: 2,
    });
    expectTruth(run, server);
  });

  it('does not take back an answer that came within the limits', async () => {
    const server = await serve({ turns: [{ text: 'Just in time.', usage }] });
    const run = await runAgent({
      provider,
      server,
      maxTurns: 1,
      maxCostUsd: 0.000_000_1,
      price: { input: 1, output: 1 },
    });
    expect([verdict(run.outcome), run.of('limit.reached')]).toEqual([{ class: 'success', exit_code: 0 }, []]);
  });

  it('stops at its cost limit', async () => {
    const server = await serve({
      turns: [{ calls: [echo('one')], usage }, { calls: [echo('two')], usage }, { text: 'unsaid' }],
    });
    const run = await runAgent({ provider, server, maxCostUsd: 0.0002, price: { input: 1, output: 2 } });
    await server.settled();
    const message = 'the run reached its cost limit: $0.00028 of $0.0002';
    expect({
      limits: run.of('limit.reached'),
      claim: claim(run),
      verdict: verdict(run.outcome),
      cost: run.outcome.metrics.cost,
    }).toEqual({
      limits: [{ type: 'limit.reached', limit: 'cost', value: 0.00028, maximum: 0.0002, message }],
      claim: { status: 'failed', code: 'cost_limit', message },
      verdict: { class: 'cost_limit', exit_code: 5 },
      cost: 0.00028,
    });
    expectTruth(run, server);
  });

  it('keeps what was said when it is stopped in the middle of an answer', async () => {
    const server = await serve({ turns: [{ text: 'one two three four', chunkSize: 4, delayMs: 20 }] });
    const stop = new AbortController();
    let deltas = 0;
    const run = await runAgent({
      provider,
      server,
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === 'text.delta' && ++deltas === 2) stop.abort('enough');
      },
    });
    await server.settled();
    expect({
      message: run.outcome.message,
      claim: claim(run),
      verdict: verdict(run.outcome),
      finish: run.of('turn.completed').map(({ finish_reason }) => finish_reason),
      aborted: server.served.requests[0]?.aborted,
    }).toEqual({
      message: 'one two',
      claim: { status: 'cancelled', code: 'cancelled', message: 'the run was cancelled: enough' },
      verdict: { class: 'cancelled', exit_code: 130, code: 'cancelled' },
      finish: ['aborted'],
      aborted: true,
    });
  });

  it('stops its tools when it is stopped', async () => {
    const server = await serve({
      turns: [{ text: 'Waiting.', calls: [{ name: 'wait', args: {} }, echo('done')], usage }, { text: 'unsaid' }],
    });
    const stop = new AbortController();
    const run = await runAgent({
      provider,
      server,
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === 'item.completed') stop.abort();
      },
    });
    await server.settled();
    expect({
      items: run.of('item.completed').map(({ status, output }) => ({ status, output })),
      verdict: verdict(run.outcome),
      claim: claim(run),
    }).toEqual({
      items: [
        { status: 'success', output: 'echo: done' },
        { status: 'cancelled', output: 'stopped' },
      ],
      verdict: { class: 'cancelled', exit_code: 130, code: 'cancelled' },
      claim: { status: 'cancelled', code: 'cancelled', message: 'the run was cancelled' },
    });
    expectTruth(run, server);
  });

  it('is stopped while it waits for a retry', async () => {
    const server = await serve({ turns: [{ fault: { status: 500 } }] });
    const stop = new AbortController();
    const run = await runAgent({
      provider,
      server,
      retryDelayMs: 60_000,
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === 'retry.scheduled') stop.abort();
      },
    });
    expect(verdict(run.outcome)).toEqual({ class: 'cancelled', exit_code: 130, code: 'cancelled' });
  });

  const outputSchema = {
    type: 'object',
    properties: { sum: { type: 'integer' } },
    required: ['sum'],
    additionalProperties: false,
  };

  it('asks once more for an answer that fits the schema', async () => {
    const server = await serve({
      turns: [
        { text: 'The sum is 3.', usage },
        { text: '{"sum":3}', usage },
      ],
    });
    const run = await runAgent({ provider, server, outputSchema });
    await server.settled();
    expect(server.served.requests[0]?.system).toContain(JSON.stringify(outputSchema));
    expect(server.requests[1]?.body).toContain('does not match the JSON Schema: it is not JSON');
    expectTruth(run, server);
    expect([run.outcome.message, verdict(run.outcome)]).toEqual(['{"sum":3}', { class: 'success', exit_code: 0 }]);
  });

  it('fails when the second answer does not fit either', async () => {
    const server = await serve({
      turns: [
        { text: '{"sum":"3"}', usage },
        { text: '{"sum":3,"more":1}', usage },
      ],
    });
    const run = await runAgent({ provider, server, outputSchema });
    expect({
      verdict: verdict(run.outcome),
      message: run.of('error').map(({ message }) => message),
      turns: run.outcome.metrics.turns,
    }).toEqual({
      verdict: { class: 'incomplete', exit_code: 8, code: 'unknown' },
      message: [
        expect.stringMatching(
          /^the answer does not match the output schema: # must NOT have additional properties: "more"/,
        ),
      ],
      turns: 2,
    });
  });

  it('resumes a saved conversation, and counts its own usage alone', async () => {
    const server = await serve({
      turns: [
        { calls: [echo('one')], usage },
        { text: 'First.', usage },
        { text: 'Second.', usage: { input: 300, output: 3 } },
      ],
    });
    const cwd = temporaryFolder();
    const first = await runAgent({ provider, server, cwd, prompt: 'Remember one.' });
    const second = await runAgent({ provider, server, cwd, prompt: 'And now?', resume: first.sessionId });
    await server.settled();
    for (const words of ['Remember one.', 'echo: one', 'First.', 'And now?'])
      expect(server.requests.at(-1)?.body).toContain(words);
    expect({
      ids: [first.sessionId, second.sessionId],
      message: second.outcome.message,
      input: second.outcome.metrics.input_tokens,
      count: second.of('turn.started').map(({ iteration, message_count }) => ({ iteration, message_count })),
    }).toEqual({
      ids: [first.sessionId, first.sessionId],
      message: 'Second.',
      input: 300,
      count: [{ iteration: 1, message_count: 5 }],
    });
  });

  it('can go on after it was stopped in the middle of a call', async () => {
    const server = await serve({
      turns: [
        { calls: [{ name: 'wait', args: {} }], usage },
        { text: 'Back again.', usage },
      ],
    });
    const cwd = temporaryFolder();
    const stop = new AbortController();
    const onEvent = ({ type }: AgentEvent): void => void (type === 'item.started' && stop.abort());
    const first = await runAgent({ provider, server, cwd, signal: stop.signal, onEvent });
    const second = await runAgent({ provider, server, cwd, prompt: 'go on', resume: first.sessionId });
    expect([first, second].map(({ outcome }) => outcome.verdict.class)).toEqual(['cancelled', 'success']);
  });
});

const [chat, responses, anthropic] = providers;

it('resumes with another provider', async () => {
  const cwd = temporaryFolder();
  let resume: string | undefined;
  for (const provider of [...providers, chat]) {
    const server = await serve({
      turns: [
        { reasoning: 'Hm.', calls: [echo('one')], usage },
        { text: 'Done.', usage },
      ],
      select: 'sequential',
    });
    const run = await runAgent({ provider, server, cwd, ...(resume === undefined ? {} : { resume }) });
    resume = run.sessionId;
    expect([run.outcome.message, run.outcome.verdict.class]).toEqual(['Done.', 'success']);
  }
});

it('finds no server', async () => {
  const run = await runAgent({ provider: chat, baseUrl: 'http://127.0.0.1:9/v1', retries: 1 });
  expect({ retries: run.of('retry.scheduled').map(({ code }) => code), verdict: verdict(run.outcome) }).toEqual({
    retries: ['network'],
    verdict: { class: 'provider', exit_code: 4, code: 'network' },
  });
});

it('cannot keep a cost limit without a price', async () => {
  const server = await serve({ turns: [{ text: 'unsaid' }] });
  const unpriced = await runAgent({ provider: chat, server, model: 'openai-compatible/home-made', maxCostUsd: 1 });
  expect({ served: server.served.requests.length, claim: claim(unpriced), verdict: verdict(unpriced.outcome) }).toEqual(
    {
      served: 0,
      claim: {
        status: 'failed',
        code: 'config',
        message:
          'the price of openai-compatible/home-made is not known, so a cost limit cannot be enforced: give --price input=USD,output=USD',
      },
      verdict: { class: 'config', exit_code: 1, code: 'config' },
    },
  );
});

it('keeps a cost limit with the price table alone, and leaves the cost to it', async () => {
  const server = await serve({
    turns: [{ calls: [echo('one')], usage: { input: 1_000_000, output: 1000 } }, { text: 'unsaid' }],
  });
  const run = await runAgent({ provider: responses, server, maxCostUsd: 0.5, priceTable: () => 1.26 });
  expect({
    verdict: verdict(run.outcome),
    cost: run.of('usage.reported').map(({ cost_usd }) => cost_usd),
    source: run.outcome.metrics.cost_source,
  }).toEqual({
    verdict: { class: 'cost_limit', exit_code: 5 },
    cost: [undefined],
    source: 'computed',
  });
});

/** A recording of answers whose calls all echo "x" under the same id. */
function recordingOf(answers: readonly { calls: boolean; usage: object }[]): string {
  const call = { type: 'tool-call', toolCallId: 'call_0', toolName: 'echo', input: '{"text":"x"}' };
  const assistant = { role: 'assistant', text: '', calls: [{ name: 'echo', args: '{"text":"x"}' }] };
  const tool = { role: 'tool', results: [{ name: 'echo', outcome: 'ok', output: '' }] };
  const lines = answers.map(({ calls, usage: counted }, index) => ({
    call: index + 1,
    after: index === 0 ? 0 : index * 2 - 1,
    entries: index === 0 ? [{ role: 'user', text: '' }] : [assistant, tool],
    parts: [
      ...(calls ? [call] : []),
      { type: 'finish', finishReason: { unified: calls ? 'tool-calls' : 'stop' }, usage: counted },
    ].map((part) => [0, part]),
  }));
  return [{ runwire: 'model-recording', version: 1, model: 'some/model' }, ...lines]
    .map((line) => JSON.stringify(line))
    .join('\n');
}

it('gives every item an id of its own when the server counts anew', async () => {
  const cwd = temporaryFolder();
  const counted = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  writeFileSync(join(cwd, 'r.jsonl'), recordingOf([true, true, false].map((calls) => ({ calls, usage: counted }))));
  const run = await runAgent({ model: 'replay/r.jsonl', cwd });
  expect([run.of('item.started').map(({ item_id }) => item_id), verdict(run.outcome)]).toEqual([
    ['call_0', 'call_0_2'],
    { class: 'success', exit_code: 0 },
  ]);
});

it('stops under a cost limit when no one counts', async () => {
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, 'r.jsonl'),
    recordingOf([true, false].map((calls) => ({ calls, usage: { inputTokens: {}, outputTokens: {} } }))),
  );
  const free = await runAgent({ model: 'replay/r.jsonl', cwd });
  const limited = await runAgent({ model: 'replay/r.jsonl', cwd, maxCostUsd: 1, price: { input: 1, output: 1 } });
  expect([free.of('usage.reported'), claim(free), claim(limited)]).toEqual([
    [],
    { status: 'ok' },
    {
      status: 'failed',
      code: 'config',
      message: 'some/model does not report its usage, so a cost limit cannot be enforced',
    },
  ]);
});

it('writes in the order the model gave, whatever else runs beside', async () => {
  const note = (text: string, ms: number): NonNullable<TurnInput['calls']>[number] => ({
    name: 'note',
    args: { text, ms },
  });
  const server = await serve({ turns: [{ calls: [note('a', 30), note('b', 0), echo('c')] }, { text: 'Done.' }] });
  const run = await runAgent({ provider: chat, server });
  expect([run.of('item.started'), run.of('item.completed'), run.of('file.edited').map(({ path }) => path)]).toEqual([
    ['a', 'b', 'c'].map((text) => expect.objectContaining({ args: expect.objectContaining({ text }) })),
    ['echo: c', 'noted a', 'noted b'].map((output) => expect.objectContaining({ output })),
    ['a', 'b'],
  ]);
});

it('caches with Anthropic and keeps nothing at OpenAI', async () => {
  const server = await serve({ turns: [{ calls: [echo('one')] }, { text: 'Done.' }] });
  const run = await runAgent({ provider: anthropic, server });
  await runAgent({ provider: responses, server });
  const bodies = server.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  const marks = (text: string): number => text.split('"cache_control":{"type":"ephemeral"}').length - 1;
  expect(run.outcome.message).toBe('Done.');
  expect(
    bodies.slice(0, 2).map((body) => [marks(JSON.stringify(body['system'])), marks(JSON.stringify(body['messages']))]),
  ).toEqual([
    [1, 1],
    [1, 1],
  ]);
  expect(bodies.slice(2).map((body) => [body['store'], typeof body['prompt_cache_key']])).toEqual([
    [false, 'string'],
    [false, 'string'],
  ]);
});

it('reads AGENTS.md from the root of the repository down, and takes other instructions', async () => {
  const server = await serve({ turns: [{ text: 'ok' }] });
  const root = temporaryFolder();
  const cwd = join(root, 'inner');
  mkdirSync(join(root, '.git'));
  mkdirSync(cwd);
  writeFileSync(join(root, 'AGENTS.md'), 'Outer rules.');
  writeFileSync(join(cwd, 'AGENTS.md'), 'Inner rules.');
  await runAgent({ provider: chat, server, cwd, appendSystem: 'And be brief.' });
  await runAgent({ provider: chat, server, cwd, system: 'You are a parrot.' });
  const [first, second] = server.served.requests.map(({ system }) => system);
  expect(first).toMatch(
    /^You are Runwire.*from \.\.\/AGENTS\.md:\nOuter rules\.\n\n.*from AGENTS\.md:\nInner rules\.\n\nAnd be brief\.$/s,
  );
  expect(second).toMatch(/^You are a parrot\.\n\nInstructions.*Inner rules\.$/s);
});

it('says so when the session cannot be saved, and goes on', async () => {
  const server = await serve({
    turns: [
      { calls: [echo('one')], usage },
      { text: 'Done.', usage },
    ],
  });
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'state'), 'a file in the way');
  const run = await runAgent({ provider: chat, server, cwd });
  expect({
    log: run.of('log').map(({ text }) => text),
    verdict: verdict(run.outcome),
    state: readFileSync(join(cwd, 'state'), 'utf8'),
  }).toEqual({
    log: [expect.stringMatching(/^the session cannot be saved, so it cannot be resumed: /)],
    verdict: { class: 'success', exit_code: 0 },
    state: 'a file in the way',
  });
});

it.each([
  [
    { type: 'sum' },
    'output schema: #/type must be equal to one of the allowed values: ["array","boolean","integer","null","number","object","string"]; #/type must be array; #/type must match a schema in anyOf',
  ],
  [{ type: 'array', items: 'x' as never }, 'output schema: #/items must be object,boolean'],
  [{ properties: { a: { minimum: 'x' } } }, 'output schema: #/properties/a/minimum must be number'],
  [
    { items: { $ref: 'https://example.com/a.json' } },
    'output schema: $ref "https://example.com/a.json" at #/items cannot be resolved; references must stay inside the schema, nothing is loaded',
  ],
  [
    { $ref: '#/$defs/a' },
    'output schema: $ref "#/$defs/a" at # cannot be resolved; references must stay inside the schema, nothing is loaded',
  ],
  [
    { properties: { a: { pattern: '(' } } },
    'output schema: pattern at #/properties/a: Invalid regular expression: /(/: Unterminated group',
  ],
  [
    { $schema: 'https://example.com/mine' },
    'output schema: $schema "https://example.com/mine" is not supported; write https://json-schema.org/draft/2020-12/schema, or leave it out',
  ],
])('refuses the output schema %j', async (outputSchema, message) => {
  const run = await runAgent({ outputSchema });
  expect(claim(run)).toEqual({ status: 'failed', code: 'config', message });
});
