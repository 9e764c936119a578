import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RequestPace } from '../../src/run/request-pace.ts';

const minute = 60_000;

/** A clock that only waiting moves. */
function clock() {
  let time = 0;
  const waits: { at: number; wake: (whole: boolean) => void }[] = [];
  return {
    now: () => time,
    wait: (ms: number, signal: AbortSignal): Promise<boolean> =>
      new Promise((resolve) => {
        waits.push({ at: time + ms, wake: resolve });
        signal.addEventListener('abort', () => resolve(false));
      }),
    async goOn(ms: number): Promise<void> {
      time += ms;
      for (let each = 0; each < 20; each += 1) await Promise.resolve();
      for (const { at, wake } of waits.splice(0)) {
        if (at <= time) wake(true);
        else waits.push({ at, wake });
      }
      for (let each = 0; each < 20; each += 1) await Promise.resolve();
    },
  };
}

it('no minute has more requests than that, and all of them go out in their order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 20 }),
      async (most, gaps) => {
        const time = clock();
        const pace = new RequestPace(most, time);
        const out: { number: number; at: number }[] = [];
        for (const [number, gap] of gaps.entries()) {
          await time.goOn(gap);
          void pace.turn(new AbortController().signal).then(() => out.push({ number, at: time.now() }));
        }
        for (let each = 0; each < (gaps.length + 1) * 61; each += 1) await time.goOn(1000);
        expect(out.map(({ number }) => number)).toEqual(gaps.map((_, number) => number));
        for (const [index, { at }] of out.entries())
          expect(at - (out[index - most]?.at ?? -minute)).toBeGreaterThanOrEqual(minute);
      },
    ),
    { numRuns: 20 },
  );
});

it('who leaves takes no turn', async () => {
  const time = clock();
  const pace = new RequestPace(1, time);
  const gone = new AbortController();
  expect(await pace.turn(new AbortController().signal)).toBe(false);
  const [left, next] = [pace.turn(gone.signal), pace.turn(new AbortController().signal)];
  await time.goOn(0);
  gone.abort();
  expect(await left).toBe(true);
  await time.goOn(minute);
  expect(await next).toBe(true);
});
