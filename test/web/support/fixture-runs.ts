import type { QueueOverview } from '../../../src/fleet/queue-view.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentEvent, EventRecord } from '../../../src/events/event.ts';
import type { VerdictClass } from '../../../src/failure.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import type { RunRecord } from '../../../src/stores/run-store.ts';
import type { FixtureRun } from './fixture-server.ts';

const recordings = join(import.meta.dirname, '..', '..', 'recordings');
/** A whole minute, not long ago: what goes on has gone on for some seconds. */
export const startOfAll = Math.floor(Date.now() / 60_000) * 60_000;

export function runId(number: number): string {
  return `01kb5fixture000000${String(number).padStart(8, '0')}`;
}

/** A run of the ledger from what a recording reads as. */
export function recorded(folder: string, number: number, more: Partial<RunRecord> = {}): FixtureRun {
  const read = (name: string): string => readFileSync(join(recordings, folder, name), 'utf8');
  const records = read('events.jsonl')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EventRecord);
  const outcome = JSON.parse(read('outcome.json')) as RunOutcome;
  return { run: { ...recordOf(outcome, number, records.length), ...more }, records };
}

function recordOf(outcome: RunOutcome, number: number, last: number): RunRecord {
  const { metrics, verdict, provenance } = outcome;
  const started = startOfAll - number * 3_700_000;
  const defined = Object.fromEntries(
    Object.entries({
      agent: provenance.agent ?? provenance.dialect,
      agent_version: provenance.version,
      model: metrics.model_name,
      duration_ms: metrics.duration_ms,
      input_tokens: metrics.input_tokens,
      output_tokens: metrics.output_tokens,
      cost: metrics.cost,
      tool_calls: metrics.tool_calls_count,
    }).filter(([, value]) => value !== undefined),
  );
  return {
    id: runId(number),
    status: outcome.status,
    class: verdict.class,
    exit_code: verdict.exit_code,
    title:
      outcome.metadata.initial_prompt || 'Write notes.txt, change one word, and show me the state of the repository',
    prompt:
      outcome.metadata.initial_prompt || 'Write notes.txt, change one word, and show me the state of the repository',
    started_at: started,
    ended_at: started + (metrics.duration_ms ?? 0),
    cost_source: metrics.cost_source,
    turns: metrics.turns,
    artifacts: outcome.artifacts.length,
    warnings: outcome.warnings.length,
    last_sequence: last,
    heartbeat_at: started,
    tape: `${number}.jsonl`,
    labels: { 'git.branch': 'main' },
    outcome,
    attempts: [],
    ...defined,
  };
}

/** Events with places and times: `[seconds after the one before, event]`. */
export function taped(
  events: readonly (readonly [after: number, event: AgentEvent])[],
  start = startOfAll,
  first = 1,
): EventRecord[] {
  let at = start;
  return events.map(([after, event], index) => {
    at += after * 1000;
    return {
      ...event,
      sequence: first + index,
      timestamp: new Date(at).toISOString(),
      thread_id: 'thread',
      source: 'agent',
      synthetic: false,
    };
  });
}

const turn = 'turn_1';
let calls = 0;

export function call(
  name: string,
  kind: 'command' | 'read' | 'file_edit' | 'search',
  args: Record<string, string>,
  took: number,
  output: string,
  end: Partial<Extract<AgentEvent, { type: 'item.completed' }>> = {},
): [number, AgentEvent][] {
  const item_id = `call_${(calls += 1)}`;
  return [
    [0.4, { type: 'item.started', item_id, turn_id: turn, kind, name, args }],
    [took, { type: 'item.completed', item_id, status: 'success', output, duration_ms: took * 1000, ...end }],
  ];
}

export function said(text: string, after = 3): [number, AgentEvent][] {
  const block = { turn_id: turn, message_id: `m${(calls += 1)}`, block_id: `b${calls}` };
  return [
    [after, { type: 'text.delta', ...block, text: text.slice(0, Math.ceil(text.length / 2)) }],
    [1.2, { type: 'text.completed', ...block, text }],
  ];
}

export function begins(iteration: number, wait = 0.2): [number, AgentEvent] {
  return [wait, { type: 'turn.started', turn_id: turn, iteration, model: 'gpt-6-codex' }];
}

function used(input: number, output: number, cost: number): [number, AgentEvent] {
  return [0.1, { type: 'usage.reported', scope: 'step', input_tokens: input, output_tokens: output, cost_usd: cost }];
}

