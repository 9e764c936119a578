import type { ErrorCode, EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome, Verdict } from '../../../outcome/outcome.ts';
import { castsDoubt } from '../../doubt.ts';
import { errorClasses } from '../words.ts';

interface Written {
  /** none: the stream just stops, as it does when the process is interrupted. */
  status: 'success' | 'error' | 'none';
  error?: { type: string; message: string };
}

/** Listens to every record for what the closing line has to say. */
export class Ending {
  #claim: EventOf<'agent.finished'> | undefined;
  #turnLimit: EventOf<'limit.reached'> | undefined;
  /** Something that this wire has no word for speaks against the agent's claim. */
  #isDoubted = false;

  see(event: EventRecord): void {
    this.#isDoubted ||= castsDoubt(event);
    switch (event.type) {
      case 'agent.finished':
        this.#claim = event;
        return;
      case 'limit.reached':
        if (event.limit === 'turns') this.#turnLimit = event;
        this.#isDoubted = true;
        return;
      case 'permission.resolved':
        this.#isDoubted ||= event.decision === 'denied';
    }
  }

  /** How long the agent says that it took. */
  get duration(): number | undefined {
    return this.#claim?.duration_ms;
  }

  write({ verdict, error_details }: RunOutcome): Written {
    const claim = this.#claim;
    if (claim?.status === 'ok') {
      if (verdict.class === 'success' || !this.#isDoubted) return { status: 'success' };
      return { status: 'error', error: { type: this.#typeOf(claim), message: reasonOf(verdict) } };
    }
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

/** The class to name for a failure of another agent; the plain ones travel as `unknown`, as API errors do. */
function classOf(code: ErrorCode | undefined): string {
  return errorClasses.find(([, meaning]) => meaning === code)?.[0] ?? 'unknown';
}

export function reasonOf(verdict: Verdict): string {
  return verdict.evidence[0]?.detail ?? '';
}
