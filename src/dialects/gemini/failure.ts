import type { DecoderSink } from '../dialect.ts';
import { compact } from '../read.ts';
import { codeOf } from './faults.ts';

export interface FailureTold {
  message: string | undefined;
  /** The name of the error class; API errors travel as `unknown` or `Error`. */
  type: string | undefined;
  status?: number | undefined;
  duration?: number | undefined;
}

/** The agent says that it failed: which way is in the class of the error or in its words. */
export function emitFailure(sink: DecoderSink, { message, type, status, duration }: FailureTold): void {
  const code = codeOf(message ?? '', type, status);
  if (code === 'turn_limit') sink.emit({ type: 'limit.reached', limit: 'turns', ...compact({ message }) });
  const plain = type === undefined || type === 'unknown' || type === 'Error';
  sink.emit({
    type: 'agent.finished',
    ...(code === 'cancelled' ? { status: 'cancelled' } : { status: 'failed', code }),
    ...compact({ raw_status: plain ? undefined : type, message, duration_ms: duration }),
  });
}
