import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { allDenied } from '../../all-denied.ts';
import { compact } from '../../read.ts';

/** How the last message ends, in pi's words. */
interface LastWord {
  reason: string;
  error?: string;
}

/** What speaks for and against a good end. */
export class Ending {
  claim: EventOf<'agent.finished'> | undefined;
  fatal: EventOf<'error'> | undefined;
  /** Something that this wire has no word for speaks against the agent's claim. */
  isDoubted = false;

  /** Undefined: nobody said how the run ended, and neither does this stream. */
  lastWord(outcome: RunOutcome, turnEnd: EventOf<'turn.completed'> | undefined): LastWord | undefined {
    const { verdict, error_details } = outcome;
    const denied = allDenied(outcome, 'pi');
    switch (this.claim?.status) {
      case 'ok':
        if (denied !== undefined) return { reason: 'error', error: denied };
        if (verdict.class === 'success' || !this.isDoubted) return { reason: 'stop' };
        return { reason: 'error', error: verdict.evidence[0]?.detail ?? '' };
      case 'cancelled':
        return { reason: 'aborted', ...compact({ error: this.claim.message }) };
      case 'failed': {
        const reason = turnEnd?.finish_reason === 'length' ? 'length' : 'error';
        return { reason, ...compact({ error: this.claim.message ?? (reason === 'error' ? error_details?.message : undefined) }) };
      }
      case undefined:
        return this.fatal === undefined ? undefined : { reason: 'error', error: this.fatal.message };
    }
  }
}
