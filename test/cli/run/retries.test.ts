import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentOptions, RunAgent } from '../../../src/builtin/agent.ts';
import type { Draft } from '../../../src/events/event.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { fold } from '../../../src/pipeline/convert.ts';
import { continuePrompt } from '../../../src/run/sources/resuming.ts';
import { folder, lines, ok, outside, runScripted } from './scripted.ts';

const usage: Draft = {
  type: 'usage.reported',
  scope: 'step',
  model: 'acme/large',
  input_tokens: 100,
  output_tokens: 10,
  cost_usd: 0.5,
};
const begin = (session: string): Draft[] => [
  { type: 'thread.started', agent: 'runwire', session_id: session },
  { type: 'turn.started' },
];
const failing = (code: (Draft & { type: 'error' })['code'], message: string): Draft[] => [
  usage,
  { type: 'error', scope: 'model', code, message, fatal: true },
  { type: 'turn.completed', finish_reason: 'error' },
  { type: 'agent.finished', status: 'failed', code, message },
];
const read: Draft[] = [
  { type: 'item.started', item_id: 'call_1', kind: 'read', name: 'read', args: { path: 'a.txt' } },
  { type: 'item.completed', item_id: 'call_1', status: 'success', output: 'hello' },
];
const good: Draft[] = [
  ...read,
  { type: 'text.completed', text: 'Done.' },
  usage,
  { type: 'turn.completed', finish_reason: 'stop' },
  ok,
];

/** One script for each attempt; keeps what each was asked for. */
function attempts(...scripts: readonly (readonly Draft[])[]): { agent: RunAgent; asked: AgentOptions[] } {
  const asked: AgentOptions[] = [];
  return {
    asked,
    async agent(options, emit) {
      asked.push(options);
      scripts[asked.length - 1]?.forEach(emit);
    },
  };
}

const outcomeOf = (stdout: string): RunOutcome => lines(stdout).at(-1)?.final_report as RunOutcome;
const soon = ['--retry-delay', '0.01s', '--to', 'runwire'];

