const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** In a sentence: `0.8 s`, `1 min 5 s`, `2 h 3 min`. */
export function seconds(ms: number): string {
  const whole = Math.floor(ms / 1000);
  if (whole < 60) return `${(ms / 1000).toFixed(1)} s`;
  return minutes(whole);
}

/** The same without tenths, which would flicker in a running counter. */
export function wholeSeconds(ms: number): string {
  const whole = Math.floor(ms / 1000);
  return whole < 60 ? `${whole} s` : minutes(whole);
}

function minutes(whole: number): string {
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** In a column: `850ms`, `12.4s`, `3m05s`, `2h14m`. */
export function compactDuration(ms: number): string {
  if (ms < second) return `${Math.round(ms)}ms`;
  if (ms < minute) return `${(ms / second).toFixed(1)}s`;
  const whole = Math.round(ms / second) * second;
  if (whole < hour) return `${Math.floor(whole / minute)}m${pad((whole % minute) / second)}s`;
  return `${Math.floor(whole / hour)}h${pad(Math.floor((whole % hour) / minute))}m`;
}

/** How long ago, in one unit; anything older than a month is shown as a date. */
export function ago(at: number, now: number): string {
  const past = now - at;
  if (past < 0) return dateOf(at);
  if (past < minute) return `${Math.floor(past / second)}s ago`;
  if (past < hour) return `${Math.floor(past / minute)}m ago`;
  if (past < day) return `${Math.floor(past / hour)}h ago`;
  if (past < 31 * day) return `${Math.floor(past / day)}d ago`;
  return dateOf(at);
}

/** A time outside the range of `Date` is shown as `?` instead of throwing. */
function dateOf(at: number): string {
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString().slice(0, 10) : '?';
}

/** In groups of three digits; loading locale data would take longer than a whole short run. */
function grouped(count: number): string {
  const digits = String(Math.round(count));
  const first = digits.length % 3 || 3;
  return [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])].join(',');
}

export function tokens(input: number | undefined, output: number | undefined): string | undefined {
  if (input === undefined && output === undefined) return undefined;
  return [
    input === undefined ? undefined : `${grouped(input)} in`,
    output === undefined ? undefined : `${grouped(output)} out`,
  ]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** In a column: `950`, `12.3k`, `4.5M`. */
export function compactCount(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count < 999_950 ? [1000, 'k'] : count < 999_950_000 ? [1e6, 'M'] : [1e9, 'G'];
  return `${(count / size).toFixed(1)}${unit}`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share === 0 || share === 1 ? 0 : 1)}%`;
}

/** Amounts under a dollar are shown to a hundredth of a cent. */
export function dollars(cost: number): string;
export function dollars(cost: number | undefined): string | undefined;
export function dollars(cost: number | undefined): string | undefined {
  return cost === undefined ? undefined : `$${cost.toFixed(cost !== 0 && cost < 1 ? 4 : 2)}`;
}

interface ToldCost {
  cost?: number | undefined;
  /** The cost is a lower bound. */
  cost_is?: 'at_least' | undefined;
}

/** `$0.2820`, or `at least $0.2820`. */
export function costInWords({ cost, cost_is }: ToldCost & { cost: number }): string;
export function costInWords({ cost, cost_is }: ToldCost): string | undefined;
export function costInWords({ cost, cost_is }: ToldCost): string | undefined {
  return cost === undefined ? undefined : `${cost_is === undefined ? '' : 'at least '}${dollars(cost)}`;
}

/** An amount that the user set, as it was written: `$1`, `$0.5`. */
export function dollarsSet(amount: number): string {
  // A sum of such amounts has floating-point noise.
  return `$${Number(amount < 1 ? amount.toPrecision(6) : amount.toFixed(4))}`;
}

/** `0 runs`, `1 run`, `2 runs`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The same, but undefined for zero. */
export function counted(count: number, noun: string): string | undefined {
  return count === 0 ? undefined : plural(count, noun);
}

export interface Change {
  additions?: number | undefined;
  deletions?: number | undefined;
}

export function changed({ additions, deletions }: Change): string | undefined {
  return additions === undefined && deletions === undefined ? undefined : `+${additions ?? 0} -${deletions ?? 0}`;
}

/** Adds another change of the same file; what was not reported stays unknown. */
export function addChange(known: Change | undefined, { additions, deletions }: Change): Change {
  const sum = (a: number | undefined, b: number | undefined): number | undefined =>
    a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
  // A total that leaves out one of its parts would be wrong.
  if (known !== undefined && changed(known) === undefined) return known;
  if (additions === undefined && deletions === undefined) return {};
  return { additions: sum(known?.additions, additions), deletions: sum(known?.deletions, deletions) };
}

export function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [size, unit] = bytes < 1024 ** 2 ? [1024, 'KiB'] : bytes < 1024 ** 3 ? [1024 ** 2, 'MiB'] : [1024 ** 3, 'GiB'];
  return `${(bytes / size).toFixed(1)} ${unit}`;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of at most `width` cells, to an eighth of a cell; any share above zero is visible. */
export function bar(share: number, width: number): string {
  const cells = Math.min(Math.max(share, 0), 1) * width;
  const steps = share > 0 ? Math.max(1, Math.round(cells * 8)) : 0;
  return '█'.repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? '');
}

function pad(count: number): string {
  return String(Math.floor(count)).padStart(2, '0');
}
