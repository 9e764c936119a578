import type { Claim, EventRecord } from '../../events/event.ts';
import { codeOfClass } from '../../outcome/faults.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { LastClaim } from '../../outcome/last-claim.ts';
import { failureText } from './told.ts';

/**
 * What an agent claims about how it ended, and whether an encoder may repeat that claim. A reader who sees only the lines believes
 * it, so an unsuccessful run must not be written as a success, unless the agent's own lines, repeated unchanged, contradict the
 * claim just as clearly.
 */
export class Claims {
  readonly #dialect: string | undefined;
  readonly #last = new LastClaim();
  #isDoubted = false;

  /** Unset: this dialect cannot repeat even its own lines. */
  constructor(dialect: string | undefined) {
    this.#dialect = dialect;
  }

  /** Whether this event continues a run that had already finished: then the lines no longer describe the last part alone. */
  see(event: EventRecord): boolean {
    const goesOn = this.#last.see(event, event.synthetic) !== undefined;
    if (goesOn || castsDoubt(event)) this.#isDoubted = true;
    return goesOn;
  }

  /** Something that this wire cannot express contradicts the claim. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** The last claim, if the run did not go on after it. */
  get last(): Claim | undefined {
    return this.#last.current;
  }

  /** The last claim, in the form in which this wire may repeat it. */
  claimOf(outcome: RunOutcome): Claim | undefined {
    return this.judged(this.last, outcome);
  }

  judged(claim: Claim | undefined, outcome: RunOutcome): Claim | undefined {
    const { verdict, provenance } = outcome;
    if (claim?.status !== 'ok' || verdict.class === 'success') return claim;
    // What was seen on the way to the models is in no agent's own lines.
    const isContradicted =
      this.#isDoubted || verdict.evidence.some(({ signal }) => signal === 'wire' || signal === 'model');
    if (!isContradicted && provenance.dialect === this.#dialect) return claim;
    return {
      type: 'agent.finished',
      status: 'failed',
      code: verdict.code ?? codeOfClass[verdict.class],
      message: failureText(outcome),
    };
  }
}

/** Whether this contradicts the claim in a way that no agent's own wire can express. */
function castsDoubt(event: EventRecord): boolean {
  if (event.type === 'process.ended') return event.exit_code !== 0;
  if (event.type === 'expectation.checked') return !event.passed;
  return event.type === 'log' && (event.cause === 'cut' || event.cause === 'broken' || event.cause === 'oversize');
}
