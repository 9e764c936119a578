import type { JsonObject } from '../dialect.ts';
import { isObject } from '../read.ts';
import { surest } from '../surest.ts';

export function detect(head: readonly JsonObject[]): number {
  return surest(head, sure);
}

function sure(wire: JsonObject): number {
  switch (wire.type) {
    case 'system':
      // Claude Code's first line has the same key, but lists its tools.
      return wire.subtype === 'init' && 'apiKeySource' in wire && !('claude_code_version' in wire) && !('tools' in wire) ? 1 : 0;
    case 'tool_call':
      return typeof wire.call_id === 'string' && isObject(wire.tool_call) ? 1 : 0;
    case 'thinking':
      return wire.subtype === 'delta' || wire.subtype === 'completed' ? 0.8 : 0;
    case 'result':
      return typeof wire.subtype === 'string' && isOwn(wire) && !isOthers(wire) ? 0.95 : 0;
    default:
      return 0;
  }
}

function isOwn(wire: JsonObject): boolean {
  return 'duration_api_ms' in wire || 'request_id' in wire || (isObject(wire.usage) && 'inputTokens' in wire.usage);
}

/** Keys that the result lines of Claude Code, Qwen Code and Amp have, and Cursor's never have. */
function isOthers(wire: JsonObject): boolean {
  return 'uuid' in wire || 'num_turns' in wire || 'total_cost_usd' in wire || 'cost_usd' in wire || 'permission_denials' in wire;
}
