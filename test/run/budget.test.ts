import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunAgent } from '../../src/builtin/agent.ts';
import type { Requested } from '../../src/contract/requested.ts';
import { specOf } from '../../src/run/ask.ts';
import { Budget } from '../../src/run/budget.ts';
import { start } from '../../src/run/run.ts';
import { openStore } from '../../src/stores/open-store.ts';
import type { RunStore } from '../../src/stores/run-store.ts';
import { atFileEnd } from '../support/at-file-end.ts';
import { startModelServer } from '../support/model-server/index.ts';
import { git } from '../orchestrate/crew.ts';
import { project } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { some } from '../support/sweep.ts';

it('never lets a tree of runs go more than one step of each run beyond it, and never stops a run while enough is left', () => {
  const step = fc.integer({ min: 1, max: 400 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.array(fc.array(step, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 20 }),
      fc.infiniteStream(fc.nat()),
      (limit, runs, choices) => {
        const budget = new Budget({ max_cost_usd: limit / 1000 });
        const stopped = new Set<number>();
        const live = runs.map((steps, index) => ({
          account: budget.open(() => stopped.add(index)),
          index,
          steps: [...steps],
          spent: 0,
          over: 0,
        }));
        let total = 0;
        let open = live.filter(({ account }) => account.refusal === undefined);
        while (open.length > 0) {
          const chosen = open[(choices.next().value as number) % open.length];
          const next = chosen?.steps.shift();
          if (chosen === undefined) break;
          if (next === undefined || stopped.has(chosen.index)) {
            chosen.account.close();
            open = open.filter((each) => each !== chosen);
            continue;
          }
          if (total >= limit) chosen.over += 1;
          total += next;
          chosen.spent += next;
          if (chosen.account.spend({ cost: chosen.spent / 1000, tokens: 0 }) !== undefined) {
            // Who is stopped could not have done another step as dear as the dearest so far.
            const dearest = Math.max(...runs.flat());
            expect(total).toBeGreaterThan(limit - dearest * live.length - limit / 100);
            chosen.account.close();
            open = open.filter((each) => each !== chosen);
          }
        }
        expect(Math.max(0, ...live.map(({ over }) => over))).toBeLessThanOrEqual(1);
      },
    ),
  );
});

it('gives back what was not needed', () => {
  const budget = new Budget({ max_cost_usd: 1 });
  for (let round = 0; round < 1000; round += 1) {
    const account = budget.open(() => {});
    expect(account.refusal).toBeUndefined();
    account.spend({ cost: 0.0005, tokens: 0 });
    account.close();
  }
  expect(budget.open(() => {}).costLeft).toBeCloseTo(0.5, 9);
});

/** A run that would spend for ever, a cent with every model call. */
const spender: RunAgent = async ({ signal }, emit) => {
  emit({ type: 'thread.started', agent: 'spender', model: 'none' });
  for (let turn = 1; !signal.aborted; turn += 1) {
    emit({ type: 'turn.started', turn_id: `turn_${turn}`, iteration: turn });
    await new Promise((resolve) => void setTimeout(resolve, Math.random() * 4));
    if (!signal.aborted)
      emit({ type: 'usage.reported', scope: 'step', cost_usd: 0.01, input_tokens: 10, output_tokens: 1 });
    emit({
      type: 'turn.completed',
      turn_id: `turn_${turn}`,
      iteration: turn,
      tool_call_count: 0,
      has_final_report: false,
    });
  }
};

it('fifty runs at once on one dollar: beyond it by one model call of each at most, and all told so', async () => {
  const cwd = folder();
  const spec = (prompt: string, limits = {}) => specOf({ prompt, model: 'replay/none', limits }, { cwd, passEnv: [] });
  const options = { env: {}, loadAgent: () => Promise.resolve(spender) };
  const parent = start(spec('parent', { max_cost_usd: 1 }), { ...options, loadAgent: () => Promise.resolve(waits) });
  const children = Array.from({ length: 50 }, (_, index) => start(spec(`child ${index}`), { ...options, parent }));
  const outcomes = await Promise.all(children.map(({ outcome }) => outcome));
  const late = await start(spec('late'), { ...options, parent }).outcome;
  parent.cancel();
  const { children: usage } = await parent.outcome;
  expect(new Set(outcomes.map(({ verdict }) => verdict.class))).toEqual(new Set(['cost_limit']));
  expect(usage?.runs).toBe(51);
  expect(usage?.cost).toBeGreaterThan(0.5);
  expect(usage?.cost).toBeLessThanOrEqual(1 + 50 * 0.01 + 1e-9);
  // Nothing was left for one that came too late: it took nothing.
  expect({ class: late.verdict.class, cost: late.metrics.cost }).toEqual({ class: 'cost_limit', cost: undefined });
});

/** Does nothing until it is stopped. */
const waits: RunAgent = async ({ signal }, emit) => {
  emit({ type: 'thread.started', agent: 'waits', model: 'none' });
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
};

