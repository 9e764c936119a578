import type { RunModel } from '../model/run-model.ts';

/** A line of the timeline. Its text comes from its row. */
export interface Span {
  kind: 'turn' | 'tool' | 'wait' | 'mark';
  /** −1: it has no text. */
  row: number;
  from: number;
  to: number;
}

/** When the agent began to work, after what came before its first turn. */
export function beganAt({ firstAt = 0, rows }: RunModel): number {
  for (let index = 0; index < rows.length; index += 1) {
    const kind = rows.kind(index);
    const at = rows.at(index);
    if (kind === 'turn') {
      // A turn that is told with its first words began earlier: that was the model.
      const next = index + 1 < rows.length ? rows.at(index + 1) : undefined;
      return at === undefined || at === next ? firstAt : at;
    }
    if (kind === 'text' || kind === 'reasoning' || kind === 'tool') return firstAt;
  }
  return firstAt;
}

/** When it had finished; after that, its work is kept. */
export function finishedAt({ lastAt = 0, rows }: RunModel): number {
  let at = lastAt;
  for (let index = rows.length - 1; index >= 0 && rows.kind(index) === 'end'; index -= 1) at = rows.at(index) ?? at;
  return at;
}

interface Shares {
  total?: number;
  tools: number;
  retries: number;
  leftOut: number;
  /** Before the first turn, and after the last. */
  around: number;
}

/** How long tools worked, alone or in parallel; what is left is the model's. */
export function shares(model: RunModel): Shares {
  const { firstAt, lastAt, rows } = model;
  if (firstAt === undefined || lastAt === undefined || lastAt === firstAt)
    return { tools: 0, retries: 0, leftOut: 0, around: 0 };
  const tools = new Covered();
  const retries = new Covered();
  const leftOut = new Covered();
  for (let index = 0; index < rows.length; index += 1) {
    const from = rows.at(index);
    if (from === undefined) continue;
    if (rows.kind(index) === 'tool' && !rows.isNested(index)) tools.add(from, rows.endAt(index) ?? lastAt);
    else if (rows.isPause(index)) retries.add(from, rows.endAt(index) ?? from);
    else if (rows.kind(index) === 'gap') leftOut.add(from, rows.endAt(index) ?? from);
  }
  const total = lastAt - firstAt;
  const used = Math.min(total, tools.sum);
  const waited = Math.min(total - used, retries.sum);
  const omitted = Math.min(total - used - waited, leftOut.sum);
  const around = Math.max(0, beganAt(model) - firstAt) + Math.max(0, lastAt - finishedAt(model));
  return {
    total,
    tools: used,
    retries: waited,
    leftOut: omitted,
    around: Math.min(total - used - waited - omitted, around),
  };
}

/** The total length covered by stretches that are added in order of their start; overlaps count once. */
class Covered {
  sum = 0;
  #end = Number.NEGATIVE_INFINITY;

