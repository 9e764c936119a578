import type { EventOf } from '../../../events/event.ts';
import { codeOfClass } from '../../../faults.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { JsonObject } from '../../dialect.ts';
import { compact } from '../../read.ts';
import { splitOf, tokensOf } from './steps.ts';

/** How the run ended. The format has no word for it, and a failure without one would look like a short success. */
export function writeOutcome(outcome: RunOutcome, claim: EventOf<'agent.finished'> | undefined): JsonObject {
  const { verdict, status, error_details } = outcome;
  const reason = verdict.evidence[0]?.detail;
  const error = compact({
    code: verdict.class === 'success' ? undefined : (verdict.code ?? codeOfClass[verdict.class]),
    message: error_details?.message ?? reason,
  });
  return compact({
    status,
    class: verdict.class,
    exit_code: verdict.exit_code,
    reason,
    error: status === 'success' ? undefined : error,
    has_answer: claim?.has_answer === false ? false : undefined,
    duration_ms: outcome.metrics.duration_ms,
  });
}

const costSources = { reported: 'reported', computed: 'estimated', unknown: 'none' } as const;

export function writeTotals({ metrics, usage_by_model, children }: RunOutcome): JsonObject {
  const { prompt_tokens, completion_tokens, cached_tokens } = tokensOf(metrics);
  return compact({
    total_prompt_tokens: prompt_tokens,
    total_completion_tokens: completion_tokens,
    total_cached_tokens: cached_tokens,
    total_cost_usd: metrics.cost,
    extra: compact({
      cost_source: costSources[metrics.cost_source],
      ...splitOf(metrics),
      usage_by_model: usage_by_model?.map(({ model_name, cost, ...tokens }) =>
        compact({ model_name, ...tokensOf(tokens), ...splitOf(tokens), cost_usd: cost }),
      ),
      children: children && compact(children),
    }),
  });
}
