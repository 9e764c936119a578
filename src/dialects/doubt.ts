import type { EventRecord } from '../events/event.ts';

/**
 * Whether this speaks against the agent's claim in a way that no agent's own wire can say: who writes one must then say
 * that the run failed, or a reader of those lines alone would believe the claim.
 */
export function castsDoubt(event: EventRecord): boolean {
  if (event.type === 'process.ended') return event.exit_code !== 0;
  return event.type === 'log' && (event.cause === 'cut' || event.cause === 'broken' || event.cause === 'oversize');
}
