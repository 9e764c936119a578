import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventRecord } from '../../src/events/event.ts';
import { Failure } from '../../src/failure.ts';
import { RunOutcome } from '../../src/outcome/outcome.ts';
import { run, type RunOptions } from '../../src/run/library.ts';
import type { Run } from '../../src/run/handle.ts';
import { RunSpec } from '../../src/contract/spec.ts';
import { openStore, ledgerPlace } from '../../src/stores/open-store.ts';
import { folder } from '../cli/run/scripted.ts';
import { startModelServer, type ModelServer, type TurnInput } from '../support/model-server/index.ts';
import { until } from '../support/processes.ts';
import { sweep } from '../support/sweep.ts';
import type { PostgresDatabase } from '../stores/support/postgres.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';

const root = join(import.meta.dirname, '..', '..');
const codexRun = join(root, 'examples', 'codex-run.jsonl');

let postgres: PostgresDatabase;
let models: ModelServer;
beforeAll(async () => {
  [postgres, models] = await Promise.all([sharedPostgres(), startModelServer({ turns: answerOf })]);
});
afterAll(() => Promise.all([postgres.remove(), models.close()]));

const usage = { input: 10, output: 5 };
/** One model calls a tool and answers, the other is silent in the middle of a word. */
function answerOf({ model, entries }: { model: string; entries: readonly { role: string }[] }): TurnInput {
  if (model === 'silent') return { text: 'I am', usage, fault: { type: 'stall' } };
  const hasCalled = entries.some(({ role }) => role === 'assistant');
  return hasCalled
    ? { text: 'Done.', usage }
    : { calls: [{ name: 'write', args: { path: 'a.txt', content: 'new' } }], usage };
}

const builtin = (model: string, cwd: string): RunOptions => ({
  model: `openai-compatible/${model}`,
  baseUrl: models.baseUrl('chat'),
  prompt: 'Write it',
  permissionMode: 'full',
  cwd,
});

/** A process that prints a line, then waits to be ended. */
const patient = ['sh', '-c', `head -n 5 '${codexRun}'; sleep 60`];

/** A recorded model that says one word, after so long. */
function recorded(cwd: string, ms: number): RunOptions {
  const finish = {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } },
  };
  const word = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Done.' },
    { type: 'text-end', id: 't' },
    finish,
  ];
  const parts = [[0, { type: 'stream-start', warnings: [] }], ...word.map((part) => [ms, part])];
  const lines = [
    { runwire: 'model-recording', version: 1, model: 'openai-compatible/recorded' },
    { call: 1, after: 0, entries: [{ role: 'user', text: 'Say it' }], parts },
  ];
  const path = join(cwd, 'model.jsonl');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { model: `replay/${path}?timing=real`, prompt: 'Say it', cwd };
}

/** What ends well, and the same while it waits for something. */
const sources: Record<string, { quick: (cwd: string) => RunOptions; slow: (cwd: string) => RunOptions }> = {
  process: { quick: (cwd) => ({ command: ['cat', codexRun], cwd }), slow: (cwd) => ({ command: patient, cwd }) },
  builtin: { quick: (cwd) => builtin('quick', cwd), slow: (cwd) => builtin('silent', cwd) },
  replay: { quick: (cwd) => recorded(cwd, 0), slow: (cwd) => recorded(cwd, 60_000) },
};

const failing: Record<string, (cwd: string) => RunOptions> = {
  'a replay that leaves its recording': (cwd) => ({
    model: `replay/${join(root, 'examples', 'fix-the-test', 'model.jsonl')}`,
    prompt: 'A test fails here. Find out why, and fix it.',
    cwd,
    permissionMode: 'read-only',
  }),
  'a process that fails': () => ({ command: ['sh', '-c', 'echo no >&2; exit 3'] }),
  'an agent that is not installed': () => ({ agent: 'codex', prompt: 'x', env: { PATH: '/nowhere' } }),
};
const anySource = [
  ...Object.entries(sources).map(([name, { quick }]) => [name, quick] as const),
  ...Object.entries(failing),
];

const ledgers: readonly (readonly [name: string, ledgerIn: (cwd: string) => string])[] = [
  ['no ledger', () => 'none'],
  ['SQLite', (cwd) => join(cwd, 'state', 'ledger.db')],
  ['PostgreSQL', () => postgres.url('library')],
];

