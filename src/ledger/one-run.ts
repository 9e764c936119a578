import { tokenFields } from '../outcome/token-fields.ts';
import { linesOf, objectInLine } from '../agents/stored/lines.ts';
import { identityOf, isAnswer, isHeader } from '../agents/stored/repeated.ts';
import type { ImportedRun, LedgerOutcome, RunStore, RunSummary } from '../stores/run-store.ts';
import { contentLabel } from './run-content.ts';

/** The label of a run that came from a session store: the session may grow, and is then read again. */
export const sessionLabel = 'import.session';
/** The label of a run whose session was also found in a store: that session is the same run, from another source. */
export const alsoLabel = 'import.also';
/** The label of such a run that names the output known to be its own. */
const copyLabel = 'run.copy';
const tapeDialect = 'runwire';
/** The label of a run that was tried again: the session of an attempt before the last one. */
const attemptLabel = (session: string): string => `run.attempt/${session}`;
const attemptWord = 'earlier';

/** The time span of a run, in ms since the epoch. */
export interface Span {
  from: number;
  to: number;
}

/** The agent writes its session a little before or after we see the event. */
const slackMs = 5000;

/** The runs of the same session with better evidence than a session store: seen live, or from what the agent printed. */
export function seenBetter(runs: readonly RunSummary[], agent: string | undefined): RunSummary[] {
  return runs.filter((run) => run.labels[sessionLabel] === undefined && isSameAgent(run.agent, agent));
}

/** Whether each was seen live by its own process: then they are two runs, however alike. */
export function areBothLive(a: { host?: string | undefined }, b: { host?: string | undefined }): boolean {
  return a.host !== undefined && b.host !== undefined;
}

function isSameAgent(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}

/** The span of a run that has not ended is open-ended. */
export function spanOf({
  started_at: from,
  ended_at: to = Infinity,
}: Pick<RunSummary, 'started_at' | 'ended_at'>): Span {
  return { from: from - slackMs, to: to + slackMs };
}

