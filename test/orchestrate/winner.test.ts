import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import type { Branch } from '../../src/orchestrate/crew.ts';
import type { Verification } from '../../src/orchestrate/verifier.ts';
import { type Entry, winnerOf } from '../../src/orchestrate/race.ts';

interface Done {
  status?: 'success' | 'error';
  verified?: Verification['result'];
  cost?: number;
  lines?: number;
  files?: string[];
  durationMs?: number;
  finished?: number;
  deleted?: string[];
  touched?: string[];
  ownProof?: string[];
  /** A claim of its answer that the facts contradict. */
  contradicted?: boolean;
}

function entry(
  place: number,
  {
    status = 'success',
    verified = 'passed',
    cost,
    lines = 1,
    files = ['a'],
    durationMs = 1,
    finished = place + 1,
    deleted = [],
    touched = [],
    ownProof = [],
    contradicted = false,
  }: Done,
): Entry {
  const branch: Branch = {
    id: String(place),
    parentId: 'main',
    base: 'a',
    commit: 'b',
    outcome: {
      status,
      metrics: { cost },
      claims: contradicted ? [{ quote: 'All tests pass', verdict: 'contradicted', evidence: [] }] : undefined,
      verdict: { class: status === 'success' ? 'success' : 'provider' },
    } as unknown as RunOutcome,
    changes: { changes: files.map((path) => ({ path, operation: 'modified' })), additions: lines, deletions: 0 },
    facts: { tests_changed: [], tests_deleted: deleted, protected_touched: touched, verify_touched: ownProof },
    verification: { result: verified } as Verification,
  };
  return { branch, place, durationMs, finished };
}

const winner = (best: Parameters<typeof winnerOf>[1], ...all: Done[]) => {
  const won = winnerOf(
    all.map((done, place) => entry(place, done)),
    best,
    true,
  );
  return won === undefined ? undefined : { place: won.entry.place, tied: won.tied.map(({ place }) => place) };
};

describe('the winner', () => {
  it('is the best by the rule that was asked for', () => {
    const all: Done[] = [
      { cost: 3, lines: 5, durationMs: 10, finished: 2 },
      { cost: 1, lines: 9, durationMs: 30, finished: 3 },
      { cost: 2, lines: 7, durationMs: 20, finished: 1 },
    ];
    expect(
      [winner('first', ...all), winner('cheapest', ...all), winner('smallest', ...all), winner('fastest', ...all)].map(
        (won) => won?.place,
      ),
    ).toEqual([2, 1, 0, 0]);
  });

  it('is the first given of those that are as good, and says so', () => {
    expect(winner('cheapest', { cost: 2 }, { cost: 1 }, { cost: 1 })).toEqual({ place: 1, tied: [2] });
  });

  it('is never one whose cost nobody knows while another is known', () => {
    expect(winner('cheapest', {}, { cost: 100 })).toEqual({ place: 1, tied: [] });
  });

  it('passed rather than flaky, and flaky rather than none', () => {
    expect(winner('cheapest', { cost: 1, verified: 'flaky' }, { cost: 9 })?.place).toBe(1);
    expect(winner('cheapest', { cost: 1, verified: 'flaky' }, { verified: 'failed' })?.place).toBe(0);
  });

  it('left the command alone that proves it, while there is one that did', () => {
    const all: Done[] = [
      { cost: 1, ownProof: ['package.json'] },
      { cost: 9, verified: 'flaky' },
    ];
    expect(winner('cheapest', ...all)?.place).toBe(1);
    expect(winner('first', ...all.slice(0, 1))?.place).toBe(0);
  });

  it('changed something, while there is one that did', () => {
    for (const best of ['first', 'smallest'] as const)
      expect(winner(best, { lines: 0, files: [] }, { lines: 9 })?.place).toBe(1);
    expect(winner('smallest', { lines: 0, files: [] }, { verified: 'failed' })?.place).toBe(0);
  });

  it.each<[string, Done]>([
    ['failed', { status: 'error' }],
    ['does not pass', { verified: 'failed' }],
    ['fails as the base does', { verified: 'base_red' }],
    ['deleted a test', { deleted: ['test/a.test.js'] }],
    ['touched a protected file', { touched: ['package.json'] }],
  ])('is never one that %s', (_what, done) => {
    expect(winner('first', done)).toBeUndefined();
    expect(winner('first', done, {})?.place).toBe(1);
  });

  it.each(['first', 'cheapest', 'smallest', 'fastest'] as const)(
    'a claim that the facts contradict loses to none of them, all else equal, with --best %s',
    (best) => {
      const liar: Done = { contradicted: true, cost: 1, lines: 1, durationMs: 1, finished: 1 };
      const honest: Done = { cost: 2, lines: 2, durationMs: 2, finished: 2 };
      expect(winner(best, liar, honest)).toEqual({ place: 1, tied: [] });
      expect(winner(best, liar, { ...honest, status: 'error' })).toEqual({ place: 0, tied: [] });
      expect(winner(best, liar, { ...honest, verified: 'flaky' })).toEqual({ place: 0, tied: [] });
    },
  );
});
