import type { Draft } from '../../events/event.ts';
import type { Claim } from '../claim.ts';
import type { Turn } from '../loop.ts';
import { type CheckAnswer, repairRequest } from './output-schema.ts';

/** Judges an answer that calls no tools: it ends the run, or the model is asked once to repair it. */
export class FinalAnswer {
  readonly #check: CheckAnswer | undefined;
  readonly #emit: (draft: Draft) => void;
  #askedToRepair = false;

  /** Without a check, every answer is accepted. */
  constructor(check: CheckAnswer | undefined, emit: (draft: Draft) => void) {
    this.#check = check;
    this.#emit = emit;
  }

  judge(text: string, turn: Turn): Claim | { repair: string } {
    const problem = this.#check?.(text);
    if (problem === undefined) return { status: 'ok', ...(text.trim() === '' ? {} : { message: text }) };
    const message = `the answer does not match the output schema: ${problem}`;
    if (!this.#askedToRepair) {
      this.#askedToRepair = true;
      this.#emit({ type: 'log', stream: 'agent', level: 'warning', text: message });
      return { repair: repairRequest(problem) };
    }
    this.#emit({ type: 'error', scope: 'agent', code: 'unknown', message, retryable: false, fatal: true, ...turn });
    return { status: 'failed', code: 'unknown', message };
  }
}
