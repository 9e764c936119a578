import { costOfModel } from '../outcome/cost.ts';
import { dollars, type Price } from '../outcome/price.ts';
import { type Alike, periodMs, type Requests, tierOf, tierStarts } from '../outcome/requests.ts';
import { serviceTierOf } from '../outcome/service-tier.ts';
import { addTokens, type Tokens, type Used } from '../outcome/tokens.ts';
import { present } from '../json/present.ts';
import { type Period, periodStart, type Zone } from '../time/zone.ts';
import { column, width } from './calls.ts';
import type { Grouping } from './groupings.ts';
import { type AllCalls, kindOf } from './merge.ts';
import { sessionsOf, type SessionName } from './sessions.ts';

export interface Choice {
  zone: Zone;
  /** Local days, as their beginning in local time; both included. */
  since?: number | undefined;
  until?: number | undefined;
  isWanted?: ((call: CallFacts) => boolean) | undefined;
  /** Whether calls of sub-agents are rows of their own. */
  ownOnly?: boolean;
}

/** What a call can be chosen by. */
interface CallFacts {
  agent: string;
  model: string | undefined;
  project: string | undefined;
  session: string;
}

/** The figures of a row, of one of its models, or of all of it. */
export interface Figures {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  reasoning_tokens?: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  /** In USD; absent: nothing of it has a price. */
  cost?: number;
  cost_is?: 'at_least';
  /** Calls without a price: the cost does not include them. */
  unpriced_calls?: number;
}

export interface ModelRow extends Figures {
  /** Absent: the agent does not name it. */
  model?: string;
}

export interface UsageRow extends Figures {
  /** The day, the first day of the week, the month, or the name of a session, project, model or agent. */
  group: string;
  /** Of a session. */
  agent?: string;
  project?: string;
  sub_agent?: string;
  first_at: number;
  last_at: number;
  agents: string[];
  sessions: number;
  models: ModelRow[];
}

/** Calls of the same price, added up. */
interface Bucket extends Omit<Alike, 'tokens'> {
  /** In the order of `added`; NaN: none of the calls tells it. */
  sums: Float64Array;
  isRest: boolean;
  isPaid: boolean;
}

/** Tokens of one row, by what decides their price. */
export class Sums {
  readonly #price: Price;
  /** By model and service tier, then by what of a call decides its price. */
  readonly #buckets = new Map<string, Map<number, Bucket>>();
  readonly agents = new Set<string>();
  readonly sessions = new Set<number>();
  firstAt = Infinity;
  lastAt = -Infinity;

  constructor(price: Price) {
    this.#price = price;
  }

