import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentOptions, RunAgent } from '../../../src/builtin/agent.ts';
import type { Context } from '../../../src/cli/context.ts';
import { runOptions, type RunValues } from '../../../src/cli/run/options.ts';
import { startRun } from '../../../src/cli/run/start.ts';
import { parseArgs } from 'node:util';
import type { Draft } from '../../../src/events/event.ts';

export interface Outside {
  stdin?: string;
  stdinIsTerminal?: boolean;
  stderrIsTerminal?: boolean;
  env?: Record<string, string>;
  cwd?: string;
  /** Takes the place of stdout. */
  print?: Context['print'];
}

export interface Told {
  status: number;
  stdout: string;
  stderr: string;
  cwd: string;
}

export const folder = (): string => mkdtempSync(join(tmpdir(), 'runwire-run-'));
const bytes = new TextEncoder();

/** A context of our own, and its levers. */
export function outside(given: Outside = {}) {
  const signals = new Set<(signal: 'SIGINT' | 'SIGTERM') => void>();
  const crashes = new Set<(error: unknown) => void>();
  const told = { stdout: '', stderr: '' };
  const cwd = given.cwd ?? folder();
  const home = folder();
  const context: Context = {
    stdin: (async function* () {
      if (given.stdin !== undefined) yield bytes.encode(given.stdin);
    })(),
    stdinIsTerminal: given.stdinIsTerminal ?? given.stdin === undefined,
    stdoutIsTerminal: false,
    stderrIsTerminal: given.stderrIsTerminal ?? false,
    env: { HOME: home, RUNWIRE_MODEL: 'acme/large', ...given.env },
    cwd,
    async *readFile(path) {
      const { readFileSync } = await import('node:fs');
      yield readFileSync(path);
    },
    print: given.print ?? (async (text) => void (told.stdout += typeof text === 'string' ? text : text.join(''))),
    show: async (text) => void (told.stdout += text),
    warn: (line) => void (told.stderr += `${line}\n`),
    draw: (text) => void (told.stderr += text),
    stderrSize: () => ({ columns: 100, rows: 30 }),
    sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
    now: Date.now,
    onSignal(listener) {
      signals.add(listener);
      return () => void signals.delete(listener);
    },
    onCrash(listener) {
      crashes.add(listener);
      return () => void crashes.delete(listener);
    },
    watchTime: () => () => {},
    hideEnvironment() {},
    leaveSoon() {},
  };
  return {
    context,
    told,
    cwd,
    signal: (name: 'SIGINT' | 'SIGTERM') => signals.forEach((each) => each(name)),
    crash: (error: unknown) => crashes.forEach((each) => each(error)),
    listeners: () => signals.size + crashes.size,
  };
}

/** The command with an agent that follows a script. */
export async function runScripted(
  args: readonly string[],
  agent: RunAgent,
  given: Outside | ReturnType<typeof outside> = {},
): Promise<Told> {
  const around = 'context' in given ? given : outside(given);
  const { values, positionals } = parseArgs({
    args: [...args],
    options: runOptions,
    allowPositionals: true,
    strict: true,
  });
  const status = await startRun(values as RunValues, positionals, around.context, { loadAgent: async () => agent });
  return { status, ...around.told, cwd: around.cwd };
}

/** An agent that tells these drafts and is done. */
export const telling =
  (...drafts: Draft[]): RunAgent =>
  async (_options, emit) =>
    drafts.forEach(emit);

/** An agent that tells these drafts and then goes on until it is told to stop; what it does then is `stopped`. */
export const untilStopped =
  (drafts: readonly Draft[], stopped: (emit: (draft: Draft) => void) => void): RunAgent =>
  ({ signal }, emit) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        stopped(emit);
        resolve();
      });
      drafts.forEach(emit);
    });

/** Keeps what the agent was asked for. */
export function asking(): { agent: RunAgent; asked: AgentOptions[] } {
  const asked: AgentOptions[] = [];
  return {
    asked,
    async agent(options, emit) {
      asked.push(options);
      for (const draft of goodRun) emit(draft);
    },
  };
}

