import type { QuotaFact } from '../../agents/quota/fact.ts';
import { compactDuration, costInWords, dollars } from '../../terminal/figures.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Price } from '../../outcome/price.ts';
import { parseObject } from '../../json/parse.ts';
import { filled, number, object } from '../../json/read.ts';
import { periodStart, type Zone } from '../../time/zone.ts';
import { blocks } from '../../usage/blocks.ts';
import type { AllCalls } from '../../usage/merge.ts';
import { report } from '../../usage/report.ts';
import type { Context } from '../context.ts';

interface Now {
  zone: Zone;
  price: Price;
  now: number;
}

/** One line: this session, if Claude Code names it on stdin, today, and the windows that are open. */
export function statusLine(all: AllCalls, about: string, { zone, price, now }: Now): string {
  const wire = parseObject(about) ?? {};
  const session = filled(wire.session_id);
  const model = filled(object(wire.model).display_name);
  const today = periodStart(zone.localAt(now), 'day');
  const parts: string[] = model === undefined ? [] : [oneLine(model, 40)];
  if (session !== undefined) {
    const [row] = report(all, 'session', { zone, isWanted: (call) => call.session === session }, price);
    parts.push(`${costInWords(row ?? {}) ?? dollars(0)} session`);
  }
  const [day] = report(all, 'daily', { zone, since: today, until: today }, price);
  parts.push(`${costInWords(day ?? {}) ?? dollars(0)} today`);
  for (const block of blocks(all, { zone, since: today }, price, now)) {
    if (!block.is_active) continue;
    const pace = block.cost_per_hour === undefined ? '' : `, ${dollars(block.cost_per_hour)}/h`;
    const left = compactDuration(block.ends_at - now);
    parts.push(`${costInWords(block) ?? 'no price'} ${block.agent} block, ${left} left${pace}`);
  }
  return `${parts.join(' · ')}\n`;
}

/** The windows of a plan, as Claude Code tells them to a status line, for `runwire doctor --quota`. */
export async function keepWindows(about: string, { env, now }: Context): Promise<void> {
  const limits = object(parseObject(about)?.rate_limits);
  const facts = Object.entries(limits).flatMap(([window, value]): QuotaFact[] => {
    const { used_percentage: percent, resets_at: at } = object(value);
    const [used, seconds] = [number(percent), number(at)];
    if (used === undefined) return [];
    const resets = seconds === undefined ? {} : { resets_at_ms: seconds * 1000 };
    const share = Math.min(1, Math.max(0, used / 100));
    return [{ agent: 'claude', window, used: share, ...resets, seen_at_ms: now(), from: 'status_line' }];
  });
  if (facts.length === 0) return;
  const { keepQuota } = await import('../../agents/quota/kept.ts');
  await keepQuota(facts.slice(0, mostWindows), env);
}

/** More than any plan has. */
const mostWindows = 20;

/** For whoever gives nothing, and never closes it. */
const patienceMs = 300;
const mostBytes = 1024 * 1024;

/** What Claude Code says of its session; nothing, where nobody says anything. */
export async function aboutSession({ stdin, stdinIsTerminal, sleep }: Context): Promise<string> {
  if (stdinIsTerminal) return '';
  const parts: Uint8Array[] = [];
  const read = async (): Promise<void> => {
    let size = 0;
    for await (const chunk of stdin) {
      parts.push(new Uint8Array(chunk));
      size += chunk.length;
      if (size > mostBytes) return;
    }
  };
  await Promise.race([read(), sleep(patienceMs)]);
  return Buffer.concat(parts).toString();
}
