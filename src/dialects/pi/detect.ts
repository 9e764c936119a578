import type { JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { surest } from '../kit/surest.ts';

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  if (head.length === 0)
    return stderr.some((line) => line.includes('.pi/agent') || line.includes('pi-coding-agent')) ? 0.9 : 0;
  return surest(head, sure);
}

/** A row of a session file after its first: the first may be missing from what is left of it. */
function isEntry(wire: JsonObject): boolean {
  return typeof wire.id === 'string' && 'parentId' in wire && typeof wire.timestamp === 'string';
}

function stored(message: JsonObject): number {
  switch (message.role) {
    case 'assistant':
      return typeof message.provider === 'string' && ('api' in message || typeof message.stopReason === 'string')
        ? 0.9
        : 0;
    case 'toolResult':
      return typeof message.toolCallId === 'string' && typeof message.toolName === 'string' ? 0.9 : 0;
    default:
      return message.role === 'user' && 'content' in message ? 0.7 : 0;
  }
}

function sure(wire: JsonObject): number {
  switch (wire.type) {
    case 'session':
      if (typeof wire.id !== 'string' || !('cwd' in wire)) return 0;
      // The first version of the format has no number, but names the model.
      return typeof wire.version === 'number' || 'provider' in wire || 'modelId' in wire ? 1 : 0.8;
    case 'agent_start':
    case 'turn_start':
      return Object.keys(wire).length === 1 ? 0.7 : 0;
    case 'message_start':
    case 'message_end':
      return isObject(wire.message) &&
        typeof wire.message.role === 'string' &&
        'content' in wire.message &&
        !('index' in wire)
        ? 0.7
        : 0;
    case 'message_update':
      return isObject(wire.assistantMessageEvent) ? 1 : 0;
    case 'turn_end':
      return isObject(wire.message) && Array.isArray(wire.toolResults) ? 1 : 0;
    case 'agent_end':
      return Array.isArray(wire.messages) ? 0.9 : 0;
    case 'tool_execution_start':
    case 'tool_execution_update':
    case 'tool_execution_end':
      return typeof wire.toolCallId === 'string' && typeof wire.toolName === 'string' ? 1 : 0;
    case 'message':
      return isEntry(wire) && isObject(wire.message) ? stored(wire.message) : 0;
    case 'custom':
    case 'custom_message':
      return isEntry(wire) && typeof wire.customType === 'string' ? 0.9 : 0;
    case 'compaction':
      return isEntry(wire) && typeof wire.firstKeptEntryId === 'string' ? 0.9 : 0;
    case 'model_change':
      return isEntry(wire) && typeof wire.modelId === 'string' ? 0.9 : 0;
    case 'thinking_level_change':
      return isEntry(wire) && typeof wire.thinkingLevel === 'string' ? 0.9 : 0;
    case 'auto_retry_start':
      return typeof wire.errorMessage === 'string' ? 0.9 : 0;
    default:
      return 0;
  }
}
