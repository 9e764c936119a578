import type { EventOf } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { ErrorDetails } from './outcome.ts';
import { placeInStack } from './stack-place.ts';

interface Failing {
  fatal: EventOf<'error'> | undefined;
  claim: EventOf<'agent.finished'> | undefined;
}

/** Why a run failed: the error that ended it, else what the agent claims, else the last error before the end. */
export function errorDetails(
  { fatal, claim }: Failing,
  lastError: EventOf<'error'> | undefined,
): ErrorDetails | undefined {
  const error = fatal ?? (claim?.status === 'failed' ? undefined : lastError);
  if (error === undefined)
    return claim?.status === 'failed' ? present({ type: claim.code, message: claim.message }) : undefined;
  const place = error.stack === undefined ? undefined : placeInStack(error.stack);
  return present({
    type: error.name ?? error.code,
    message: error.message,
    stack_trace: error.stack,
    file_path: place?.file,
    line_number: place?.line,
  });
}
