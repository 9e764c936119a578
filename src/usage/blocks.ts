import { present } from '../json/present.ts';
import { dollars, type Price } from '../outcome/price.ts';
import { periodOf, type Zone } from '../time/zone.ts';
import type { AllCalls } from './merge.ts';
import { type Choice, eachCall, Sums, totalOf, type UsageRow, type Visit } from './report.ts';

const hourMs = 3_600_000;
/** For how long a subscription counts what is used. */
const blockMs = 5 * hourMs;

/** A window of five hours, in which subscriptions count; the next one begins with the next call. */
export interface Block extends UsageRow {
  starts_at: number;
  ends_at: number;
  is_active: boolean;
  /** Of an active block: how fast it is being used, and what it comes to at that rate. */
  tokens_per_minute?: number;
  cost_per_hour?: number;
  projected_tokens?: number;
  projected_cost?: number;
}

/** Each agent has its own windows: they are limits of different providers. */
export function blocks(all: AllCalls, choice: Choice, price: Price, now: number): Block[] {
  const byAgent = new Map<string, Visit[]>();
  // A window may begin on the day before.
  eachCall(all, { ...choice, since: choice.since === undefined ? undefined : choice.since - blockMs }, (visit) => {
    const known = byAgent.get(visit.agent);
    if (known === undefined) byAgent.set(visit.agent, [{ ...visit }]);
    else known.push({ ...visit });
  });
  return [...byAgent.values()]
    .flatMap((visits) => blocksOf(visits, { price, now, zone: choice.zone }))
    .filter(({ ends_at: end }) => choice.since === undefined || choice.zone.localAt(end) > choice.since)
    .toSorted((a, b) => a.starts_at - b.starts_at || (a.agent ?? '').localeCompare(b.agent ?? ''));
}

interface Beside {
  price: Price;
  now: number;
  zone: Zone;
}

function blocksOf(visits: readonly Visit[], beside: Beside): Block[] {
  const found: { start: number; visits: Visit[] }[] = [];
  for (const visit of visits.toSorted((a, b) => a.at - b.at)) {
    const last = found.at(-1);
    if (last === undefined || visit.at >= last.start + blockMs)
      found.push({ start: Math.floor(visit.at / hourMs) * hourMs, visits: [visit] });
    else last.visits.push(visit);
  }
  return found.map(({ start, visits: own }) => blockOf(start, own, beside));
}

function blockOf(start: number, visits: readonly Visit[], { price, now, zone }: Beside): Block {
  const sums = new Sums(price);
  for (const visit of visits) {
    sums.add(visit.rows, visit.start, visit);
    sums.sessions.add(visit.session.number);
  }
  const models = sums.models();
  const total = totalOf(models);
  const end = start + blockMs;
  const agent = visits[0]?.agent ?? '';
  const isActive = now >= start && now < end;
  return {
    group: periodOf(zone, start, 'hour'),
    agent,
    first_at: sums.firstAt,
    last_at: sums.lastAt,
    agents: [agent],
    sessions: sums.sessions.size,
    ...total,
    models,
    starts_at: start,
    ends_at: end,
    is_active: isActive,
    ...(isActive ? pace(total, sums, { now, end }) : {}),
  };
}

/** From the first call until now. */
function pace(
  { input_tokens, output_tokens, cost }: ReturnType<typeof totalOf>,
  { firstAt }: Sums,
  { now, end }: { now: number; end: number },
): Partial<Block> {
  const passed = now - firstAt;
  // A single call says nothing about a rate.
  if (passed < 60_000) return {};
  const tokens = input_tokens + output_tokens;
  const rest = (end - now) / passed;
  return present({
    tokens_per_minute: Math.round((tokens / passed) * 60_000),
    cost_per_hour: cost === undefined ? undefined : dollars((cost / passed) * hourMs),
    projected_tokens: Math.round(tokens * (1 + rest)),
    projected_cost: cost === undefined ? undefined : dollars(cost * (1 + rest)),
  });
}
