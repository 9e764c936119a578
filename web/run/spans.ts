import type { Row, RunModel } from '../model/run-model.ts';

/** A row of the timeline. */
export interface Span {
  kind: 'turn' | 'tool' | 'wait' | 'mark';
  label: string;
  about: string;
  from: number;
  to: number;
  /** Of the event to open. */
  seq: number;
  tone: Row['tone'];
  isOpen: boolean;
  isNested: boolean;
}

/** How long tools worked, alone or together; what is left is the model. */
export function shares(model: RunModel): { total?: number; tools: number; retries: number } {
  const { firstAt, lastAt } = model;
  if (firstAt === undefined || lastAt === undefined || lastAt === firstAt) return { tools: 0, retries: 0 };
  const tools = covered(
    model.rows.filter(({ tool, isNested }) => tool !== undefined && !isNested).map((row) => [row.at, row.endAt ?? lastAt]),
  );
  const retries = covered(
    model.rows.filter(({ label, kind }) => kind === 'notice' && label.includes('after')).map((row) => [row.at, row.endAt]),
  );
  const total = lastAt - firstAt;
  return { total, tools: Math.min(total, tools), retries: Math.min(total - Math.min(total, tools), retries) };
}

function covered(parts: readonly (readonly [from: number | undefined, to: number | undefined])[]): number {
  const known = parts
    .flatMap(([from, to]): [number, number][] => (from === undefined || to === undefined ? [] : [[from, Math.max(from, to)]]))
    .toSorted((a, b) => a[0] - b[0]);
  let sum = 0;
  let end = Number.NEGATIVE_INFINITY;
  for (const [from, to] of known) {
    sum += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return sum;
}

/** The waterfall: turns, what was done in them, and the gaps in which only the model can have worked, with what it said in them. */
export function spansOf(model: RunModel): Span[] {
  const { firstAt, lastAt, rows } = model;
  if (firstAt === undefined || lastAt === undefined) return [];
  const leastWait = Math.max(20, (lastAt - firstAt) / 200);
  const spans: Span[] = [];
  let busyUntil = firstAt;
  let words: Row | undefined;
  let turns = 0;
  function modelUntil(at: number, seq: number): void {
    if (at - busyUntil > leastWait || words?.kind === 'text')
      spans.push({
        kind: 'wait',
        label: 'Model',
        about: words?.text.slice(0, 200) ?? '',
        from: busyUntil,
        to: Math.max(at, busyUntil),
        seq: words?.seq ?? seq,
        tone: 'info',
        isOpen: words?.isOpen ?? false,
        isNested: false,
      });
    words = undefined;
    busyUntil = Math.max(busyUntil, at);
  }
  for (const row of rows) {
    const from = row.at ?? busyUntil;
    if (row.kind === 'text' || row.kind === 'reasoning') {
      if (row.isNested) continue;
      words = words?.kind === 'text' && row.kind === 'reasoning' ? words : row;
    } else if (row.kind === 'turn') {
      modelUntil(from, row.seq);
      const turn = model.turns[turns];
      turns += 1;
      spans.push(span('turn', row, from, Math.max(from, turn?.endAt ?? model.turns[turns]?.at ?? lastAt)));
    } else if (row.kind === 'tool' || row.kind === 'end' || row.tone === 'bad' || (row.tone === 'warn' && row.kind !== 'log')) {
      if (row.kind !== 'tool' || !row.isNested) modelUntil(from, row.seq);
      const to = Math.max(from, row.endAt ?? (row.isOpen ? lastAt : from));
      spans.push(span(row.kind === 'tool' ? 'tool' : 'mark', row, from, to));
      if (!row.isNested) busyUntil = Math.max(busyUntil, to);
    }
  }
  modelUntil(lastAt, rows.at(-1)?.seq ?? 0);
  return spans;
}

function span(kind: Span['kind'], row: Row, from: number, to: number): Span {
  return {
    kind,
    label: row.label,
    about: row.tool?.about ?? row.text.slice(0, 200),
    from,
    to,
    seq: row.seq,
    tone: row.tone,
    isOpen: row.isOpen,
    isNested: row.isNested,
  };
}
