import type { Draft } from '../../events/event.ts';
import { pause as pauseByClock } from '../../time/pause.ts';
import { present } from '../../json/present.ts';
import type { AgentOptions } from '../agent.ts';
import { callModel, type Question, type Reply } from './call.ts';
import { backoffMs } from './backoff.ts';
import type { CallUsage } from './call-usage.ts';
import type { Spending } from '../spending.ts';
import type { Fault } from './fault.ts';
import type { OpenModel } from './model.ts';

type Emit = (draft: Draft) => void;

interface PatientModelOptions {
  options: Pick<AgentOptions, 'retries' | 'retryDelayMs' | 'pause' | 'ready'>;
  spending: Spending;
  emit: Emit;
}

const defaultRetries = 4;
const defaultDelayMs = 1000;

/** A model that is asked again after a transient failure, and whose usage is counted. */
export class PatientModel {
  readonly #open: OpenModel;
  readonly #set: PatientModelOptions;
  #lastInput: number | undefined;

  constructor(open: OpenModel, set: PatientModelOptions) {
    this.#open = open;
    this.#set = set;
  }

  get id(): string {
    return this.#open.id;
  }

  /** Input tokens of the last call: how long the conversation is. */
  get lastInput(): number {
    return this.#lastInput ?? 0;
  }

  /** `tell` receives the answer as it arrives; retries and usage are always emitted. */
  async answer(question: Question, tell: Emit = this.#set.emit): Promise<Reply> {
    const { retries = defaultRetries, retryDelayMs = defaultDelayMs, pause = pauseByClock } = this.#set.options;
    for (let attempt = 1; ; attempt += 1) {
      await this.#set.options.ready?.();
      // The text of a failed attempt has already been emitted: the next attempt is another message, not more of the same.
      const messageId = attempt === 1 ? question.messageId : `${question.messageId}_try_${attempt}`;
      const reply = await callModel(this.#open, { ...question, messageId }, tell);
      if ('answer' in reply) this.#count(reply.answer.usage);
      if ('aborted' in reply) this.#lose();
      if (!('fault' in reply) || !reply.fault.retryable || attempt > retries) return reply;
      const delay = backoffMs(attempt, retryDelayMs, reply.fault.retryAfterMs);
      this.#set.emit(retry(reply.fault, { attempt, retries, delay }));
      if (!(await pause(delay, question.signal))) return { aborted: true, text: '' };
    }
  }

  /** A call that was cut off is paid for, but nobody says what it cost. */
  #lose(): void {
    this.#set.emit({ type: 'usage.reported', scope: 'step', model: this.id, cost_is: 'at_least' });
  }

  #count(used: CallUsage | undefined): void {
    const { spending, emit } = this.#set;
    this.#lastInput = used?.input;
    if (used !== undefined) {
      const { input, output, reasoning, cacheRead, cacheWrite, cacheWriteHour, webSearches, serviceTier } = used;
      emit({
        type: 'usage.reported',
        scope: 'step',
        model: this.id,
        ...present({
          input_tokens: input,
          output_tokens: output,
          reasoning_tokens: reasoning,
          cache_read_tokens: cacheRead,
          cache_write_tokens: cacheWrite,
          cache_write_1h_tokens: cacheWriteHour,
          web_searches: webSearches,
          service_tier: serviceTier,
          cost_usd: spending.costOf(used),
        }),
      });
    }
    spending.add(this.id, used);
  }
}

function retry(
  { code, message }: Fault,
  { attempt, retries, delay }: { attempt: number; retries: number; delay: number },
): Draft {
  return { type: 'retry.scheduled', attempt, max_attempts: retries, delay_ms: delay, code, cause: message };
}