describe('--retries', () => {
  it('starts again when the model fails, and the bill is that of all attempts', async () => {
    const script = attempts(
      [...begin('one'), ...failing('server', 'HTTP 500: no luck')],
      [...begin('two'), ...failing('rate_limit', 'HTTP 429: too much')],
      [...begin('three'), ...good],
    );
    const { status, stdout } = await runScripted(['--retries', '2', ...soon, 'Do it'], script.agent);
    expect(status).toBe(0);
    expect(script.asked.map(({ resume, prompt }) => ({ resume, prompt }))).toEqual(
      Array.from({ length: 3 }, () => ({ resume: undefined, prompt: 'Do it' })),
    );
    const outcome = outcomeOf(stdout);
    expect(outcome).toMatchObject({
      status: 'success',
      message: 'Done.',
      metrics: {
        input_tokens: 300,
        output_tokens: 30,
        tokens_used: 330,
        cost: 1.5,
        cost_source: 'reported',
        turns: 3,
        tool_calls_count: 1,
      },
      metadata: { attempt_number: 3, retry_count: 2, initial_prompt: 'Do it' },
      warnings: ['retry 1: provider: server: HTTP 500: no luck', 'retry 2: provider: rate_limit: HTTP 429: too much'],
    });
    expect(outcome.error_details).toBeUndefined();
    const records = lines(stdout);
    expect(records.filter(({ type }) => type === 'retry.scheduled')).toMatchObject([
      { scope: 'run', attempt: 1, max_attempts: 2, delay_ms: 10, code: 'server', source: 'runner' },
      { scope: 'run', attempt: 2, max_attempts: 2, delay_ms: 20, code: 'rate_limit', source: 'runner' },
    ]);
    expect(records.filter(({ type }) => type === 'thread.completed')).toHaveLength(1);
  });

  it('limits are those of the run, not of each attempt', async () => {
    const failed = [...begin('one'), ...failing('server', 'HTTP 500: no luck')];
    const script = attempts(failed, failed, failed, failed, failed);
    const flags = ['--retries', '4', '--max-turns', '3', '--max-cost-usd', '10', ...soon, 'Do it'];
    const { status } = await runScripted(flags, script.agent);
    expect(status).toBe(4);
    expect(script.asked.map(({ maxTurns, maxCostUsd }) => ({ maxTurns, maxCostUsd }))).toEqual([
      { maxTurns: 3, maxCostUsd: 10 },
      { maxTurns: 2, maxCostUsd: 9.5 },
      { maxTurns: 1, maxCostUsd: 9 },
    ]);
    const dear = attempts(failed, failed, failed);
    await runScripted(['--retries', '4', '--max-cost-usd', '0.75', ...soon, 'Do it'], dear.agent);
    expect(dear.asked.map(({ maxCostUsd }) => maxCostUsd)).toEqual([0.75, 0.25]);
  });

  it('resumes the session when the attempt got somewhere, and ids of two attempts differ', async () => {
    const script = attempts(
      [...begin('one'), ...read, ...failing('network', 'socket hang up')],
      [...begin('one'), ...good],
    );
    const { status, stdout } = await runScripted(['--retries', '1', ...soon, 'Do it'], script.agent);
    expect(status).toBe(0);
    expect(script.asked[1]).toMatchObject({ resume: 'one', prompt: continuePrompt });
    expect(lines(stdout).filter(({ type }) => type === 'item.completed')).toMatchObject([
      { item_id: 'call_1' },
      { item_id: 'attempt_2:call_1' },
    ]);
    expect(outcomeOf(stdout)).toMatchObject({
      metrics: { tool_calls_count: 2 },
      metadata: { initial_prompt: 'Do it', attempt_number: 2 },
    });
  });

  it('gives up after the last, with the verdict of the last', async () => {
    const script = attempts(
      [...begin('one'), ...failing('server', 'first')],
      [...begin('two'), ...failing('server', 'second')],
    );
    const { status, stdout } = await runScripted(['--retries', '1', ...soon, 'Do it'], script.agent);
    expect(status).toBe(4);
    expect(outcomeOf(stdout)).toMatchObject({
      error_details: { message: 'second' },
      metadata: { attempt_number: 2, retry_count: 1 },
    });
  });

  it('tries an attempt that broke off again', async () => {
    const script = attempts(begin('one'), [...begin('two'), ...good]);
    expect((await runScripted(['--retries', '1', ...soon, 'Do it'], script.agent)).status).toBe(0);
  });

  it.each(['auth', 'quota', 'context_overflow', 'refused'] as const)('does not try again after %s', async (code) => {
    const script = attempts([...begin('one'), ...failing(code, 'no')], [...begin('two'), ...good]);
    expect((await runScripted(['--retries', '3', ...soon, 'Do it'], script.agent)).status).toBe(4);
    expect(script.asked).toHaveLength(1);
  });

  it('does not wait out its delay when it is told to stop', async () => {
    const script = attempts([...begin('one'), ...failing('server', 'first')], [...begin('two'), ...good]);
    const around = outside();
    const run = runScripted(
      ['--retries', '1', '--retry-delay', '50s', '--to', 'runwire', 'Do it'],
      script.agent,
      around,
    );
    setTimeout(() => around.signal('SIGINT'), 50);
    const { status, stdout } = await run;
    expect({ status, attempts: script.asked.length }).toEqual({ status: 130, attempts: 1 });
    expect(outcomeOf(stdout).verdict.class).toBe('cancelled');
  });

  it('a tape of it folds to the same outcome as the live run', async () => {
    const cwd = folder();
    const script = attempts([...begin('one'), ...read, ...failing('server', 'first')], [...begin('two'), ...good]);
    await runScripted(
      ['--retries', '1', '--retry-delay', '0.01s', '--tape', 'run.tape', '--json', 'Do it'],
      script.agent,
      { cwd },
    );
    const tape = readFileSync(join(cwd, 'run.tape'));
    // A tape begins with the first word of the agent, a live run before it.
    const withoutTimes = ({ provenance: _provenance, metrics, metadata, ...rest }: RunOutcome) => ({
      ...rest,
      metadata: { ...metadata, phase_total_duration_ms: 0 },
      metrics: { ...metrics, start_time_ms: 0, duration_ms: 0 },
    });
    expect(withoutTimes(await fold([tape]))).toEqual(withoutTimes(outcomeOf(tape.toString())));
  });
});

it('a total that counts the whole session is not added to what the session took before', async () => {
  const total = (input_tokens: number): Draft => ({
    type: 'usage.reported',
    scope: 'thread',
    whole_session: true,
    model: 'acme/large',
    input_tokens,
    output_tokens: 1,
  });
  const script = attempts(
    [...begin('one'), ...read, total(100), ...failing('server', 'x').slice(1)],
    [...begin('one'), total(250), ...good.slice(0, -3), ok],
  );
  const { stdout } = await runScripted(['--retries', '1', ...soon, 'Do it'], script.agent);
  expect(outcomeOf(stdout).metrics).toMatchObject({ input_tokens: 250 });
});