const red = '\u001b[31m';
const green = '\u001b[32m';
const dim = '\u001b[2m';
const off = '\u001b[0m';
const testsFail = `${dim}> shop@2.4.0 test${off}\n\n${green} ✓${off} test/price.test.ts (14)\n${red} ✗${off} test/cart.test.ts (9)\n${red}   × adds the discount once${off}\n     AssertionError: expected 81 to be 90\n      at test/cart.test.ts:41:23\n\n Tests  ${red}1 failed${off} | ${green}22 passed${off}`;
const testsPass = `${dim}> shop@2.4.0 test${off}\n\n${green} ✓${off} test/price.test.ts (14)\n${green} ✓${off} test/cart.test.ts (9)\n\n Tests  ${green}23 passed${off}`;
const diff = `--- a/src/cart.ts\n+++ b/src/cart.ts\n@@ -36,9 +36,8 @@ export function total(cart: Cart): number {\n   let sum = 0;\n   for (const { price, count } of cart.lines) sum += price * count;\n-  if (cart.discount) sum = discounted(sum, cart.discount);\n-  return discounted(sum, cart.discount ?? 0);\n+  return discounted(sum, cart.discount ?? 0);\n }\n \n function discounted(sum: number, share: number): number {\n`;
const answer = `The failing test was right: **the discount was taken twice**.\n\n- \`total()\` in \`src/cart.ts\` called \`discounted()\` in the \`if\` and again in the \`return\`.\n- I removed the first of the two, and wrote down why in \`docs/pricing.md\`.\n\nAll 23 tests pass now:\n\n\`\`\`sh\nnpm test\n\`\`\`\n\n| file | change |\n| --- | --- |\n| src/cart.ts | one call less |\n| docs/pricing.md | new |\n`;

/** A run with a little of everything, as a person would meet it. */
export function demoEvents(): [number, AgentEvent][] {
  return [
    [
      0,
      {
        type: 'thread.started',
        agent: 'codex',
        agent_version: '0.166.0',
        model: 'gpt-6-codex',
        session_id: 's1',
        cwd: '/home/kim/shop',
      },
    ],
    [
      0,
      {
        type: 'prompt.submitted',
        text: 'The cart test fails since yesterday. Find out why, fix it, and tell me what was wrong.',
      },
    ],
    begins(1),
    [
      2.1,
      {
        type: 'reasoning.completed',
        turn_id: turn,
        message_id: 'm',
        block_id: 'r1',
        text: 'I should look at the test first, then at what it tests. The discount was changed yesterday, so `src/cart.ts` is the likely place.',
      },
    ],
    ...said('I look at the failing test first.', 0.5),
    ...call('shell', 'command', { command: 'npm test' }, 6.4, testsFail, { status: 'error', exit_code: 1 }),
    used(8200, 240, 0.0213),
    begins(2),
    ...call('read', 'read', { path: 'test/cart.test.ts' }, 0.1, "it('adds the discount once', () => {…"),
    ...call('read', 'read', { path: 'src/cart.ts' }, 0.1, 'export function total(cart: Cart): number {…'),
    ...call('read', 'read', { path: 'src/price.ts' }, 0.1, 'export const cents = …'),
    ...call('read', 'read', { path: 'docs/pricing.md' }, 0.1, '', {
      status: 'error',
      error: 'ENOENT: no such file or directory',
    }),
    used(12_900, 180, 0.0341),
    [
      0.4,
      {
        type: 'error',
        scope: 'model',
        code: 'rate_limit',
        message: 'Rate limit reached for gpt-6-codex: please try again in 8 s',
        retryable: true,
        fatal: false,
        http_status: 429,
      },
    ],
    [
      0.1,
      { type: 'retry.scheduled', attempt: 1, max_attempts: 5, delay_ms: 8000, code: 'rate_limit', cause: 'rate limit' },
    ],
    begins(3, 8),
    ...said('The discount is taken in the `if` and again in the `return`. I remove the first.', 5),
    [
      0.3,
      {
        type: 'item.started',
        item_id: 'edit1',
        turn_id: turn,
        kind: 'file_edit',
        name: 'apply_patch',
        args: { path: 'src/cart.ts' },
      },
    ],
    [0.2, { type: 'item.completed', item_id: 'edit1', status: 'success', duration_ms: 200 }],
    [
      0,
      {
        type: 'file.edited',
        path: 'src/cart.ts',
        operation: 'modified',
        item_id: 'edit1',
        additions: 1,
        deletions: 2,
        diff,
      },
    ],
    [
      2.6,
      {
        type: 'item.started',
        item_id: 'edit2',
        turn_id: turn,
        kind: 'file_edit',
        name: 'write',
        args: {
          path: 'docs/pricing.md',
          content: '# Pricing\n\nA discount is a share of the whole cart, and is taken once, at the end.\n',
        },
      },
    ],
    [0.1, { type: 'item.completed', item_id: 'edit2', status: 'success', duration_ms: 100 }],
    [
      0,
      {
        type: 'file.edited',
        path: 'docs/pricing.md',
        operation: 'created',
        item_id: 'edit2',
        additions: 3,
        deletions: 0,
      },
    ],
    used(14_100, 420, 0.0398),
    begins(4),
    ...call('shell', 'command', { command: 'npm test' }, 5.9, testsPass, { exit_code: 0 }),
    ...call(
      'shell',
      'command',
      { command: 'git diff --stat -- "src"' },
      0.2,
      ' docs/pricing.md | 3 +++\n src/cart.ts     | 3 +--\n 2 files changed, 4 insertions(+), 2 deletions(-)',
      { exit_code: 0 },
    ),
    used(15_600, 130, 0.0402),
    begins(5),
    ...said(answer, 4),
    used(16_000, 310, 0.0437),
    [0.1, { type: 'agent.finished', status: 'ok' }],
    [0.3, { type: 'process.ended', exit_code: 0, signal: null, reason: 'exited' }],
  ];
}

