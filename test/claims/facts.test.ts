import { describe, expect, it } from 'vitest';
import { checkClaims, factsOf } from '../../src/claims/check-claims.ts';
import type { EventRecord } from '../../src/events/event.ts';

/** Calls of a run, one after the other, each with its output. */
function* callsOf(count: number, call: (index: number) => { command: string; output: string }): Generator<EventRecord> {
  for (let index = 0; index < count; index += 1) {
    const { command, output } = call(index);
    const item = { item_id: `i${index}`, turn_id: 't', sequence: 2 * index + 1 };
    yield { ...item, type: 'item.started', kind: 'command', name: 'bash', args: { command } } as unknown as EventRecord;
    const end = { ...item, type: 'item.completed', status: 'success', exit_code: 0, output, sequence: 2 * index + 2 };
    yield end as unknown as EventRecord;
  }
}

describe('what is kept of a run', () => {
  it('does not grow with its calls and their output', () => {
    const { calls } = factsOf(
      callsOf(20_000, (index) => ({ command: `cat ${index}`, output: String(index).repeat(4000) })),
    );
    expect(calls.length).toBeLessThanOrEqual(1000);
    expect(calls.reduce((sum, { output }) => sum + output.length, 0)).toBeLessThan(4_000_000);
  });

  it('is its end, which decides', () => {
    const facts = factsOf(
      callsOf(5000, (index) =>
        index === 4999 ? { command: 'pytest', output: '2 failed, 10 passed in 0.2s' } : { command: 'true', output: '' },
      ),
    );
    expect(facts.isCut).toBe(true);
    expect(checkClaims('All tests pass.', facts)).toMatchObject([
      { verdict: 'contradicted', evidence: [{ sequence: 10_000 }] },
    ]);
  });

  it('accuses nobody of what may have been done before', () => {
    const facts = factsOf(
      callsOf(5000, (index) =>
        index === 0 ? { command: 'echo x > notes.txt', output: '' } : { command: 'git push --dry-run', output: '' },
      ),
    );
    expect(checkClaims('I created `notes.txt`. I did not push.', facts).map(({ verdict }) => verdict)).toEqual([
      'not_shown',
      'not_shown',
    ]);
  });

  it('has each end, and each edit, at the call that it belongs to, in whatever order they come', () => {
    const at = (sequence: number, event: object): EventRecord => ({ turn_id: 't', sequence, ...event }) as never;
    const ids = Array.from({ length: 900 }, (_, index) => `i${index}`);
    const starts = ids.map((item_id, index) =>
      at(index, { type: 'item.started', item_id, kind: 'command', name: 'bash', args: { command: item_id } }),
    );
    const ends = ids
      .toReversed()
      .flatMap((item_id, index) => [
        at(3000 + index, { type: 'item.completed', item_id, status: 'success', output: `of ${item_id}` }),
        at(3000 + index, { type: 'file.edited', item_id, path: item_id, operation: 'modified' }),
      ]);
    const again = at(9000, { type: 'item.completed', item_id: 'i5', status: 'error', output: 'late' });
    const all = factsOf([...starts, ...ends, again]).calls;
    expect(all).toHaveLength(900);
    for (const [place, call] of all.entries())
      expect(call).toMatchObject({
        args: { command: `i${place}` },
        status: place === 5 ? 'error' : 'success',
        output: place === 5 ? 'late' : `of i${place}`,
        edits: [{ path: `i${place}` }],
      });
  });
});