export const started: Draft = {
  type: 'thread.started',
  agent: 'runwire',
  session_id: '5f0c4a52-5c5e-4f3c-9a52-0d2f8f1c7a11',
  model: 'acme/large',
};
export const ok: Draft = { type: 'agent.finished', status: 'ok' };

/** Two turns: words, two calls at once that end in the other order, an edit, then the answer. */
export const goodRun: readonly Draft[] = [
  started,
  { type: 'turn.started', iteration: 1, turn_id: 'turn_1', message_count: 2, tool_count: 5 },
  { type: 'reasoning.delta', text: 'Two files. ' },
  { type: 'reasoning.completed', text: 'Two files. ' },
  { type: 'text.delta', text: 'I look at both.' },
  { type: 'text.completed', text: 'I look at both.' },
  { type: 'item.started', item_id: 'call_1', kind: 'read', name: 'read', args: { path: 'a.txt' } },
  {
    type: 'item.started',
    item_id: 'call_2',
    kind: 'file_edit',
    name: 'write',
    args: { path: 'b.txt', content: 'new' },
  },
  {
    type: 'file.edited',
    path: 'b.txt',
    operation: 'created',
    item_id: 'call_2',
    additions: 1,
    deletions: 0,
    diff: '@@ -0,0 +1 @@\n+new\n',
  },
  { type: 'item.completed', item_id: 'call_2', status: 'success', output: 'written', duration_ms: 4 },
  { type: 'item.completed', item_id: 'call_1', status: 'success', output: '{"lines":2}', duration_ms: 9 },
  { type: 'usage.reported', scope: 'step', model: 'acme/large', input_tokens: 1000, output_tokens: 40, cost_usd: 0.01 },
  { type: 'turn.completed', finish_reason: 'tool_calls' },
  { type: 'turn.started', iteration: 2, turn_id: 'turn_2', message_count: 5, tool_count: 5 },
  { type: 'text.delta', text: 'All ' },
  { type: 'text.delta', text: 'done ✓' },
  { type: 'text.completed', text: 'All done ✓' },
  { type: 'usage.reported', scope: 'step', model: 'acme/large', input_tokens: 1100, output_tokens: 10, cost_usd: 0.02 },
  { type: 'turn.completed', finish_reason: 'stop', has_final_report: true },
  ok,
];

/** The same agent, ended in every way that a run can end. */
const turn: Draft[] = [started, { type: 'turn.started' }];
const failing = (code: (Draft & { type: 'error' })['code'], message: string): Draft[] => [
  ...turn,
  { type: 'error', scope: 'model', code, message, fatal: true },
  { type: 'turn.completed', finish_reason: 'error' },
  { type: 'agent.finished', status: 'failed', code, message },
];
const limited = (
  limit: (Draft & { type: 'limit.reached' })['limit'],
  code: 'turn_limit' | 'cost_limit',
  message: string,
): Draft[] => [
  ...turn,
  { type: 'text.completed', text: 'I begin.' },
  { type: 'turn.completed', finish_reason: 'tool_calls' },
  { type: 'limit.reached', limit, message },
  { type: 'agent.finished', status: 'failed', code, message },
];
const call = (status: 'error' | 'denied', message: string): Draft[] => [
  ...turn,
  { type: 'item.started', item_id: 'call_1', kind: 'command', name: 'bash', args: { command: 'make' } },
  { type: 'item.completed', item_id: 'call_1', status, error: message },
  { type: 'turn.completed', finish_reason: 'stop' },
];

export const endings: readonly (readonly [name: string, code: number, drafts: readonly Draft[]])[] = [
  ['success', 0, goodRun],
  ['config', 1, failing('config', 'ACME_API_KEY is not set')],
  ['input', 2, failing('input', 'the prompt is too odd')],
  ['tool', 3, [...call('error', 'make: not found'), ok]],
  ['provider', 4, failing('auth', 'HTTP 401: invalid api key')],
  ['cost_limit', 5, limited('cost', 'cost_limit', 'the cost limit of $0.01 was reached')],
  ['turn_limit', 6, limited('turns', 'turn_limit', 'the turn limit of 2 was reached')],
  ['permission', 7, [...call('denied', 'bash(make) is not allowed'), ok]],
  ['incomplete', 8, [...turn, { type: 'turn.completed', finish_reason: 'stop' }, ok]],
];

export const lines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