/** The same run in the ledger, at its end or in the middle of it. */
export function demoRun(number: number, more: Partial<RunRecord> = {}, part = 1): FixtureRun {
  const events = demoEvents();
  const all = taped(events, startOfAll - number * 60_000);
  const records = all.slice(0, Math.ceil(all.length * part));
  const isWhole = part === 1;
  const started = startOfAll - number * 60_000;
  const ended = Date.parse(records.at(-1)?.timestamp ?? '');
  const prompt = 'The cart test fails since yesterday. Find out why, fix it, and tell me what was wrong.';
  const figures = {
    duration_ms: ended - started,
    input_tokens: 66_800,
    output_tokens: 1280,
    cost: 0.1791,
    turns: 5,
    tool_calls: 9,
    artifacts: 2,
    warnings: 0,
  };
  const outcome: RunOutcome = {
    session_id: 's1',
    status: 'success',
    message: answer,
    metrics: {
      duration_ms: figures.duration_ms,
      input_tokens: 66_800,
      output_tokens: 1280,
      cost: 0.1791,
      cost_source: 'reported',
      model_name: 'gpt-6-codex',
      tool_calls_count: 9,
      turns: 5,
    },
    artifacts: [
      { path: 'docs/pricing.md', operation: 'created', type: 'file' },
      { path: 'src/cart.ts', operation: 'modified', type: 'file' },
    ],
    tool_calls: [],
    warnings: [],
    metadata: { session_id: 's1', attempt_number: 1, retry_count: 0, initial_prompt: prompt },
    verdict: {
      class: 'success',
      exit_code: 0,
      evidence: [
        { signal: 'verdict', detail: 'the agent finished, and nothing contradicts it' },
        { signal: 'claim', detail: 'ok' },
        { signal: 'process', detail: 'exit code 0' },
      ],
    },
    limits_hit: [],
    provenance: {
      agent: 'codex',
      version: '0.166.0',
      dialect: 'codex',
      runwire_version: '0.1.0',
      unknown_lines: 0,
      notes: [],
    },
  };
  return {
    records,
    run: {
      id: runId(number),
      status: isWhole ? 'success' : 'running',
      title: prompt,
      prompt,
      agent: 'codex',
      agent_version: '0.166.0',
      model: 'gpt-6-codex',
      cwd: '/home/kim/shop',
      host: 'kim-laptop',
      started_at: started,
      last_sequence: records.length,
      heartbeat_at: ended,
      tape: `${number}.jsonl`,
      labels: { 'git.branch': 'fix-cart', 'ci.job': '4711' },
      attempts: [],
      ...(isWhole
        ? {
            class: 'success' as const,
            exit_code: 0,
            ended_at: ended,
            cost_source: 'reported' as const,
            outcome,
            ...figures,
          }
        : {}),
      ...more,
    },
  };
}

