import type { Draft } from '../events/event.ts';

/** What the agent says about its own run: the body of `agent.finished`. */
export type Claim = Omit<Extract<Draft, { type: 'agent.finished' }>, 'type'>;

export function cancelledBy({ reason }: AbortSignal): Claim {
  const why =
    reason instanceof Error
      ? reason.name === 'AbortError'
        ? undefined
        : reason.message
      : typeof reason === 'string'
        ? reason
        : undefined;
  return {
    status: 'cancelled',
    code: 'cancelled',
    message: why === undefined ? 'the run was cancelled' : `the run was cancelled: ${why}`,
  };
}
