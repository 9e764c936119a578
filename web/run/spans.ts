import type { RunModel } from '../model/run-model.ts';

/** A line of the timeline. Its text comes from its row. */
export interface Span {
  kind: 'turn' | 'tool' | 'wait' | 'mark';
  /** −1: it has no text. */
  row: number;
  from: number;
  to: number;
}

/** How long tools worked, alone or in parallel; the rest of the time is the model's. */
export function shares(model: RunModel): { total?: number; tools: number; retries: number; leftOut: number } {
  const { firstAt, lastAt, rows } = model;
  if (firstAt === undefined || lastAt === undefined || lastAt === firstAt) return { tools: 0, retries: 0, leftOut: 0 };
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
  return { total, tools: used, retries: waited, leftOut: Math.min(total - used - waited, leftOut.sum) };
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
  let busyUntil = firstAt;
  let words = -1;
  let turn: Span | undefined;
  function modelUntil(at: number): void {
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

/** Long stretches in which nothing starts or ends: a wait for the model, a slow command, a pause. */
export function idleParts(spans: readonly Span[], [start, end]: readonly [number, number]): Gap[] {
  const least = Math.max(leastIdleMs, (end - start) * idleShare);
  const moments = new Set<number>([start, end]);
  for (const { kind, from, to } of spans)
    if (kind !== 'turn') {
      moments.add(from);
      moments.add(to);
    }
  const sorted = [...moments].toSorted((a, b) => a - b);
  return sorted.flatMap((from, index) => {
    const to = sorted[index + 1];
    return to === undefined || to - from < least ? [] : [{ from, to }];
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
