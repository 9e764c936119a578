import type { ErrorCode, EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome, Verdict } from '../../../outcome/outcome.ts';
import { Claims } from '../../kit/claims.ts';
import { errorClasses } from '../words.ts';

interface Written {
  /** none: the stream just stops, as it does when the process is interrupted. */
  status: 'success' | 'error' | 'none';
  error?: { type: string; message: string };
}

/** Collects what the closing line needs from every record. */
export class Ending {
  readonly #claims = new Claims('gemini');
  #turnLimit: EventOf<'limit.reached'> | undefined;

  /** Whether this event continues a run that had already finished. */
  see(event: EventRecord): boolean {
    const goesOn = this.#claims.see(event);
    if (goesOn) this.#turnLimit = undefined;
    switch (event.type) {
      case 'limit.reached':
        if (event.limit === 'turns') this.#turnLimit = event;
        this.#claims.doubt();
        break;
      case 'permission.resolved':
        if (event.decision === 'denied') this.#claims.doubt();
    }
    return goesOn;
  }

  /** The duration that the agent reports. */
  get duration(): number | undefined {
    return this.#claims.last?.duration_ms;
  }

  write(outcome: RunOutcome): Written {
    const { verdict, error_details } = outcome;
    const claim = this.#claims.claimOf(outcome);
    if (claim?.status === 'ok') return { status: 'success' };
    if (claim === undefined) {
      const limit = this.#turnLimit;
      if (limit === undefined) return { status: 'none' };
      return { status: 'error', error: { type: 'FatalTurnLimitedError', message: limit.message ?? reasonOf(verdict) } };
    }
    const type = this.#typeOf(claim);
    const message = claim.message ?? error_details?.message;
    if (message === undefined && type === 'unknown') return { status: 'error' };
    return { status: 'error', error: { type, message: message ?? reasonOf(verdict) } };
  }

  #typeOf(claim: EventOf<'agent.finished'>): string {
    if (this.#turnLimit !== undefined) return 'FatalTurnLimitedError';
    if (claim.status === 'cancelled') return 'FatalCancellationError';
    return claim.raw_status ?? classOf(claim.code);
  }
}

/** The error class for another agent's failure; ones without a class are written as `unknown`, like API errors. */
function classOf(code: ErrorCode | undefined): string {
  return errorClasses.find(([, meaning]) => meaning === code)?.[0] ?? 'unknown';
}

export function reasonOf(verdict: Verdict): string {
  return verdict.evidence[0]?.detail ?? '';
}
