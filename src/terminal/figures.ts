/** `0.8 s`, `1 min 5 s`, `2 h 3 min`. */
export function seconds(ms: number): string {
  const whole = Math.floor(ms / 1000);
  if (whole < 60) return `${(ms / 1000).toFixed(1)} s`;
  return minutes(whole);
}

/** The same without tenths, which would flicker in a figure that counts. */
export function wholeSeconds(ms: number): string {
  const whole = Math.floor(ms / 1000);
  return whole < 60 ? `${whole} s` : minutes(whole);
}

function minutes(whole: number): string {
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function tokens(input: number | undefined, output: number | undefined): string | undefined {
  const number = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
  if (input === undefined && output === undefined) return undefined;
  return [input === undefined ? undefined : `${number(input)} in`, output === undefined ? undefined : `${number(output)} out`]
    .filter((part) => part !== undefined)
    .join(' ');
}

export function dollars(cost: number | undefined): string | undefined {
  return cost === undefined ? undefined : `$${cost.toFixed(cost < 1 ? 4 : 2)}`;
}

export function counted(count: number, noun: string): string | undefined {
  return count === 0 ? undefined : `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export interface Change {
  additions?: number | undefined;
  deletions?: number | undefined;
}

export function changed({ additions, deletions }: Change): string | undefined {
  return additions === undefined && deletions === undefined ? undefined : `+${additions ?? 0} -${deletions ?? 0}`;
}

/** One more change of the same file; what nobody told stays unknown. */
export function addChange(known: Change | undefined, { additions, deletions }: Change): Change {
  const sum = (a: number | undefined, b: number | undefined): number | undefined =>
    a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
  // A total that leaves out one of its parts would be wrong.
  if (known !== undefined && changed(known) === undefined) return known;
  if (additions === undefined && deletions === undefined) return {};
  return { additions: sum(known?.additions, additions), deletions: sum(known?.deletions, deletions) };
}
