import type { JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { isSession } from './read/session.ts';

const itemTypes = new Set<unknown>([
  'agent_message',
  'assistant_message',
  'reasoning',
  'command_execution',
  'file_change',
  'mcp_tool_call',
  'collab_tool_call',
  'web_search',
  'todo_list',
  'error',
]);

const sessionTypes = new Set<unknown>([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'token_usage_record',
]);

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  let best = 0;
  for (const wire of head) best = Math.max(best, sure(wire));
  if (head.length === 0 && stderr.some((text) => text.includes('codex_core::'))) best = 0.9;
  return best;
}

function sure(wire: JsonObject): number {
  // Our tape and dev-agent use the same event names, but they number every line or give ids to turns and branches.
  if ('sequence' in wire || 'turn_id' in wire || 'parent_branch_id' in wire) return 0;
  switch (wire.type) {
    case 'thread.started':
      return typeof wire.thread_id === 'string' ? 1 : 0;
    case 'session.created':
      return typeof wire.session_id === 'string' && !('properties' in wire) ? 1 : 0;
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return isObject(wire.item) && itemTypes.has(wire.item.type ?? wire.item.item_type) ? 1 : 0;
    case 'turn.started':
    case 'turn.completed':
    case 'turn.failed':
      return 0.8;
  }
  if (isSession(wire) && sessionTypes.has(wire.type)) return 1;
  if (isObject(wire.msg) && typeof wire.msg.type === 'string' && typeof wire.id === 'string') return 1;
  return typeof wire.workdir === 'string' && typeof wire.model === 'string' && typeof wire.sandbox === 'string' ? 1 : 0;
}