/** What is true of every run, however it ended. */
async function check(work: Run, records: readonly EventRecord[] | undefined): Promise<RunOutcome> {
  const outcome = RunOutcome.parse(await work.outcome);
  RunSpec.parse(work.spec);
  if (records !== undefined) {
    const numbers = records.map(({ sequence }) => sequence);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(records[0]).toMatchObject({ type: 'thread.started', run_id: work.id });
    expect(records.filter(({ type }) => type === 'thread.completed')).toHaveLength(1);
    expect(records.at(-1)).toMatchObject({
      type: 'thread.completed',
      final_report: JSON.parse(JSON.stringify(outcome)) as object,
    });
    for (const record of records) EventRecord.parse(record);
  }
  return outcome;
}

async function all(records: AsyncIterable<EventRecord>): Promise<EventRecord[]> {
  const out: EventRecord[] = [];
  for await (const record of records) out.push(record);
  return out;
}

async function isRemembered(work: Run, ledger: string, cwd: string): Promise<unknown> {
  const place = ledgerPlace(ledger, {}, cwd);
  if (place.kind === 'none') return undefined;
  const store = await openStore(place);
  try {
    return (await store.get(work.id))?.outcome?.verdict.class;
  } finally {
    await store.close();
  }
}

/** Every source with every ledger in `npm run test:sweeps`, each of both in `npm test`. */
const pairs = <Source>(of: readonly (readonly [kind: string, source: Source])[], places: typeof ledgers) =>
  sweep(of, places).map(([[kind, source], [ledger, ledgerIn]]) => [ledger, kind, ledgerIn, source] as const);

describe.each(pairs(anySource, ledgers))('%s, %s', (_ledger, _kind, ledgerIn, source) => {
  const begin = (more: Partial<RunOptions> = {}) => {
    const cwd = folder();
    const ledger = ledgerIn(cwd);
    return { cwd, ledger, work: run({ ...source(cwd), ledger, ...more }) };
  };

  it('iterate', async () => {
    const { work, ledger, cwd } = begin();
    const outcome = await check(work, await all(work));
    if (ledger !== 'none') expect(await isRemembered(work, ledger, cwd)).toBe(outcome.verdict.class);
  });

  it('await', async () => {
    const { work } = begin();
    await check(work, undefined);
  });

  it('both, and again from the middle, and after the end', async () => {
    const { work } = begin();
    const [first, second] = await Promise.all([all(work), all(work.records()), work.outcome]);
    expect(second).toEqual(first);
    expect(await all(work.records(3))).toEqual(first.slice(3));
    await check(work, await all(work));
  });

  it('abort before', async () => {
    const { work } = begin({ signal: AbortSignal.abort() });
    expect((await check(work, await all(work))).verdict.class).toBe('cancelled');
  });

  it('abort after', async () => {
    const stop = new AbortController();
    const { work } = begin({ signal: stop.signal });
    const before = await work.outcome;
    stop.abort();
    work.cancel();
    expect(await work.outcome).toBe(before);
  });
});

// Not the ledgers that these have had above.
describe.each(pairs(Object.entries(sources), [...ledgers.slice(1), ...ledgers.slice(0, 1)]))(
  '%s, %s',
  (_ledger, _kind, ledgerIn, { quick, slow }) => {
    it('abort during', async () => {
      const cwd = folder();
      const ledger = ledgerIn(cwd);
      const stop = new AbortController();
      const work = run({ ...slow(cwd), ledger, signal: stop.signal });
      const records: EventRecord[] = [];
      for await (const record of work) {
        records.push(record);
        if (record.type === 'turn.started') stop.abort();
      }
      expect((await check(work, records)).verdict.class).toBe('cancelled');
      if (ledger !== 'none') expect(await isRemembered(work, ledger, cwd)).toBe('cancelled');
    });

    it('neither: a run that no one looks at ends all the same', async () => {
      const cwd = folder();
      const ledger = ledgerIn(cwd);
      const spans = join(cwd, 'spans.jsonl');
      const work = run({ ...quick(cwd), ledger, otel: spans });
      // The span of the run itself is written when it is over.
      expect(await until(() => existsSync(spans) && readFileSync(spans, 'utf8').includes(work.id))).toBe(true);
      if (ledger !== 'none') while ((await isRemembered(work, ledger, cwd)) === undefined) await sleep(20);
    });

    it('ten at once', async () => {
      const cwd = folder();
      const ledger = ledgerIn(cwd);
      const runs = Array.from({ length: 10 }, () => run({ ...quick(cwd), ledger }));
      const outcomes = await Promise.all(runs.map(async (work) => check(work, await all(work))));
      expect(outcomes.map(({ verdict }) => verdict.class)).toEqual(Array.from({ length: 10 }, () => 'success'));
      expect(new Set(runs.map(({ id }) => id)).size).toBe(10);
      if (ledger !== 'none') for (const work of runs) expect(await isRemembered(work, ledger, cwd)).toBe('success');
    });

    it('a child of a parent', async () => {
      const cwd = folder();
      const ledger = ledgerIn(cwd);
      const parent = run({ ...quick(cwd), ledger });
      const child = run({ ...quick(cwd), ledger, parent });
      const [outcome, below] = await Promise.all([parent, child].map(async (work) => check(work, await all(work))));
      expect((await all(child))[0]).toMatchObject({ parent_run_id: parent.id, root_run_id: parent.id });
      const { input_tokens, output_tokens } = below?.metrics ?? {};
      expect(outcome?.children).toMatchObject({ runs: 1, input_tokens, output_tokens });
      expect(below?.children).toBeUndefined();
    });
  },
);

