import type { Claim, EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { Claims } from '../../kit/claims.ts';
import { isObject } from '../../../json/read.ts';
import { codeOfError, unwrapApiError } from '../words.ts';
import type { Output } from './output.ts';
import { totalsByModel } from '../../kit/model-totals.ts';
import { writeModelUsage, writeUsage } from './usage.ts';

const mostDenials = 1000;

/** Gathers the contents of the `result` line, and writes it. */
export class Ending {
  readonly #output: Output;
  readonly #totals = new Map<string, EventOf<'usage.reported'>>();
  readonly #denials: JsonObject[] = [];
  readonly #claims = new Claims('qwen');
  #isClaimed = false;
  #limit: EventOf<'limit.reached'> | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  get isClaimed(): boolean {
    return this.#claims.last !== undefined;
  }

  /** One result closes the run; earlier claims, in a session with several prompts, are not repeated. */
  see(event: EventRecord): void {
    if (event.type === 'agent.finished' && this.#isClaimed) this.#output.lose('verdict');
    if (event.type === 'agent.finished') this.#isClaimed = true;
    if (event.type === 'usage.reported' && event.scope === 'thread') this.#totals.set(event.model ?? '', event);
    this.#claims.see(event);
  }

  reach(limit: EventOf<'limit.reached'>): void {
    this.#limit = limit;
  }

  deny(name: string, id: string, input: Json): void {
    if (this.#denials.length >= mostDenials) return this.#output.lose('permission');
    this.#denials.push({ tool_name: name, tool_use_id: id, tool_input: isObject(input) ? input : {} });
  }

  write(outcome: RunOutcome, owesUsage: boolean): void {
    const claim = this.#claims.claimOf(outcome);
    if (claim !== undefined) this.#output.line('result', this.#fields(claim, outcome));
    else if (owesUsage || this.#totals.size > 0) this.#output.lose('usage');
  }

  #fields(claim: Claim, outcome: RunOutcome): JsonObject {
    const { metrics } = outcome;
    const stats = this.#stats(outcome);
    if (metrics.cost !== undefined && metrics.cost_source === 'reported') this.#output.lose('cost');
    const isThoughtLost = stats === undefined && (metrics.reasoning_tokens ?? 0) > 0;
    if (isThoughtLost || (metrics.cache_write_tokens ?? 0) > 0) this.#output.lose('token_split');
    const isOk = claim.status === 'ok';
    return {
      subtype: isOk ? 'success' : this.#limit?.limit === 'turns' ? 'error_max_turns' : 'error_during_execution',
      is_error: !isOk,
      duration_ms: claim.duration_ms ?? metrics.duration_ms ?? 0,
      duration_api_ms: 0,
      num_turns: metrics.turns,
      ...(isOk ? { result: outcome.message } : {}),
      usage: writeUsage(metrics),
      permission_denials: this.#denials,
      ...present({ stats }),
      ...(isOk ? {} : { error: failure(claim, outcome) }),
    };
  }

  /** Only json mode has `stats`, but nothing else on this wire separates models, or thoughts from output. */
  #stats(outcome: RunOutcome): JsonObject | undefined {
    const { metrics } = outcome;
    const models: JsonObject = {};
    if (this.#totals.size > 0)
      for (const [name, tokens] of totalsByModel(this.#totals, outcome))
        if (name !== '') models[name] = writeModelUsage(tokens);
    const name = metrics.model_name;
    const isWanted = this.#output.variant === 'json' || metrics.reasoning_tokens !== undefined;
    if (Object.keys(models).length === 0 && name !== undefined && isWanted) models[name] = writeModelUsage(metrics);
    return Object.keys(models).length === 0 ? undefined : { models };
  }
}

function failure(claim: Claim, { error_details: details, verdict }: RunOutcome): JsonObject {
  const reason = claim.message ?? details?.message ?? verdict.evidence[0]?.detail ?? '';
  const message = reason.trim() === '' ? 'Unknown error' : reason;
  const code = claim.status === 'cancelled' ? 'cancelled' : (claim.code ?? 'unknown');
  return { message, ...(codeOfError(unwrapApiError(message)) === code ? {} : { type: code }) };
}
