import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import { Claims } from '../../kit/claims.ts';

/** How the last message ends, in pi's words. */
interface Written {
  reason: string;
  error?: string;
}

/** The evidence for and against a good end. */
export class Ending {
  readonly claims = new Claims('pi');
  fatal: EventOf<'error'> | undefined;

  /** Undefined: nothing reported how the run ended, so this stream does not either. */
  write(outcome: RunOutcome, turnEnd: EventOf<'turn.completed'> | undefined): Written | undefined {
    const claim = this.claims.claimOf(outcome);
    switch (claim?.status) {
      case 'ok':
        return { reason: 'stop' };
      case 'cancelled':
        return { reason: 'aborted', ...present({ error: claim.message }) };
      case 'failed': {
        const reason = turnEnd?.finish_reason === 'length' ? 'length' : 'error';
        return {
          reason,
          ...present({ error: claim.message ?? (reason === 'error' ? outcome.error_details?.message : undefined) }),
        };
      }
      case undefined:
        return this.fatal === undefined ? undefined : { reason: 'error', error: this.fatal.message };
    }
  }
}