it.each(some(['in this process', 'each in a process of its own']))(
  'a model call that is on its way when the money is gone is counted: %s',
  async (where) => {
    let asked = 0;
    const [eight, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // Each run calls twice. The fifth call uses up the budget when all are on their way; the others are answered after a run has ended.
    const server = await startModelServer({
      turns: async () => {
        const number = (asked += 1);
        if (number === 8) eight.resolve();
        if (number > 4) await eight.promise;
        if (number > 5) await ended.promise;
        return {
          calls: [{ name: 'read', args: { path: 'a.txt' } }],
          usage: { input: number === 5 ? 20_000 : 1000, output: 1000 },
        };
      },
    });
    atFileEnd(() => server.close());
    const isApart = where !== 'in this process';
    const cwd = project();
    if (isApart)
      for (const args of [
        ['init', '-q'],
        ['add', '.'],
        ['commit', '-q', '-m', 'first'],
      ])
        git(cwd, ...args);
    const { PATH } = process.env;
    const options = { env: { PATH, HOME: folder() } };
    const parent = start(
      specOf({ prompt: 'parent', model: 'replay/none', limits: { max_cost_usd: 0.02 } }, { cwd, passEnv: [] }),
      {
        ...options,
        loadAgent: () => Promise.resolve(waits),
      },
    );
    const model = {
      model: 'openai-compatible/test-model',
      base_url: server.baseUrl('chat'),
      price: { input: 1, output: 1 },
    };
    const child = specOf(
      { prompt: 'go', ...model, ...(isApart ? { workspace: { isolate: 'worktree' as const } } : {}) },
      { cwd, passEnv: [] },
    );
    const children = Array.from({ length: 4 }, () => start(child, { ...options, parent }));
    await Promise.race(children.map(async ({ outcome }) => (await outcome).verdict));
    ended.resolve();
    const outcomes = await Promise.all(children.map(({ outcome }) => outcome));
    parent.cancel();
    await parent.outcome;
    const answered = server.served.requests.filter(({ done }) => done === true).length;
    expect(new Set(outcomes.map(({ verdict }) => verdict.class))).toEqual(new Set(['cost_limit']));
    expect({ answered, tokens: outcomes.reduce((sum, { metrics }) => sum + (metrics.tokens_used ?? 0), 0) }).toEqual({
      answered: 8,
      tokens: 7 * 2000 + 21_000,
    });
    expect(outcomes.map(({ metrics }) => metrics.cost_is)).toEqual([undefined, undefined, undefined, undefined]);
  },
);

describe('a budget of the ledger', () => {
  const within = async (
    work: (place: { kind: 'sqlite'; path: string }, store: RunStore) => Promise<void>,
  ): Promise<void> => {
    const place = { kind: 'sqlite', path: join(folder(), 'ledger.db') } as const;
    const store = await openStore(place);
    await work(place, store).finally(() => store.close());
  };
  const asked = (cwd: string, more: Requested = {}) =>
    specOf({ prompt: 'x', model: 'replay/none', budget: 'team-a', ...more }, { cwd, passEnv: [] });

  it('holds for runs that know nothing of each other: beyond it by one model call of each, and the next one does not start', () =>
    within(async (place, store) => {
      await store.budgets.set({ name: 'team-a', usd: 0.3, per: 'day' });
      const cwd = folder();
      const options = { env: {}, loadAgent: () => Promise.resolve(spender), ledger: { place, keepsTape: false } };
      const outcomes = await Promise.all(Array.from({ length: 6 }, () => start(asked(cwd), options).outcome));
      expect(new Set(outcomes.map(({ verdict }) => verdict.class))).toEqual(new Set(['cost_limit']));
      const [state] = await store.budgets.list();
      expect(state).toMatchObject({ runs: 6, running: 0, reserved: { usd: 0 }, unpriced: 0 });
      expect(state?.spent.usd).toBeCloseTo(
        outcomes.reduce((sum, { metrics }) => sum + (metrics.cost ?? 0), 0),
        9,
      );
      // Asking takes a moment, in which an agent that takes a call every 2 ms takes some more.
      expect(state?.spent.usd).toBeGreaterThanOrEqual(0.3 - 0.06);
      let started = false;
      const agent: RunAgent = async () => void (started = true);
      const late = await start(asked(cwd), { ...options, loadAgent: () => Promise.resolve(agent) }).outcome;
      expect(late).toMatchObject({
        verdict: { class: 'cost_limit', exit_code: 5 },
        limits_hit: [{ limit: 'cost', maximum: 0.3 }],
      });
      expect(late.verdict.evidence.map(({ detail }) => detail).join()).toContain(
        'the budget "team-a" of $0.3 a day was reached',
      );
      expect(started).toBe(false);
      expect((await store.list({ labels: { budget: 'team-a' } }, { limit: 9 })).runs).toHaveLength(7);
    }));

  it.each([
    ['unknown', 'team-b', 'config', 'no budget "team-b" in '],
    ['without a ledger', 'team-a', 'input', 'the budget "team-a" is kept in a ledger, and this run has none'],
  ])('%s: the run says so, and nothing starts', (title, budget, verdict, message) =>
    within(async (place) => {
      const agent: RunAgent = () => Promise.reject(new Error('it was started'));
      const options = { env: {}, loadAgent: () => Promise.resolve(agent), ledger: { place, keepsTape: false } };
      const outcome = await start(
        asked(folder(), { budget }),
        title === 'unknown' ? options : { ...options, ledger: undefined },
      ).outcome;
      expect(outcome.verdict.class).toBe(verdict);
      expect(outcome.error_details?.message).toContain(message);
    }),
  );

  it('cannot be another one below a run', () =>
    within(async (place, store) => {
      await store.budgets.set({ name: 'team-a', usd: 1, per: 'day' });
      const options = { env: {}, loadAgent: () => Promise.resolve(spender), ledger: { place, keepsTape: false } };
      const parent = start(asked(folder()), options);
      expect(() => start(asked(folder(), { budget: 'team-b' }), { ...options, parent })).toThrow(
        'takes from the budget of that run',
      );
      parent.cancel();
      await parent.outcome;
    }));
});
