import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/json/json.ts';
import type { EventRecord } from '../../../../src/events/event.ts';
import type { Requested } from '../../../../src/contract/requested.ts';
import { specOf } from '../../../../src/run/ask.ts';
import type { Run } from '../../../../src/run/handle.ts';
import { start, type StartOptions } from '../../../../src/run/run.ts';
import { faultsOf } from '../../../support/acp/schema.ts';
import { linesOf, only } from '../../../support/pipeline.ts';
import { some } from '../../../support/sweep.ts';

const fake = join(import.meta.dirname, '..', '..', '..', 'support', 'acp', 'fake-agent.ts');
const base = realpathSync(mkdtempSync(join(tmpdir(), 'runwire-acp-')));
const cwd = join(base, 'work');
mkdirSync(cwd);
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;

interface Ran {
  run: Run;
  records: EventRecord[];
  outcome: Awaited<Run['outcome']>;
  warnings: string[];
  /** What the agent was sent, each line valid by the schema of ACP. */
  sent: JsonObject[];
}

interface Options extends Requested, Pick<StartOptions, 'ask'> {
  onRecord?: (record: EventRecord, run: Run) => void;
}

async function acp(mode: string, { onRecord, ask, ...options }: Options = {}): Promise<Ran> {
  const log = join(base, `log-${++count}`);
  const words = { agent: 'acp', command: [process.execPath, fake, mode, log], prompt: 'Do it', ...options };
  const warnings: string[] = [];
  const env = { PATH: process.env['PATH'], HOME: base, NODE_COMPILE_CACHE: join(tmpdir(), 'runwire-fake-cache') };
  const run = start(specOf(words, { cwd, passEnv: ['NODE_COMPILE_CACHE'] }), {
    env,
    warn: (each) => void warnings.push(each),
    ask,
  });
  const records: EventRecord[] = [];
  for await (const record of run) {
    records.push(record);
    onRecord?.(record, run);
  }
  const outcome = await run.outcome;
  return { run, records, outcome, warnings, sent: sentTo(log) };
}

/** Every line that the agent got. */
function sentTo(log: string): JsonObject[] {
  let text = '';
  try {
    text = readFileSync(log, 'utf8');
  } catch {
    return [];
  }
  const lines = linesOf(text);
  expect(lines.flatMap((line) => faultsOf(line, 'session/request_permission'))).toEqual([]);
  return lines;
}

const methodsOf = (sent: readonly JsonObject[]) =>
  sent.flatMap(({ method }) => (typeof method === 'string' ? [method] : []));
const stopAt = (type: EventRecord['type']) => (record: EventRecord, run: Run) => {
  if (record.type === type) run.cancel({ kind: 'signal', signal: 'SIGTERM' });
};

