import type { EventOf, EventRecord } from '../events/event.ts';
import { codeOfClass } from '../faults.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { LastClaim } from '../outcome/last-claim.ts';
import { failureText } from './told.ts';

type Claim = EventOf<'agent.finished'>;

/**
 * What an agent claims of its end, and whether a wire may repeat it. Who reads the lines alone believes the claim, so a run that
 * was no success must not be told as one: unless its own lines, repeated as they came, speak against the claim just as well.
 */
export class Claims {
  readonly #dialect: string | undefined;
  readonly #last = new LastClaim();
  #isDoubted = false;

  /** Unset: it cannot repeat even its own lines. */
  constructor(dialect: string | undefined) {
    this.#dialect = dialect;
  }

  /** Whether a run that had finished goes on with this: lines of both together do not speak for the last one as its own do. */
  see(event: EventRecord): boolean {
    const goesOn = this.#last.see(event, event.synthetic) !== undefined;
    if (goesOn || castsDoubt(event)) this.#isDoubted = true;
    return goesOn;
  }

  /** Something that this wire has no word for speaks against the claim. */
  doubt(): void {
    this.#isDoubted = true;
  }

  /** The last one, of a run that did not go on after it. */
  get last(): Claim | undefined {
    return this.#last.current;
  }

  /** The last one as this wire may repeat it. */
  told(outcome: RunOutcome): Claim | undefined {
    return this.judged(this.last, outcome);
  }

  judged(claim: Claim | undefined, outcome: RunOutcome): Claim | undefined {
    const { verdict, provenance } = outcome;
    if (claim?.status !== 'ok' || verdict.class === 'success') return claim;
    if (!this.#isDoubted && provenance.dialect === this.#dialect) return claim;
    return { type: 'agent.finished', status: 'failed', code: verdict.code ?? codeOfClass[verdict.class], message: failureText(outcome) };
  }
}

/** Whether this speaks against the claim in a way that no agent's own wire can say. */
function castsDoubt(event: EventRecord): boolean {
  if (event.type === 'process.ended') return event.exit_code !== 0;
  if (event.type === 'expectation.checked') return !event.passed;
  return event.type === 'log' && (event.cause === 'cut' || event.cause === 'broken' || event.cause === 'oversize');
}
