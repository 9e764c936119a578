import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Limits } from '../../src/contract/spec.ts';
import { Budget } from '../../src/run/budget.ts';
import { type NextRequest, Reservations, type Used } from '../../src/run/reservations.ts';
import { SharedBudget } from '../../src/run/shared-budget.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { folder } from '../cli/run/scripted.ts';

/** A dollar for a thousand tokens. */
const price = (_model: string | undefined, { input = 0, output = 0 }): number => (input + output) / 1000;

const request = (number: number, more: Partial<NextRequest> = {}): NextRequest => ({
  number,
  model: 'a-model',
  mostInput: () => 100,
  mostOutput: 100,
  kind: 'work',
  ...more,
});

const used = (input: number, output: number, more: Partial<Used> = {}): Used => ({
  isServed: true,
  isFinal: true,
  model: 'a-model',
  tokens: { input, output },
  ...more,
});

/** Of an agent that waits for each answer. */
class Asker extends Reservations {
  override reserve(next: NextRequest, gone = new AbortController().signal): ReturnType<Reservations['reserve']> {
    return super.reserve(next, gone);
  }
}

function open(limits: Limits, budget = new Budget(limits)): Asker {
  return new Asker({
    limits,
    account: budget.open(() => {}),
    spent: () => ({ tokens: 0, cost: undefined }),
    price: () => price,
    signal: new AbortController().signal,
  });
}

const limitOf = (cause: Awaited<ReturnType<Reservations['reserve']>>): string | undefined =>
  cause?.kind === 'limit' ? cause.limit.limit : cause?.kind;

describe('what a request may use', () => {
  it.each<[string, Limits, Partial<NextRequest>, string | undefined]>([
    ['fits exactly', { max_cost_usd: 0.2 }, {}, undefined],
    ['is too dear', { max_cost_usd: 0.199 }, {}, 'cost'],
    ['has too many tokens', { max_tokens: 199 }, {}, 'tokens'],
    ['names a limit beyond all measure', { max_tokens: 1e6 }, { mostOutput: 1e15 }, 'tokens'],
    ['names no limit, and nothing is known of its model', { max_tokens: 1000 }, { mostOutput: undefined }, undefined],
    ['names no limit, and is too long', { max_tokens: 99 }, { mostOutput: undefined }, 'tokens'],
    [
      'names no limit, and its model might answer all that is left',
      { max_tokens: 1e6 },
      { model: 'gpt-5', mostOutput: undefined },
      undefined,
    ],
    ['is a title, which costs as well', { max_tokens: 199, max_turns: 1 }, { kind: 'side' }, 'tokens'],
    ['has no limit to heed', {}, { mostOutput: 1e15 }, undefined],
  ])('%s', async (_name, limits, more, expected) => {
    expect(limitOf(await open(limits).reserve(request(1, more)))).toBe(expected);
  });

  it('is not known without a price', async () => {
    const limits = { max_cost_usd: 1 };
    const reservations = new Asker({
      limits,
      account: new Budget(limits).open(() => {}),
      spent: () => ({ tokens: 0, cost: undefined }),
      price: () => () => undefined,
      signal: new AbortController().signal,
    });
    expect(await reservations.reserve(request(1))).toMatchObject({ kind: 'refused', code: 'config' });
  });
});

describe('a request', () => {
  it('waits for those on their way, and goes out where they leave room', async () => {
    const reservations = open({ max_tokens: 300 });
    expect(await reservations.reserve(request(1))).toBeUndefined();
    const second = reservations.reserve(request(2));
    reservations.settle(1, used(50, 50));
    expect(await second).toBeUndefined();
    reservations.settle(2, used(50, 50));
    expect(limitOf(await reservations.reserve(request(3)))).toBe('tokens');
  });

  it.each<[string, Partial<Used>, string | undefined]>([
    ['was cut off keeps all that it may have used', { isFinal: false, tokens: {} }, 'tokens'],
    ['was not served leaves all of it', { isServed: false, tokens: {} }, undefined],
    ['used less leaves the rest', {}, undefined],
  ])('that %s', async (_name, more, expected) => {
    const reservations = open({ max_tokens: 399 });
    await reservations.reserve(request(1));
    reservations.settle(1, used(10, 10, more));
    expect(limitOf(await reservations.reserve(request(2)))).toBe(expected);
  });

  it('is a turn if it was served and is no title', async () => {
    const reservations = open({ max_turns: 2 });
    for (const [number, kind, isServed] of [
      [1, 'unclear', true],
      [2, 'work', false],
      [3, 'work', true],
      [4, 'side', true],
      [5, 'work', true],
    ] as const) {
      expect(await reservations.reserve(request(number, { kind }))).toBeUndefined();
      reservations.settle(number, used(1, 1, { isServed }));
    }
    expect(limitOf(await reservations.reserve(request(6)))).toBe('turns');
    expect(await reservations.reserve(request(7, { kind: 'side' }))).toBeUndefined();
  });

  it('that names no limit goes out alone', async () => {
    const reservations = open({ max_tokens: 100_000 });
    const next = (number: number): NextRequest => request(number, { model: 'gpt-5', mostOutput: undefined });
    expect(await reservations.reserve(next(1))).toBeUndefined();
    const second = reservations.reserve(next(2));
    // It costs more than anybody could know, and what the second one may take is known from it.
    reservations.settle(1, used(100, 60_000));
    expect(limitOf(await second)).toBe('tokens');
  });
});