describe.concurrent('an agent of ACP', () => {
  it('is asked, in the mode in which it asks back, and heard', async () => {
    const { outcome, sent, records } = await acp('text', { prompt: 'Hello' });
    expect(outcome).toMatchObject({
      message: 'You said: Hello',
      session_id: 'session-1',
      verdict: { class: 'success', exit_code: 0 },
      provenance: { agent: 'fake-agent', version: '1.0.0', dialect: 'acp', unknown_lines: 0 },
    });
    expect(outcome.metrics.model_name).toBe('small');
    expect(methodsOf(sent)).toEqual(['initialize', 'session/new', 'session/set_mode', 'session/prompt']);
    expect(records.at(-2)).toMatchObject({ type: 'process.ended', exit_code: 0 });
    expect(only({ events: records }, 'thread.started')[0]).toMatchObject({
      run_id: expect.any(String) as string,
      task: 'Hello',
    });
  });

  it('tells its calls, files, plan and cost', async () => {
    const { outcome } = await acp('tools');
    expect(outcome).toMatchObject({
      message: 'Done.',
      verdict: { class: 'success' },
      artifacts: [{ path: '/w/a.txt', operation: 'modified' }],
      metrics: { cost: 0.25, cost_source: 'reported' },
    });
    expect(outcome.tool_calls.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'shell completed',
      'edit completed',
      'plan completed',
    ]);
  });

  it('is given a model that it has, and refused one that it has not', async () => {
    const { sent } = await acp('text', { model: 'large' });
    expect(sent.find(({ method }) => method === 'session/set_config_option')).toMatchObject({
      params: { configId: 'model', value: 'large' },
    });
    const { outcome } = await acp('text', { model: 'huge' });
    expect(outcome.verdict).toMatchObject({ class: 'config' });
    expect(outcome.error_details?.message).toContain('no model huge');
  });

  it('is told the model on its own command line where that is known, and the session offers none', async () => {
    const [program, words] = [join(base, 'copilot'), join(base, 'copilot-words')];
    const script = `#!/bin/sh\nprintf '%s ' "$@" >'${words}'\nexec '${process.execPath}' '${fake}' text '${join(base, 'copilot-log')}'\n`;
    writeFileSync(program, script, { mode: 0o755 });
    // A session that was resumed offers nothing here.
    const { outcome } = await acp('text', { command: [program], resume: 'session-7', model: 'openai/huge' });
    expect(outcome).toMatchObject({ message: 'You said: Do it', verdict: { class: 'success' } });
    expect(readFileSync(words, 'utf8')).toBe('--acp --model=huge ');
    // A session that offers models decides.
    const other = await acp('text', { command: [program], model: 'huge' });
    expect(other.outcome.error_details?.message).toContain('no model huge');
  });

  it('resumes a session, whose old words are not its answer', async () => {
    const { outcome, sent } = await acp('text', { resume: 'session-7' });
    expect(methodsOf(sent)).toContain('session/load');
    expect(outcome).toMatchObject({ session_id: 'session-7', message: 'You said: Do it' });
    const forgetful = await acp('forgets', { resume: 'session-7' });
    expect(forgetful.outcome.verdict).toMatchObject({ class: 'input' });
    expect(forgetful.outcome.error_details?.message).toContain('cannot resume');
  });

  it('is logged in with a key, and with nothing that needs a person', async () => {
    const { outcome, sent } = await acp('login');
    expect(outcome.verdict.class).toBe('success');
    expect(methodsOf(sent)).toEqual([
      'initialize',
      'session/new',
      'authenticate',
      'session/new',
      'session/set_mode',
      'session/prompt',
    ]);
    expect((await acp('browser')).outcome.verdict).toMatchObject({ class: 'provider', code: 'auth' });
  });

  const ends = [
    ['error', 'provider', 4, 'server'],
    ['refusal', 'provider', 4, 'refused'],
    ['crash', 'incomplete', 8, undefined],
    ['not-acp', 'incomplete', 8, undefined],
    ['version', 'config', 1, 'config'],
  ] as const;
  it.each(some(ends))('that ends by %s is %s', async (mode, name, exit_code, code) => {
    const { verdict } = (await acp(mode)).outcome;
    expect({ ...verdict, evidence: [] }).toEqual({
      class: name,
      exit_code,
      evidence: [],
      ...(code === undefined ? {} : { code }),
    });
  });

  it('is started again after an error that may pass, in its session', async () => {
    const { outcome, sent } = await acp('error-then-fine', { retries: 1, retry_delay_ms: 1 });
    expect(outcome).toMatchObject({
      message: 'Now it works.',
      verdict: { class: 'success' },
      metadata: { attempt_number: 2 },
    });
    expect(methodsOf(sent)).toContain('session/load');
  });

  it('is the same in a spec that was stored as it was asked for', async () => {
    const spec = {
      ...specOf({ prompt: 'Hello' }, { cwd, passEnv: [] }),
      agent: `acp:'${process.execPath}' '${fake}' text`,
    };
    const { outcome } = start(spec, { env: { PATH: process.env['PATH'], HOME: base } });
    expect(await outcome).toMatchObject({ message: 'You said: Hello', verdict: { class: 'success' } });
  });

  it('that is not there is a matter of config', async () => {
    const { outcome } = await acp('text', { command: ['/nowhere/agent', '--acp'] });
    expect(outcome.verdict).toMatchObject({ class: 'config' });
    await expect(acp('text', { command: [] })).rejects.toThrow('acp needs the command of an agent');
    expect((await acp('text', { command: ['amp'] })).outcome.error_details?.message).toContain(
      'Amp does not speak ACP',
    );
  });

  it('survives and is survived, whatever it prints', async () => {
    const { outcome } = await acp('garbage');
    expect(outcome).toMatchObject({
      message: 'Still here.',
      verdict: { class: 'success' },
      provenance: { unknown_lines: 1 },
    });
    expect((await acp('huge')).outcome).toMatchObject({ message: 'Long.', verdict: { class: 'success' } });
  });

  it('is not answered for in another session, nor by what it asks for when it has answered', async () => {
    const { outcome } = await acp('beyond', { permission_mode: 'full' });
    expect(outcome).toMatchObject({ message: 'Mine.', verdict: { class: 'success' }, tool_calls: [] });
    expect(outcome.warnings).toEqual(['asked for outside of a prompt: rm -r /']);
  });

  it('takes back its answer by an error after it', async () => {
    expect((await acp('regrets')).outcome.verdict).toMatchObject({ class: 'provider', code: 'server' });
  });

  it('does not speak for the client', async () => {
    const { outcome, records } = await acp('forges');
    expect(only({ events: records }, 'permission.resolved')).toMatchObject([{ decision: 'denied', by: 'rule' }]);
    expect(outcome.verdict).toMatchObject({ class: 'permission' });
    expect(outcome.provenance.unknown_lines).toBe(2);
  });

  it('gets no files and no terminals: it has its own', async () => {
    const { outcome } = await acp('fs');
    expect(outcome.message.trim().split('\n')).toEqual([
      'fs/read_text_file: error -32601',
      'fs/write_text_file: error -32601',
      'terminal/create: error -32601',
      '_vendor/extension: error -32601',
    ]);
  });
});

