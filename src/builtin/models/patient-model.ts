import type { Draft } from '../../events/event.ts';
import type { Tokens } from '../../outcome/usage.ts';
import type { AgentOptions } from '../agent.ts';
import { ask, type Asked, type Question } from './call.ts';
import { backoffMs, pause } from './backoff.ts';
import type { Spending } from '../spending.ts';
import type { Fault } from './fault.ts';
import type { OpenModel } from './model.ts';

type Emit = (draft: Draft) => void;

interface Surroundings {
  options: Pick<AgentOptions, 'retries' | 'retryDelayMs'>;
  spending: Spending;
  emit: Emit;
}

const defaultRetries = 4;
const defaultDelayMs = 1000;

/** A model that is asked again when it fails in a way that may pass, and whose usage is counted. */
export class PatientModel {
  readonly #open: OpenModel;
  readonly #around: Surroundings;
  #lastInput: number | undefined;

  constructor(open: OpenModel, around: Surroundings) {
    this.#open = open;
    this.#around = around;
  }

  get id(): string {
    return this.#open.id;
  }

  /** Input tokens of the last answer: how long the conversation is. */
  get lastInput(): number {
    return this.#lastInput ?? 0;
  }

  /** `tell` hears the answer as it comes; retries and usage are always told. */
  async ask(question: Question, tell: Emit = this.#around.emit): Promise<Asked> {
    const { retries = defaultRetries, retryDelayMs = defaultDelayMs } = this.#around.options;
    for (let attempt = 1; ; attempt += 1) {
      // What a failed attempt said was said: the next one is another message, not more of the same.
      const messageId = attempt === 1 ? question.messageId : `${question.messageId}_try_${attempt}`;
      const asked = await ask(this.#open, { ...question, messageId }, tell);
      if ('answer' in asked) this.#count(asked.answer.tokens);
      if (!('fault' in asked) || !asked.fault.retryable || attempt > retries) return asked;
      const delay = backoffMs(attempt, retryDelayMs, asked.fault.retryAfterMs);
      this.#around.emit(retry(asked.fault, { attempt, retries, delay }));
      if (!(await pause(delay, question.signal))) return { aborted: true, text: '' };
    }
  }

  #count(tokens: Tokens | undefined): void {
    const { spending, emit } = this.#around;
    this.#lastInput = tokens?.input;
    const cost = spending.costOf(tokens);
    if (tokens !== undefined) {
      const { input, output, reasoning, cacheRead, cacheWrite } = tokens;
      emit({
        type: 'usage.reported',
        scope: 'step',
        model: this.id,
        ...(input === undefined ? {} : { input_tokens: input }),
        ...(output === undefined ? {} : { output_tokens: output }),
        ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
        ...(cacheRead === undefined ? {} : { cache_read_tokens: cacheRead }),
        ...(cacheWrite === undefined ? {} : { cache_write_tokens: cacheWrite }),
        ...(cost === undefined ? {} : { cost_usd: cost }),
      });
    }
    spending.add(this.id, tokens);
  }
}

function retry({ code, message }: Fault, { attempt, retries, delay }: { attempt: number; retries: number; delay: number }): Draft {
  return { type: 'retry.scheduled', attempt, max_attempts: retries, delay_ms: delay, code, cause: message };
}