it.each(ledgers)(
  '%s: a child of a parent, and its child: each is counted once, and the parent waits',
  async (_name, ledgerIn) => {
    const cwd = folder();
    const ledger = ledgerIn(cwd);
    const command = ['cat', codexRun];
    const parent = run({ command, ledger, cwd });
    const child = run({ command: ['sh', '-c', `sleep 0.3; cat '${codexRun}'`], ledger, cwd, parent });
    const grandchild = run({ command, ledger, cwd, parent: child });
    const records = await all(grandchild);
    const outcome = await check(parent, await all(parent));
    expect(records[0]).toMatchObject({ run_id: grandchild.id, parent_run_id: child.id, root_run_id: parent.id });
    const { input_tokens: own = 0, output_tokens: said = 0 } = outcome.metrics;
    expect(outcome.children).toMatchObject({ runs: 2, input_tokens: 2 * own, output_tokens: 2 * said });
    expect((await child.outcome).children).toMatchObject({ runs: 1, input_tokens: own });
    expect((await grandchild.outcome).children).toBeUndefined();
    expect(() => run({ command, parent })).toThrow(Failure);
  },
);

it('cancelling a parent cancels what is below it', async () => {
  const parent = run({ command: patient });
  const child = run({ command: patient, parent });
  for await (const record of child) if (record.type === 'turn.started') parent.cancel();
  expect([(await parent.outcome).verdict.class, (await child.outcome).verdict.class]).toEqual([
    'cancelled',
    'cancelled',
  ]);
});

it('a subscriber that cancels in the middle of a record gets its records in order', async () => {
  const work = run({ command: patient });
  const records: EventRecord[] = [];
  for await (const record of work.records()) {
    records.push(record);
    if (records.length === 2) work.cancel({ kind: 'signal', signal: 'SIGINT' });
  }
  expect((await check(work, records)).verdict).toMatchObject({ class: 'cancelled', exit_code: 130 });
});

it('a reader that leaves neither stops the run nor makes it wait', async () => {
  const cwd = folder();
  const file = join(cwd, 'long.jsonl');
  const line = (n: number): string =>
    JSON.stringify({ type: 'item.completed', item: { id: `i${n}`, type: 'agent_message', text: `n ${n}` } });
  const start = `{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n`;
  const end = `{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}\n`;
  writeFileSync(file, start + Array.from({ length: 20_000 }, (_, n) => `${line(n)}\n`).join('') + end);
  const work = run({ command: ['cat', file], cwd });
  for await (const _ of work) break;
  expect((await work.outcome).verdict.class).toBe('success');
  const kept = run({ command: ['cat', file], cwd, ledger: join(cwd, 'ledger.db') });
  await kept.outcome;
  const whole = await all(kept);
  await check(kept, whole);
  // Without a tape the first records are gone by now, and the last are there.
  await expect(all(work)).rejects.toThrow(Failure);
  expect((await all(work.records(whole.length - 100))).map(({ type }) => type)).toEqual(
    whole.slice(-100).map(({ type }) => type),
  );
});

it.each<[string, RunOptions]>([
  ['a flag that is not kept', { agent: 'codex', prompt: 'x', allow: ['bash'] }],
  ['an unknown dialect', { command: ['true'], from: 'codx' }],
])('%s is a Failure, for who awaits and for who iterates, and nothing for who does neither', async (_name, options) => {
  run(options);
  const work = run(options);
  await expect(work.outcome).rejects.toThrow(Failure);
  await expect(all(work)).rejects.toThrow(Failure);
});

it.each<[string, RunOptions]>([
  ['a ledger that cannot be', { command: ['true'], ledger: 'ftp://x' }],
  ['a variable that is none', { command: ['true'], passEnv: ['a b'] }],
])('%s is a Failure at once', (_name, options) => {
  expect(() => run(options)).toThrow(Failure);
});
