/** Whether this is `npm run test:sweeps`. */
export const isSweep = process.env['RUNWIRE_SWEEP'] === 'all';

/** Of a list whose members are much alike `npm test` tries the first of every so many; `npm run test:sweeps` tries all. */
export function some<Item>(list: readonly Item[], every = 2): Item[] {
  return list.filter((_, index) => isSweep || index % every === 0);
}

/**
 * Two lists tried with each other. `npm test` deals the shorter list out over the longer, so that each of both has its turn;
 * `npm run test:sweeps` tries every pair.
 */
export function sweep<First, Second>(first: readonly First[], second: readonly Second[]): [First, Second][] {
  const pairs = first.flatMap((one, row) =>
    second.map((other, column) => ({ pair: [one, other] satisfies [First, Second], row, column })),
  );
  const inTurn = (row: number, column: number): boolean =>
    first.length < second.length ? column % first.length === row : row % second.length === column;
  return pairs.filter(({ row, column }) => isSweep || inTurn(row, column)).map(({ pair }) => pair);
}