  add(
    rows: Float64Array,
    start: number,
    { model = '', tier }: { model: string | undefined; tier: string | undefined },
  ): void {
    const at = rows[start + column.at] ?? 0;
    const input = rows[start + column.input] ?? 0;
    const isRest = kindOf(rows, start) === 'rest';
    const isPaid = !Number.isNaN(rows[start + column.cost] ?? Number.NaN);
    const name = tier === undefined ? model : `${model}\n${tier}`;
    let buckets = this.#buckets.get(name);
    if (buckets === undefined) this.#buckets.set(name, (buckets = new Map()));
    const period = this.#price.periodOf?.(model, at) ?? Math.floor(at / periodMs);
    const key = ((period * (tierStarts.length + 1) + tierOf(input) + 1) * 2 + Number(isRest)) * 2 + Number(isPaid);
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      bucket = {
        model,
        input,
        at,
        ...present({ serviceTier: tier }),
        calls: 0,
        sums: new Float64Array(added.length).fill(Number.NaN),
        isRest,
        isPaid,
      };
      buckets.set(key, bucket);
    }
    if (!isRest) bucket.calls += 1;
    addRow(bucket.sums, rows, start);
    if (at < this.firstAt) this.firstAt = at;
    if (at > this.lastAt) this.lastAt = at;
  }

  /** By model, the most expensive first. */
  models(): ModelRow[] {
    const all = [...this.#buckets.values()].flatMap((buckets) => [...buckets.values()]);
    return [...Map.groupBy(all, ({ model }) => model)]
      .map(([model, buckets]) => modelRow(model || undefined, buckets, this.#price))
      .toSorted((a, b) => (b.cost ?? -1) - (a.cost ?? -1) || b.input_tokens - a.input_tokens);
  }
}

const added = [
  ['input', column.input],
  ['output', column.output],
  ['reasoning', column.reasoning],
  ['cacheRead', column.cacheRead],
  ['cacheWrite', column.cacheWrite],
  ['cacheWriteHour', column.cacheWriteHour],
  ['webSearches', column.webSearches],
  ['cost', column.cost],
] as const;

const columns = added.map(([, place]) => place);

function addRow(sums: Float64Array, rows: Float64Array, start: number): void {
  for (let index = 0; index < columns.length; index += 1) {
    const value = rows[start + (columns[index] ?? 0)] ?? Number.NaN;
    if (!Number.isNaN(value)) sums[index] = (sums[index] || 0) + value;
  }
}

function tokensOf({ sums }: Bucket): Tokens {
  const tokens: Tokens = {};
  for (const [index, [field]] of added.entries()) {
    const sum = sums[index] ?? Number.NaN;
    if (!Number.isNaN(sum)) tokens[field] = sum;
  }
  return tokens;
}

function modelRow(model: string | undefined, buckets: readonly Bucket[], price: Price): ModelRow {
  const used = usedIn(buckets);
  const amount = costOfModel(model, used, price);
  const calls = buckets.reduce((sum, bucket) => sum + bucket.calls, 0);
  const open = amount === undefined ? calls : 0;
  return present({
    model,
    calls,
    ...figuresOf(used),
    cost: amount === undefined ? undefined : dollars(amount.usd),
    cost_is: amount?.isAtLeast === true ? ('at_least' as const) : undefined,
    unpriced_calls: open > 0 ? open : undefined,
  });
}

/** What is known of the calls of one model: those with a size, those with a cost, and the rest. */
function usedIn(buckets: readonly Bucket[]): Used {
  const used: Used = {};
  const unpaid: Used = {};
  const requests: Requests = new Map();
  for (const [index, bucket] of buckets.entries()) {
    const tokens = tokensOf(bucket);
    addTokens(used, tokens);
    if (bucket.isPaid) continue;
    addTokens(unpaid, tokens);
    unpaid.at = bucket.at;
    if (!bucket.isRest) requests.set(String(index), { ...bucket, tokens });
  }
  if (requests.size > 0) unpaid.requests = requests;
  if (used.cost === undefined) return unpaid;
  return buckets.every(({ isPaid }) => isPaid) ? used : { ...used, unpaid };
}

function figuresOf(tokens: Tokens): Omit<Figures, 'calls'> {
  return present({
    input_tokens: tokens.input ?? 0,
    output_tokens: tokens.output ?? 0,
    reasoning_tokens: tokens.reasoning,
    cache_read_tokens: tokens.cacheRead ?? 0,
    cache_write_tokens: tokens.cacheWrite ?? 0,
  });
}

/** The figures of all models together. */
export function totalOf(rows: readonly Figures[]): Figures {
  const sum = (of: (row: Figures) => number | undefined): number =>
    rows.reduce((total, row) => total + (of(row) ?? 0), 0);
  const isPriced = rows.some(({ cost }) => cost !== undefined);
  const unpriced = sum((row) => row.unpriced_calls);
  const reasoning = rows.some((row) => row.reasoning_tokens !== undefined);
  return present({
    calls: sum((row) => row.calls),
    input_tokens: sum((row) => row.input_tokens),
    output_tokens: sum((row) => row.output_tokens),
    reasoning_tokens: reasoning ? sum((row) => row.reasoning_tokens) : undefined,
    cache_read_tokens: sum((row) => row.cache_read_tokens),
    cache_write_tokens: sum((row) => row.cache_write_tokens),
    cost: isPriced ? dollars(sum((row) => row.cost)) : undefined,
    cost_is: rows.some(({ cost_is }) => cost_is !== undefined) ? ('at_least' as const) : undefined,
    unpriced_calls: unpriced > 0 ? unpriced : undefined,
  });
}

const periodsOf: Partial<Record<Grouping, Period>> = { daily: 'day', weekly: 'week', monthly: 'month' };

/** Visits the calls that count and are chosen, all with the same object: whoever keeps one keeps a copy. */
export function eachCall(all: AllCalls, choice: Choice, visit: (call: Visit) => void): void {
  const names = sessionsOf(all);
  const call = {} as Visit;
  for (const { file, usage, counts } of all.files) {
    const { rows, words } = usage;
    const sessions = usage.sessions.map((each) => names.of(file, each));
    for (let start = 0, number = 0; start < rows.length; start += width, number += 1) {
      if (counts[number] === 0) continue;
      const session = sessions[rows[start + column.session] ?? 0];
      if (session === undefined) continue;
      const at = rows[start + column.at] ?? 0;
      const local = choice.zone.localAt(at);
      if (choice.since !== undefined && local < choice.since) continue;
      if (choice.until !== undefined && local >= choice.until + dayMs) continue;
      const model = words[rows[start + column.model] ?? -1];
      const { agent } = file;
      if (choice.isWanted?.({ agent, model, project: session.project, session: session.id }) === false) continue;
      const tier = words[rows[start + column.serviceTier] ?? -1];
      call.rows = rows;
      call.start = start;
      call.at = at;
      call.local = local;
      call.agent = agent;
      call.model = model;
      call.tier = tier === undefined ? undefined : serviceTierOf({ service_tier: tier });
      call.session = session;
      call.isSub = session.subAgent !== undefined || kindOf(rows, start) === 'sub-agent';
      visit(call);
    }
  }
}

const dayMs = 86_400_000;

export interface Visit {
  rows: Float64Array;
  start: number;
  at: number;
  local: number;
  agent: string;
  model: string | undefined;
  tier: string | undefined;
  session: SessionName;
  isSub: boolean;
}

/** The rows of a report, in order of time or, without one, of cost. */
export function report(all: AllCalls, by: Grouping, choice: Choice, price: Price): UsageRow[] {
  const groups = new Map<string | number, { sums: Sums; session: SessionName }>();
  const period = periodsOf[by];
  eachCall(all, choice, (visit) => {
    const key = period === undefined ? nameOf(by, visit, choice.ownOnly === true) : periodStart(visit.local, period);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { sums: new Sums(price), session: visit.session }));
    group.sums.add(visit.rows, visit.start, visit);
    group.sums.agents.add(visit.agent);
    group.sums.sessions.add(visit.session.number);
  });
  const rows = [...groups].map(([key, { sums, session }]) => rowOf(by, key, sums, session));
  return period === undefined
    ? by === 'session'
      ? rows.toSorted((a, b) => a.last_at - b.last_at || (a.group < b.group ? -1 : 1))
      : rows.toSorted((a, b) => (b.cost ?? -1) - (a.cost ?? -1) || (a.group < b.group ? -1 : 1))
    : rows.toSorted((a, b) => (a.group < b.group ? -1 : 1));
}

