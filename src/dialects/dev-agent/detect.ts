import type { JsonObject } from '../../json/json.ts';
import { lineTypes } from './words.ts';

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  let best = 0;
  for (const wire of head) best = Math.max(best, sure(wire));
  if (
    head.length === 0 &&
    stderr.some((text) => /^\[\d\d:\d\d:\d\d\] \w+ (?:dev|review|verify|plan)_agent: /.test(text))
  )
    best = 0.9;
  return best;
}

function sure(wire: JsonObject): number {
  // A tape has the same envelope, but its records also say where they came from.
  if ('synthetic' in wire || typeof wire.type !== 'string' || typeof wire.thread_id !== 'string') return 0;
  if (!lineTypes.has(wire.type)) return 0;
  if (typeof wire.sequence === 'number' && typeof wire.timestamp === 'string') return 1;
  switch (wire.type) {
    case 'thread.started':
      return 'task' in wire && 'parent_branch_id' in wire ? 1 : 0;
    case 'turn.started':
    case 'turn.completed':
    case 'assistant.message':
      return 'turn_id' in wire ? 1 : 0;
    case 'item.started':
    case 'item.completed':
      return 'item_id' in wire ? 1 : 0;
    case 'thread.completed':
      return 'final_report' in wire ? 1 : 0;
  }
  return 0;
}