/** From the beginning of the first of these runs to the end of the last. */
export function wholeOf(runs: readonly Pick<RunSummary, 'started_at' | 'ended_at'>[]): Span {
  const spans = runs.map(spanOf);
  return { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
}

export function covers({ from, to }: Span, run: Pick<RunSummary, 'started_at' | 'ended_at'>): boolean {
  return from <= run.started_at && (run.ended_at ?? Infinity) <= to;
}

interface Bill {
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
}

/** What an agent prints may begin long after its session did, when the first answer is there: a session that ends within the span and used the same is all of it. */
export function isAllOf(
  session: Pick<RunSummary, 'started_at' | 'ended_at'> & Bill,
  runs: readonly (Pick<RunSummary, 'started_at' | 'ended_at'> & Bill)[],
): boolean {
  const whole = wholeOf(runs);
  if (covers(whole, session)) return true;
  const { ended_at: end = Infinity, input_tokens: input, output_tokens: output } = session;
  const [run, ...others] = runs;
  const isSameBill = input !== undefined && input === run?.input_tokens && output === run.output_tokens;
  return others.length === 0 && isSameBill && session.started_at < whole.from && whole.from <= end && end <= whole.to;
}

/** The part of a session file outside these spans. Its first line introduces it and stays; a line without a time goes with the one before. */
export async function* outside(spans: readonly Span[], bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isKept = true;
  let isFirst = true;
  for await (const line of linesOf(bytes)) {
    const at = timeOf(objectInLine(line));
    if (at !== undefined) isKept = !isWithin(spans, at);
    if (isFirst || isKept) yield line;
    isFirst = false;
  }
}

/** The answers in a session file from within these spans that are wanted. */
export async function* answersWithin(
  spans: readonly Span[],
  bytes: AsyncIterable<Uint8Array>,
  isWanted: (identity: string) => boolean,
): AsyncGenerator<Uint8Array> {
  for await (const line of linesOf(bytes)) {
    const wire = objectInLine(line);
    const at = timeOf(wire);
    const identity = isAnswer(wire) ? identityOf(wire) : undefined;
    // A line without a time is within a span that has no beginning.
    const isShared = identity !== undefined && isWithin(spans, at ?? -Infinity) && isWanted(identity);
    if (isShared || isHeader(wire)) yield line;
  }
}

function isWithin(spans: readonly Span[], at: number): boolean {
  return spans.some(({ from, to }) => from <= at && at <= to);
}

type Wire = Record<string, unknown>;
const inner = (wire: Wire | undefined, name: string): Wire | undefined => {
  const value = wire?.[name];
  return typeof value === 'object' && value !== null ? (value as Wire) : undefined;
};

/** A session file has the time in every line, OpenCode's store in the message. */
function timeOf(wire: Wire | undefined): number | undefined {
  const timestamp = wire?.['timestamp'] ?? inner(inner(inner(wire, 'properties'), 'info'), 'time')?.['created'];
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : timestamp;
  return typeof at === 'number' && Number.isFinite(at) ? at : undefined;
}

const counts = [...tokenFields, 'cost'] as const;

/** A session with totals reports the cost of all of it, whichever part is read: what the other runs took is subtracted from the rest. */
export function withoutBill<Outcome extends LedgerOutcome>(
  rest: Outcome,
  whole: LedgerOutcome,
  others: readonly RunSummary[],
): Outcome {
  const isTotal = rest.metrics.input_tokens !== undefined && rest.metrics.input_tokens === whole.metrics.input_tokens;
  if (!isTotal) return rest;
  const metrics = { ...rest.metrics };
  for (const name of counts) {
    const value = metrics[name];
    if (value !== undefined)
      metrics[name] = Math.max(0, value - others.reduce((sum, each) => sum + (each[name] ?? 0), 0));
  }
  if (metrics.input_tokens !== undefined) metrics.tokens_used = metrics.input_tokens + (metrics.output_tokens ?? 0);
  return { ...rest, metrics };
}

/** The runs with this session: as their own, or as that of an earlier attempt. */
export async function runsOfSession(store: RunStore, session: string): Promise<RunSummary[]> {
  const own = await store.ofSession(session);
  const { runs: retried } = await store.list({ labels: { [attemptLabel(session)]: attemptWord } }, { limit: 10 });
  return [...own, ...retried.filter(({ id }) => own.every((each) => each.id !== id))];
}

/** When a live run has ended, imports of its sessions from while it ran are the same run, with weaker evidence. */
export async function absorbImports(store: RunStore, id: string): Promise<void> {
  const run = await store.get(id);
  if (run === undefined) return;
  const earlier = new Set(run.attempts.flatMap(({ session_id }) => (session_id === undefined ? [] : [session_id])));
  if (run.session_id !== undefined) earlier.delete(run.session_id);
  for (const session of earlier) await store.addLabels(id, { [attemptLabel(session)]: attemptWord });
  for (const session of [...(run.session_id === undefined ? [] : [run.session_id]), ...earlier])
    await absorb(store, run, session);
}

async function absorb(store: RunStore, run: RunSummary, known: string): Promise<void> {
  for (const other of await store.ofSession(known)) {
    const session = other.labels[sessionLabel];
    if (other.id === run.id || session === undefined || !isSameAgent(other.agent, run.agent) || !isAllOf(other, [run]))
      continue;
    await store.handOver(other.id, run.id, await store.requestsOf(other.id), undefined);
    await store.addLabels(run.id, { [alsoLabel]: session });
  }
}

/**
 * For agents that name no session, the run with the same content: a tape of it, or the one that was seen live. Two outputs
 * that merely have the same content are two runs, so a live run has only one copy of its output.
 */
export async function sameContent(
  store: RunStore,
  { id, key, labels, outcome, host }: ImportedRun,
): Promise<RunSummary | undefined> {
  const content = labels[contentLabel];
  if (content === undefined) return undefined;
  const { agent, dialect } = outcome.provenance;
  const { runs } = await store.list({ labels: { [contentLabel]: content } }, { limit: 100 });
  const others = runs.filter((run) => run.id !== id && isSameAgent(run.agent, agent) && !areBothLive(run, { host }));
  const taped = others.find((run) => (run.dialect === tapeDialect) !== (dialect === tapeDialect));
  if (taped !== undefined) return taped;
  const live = others.find((run) => run.host !== undefined && (run.labels[copyLabel] ?? key) === key);
  if (live !== undefined) await store.addLabels(live.id, { [copyLabel]: key });
  return live;
}
