import { ago, percent } from '../../terminal/figures.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { codexQuota } from './codex.ts';
import { isInForce, newestOf, type QuotaFact } from './fact.ts';
import { keptQuota } from './kept.ts';

/** All that is known of what is left, without asking anybody: what runs were told, what status lines and session files say. */
export async function knownQuota(env: Environment): Promise<QuotaFact[]> {
  return newestOf([...(await keptQuota(env)), ...(await codexQuota(env))]);
}

export interface Left {
  fact: QuotaFact;
  /** 0 to 1. */
  left: number;
}

/** The window of an agent of which least is left, among those that have not begun anew; undefined: nothing is known. */
export function leastLeft(
  facts: readonly QuotaFact[],
  agent: string,
  provider: string | undefined,
  now: number,
): Left | undefined {
  let least: Left | undefined;
  for (const fact of facts) {
    const isOther = fact.provider !== undefined && provider !== undefined && fact.provider !== provider;
    if (fact.agent !== agent || isOther || !isInForce(fact, now)) continue;
    // 1 less 0.8 is a little less than 0.2.
    const left = Number((1 - fact.used).toFixed(6));
    if (least === undefined || left < least.left || (left === least.left && resetsLater(fact, least.fact)))
      least = { fact, left };
  }
  return least;
}

/** Of two that are used up alike, the one that stays so for longer. */
function resetsLater(one: QuotaFact, other: QuotaFact): boolean {
  return (one.resets_at_ms ?? 0) > (other.resets_at_ms ?? 0);
}

/** Why an agent is not started; undefined: enough is left, or nothing is known. */
export async function whyTooLittle(
  { agent, model, least }: { agent: string; model: string | undefined; least: number },
  env: Environment,
  now: number,
): Promise<{ message: string; fact: QuotaFact } | undefined> {
  const provider = model?.includes('/') === true ? model.slice(0, model.indexOf('/')) : undefined;
  const found = leastLeft(await knownQuota(env), agent, provider, now);
  if (found === undefined || found.left >= least) return undefined;
  const { window, resets_at_ms: resets, seen_at_ms: seen } = found.fact;
  const until = resets === undefined ? '' : `; it resets at ${new Date(resets).toISOString()}`;
  return {
    fact: found.fact,
    message: `${percent(found.left)} of the window "${window}" of ${agent} is left, less than --min-quota ${Number((least * 100).toPrecision(12))}%${until} (seen ${ago(seen, now)})`,
  };
}
