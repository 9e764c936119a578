/** Files whose sweeps are tried: none, `all`, or a part of them, `3/8`, so that eight parts are all. */
const tried = process.env['RUNWIRE_SWEEP'];

/** Whether the file that is being tried is swept: `npm run test:sweeps` sweeps all of them. */
export let isSweep = tried === 'all';

/** The setup of a file calls this before the file is read: modules are loaded once for all files of a worker. */
export function beginFile(path: string): void {
  isSweep = isSwept(path, tried);
}

/** Which part a file belongs to is told by its name alone, so that a new one does not move the others. */
export function isSwept(path: string, parts: string | undefined): boolean {
  if (parts === undefined || parts === '' || parts === 'all') return parts === 'all';
  const match = /^(\d+)\/(\d+)$/.exec(parts);
  const [part, count] = [Number(match?.[1]), Number(match?.[2])];
  if (!(part >= 0 && part < count)) throw new Error(`RUNWIRE_SWEEP is "all" or a part such as 3/8, not ${parts}`);
  return Array.from(path).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7) % count === part;
}

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
