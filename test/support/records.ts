import type { AgentEvent, EventRecord } from '../../src/events/event.ts';

/** What a record says, without its place in the run. */
export function eventOf({
  sequence: _sequence,
  timestamp: _time,
  thread_id: _thread,
  source: _source,
  synthetic: _added,
  ...event
}: EventRecord): AgentEvent {
  return event as AgentEvent;
}

/** Puts hand-written events into their places in one run. */
export function numbered(): (
  event: AgentEvent,
  place?: { synthetic?: boolean; at?: number; source?: EventRecord['source'] },
) => EventRecord {
  let sequence = 0;
  return (event, { synthetic = false, at, source = 'agent' } = {}) => {
    sequence += 1;
    return {
      ...event,
      sequence,
      timestamp: at === undefined ? null : new Date(at).toISOString(),
      thread_id: 'thread-1',
      source,
      synthetic,
    };
  };
}