describe('requests of many runs at once', () => {
  const step = fc.record({ most: fc.integer({ min: 1, max: 300 }), part: fc.nat(100), isCut: fc.boolean() });

  it('never use more than a tree may, if each keeps to the limit that it names', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3000 }),
        fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 50 }),
        async (limit, runs) => {
          const budget = new Budget({ max_tokens: limit });
          let total = 0;
          await Promise.all(
            runs.map(async (steps) => {
              const reservations = open({}, budget);
              for (const [number, { most, part, isCut }] of steps.entries()) {
                const cause = await reservations.reserve(request(number, { mostInput: () => 0, mostOutput: most }));
                if (cause !== undefined) return;
                const real = Math.floor((most * part) / 100);
                total += real;
                reservations.settle(number, used(0, isCut ? 0 : real, { isFinal: !isCut }));
              }
            }),
          );
          expect(total).toBeLessThanOrEqual(limit);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('never use more than a budget of the ledger has, over fifty runs that know nothing of each other', async () => {
    const place = join(folder(), 'ledger.db');
    const store = await openStore({ kind: 'sqlite', path: place });
    await store.budgets.set({ name: 'team', per: 'total', usd: 1 });
    let served = 0;
    const causes = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const budget = new Budget({});
        await budget.share(
          new SharedBudget({
            name: 'team',
            run: `run-${index}`,
            patienceMs: 20_000,
            open: () => openStore({ kind: 'sqlite', path: place }),
          }),
        );
        const reservations = open({}, budget);
        for (let number = 1; ; number += 1) {
          const cause = await reservations.reserve(request(number, { mostInput: () => 5, mostOutput: 5 }));
          if (cause !== undefined) {
            await budget.settle();
            return limitOf(cause);
          }
          served += 1;
          reservations.settle(number, used(5, 5));
        }
      }),
    );
    await store.close();
    expect(new Set(causes)).toEqual(new Set(['cost']));
    // Of a hundred that fit.
    expect(served).toBeLessThanOrEqual(100);
    expect(served).toBeGreaterThan(40);
  });

  it('is waited for once, however many requests wait', async () => {
    const place = join(folder(), 'waiting.db');
    const store = await openStore({ kind: 'sqlite', path: place });
    await store.budgets.set({ name: 'team', per: 'total', tokens: 1000 });
    // What another run holds would be enough.
    await store.budgets.reserve('team', 'another', {
      spent: { usd: 0, tokens: 0 },
      step: { tokens: 900 },
      isWhole: true,
    });
    const asked: number[] = [];
    const shared = new SharedBudget({
      name: 'team',
      run: 'ours',
      patienceMs: 1500,
      open: async () => {
        const own = await openStore({ kind: 'sqlite', path: place });
        const reserve = own.budgets.reserve.bind(own.budgets);
        own.budgets.reserve = (name, run, taking) => {
          asked.push(taking?.step?.tokens ?? 0);
          return reserve(name, run, taking);
        };
        return own;
      },
    });
    await shared.reserve({});
    const sizes = [701, 702, 703, 704];
    const { signal } = new AbortController();
    const causes = await Promise.all(
      sizes.map((tokens) => shared.hold({ usd: 0, tokens }, () => ({ usd: 0, tokens }), signal)),
    );
    await shared.close();
    await store.close();
    expect(causes.map(limitOf)).toEqual(['tokens', 'tokens', 'tokens', 'tokens']);
    for (const size of sizes.slice(1)) expect(asked.filter((each) => each === size).length).toBeLessThanOrEqual(2);
  });

  it('end when a budget of the ledger has nothing for any of them', async () => {
    const place = join(folder(), 'empty.db');
    const store = await openStore({ kind: 'sqlite', path: place });
    await store.budgets.set({ name: 'team', per: 'total', tokens: 150 });
    await store.close();
    const budget = new Budget({});
    await budget.share(
      new SharedBudget({ name: 'team', run: 'ours', open: () => openStore({ kind: 'sqlite', path: place }) }),
    );
    const reservations = open({}, budget);
    const causes = await Promise.all([1, 2, 3].map((number) => reservations.reserve(request(number))));
    await budget.settle();
    expect(causes.map(limitOf)).toEqual(['tokens', 'tokens', 'tokens']);
  });
});
