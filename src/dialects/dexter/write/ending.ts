import type { EventOf } from '../../../events/event.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { classWords } from '../../kit/class-words.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { errorPrefix, limitPrefix } from '../words.ts';
import type { Replies } from './replies.ts';
import { ToldCalls } from './told-calls.ts';
import { writeUsage } from './usage.ts';

type ToolRecord = { tool: string; args: JsonObject; result: string };

/** Gathers the contents of the `done` line, and writes it. */
export class Ending {
  readonly #sink: EncoderSink;
  readonly #replies: Replies;
  /** The line repeats the calls, which have their own lines: what it leaves out is not lost. */
  readonly #calls = new ToldCalls<ToolRecord>(() => {});
  #claim: EventOf<'agent.finished'> | undefined;
  #limit: EventOf<'limit.reached'> | undefined;
  #fault: EventOf<'error'> | undefined;
  #hasTools = false;
  #isDenied = false;

  constructor(sink: EncoderSink, replies: Replies) {
    this.#sink = sink;
    this.#replies = replies;
  }

  /** An aborted run has no end on this wire: its calls would count for the next one. */
  follow(): void {
    this.#hasTools = true;
  }

  startTool(): void {
    this.#hasTools = true;
  }

  endTool(call: ToolRecord): void {
    this.#calls.push(call);
  }

  deny(): void {
    this.#isDenied = true;
  }

  reach(limit: EventOf<'limit.reached'>): void {
    this.#limit = limit;
    if (limit.limit !== 'turns') this.#sink.lose('limit');
  }

  /** The last fatal error becomes the answer of a failed run. */
  fail(fault: EventOf<'error'>): void {
    if (!fault.fatal || this.#fault !== undefined) this.#sink.lose('error');
    if (fault.fatal) this.#fault = fault;
  }

  claim(claim: EventOf<'agent.finished'>): void {
    this.#claim = claim;
  }

  write(outcome: RunOutcome): void {
    const { metrics, verdict } = outcome;
    const claim = this.#claim;
    if ((claim === undefined && this.#fault === undefined) || claim?.status === 'cancelled') {
      // An abort leaves the generator without a last word.
      this.#replies.flush();
      if (metrics.tokens_used !== undefined) this.#sink.lose('usage');
      return;
    }
    const isGood = claim?.status === 'ok' && verdict.class === 'success';
    if (!isGood) this.#replies.flush();
    const answer = isGood ? this.#replies.answer(outcome.message) : this.#failure(outcome);
    // On this wire, a run without an answer or a call has failed.
    if (isGood && answer === '' && !this.#hasTools) this.#sink.lose('verdict');
    this.#sink.line({
      type: 'done',
      answer,
      toolCalls: this.#calls.toArray(),
      iterations: metrics.turns,
      totalTime: claim?.duration_ms ?? metrics.duration_ms ?? 0,
      ...writeUsage(metrics, this.#sink),
    });
  }

  #failure(outcome: RunOutcome): string {
    const { verdict } = outcome;
    // An empty answer means that a denied tool ended the run, or that the model said and did nothing.
    if (this.#isDenied ? verdict.class === 'permission' : verdict.class === 'incomplete' && !this.#hasTools) return '';
    const reason = this.#claim?.message ?? messageOf(outcome);
    if (this.#limit?.limit !== 'turns') return errorPrefix + reason;
    return reason.startsWith(limitPrefix) ? reason : `${limitPrefix}${this.#limit.maximum ?? 0}). ${reason}`;
  }
}

function messageOf({ error_details, verdict }: RunOutcome): string {
  return error_details?.message || (verdict.evidence[0]?.detail ?? '');
}

/** If there is no query, something else may be wrong too, such as a flag without its value; then that is reported. */
const saysNoQuery = /^$|^(?:no|empty|missing)\b|\b(?:empty|missing|required)$/i;

/** The error of a response: one of five codes, with the class in the message if no code fits it. */
export function writeError(outcome: RunOutcome): { code: string; message: string } {
  const message = messageOf(outcome);
  switch (outcome.verdict.class) {
    case 'config':
      return { code: 'CONFIG_ERROR', message };
    case 'provider':
      return { code: 'PROVIDER_ERROR', message };
    case 'input':
      if (outcome.metadata.initial_prompt === '' && saysNoQuery.test(message)) return { code: 'NO_QUERY', message };
  }
  const words = classWords[outcome.verdict.class];
  if (words === undefined) return { code: 'UNKNOWN_ERROR', message };
  // With a wrong command line, no agent has run that could have failed.
  return {
    code: outcome.verdict.class === 'input' ? 'CONFIG_ERROR' : 'AGENT_ERROR',
    message: codeOfMessage(message) === words.code ? message : `${words.words}: ${message}`,
  };
}
