const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** `850ms`, `12.4s`, `3m05s`, `2h14m`. */
export function span(ms: number): string {
  if (ms < second) return `${Math.round(ms)}ms`;
  if (ms < minute) return `${(ms / second).toFixed(1)}s`;
  const whole = Math.round(ms / second) * second;
  if (whole < hour) return `${Math.floor(whole / minute)}m${pad((whole % minute) / second)}s`;
  return `${Math.floor(whole / hour)}h${pad(Math.floor((whole % hour) / minute))}m`;
}

/** How long ago, in one unit; what is older than a month by its date. */
export function ago(at: number, now: number): string {
  const past = now - at;
  if (past < 0) return new Date(at).toISOString().slice(0, 10);
  if (past < minute) return `${Math.floor(past / second)}s ago`;
  if (past < hour) return `${Math.floor(past / minute)}m ago`;
  if (past < day) return `${Math.floor(past / hour)}h ago`;
  if (past < 31 * day) return `${Math.floor(past / day)}d ago`;
  return new Date(at).toISOString().slice(0, 10);
}

export function dollars(cost: number): string {
  return `$${cost.toFixed(cost !== 0 && cost < 1 ? 4 : 2)}`;
}

/** `950`, `12.3k`, `4.5M`. */
export function compactCount(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count < 999_950 ? [1000, 'k'] : count < 999_950_000 ? [1e6, 'M'] : [1e9, 'G'];
  return `${(count / size).toFixed(1)}${unit}`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share === 0 || share === 1 ? 0 : 1)}%`;
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const [size, unit] = bytes < 1024 ** 2 ? [1024, 'KiB'] : bytes < 1024 ** 3 ? [1024 ** 2, 'MiB'] : [1024 ** 3, 'GiB'];
  return `${(bytes / size).toFixed(1)} ${unit}`;
}

const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `width` cells at most, to an eighth of a cell; what is not nothing is seen. */
export function bar(share: number, width: number): string {
  const cells = Math.min(Math.max(share, 0), 1) * width;
  const steps = share > 0 ? Math.max(1, Math.round(cells * 8)) : 0;
  return '█'.repeat(Math.floor(steps / 8)) + (eighths[steps % 8] ?? '');
}

function pad(count: number): string {
  return String(Math.floor(count)).padStart(2, '0');
}
