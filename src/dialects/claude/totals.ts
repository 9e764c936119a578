import type { Draft } from '../../events/event.ts';
import type { JsonObject } from '../dialect.ts';
import { compact, count, object } from '../read.ts';
import { growth, isAny, plus, readModelUsage, readUsage, type Tokens } from './usage.ts';

/**
 * `modelUsage` and `total_cost_usd` count the whole process, sub-agents and helper calls included; `usage` counts the
 * main loop of one turn. The first is taken where it is there; what a process that started anew counted before is kept.
 */
export function runTotals() {
  let before = new Map<string, Tokens>();
  let latest = new Map<string, Tokens>();
  let paid = 0;

  function restart(): void {
    for (const [model, tokens] of latest) before.set(model, plus(before.get(model) ?? {}, tokens));
    latest = new Map();
    paid = 0;
  }

  function report(wire: JsonObject, mainModel: string | undefined, subAgents: Tokens): Draft[] {
    const cost = count(wire.total_cost_usd) ?? count(wire.total_cost) ?? count(wire.cost_usd) ?? 0;
    const models = Object.entries(object(wire.modelUsage))
      .map(([model, usage]) => [model, readModelUsage(object(usage))] as const)
      .filter(([, tokens]) => isAny(tokens));
    if (models.length === 0) return turnTotal(readUsage(object(wire.usage)), cost, subAgents);
    if (models.some(([model, tokens]) => size(tokens) < size(latest.get(model)))) restart();
    // The last model named is the model of the run.
    const ordered = models.toSorted(([left], [right]) => Number(isSame(left, mainModel)) - Number(isSame(right, mainModel)));
    const priced = ordered.some(([, tokens]) => tokens.cost_usd !== undefined);
    const drafts: Draft[] = [];
    for (const [model, counted] of ordered) {
      const isMain = drafts.length === ordered.length - 1;
      const tokens = !priced && cost > 0 && isMain ? { ...counted, cost_usd: cost } : counted;
      latest.set(model, tokens);
      const sum = plus(before.get(model) ?? {}, tokens);
      drafts.push({ type: 'usage.reported', scope: 'thread', ...compact({ model: model || undefined }), ...sum });
    }
    return drafts;
  }

  function turnTotal(main: Tokens, cost: number, subAgents: Tokens): Draft[] {
    if (cost < paid) paid = 0;
    const price = growth({ cost_usd: cost }, { cost_usd: paid });
    paid = Math.max(paid, cost);
    if (isAny(main)) return [{ type: 'usage.reported', scope: 'turn', ...plus(plus(main, subAgents), price) }];
    // A cost alone does not replace the tokens that the messages told.
    return isAny(price) ? [{ type: 'usage.reported', scope: 'step', ...price }] : [];
  }

  return { report, restart };
}

function size(tokens: Tokens | undefined): number {
  return (tokens?.input_tokens ?? 0) + (tokens?.output_tokens ?? 0);
}

/** `modelUsage` may name a variant of the model that the messages name: `x[1m]`. */
function isSame(model: string, main: string | undefined): boolean {
  return main !== undefined && (model.startsWith(main) || main.startsWith(model));
}