describe.concurrent('what it asks for', () => {
  it('is told as what a rule decided, or a person where there is one', async () => {
    const { records, outcome } = await acp('permission', { prompt: 'execute:ls' });
    expect(only({ events: records }, 'permission.requested', 'permission.resolved', 'item.completed')).toMatchObject([
      { what: 'execute', pattern: 'ls', item_id: 'c0' },
      { decision: 'denied', by: 'rule', raw_decision: 'no' },
      { status: 'denied' },
    ]);
    expect(outcome.verdict.class).toBe('permission');
    const asked = await acp('permission', {
      prompt: 'execute:ls\nexecute:rm x',
      deny: ['bash(rm:*)'],
      ask: async () => true,
    });
    expect(asked.outcome.message).toBe('execute:ls yes\nexecute:rm x no');
    expect(only({ events: asked.records }, 'permission.resolved').map(({ by }) => by)).toEqual(['user', 'rule']);
  });

  it('is answered also where it does not fit into one read', async () => {
    const { outcome } = await acp('permission', {
      prompt: `execute:echo ${'0123456789'.repeat(30_000)}`,
      permission_mode: 'full',
    });
    expect({ class: outcome.verdict.class, said: outcome.message.slice(-12) }).toEqual({
      class: 'success',
      said: '23456789 yes',
    });
  });
});

describe.concurrent('a run over ACP that is stopped', () => {
  it('tells the agent, which says so and leaves', async () => {
    const { outcome, sent } = await acp('hang', { onRecord: stopAt('text.delta') });
    expect(methodsOf(sent).at(-1)).toBe('session/cancel');
    expect(outcome.verdict).toMatchObject({ class: 'cancelled', exit_code: 143 });
  });

  it('ends an agent that does not hear, or does not leave', async () => {
    const { outcome } = await acp('deaf', { onRecord: stopAt('text.delta') });
    expect(outcome.verdict).toMatchObject({ class: 'cancelled', exit_code: 143 });
    expect((await acp('stays')).outcome.verdict.class).toBe('success');
  });

  it('by a limit is that limit', async () => {
    const turns = await acp('endless', { limits: { max_turns: 3 } });
    expect(turns.outcome).toMatchObject({ verdict: { class: 'turn_limit', exit_code: 6 } });
    const time = await acp('silent', { limits: { timeout_ms: 700 } });
    expect(time.outcome.verdict).toMatchObject({ class: 'time_limit', exit_code: 124 });
  });

  it('says before the start what cannot be kept', async () => {
    const { warnings } = await acp('text', { limits: { max_cost_usd: 1 }, permission_mode: 'read-only', system: 'x' });
    expect(warnings).toEqual([
      expect.stringContaining('--max-cost-usd may not stop'),
      expect.stringContaining('cannot be given another system prompt over ACP'),
      expect.stringMatching(/^No permission mode and no rule can deny what .* does without asking/),
    ]);
  });
});
