import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { allDenied } from '../../all-denied.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { compact, isObject } from '../../read.ts';
import { codeOfError, unwrapApiError } from '../api-error.ts';
import type { Output } from './output.ts';
import { writeModelUsage, writeUsage } from './usage.ts';

type Claim = EventOf<'agent.finished'>;

const mostDenials = 1000;

/** Gathers what the `result` line says, and writes it. */
export class Ending {
  readonly #output: Output;
  readonly #totals = new Map<string, EventOf<'usage.reported'>>();
  readonly #denials: JsonObject[] = [];
  #claim: Claim | undefined;
  #limit: EventOf<'limit.reached'> | undefined;
  #isBroken = false;

  constructor(output: Output) {
    this.#output = output;
  }

  get isClaimed(): boolean {
    return this.#claim !== undefined;
  }

  /** One result closes the run; what was claimed before, in a session of several prompts, is not repeated. */
  claim(event: Claim): void {
    if (this.#claim !== undefined) this.#output.lose('verdict');
    this.#claim = event;
  }

  reach(limit: EventOf<'limit.reached'>): void {
    this.#limit = limit;
  }

  /** The process failed or the stream was cut: a reader of these lines alone would not know. */
  spoil(): void {
    this.#isBroken = true;
  }

  deny(name: string, id: string, input: Json): void {
    if (this.#denials.length >= mostDenials) return this.#output.lose('permission');
    this.#denials.push({ tool_name: name, tool_use_id: id, tool_input: isObject(input) ? input : {} });
  }

  count(event: EventOf<'usage.reported'>): void {
    if (event.scope === 'thread') this.#totals.set(event.model ?? '', event);
  }

  write(outcome: RunOutcome, owesUsage: boolean): void {
    if (this.#claim !== undefined) this.#output.line('result', this.#fields(this.#claim, outcome));
    else if (owesUsage || this.#totals.size > 0) this.#output.lose('usage');
  }

  #fields(claim: Claim, outcome: RunOutcome): JsonObject {
    const { metrics, verdict } = outcome;
    const stats = this.#stats(outcome);
    if (metrics.cost !== undefined && metrics.cost_source === 'reported') this.#output.lose('cost');
    const isThoughtLost = stats === undefined && (metrics.reasoning_tokens ?? 0) > 0;
    if (isThoughtLost || (metrics.cache_write_tokens ?? 0) > 0) this.#output.lose('token_split');
    const denied = allDenied(outcome, 'qwen');
    const isOk = claim.status === 'ok' && denied === undefined && (!this.#isBroken || verdict.class === 'success');
    return {
      subtype: isOk ? 'success' : this.#limit?.limit === 'turns' ? 'error_max_turns' : 'error_during_execution',
      is_error: !isOk,
      duration_ms: claim.duration_ms ?? metrics.duration_ms ?? 0,
      duration_api_ms: 0,
      num_turns: metrics.turns,
      ...(isOk ? { result: outcome.message } : {}),
      usage: writeUsage(metrics),
      permission_denials: this.#denials,
      ...compact({ stats }),
      ...(isOk ? {} : { error: denied === undefined ? failure(claim, outcome) : { message: denied, type: 'permission' } }),
    };
  }

  /** Only json mode has `stats`, but nothing else on this wire tells models and thoughts apart. */
  #stats({ metrics }: RunOutcome): JsonObject | undefined {
    const models: JsonObject = {};
    for (const [name, tokens] of this.#totals) if (name !== '') models[name] = writeModelUsage(tokens);
    const name = metrics.model_name;
    const isWanted = this.#output.variant === 'json' || metrics.reasoning_tokens !== undefined;
    if (Object.keys(models).length === 0 && name !== undefined && isWanted) models[name] = writeModelUsage(metrics);
    return Object.keys(models).length === 0 ? undefined : { models };
  }
}

function failure(claim: Claim, { error_details: details, verdict }: RunOutcome): JsonObject {
  const said = claim.message ?? details?.message ?? verdict.evidence[0]?.detail ?? '';
  const message = said.trim() === '' ? 'Unknown error' : said;
  const code = claim.status === 'cancelled' ? 'cancelled' : (claim.code ?? 'unknown');
  return { message, ...(codeOfError(unwrapApiError(message)) === code ? {} : { type: code }) };
}
