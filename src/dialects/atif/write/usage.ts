import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { JsonObject } from '../../../json/json.ts';
import { plus, type SparseTokens, type Tokens, tokensOf } from '../../kit/tokens.ts';

/** What one step used, summed as it is reported. */
export class Usage {
  #sum: Tokens | undefined;
  #isTurn = false;
  #isComputed = false;
  modelCalls = 0;

  get isEmpty(): boolean {
    return this.#sum === undefined;
  }

  see(usage: EventOf<'usage.reported'>): void {
    if (this.#sum === undefined) this.#isTurn = usage.scope === 'turn';
    if (usage.scope === 'step') this.modelCalls += 1;
    this.#sum = this.#sum === undefined ? tokensOf(usage) : plus(this.#sum, usage);
    this.#isComputed ||= usage.cost_computed === true;
  }

  write(): JsonObject | undefined {
    const sum = this.#sum;
    if (sum === undefined) return undefined;
    const isEstimated = sum.cost_usd !== undefined && this.#isComputed;
    const extra = present({
      ...splitOf(sum),
      scope: this.#isTurn ? 'turn' : undefined,
      cost_source: isEstimated ? 'estimated' : undefined,
    });
    return present({
      ...countsOf(sum),
      cost_usd: sum.cost_usd,
      extra: Object.keys(extra).length === 0 ? undefined : extra,
    });
  }
}

const costSources = { reported: 'reported', computed: 'estimated', wire: 'estimated', unknown: 'none' } as const;

/** The totals of the run. */
export function writeUsage({ metrics, usage_by_model, children }: RunOutcome): JsonObject {
  const { prompt_tokens, completion_tokens, cached_tokens } = countsOf(metrics);
  return present({
    total_prompt_tokens: prompt_tokens,
    total_completion_tokens: completion_tokens,
    total_cached_tokens: cached_tokens,
    total_cost_usd: metrics.cost,
    extra: present({
      cost_source: costSources[metrics.cost_source],
      cost_is: metrics.cost_is,
      ...splitOf(metrics),
      usage_by_model: usage_by_model?.map(({ model_name, cost, ...tokens }) =>
        present({ model_name, ...countsOf(tokens), ...splitOf(tokens), cost_usd: cost }),
      ),
      children: children && present(children),
    }),
  });
}

const rounded = (tokens: number | undefined): number | undefined =>
  tokens === undefined ? undefined : Math.round(tokens);

/** Prompt tokens include the cached ones; a cached count that exceeds them is left out. */
function countsOf({ input_tokens, output_tokens, cache_read_tokens }: SparseTokens) {
  const prompt_tokens = rounded(input_tokens);
  const cached = rounded(cache_read_tokens);
  const isPart = cached !== undefined && prompt_tokens !== undefined && cached <= prompt_tokens;
  return { prompt_tokens, completion_tokens: rounded(output_tokens), cached_tokens: isPart ? cached : undefined };
}

/** Counts for which the format has no field. */
function splitOf({ cache_write_tokens, reasoning_tokens }: SparseTokens) {
  return {
    cache_creation_input_tokens: rounded(cache_write_tokens),
    reasoning_output_tokens: rounded(reasoning_tokens),
  };
}