const others: readonly (readonly [
  title: string,
  agent: string,
  model: string,
  verdict: VerdictClass,
  minutes: number,
  cost: number | undefined,
])[] = [
  ['Upgrade the linter and fix what it finds', 'claude', 'claude-sonnet-5', 'success', 6.2, 0.84],
  ['Write release notes for 2.4.0 from the commits', 'gemini', 'gemini-3-flash', 'success', 1.1, undefined],
  ['Why is the checkout slow on Safari? Measure first.', 'codex', 'gpt-6-codex', 'time_limit', 30, 2.71],
  ['Translate the error messages to German', 'opencode', 'claude-sonnet-5', 'success', 3.4, 0.31],
  ['Move the images to the new bucket', 'codex', 'gpt-6-codex', 'permission', 0.8, 0.06],
  ['Review pull request 812 and comment on what is risky', 'claude', 'claude-opus-5', 'success', 4.9, 1.12],
  ['Make the flaky cart test deterministic', 'qwen', 'qwen3-coder', 'tool', 7.5, undefined],
  ['Add a dark theme to the admin pages', 'claude', 'claude-sonnet-5', 'success', 12.3, 1.94],
  ['Find unused exports and remove them', 'codex', 'gpt-6-codex', 'success', 5.0, 0.42],
  ['Summarise the incident of Tuesday', 'gemini', 'gemini-3-flash', 'cancelled', 0.4, 0.01],
  ['Port the price rules to the new engine', 'claude', 'claude-opus-5', 'cost_limit', 18.2, 5.0],
  ['Bump the Node.js version in all workflows', 'opencode', 'claude-sonnet-5', 'success', 2.2, 0.12],
];

/** What a ledger of some weeks looks like. */
export function otherRuns(): FixtureRun[] {
  return others.map(([title, agent, model, verdict, minutes, cost], index) => {
    const started = startOfAll - (index + 1) * 37 * 3_600_000;
    const { cost: _cost, cost_source: _source, ...run } = demoRun(100 + index).run;
    return {
      records: [],
      run: {
        ...run,
        title,
        prompt: title,
        agent,
        model,
        status: verdict === 'success' ? 'success' : verdict === 'cancelled' ? 'cancelled' : 'error',
        class: verdict,
        exit_code: verdict === 'success' ? 0 : 3,
        started_at: started,
        ended_at: started + minutes * 60_000,
        duration_ms: minutes * 60_000,
        input_tokens: Math.round(minutes * 41_000),
        output_tokens: Math.round(minutes * 900),
        tool_calls: Math.round(minutes * 4),
        labels: { 'git.branch': index % 3 === 0 ? 'main' : `feature-${index}` },
        ...(cost === undefined ? {} : { cost, cost_source: 'reported' as const }),
      },
    };
  });
}

/** A paused queue with workers in every state, and a dead run. */
export function demoQueue(): QueueOverview {
  const at = (ms: number): string => new Date(startOfAll - ms).toISOString();
  const worker = (
    name: string,
    state: 'working' | 'draining' | 'silent',
    running: number,
    slots: number,
    labels: string[],
  ) => ({
    name,
    state,
    running,
    slots,
    labels,
    version: '1.0.0',
    started_at: at(9_000_000),
    heard_at: at(state === 'silent' ? 240_000 : 3000),
  });
  const job = (number: number, state: 'waiting' | 'queued' | 'running' | 'ended', more: object = {}) => ({
    run: runId(number),
    state,
    title: 'Fix the flaky test of the cart',
    agent: 'codex',
    priority: 0,
    keys: ['repo=web'],
    needs: [],
    after: [],
    enqueued_at: at(400_000),
    enqueued_by: 'ada@laptop',
    attempt: 1,
    ...more,
  });
  return {
    figures: {
      jobs: { waiting: 1, queued: 4, due: 3, running: 4, dead: 1 },
      oldest_wait_ms: 312_000,
      workers: { working: 1, draining: 1, silent: 1 },
      slots: 4,
      paused: true,
    },
    workers: [
      worker('build-7:4711', 'working', 2, 4, []),
      worker('build-8:99', 'draining', 1, 4, []),
      worker('gpu-1:12', 'silent', 1, 1, ['gpu']),
    ],
    paused: { by: 'ada@laptop', reason: 'the model server is down', at: at(60_000) },
    jobs: [
      job(1, 'running', { worker: 'build-7:4711', priority: 5 }),
      job(2, 'queued', { needs: ['gpu'] }),
      job(3, 'waiting'),
    ],
    dead: [
      job(4, 'ended', {
        class: 'incomplete',
        exit_code: 8,
        message: 'its worker was lost 5 times; "runwire queue retry" queues it again',
      }),
    ],
  };
}
