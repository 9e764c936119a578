import type { Claim, ErrorCode, EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { filled } from '../../../json/read.ts';
import { codeOfStop, statuses, subtypes } from '../words.ts';
import type { Output } from './output.ts';
import type { Usage } from './usage.ts';

const mostDenials = 1000;

/** Gathers the contents of a `result` line, and writes it. */
export class Ending {
  readonly #output: Output;
  readonly #usage: Usage;
  readonly #denials = new Map<string, JsonObject>();
  #limit: EventOf<'limit.reached'> | undefined;
  #stop: string | null = null;
  #turns = 0;
  /** How much time the results so far have told. */
  #reportedMs = 0;
  #messageId: string | undefined;
  #texts: string[] = [];

  constructor(output: Output, usage: Usage) {
    this.#output = output;
    this.#usage = usage;
  }

  reach(limit: EventOf<'limit.reached'>): void {
    this.#limit = limit;
  }

  startTurn(): void {
    this.#turns += 1;
  }

  endTurn(stop: string | null): void {
    this.#stop = stop;
  }

  deny(name: string, id: string, input: Json): void {
    if (this.#denials.size >= mostDenials) return this.#output.lose('permission');
    this.#denials.set(id, { tool_name: name, tool_use_id: id, tool_input: input ?? {} });
  }

  /** The result repeats the texts of the last message. */
  say({ message_id: id, text }: EventOf<'text.completed'>): void {
    if (text.trim() === '') return;
    if (id !== this.#messageId) {
      if (this.#output.isResultAlone && this.#texts.length > 0) this.#output.lose('text');
      this.#messageId = id;
      this.#texts = [];
    }
    this.#texts.push(text);
  }

  /** `isOwn`: the claim uses this wire's own values. `outcome`: only for the last result, which may be needed even without a claim. */
  write(claim: Claim | undefined, isOwn: boolean, outcome: RunOutcome | undefined): JsonObject | undefined {
    if (claim === undefined && this.#limit === undefined && !this.#isNeeded(outcome)) {
      if (outcome !== undefined && this.#usage.isUntold(outcome)) this.#output.lose('usage');
      return undefined;
    }
    const passed = claim?.duration_ms ?? outcome?.metrics.duration_ms ?? 0;
    // A result tells the time of its own turn.
    const duration = Math.max(0, passed - this.#reportedMs);
    if (!this.#output.isResultAlone) this.#reportedMs = passed;
    if (claim?.turns !== undefined && !this.#output.isResultAlone) this.#output.lose('turn_boundary');
    const line: JsonObject = {
      type: 'result',
      ...this.#how(claim, isOwn, outcome),
      duration_ms: duration,
      duration_api_ms: duration,
      num_turns: this.#limit === undefined ? (claim?.turns ?? this.#turns) : (this.#limit.value ?? 0),
      ...this.#usage.write(outcome),
      permission_denials: [...this.#denials.values()],
    };
    this.#turns = 0;
    // The next result must not repeat it: a reader would take it for another answer.
    if (!this.#output.isResultAlone) this.#texts = [];
    else if (this.#texts.length > 1) this.#texts = [this.#texts.join('\n')];
    this.#limit = undefined;
    this.#denials.clear();
    return line;
  }

  /** The last result must not claim more than the outcome; where only the result is written, there must be one. */
  #isNeeded(outcome: RunOutcome | undefined): boolean {
    const { isWithoutResult, endsWell } = this.#output;
    return isWithoutResult || (endsWell && outcome !== undefined && outcome.verdict.class !== 'success');
  }

  /** How the run ended, in the terms of this wire. */
  #how(claim: Claim | undefined, isOwn: boolean, outcome: RunOutcome | undefined): JsonObject {
    const limit = this.#limit;
    const reached = limit?.limit === 'turns' ? 'turn_limit' : limit?.limit === 'cost' ? 'cost_limit' : undefined;
    if (limit !== undefined && reached === undefined) this.#output.lose('limit');
    if (claim?.status === 'ok' && limit === undefined) {
      const text = this.#texts.join('\n').trim();
      return {
        subtype: 'success',
        is_error: false,
        result: text,
        stop_reason: this.#harmlessStop,
        ...terminal(claim, isOwn),
      };
    }
    if (claim?.status === 'ok' || (claim === undefined && reached === undefined)) this.#output.lose('verdict');
    const code = reached ?? (claim?.status === 'failed' ? claim.code : undefined) ?? 'unknown';
    const message = filled(claim?.message) ?? filled(limit?.message) ?? filled(outcome?.error_details?.message) ?? '';
    if (claim?.status === 'cancelled' && limit === undefined) {
      const why =
        isOwn && claim.raw_status !== undefined ? terminal(claim, isOwn) : { terminal_reason: 'aborted_streaming' };
      return this.#error('error_during_execution', message, why);
    }
    const own = isOwn && claim?.status === 'failed' ? claim.raw_status?.split('/', 1)[0] : undefined;
    const subtype = own !== undefined && subtypes.has(own) ? own : subtypeOf(code);
    if (subtype !== 'success') {
      const startup =
        code === 'config' && codeOfMessage(message) !== 'config' ? { startup_failure_reason: message } : {};
      if (subtype === 'error_during_execution' && !isOwn && code !== 'config' && codeOfMessage(message) !== code)
        this.#output.lose('verdict');
      return this.#error(subtype, message, { ...terminal(claim, isOwn), ...startup });
    }
    return {
      subtype,
      is_error: true,
      result: message,
      stop_reason: code === 'refused' ? 'refusal' : code === 'output_length' ? 'max_tokens' : this.#stop,
      api_error_status: statuses[code] ?? null,
      ...terminal(claim, isOwn),
    };
  }

  #error(subtype: string, message: string, more: JsonObject): JsonObject {
    const silent = message === '' || message === subtype || message === more.terminal_reason;
    return { subtype, is_error: true, errors: silent ? [] : [message], stop_reason: this.#harmlessStop, ...more };
  }

  get #harmlessStop(): string | null {
    return codeOfStop(this.#stop) === undefined ? this.#stop : null;
  }
}

function subtypeOf(code: ErrorCode): string {
  if (code === 'turn_limit') return 'error_max_turns';
  if (code === 'cost_limit') return 'error_max_budget_usd';
  return statuses[code] !== undefined || code === 'refused' || code === 'output_length'
    ? 'success'
    : 'error_during_execution';
}

function terminal(claim: Claim | undefined, isOwn: boolean): JsonObject {
  const reason = isOwn ? claim?.raw_status?.split('/')[1] : undefined;
  return present({ terminal_reason: reason });
}
