import type { Row, RunModel } from '../model/run-model.ts';

/** A row of the timeline. */
export interface Span {
  kind: 'turn' | 'tool' | 'wait' | 'text' | 'mark';
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

/** The waterfall: turns, what was done in them, and the gaps in which only the model can have worked. */
export function spansOf(model: RunModel): Span[] {
  const { firstAt, lastAt, rows } = model;
  if (firstAt === undefined || lastAt === undefined) return [];
  const leastWait = Math.max(50, (lastAt - firstAt) / 200);
  const spans: Span[] = [];
  let busyUntil = firstAt;
  let turnIndex = 0;
  for (const row of rows) {
    const from = row.at ?? busyUntil;
    if (row.kind === 'turn') {
      const turn = model.turns[turnIndex];
      const next = model.turns[turnIndex + 1];
      turnIndex += 1;
      const to = turn?.endAt ?? next?.at ?? lastAt;
      spans.push(span('turn', row, Math.max(from, busyUntil === firstAt ? firstAt : from), Math.max(from, to)));
      continue;
    }
    if (
      row.kind === 'tool' ||
      row.kind === 'text' ||
      row.kind === 'reasoning' ||
      row.tone === 'bad' ||
      row.tone === 'warn' ||
      row.kind === 'end'
    ) {
      const to = Math.max(from, row.endAt ?? (row.isOpen ? lastAt : from));
      if (from - busyUntil > leastWait && row.kind !== 'end')
        spans.push({
          kind: 'wait',
          label: 'Model',
          about: '',
          from: busyUntil,
          to: from,
          seq: row.seq,
          tone: 'info',
          isOpen: false,
          isNested: false,
        });
      spans.push(span(row.kind === 'tool' ? 'tool' : row.kind === 'text' || row.kind === 'reasoning' ? 'text' : 'mark', row, from, to));
      busyUntil = Math.max(busyUntil, to);
    }
  }
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
