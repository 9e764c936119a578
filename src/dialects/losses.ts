import type { EventType } from '../events/event.ts';
import type { Loss } from './dialect.ts';

/** What is missing from the output when an encoder cannot express an event of this type. */
export const lossOf: Record<EventType, Loss> = {
  'thread.started': 'session',
  'prompt.submitted': 'prompt',
  'turn.started': 'turn_boundary',
  'turn.completed': 'turn_boundary',
  'text.delta': 'text_deltas',
  'text.completed': 'text',
  'reasoning.delta': 'reasoning',
  'reasoning.completed': 'reasoning',
  'item.started': 'tool_call',
  'item.output': 'tool_progress',
  'item.completed': 'tool_call',
  'file.edited': 'file_edit',
  'permission.requested': 'permission',
  'permission.resolved': 'permission',
  'usage.reported': 'usage',
  'children.reported': 'usage',
  'retry.scheduled': 'retry',
  'limit.reached': 'limit',
  'rate_limit.reported': 'rate_limit',
  'branch.updated': 'lineage',
  'branch.published': 'lineage',
  'expectation.checked': 'expectation',
  log: 'log',
  error: 'error',
  'agent.finished': 'verdict',
  'process.ended': 'process',
  'line.unknown': 'unknown_line',
  'thread.completed': 'verdict',
};