/** What a report without a time is grouped by. */
function nameOf(by: Grouping, { agent, model, session, isSub }: Visit, ownOnly: boolean): string {
  switch (by) {
    case 'session':
      return `${session.number}${ownOnly && isSub ? ` ${session.subAgent ?? ''}` : ''}`;
    case 'project':
      return session.project ?? '';
    case 'agent':
      return agent;
    default:
      return model ?? '';
  }
}

function rowOf(by: Grouping, key: string | number, sums: Sums, session: SessionName): UsageRow {
  const models = sums.models();
  const isSession = by === 'session';
  const isSub = typeof key === 'string' && key.includes(' ');
  return {
    group: isSession ? session.id : groupName(by, key),
    ...(isSession
      ? present({
          agent: session.agent,
          project: session.project,
          sub_agent: isSub ? (session.subAgent ?? 'sub-agents') : undefined,
        })
      : {}),
    first_at: sums.firstAt,
    last_at: sums.lastAt,
    agents: [...sums.agents].toSorted(),
    sessions: sums.sessions.size,
    ...totalOf(models),
    models,
  };
}

function groupName(by: Grouping, key: string | number): string {
  if (typeof key === 'string') return key === '' ? `(no ${by})` : key;
  return new Date(key).toISOString().slice(0, by === 'monthly' ? 7 : 10);
}