  add(from: number, to: number): void {
    this.sum += Math.max(0, to - Math.max(from, this.#end));
    this.#end = Math.max(this.#end, to);
  }
}

/** The waterfall: turns, what was done in them, and the gaps in which only the model can have worked, with its words. */
export function spansOf(model: RunModel): Span[] {
  const { firstAt, lastAt, rows } = model;
  if (firstAt === undefined || lastAt === undefined) return [];
  const leastWait = Math.max(20, (lastAt - firstAt) / 200);
  const spans: Span[] = [];
  let busyUntil = beganAt(model);
  const finished = finishedAt(model);
  let words = -1;
  let turn: Span | undefined;
  function modelUntil(moment: number): void {
    const at = Math.min(moment, Math.max(finished, busyUntil));
    if (at - busyUntil > leastWait || (words >= 0 && rows.kind(words) === 'text'))
      spans.push({ kind: 'wait', row: words, from: busyUntil, to: Math.max(at, busyUntil) });
    words = -1;
    busyUntil = Math.max(busyUntil, at);
  }
  for (let index = 0; index < rows.length; index += 1) {
    const from = rows.at(index) ?? busyUntil;
    const kind = rows.kind(index);
    const tone = rows.tone(index);
    if (kind === 'text' || kind === 'reasoning') {
      if (!rows.isNested(index) && !(words >= 0 && rows.kind(words) === 'text' && kind === 'reasoning')) words = index;
    } else if (kind === 'turn') {
      modelUntil(from);
      if (turn !== undefined) turn.to = Math.min(turn.to, Math.max(turn.from, from));
      turn = { kind: 'turn', row: index, from, to: Math.max(from, rows.endAt(index) ?? lastAt) };
      spans.push(turn);
    } else if (kind === 'tool' || kind === 'end' || tone === 'bad' || (tone === 'warn' && kind !== 'log')) {
      const isNested = kind === 'tool' && rows.isNested(index);
      if (!isNested) modelUntil(from);
      const to = Math.max(from, rows.endAt(index) ?? (rows.isOpen(index) ? lastAt : from));
      spans.push({ kind: kind === 'tool' ? 'tool' : 'mark', row: index, from, to });
      if (!isNested) busyUntil = Math.max(busyUntil, to);
    }
  }
  modelUntil(lastAt);
  return model.requests.length === 0 ? spans : withRequests(spans, model.requests);
}

/** Where requests were seen, their own times take the place of the gaps; the words are those of the gap that they fill. */
function withRequests(spans: readonly Span[], requests: RunModel['requests']): Span[] {
  const gaps = spans.filter(({ kind }) => kind === 'wait');
  let at = 0;
  const waits = requests.map(({ from, to }): Span => {
    while (at < gaps.length && (gaps[at]?.to ?? 0) < from) at += 1;
    const gap = gaps[at];
    return { kind: 'wait', row: gap !== undefined && gap.from <= to ? gap.row : -1, from, to };
  });
  return [...spans.filter(({ kind }) => kind !== 'wait'), ...waits].toSorted((a, b) => a.from - b.from);
}

/** A stretch of time that is drawn short. */
export interface Gap {
  from: number;
  to: number;
}

const idleShare = 0.04;
const leastIdleMs = 3000;

/** Long stretches in which nothing starts or ends and no tool works: a wait for the model, a pause. */
export function idleParts(spans: readonly Span[], [start, end]: readonly [number, number]): Gap[] {
  const least = Math.max(leastIdleMs, (end - start) * idleShare);
  const moments = new Set<number>([start, end]);
  for (const { kind, from, to } of spans)
    if (kind !== 'turn') {
      moments.add(from);
      moments.add(to);
    }
  const sorted = [...moments].toSorted((a, b) => a - b);
  const tools = spans.filter(({ kind }) => kind === 'tool').toSorted((a, b) => a.from - b.from);
  let at = 0;
  let busyUntil = Number.NEGATIVE_INFINITY;
  return sorted.flatMap((from, index) => {
    const to = sorted[index + 1];
    for (; (tools[at]?.from ?? Number.POSITIVE_INFINITY) <= from; at += 1)
      busyUntil = Math.max(busyUntil, tools[at]?.to ?? busyUntil);
    return to === undefined || to - from < least || busyUntil >= to ? [] : [{ from, to }];
  });
}

/** Maps times to positions on the axis, with idle stretches drawn short. */
export class Scale {
  readonly #gaps: readonly Gap[];
  readonly #short: number;

  constructor(gaps: readonly Gap[], [start, end]: readonly [number, number]) {
    this.#gaps = gaps;
    const idle = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
    // All of them together take a fifth of the room of the rest.
    this.#short = gaps.length === 0 ? 0 : Math.max(1, (end - start - idle) / 5 / gaps.length);
  }

  /** The position of a moment on the axis, in drawn milliseconds. */
  place(at: number): number {
    let cut = 0;
    for (const { from, to } of this.#gaps) {
      if (at <= from) break;
      const share = Math.min(1, (at - from) / (to - from));
      cut += share * Math.max(0, to - from - this.#short);
    }
    return at - cut;
  }

  /** The moment at a position on the axis. */
  moment(place: number): number {
    let cut = 0;
    for (const { from, to } of this.#gaps) {
      const short = Math.min(this.#short, to - from);
      const begin = from - cut;
      if (place <= begin) break;
      if (place < begin + short) return from + ((place - begin) / short) * (to - from);
      cut += to - from - short;
    }
    return place + cut;
  }
}
