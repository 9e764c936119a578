import type { JsonObject } from '../dialect.ts';
import { surest } from '../surest.ts';

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  if (head.length === 0) return stderr.some((text) => /\bdroid exec\b/.test(text)) ? 0.8 : 0;
  return surest(head, sure);
}

function sure(wire: JsonObject): number {
  switch (wire.type) {
    case 'system':
      if (wire.subtype !== 'init' || typeof wire.session_id !== 'string' || isOthers(wire)) return 0;
      if ('reasoning_effort' in wire) return 1;
      // Any agent may begin like this: the lines that follow decide.
      return 'cwd' in wire && 'tools' in wire && 'model' in wire ? 0.55 : 0;
    case 'message':
      return typeof wire.role === 'string' && typeof wire.text === 'string' && typeof wire.session_id === 'string' ? 0.95 : 0;
    case 'tool_call':
    case 'tool_result':
      return typeof wire.toolId === 'string' && ('toolName' in wire || 'isError' in wire) ? 1 : 0;
    case 'completion':
      return typeof wire.finalText === 'string' ? 1 : 0;
    case 'result':
      return typeof wire.subtype === 'string' && 'num_turns' in wire && !('duration_api_ms' in wire) && !isOthers(wire) ? 0.95 : 0;
    default:
      return 0;
  }
}

const othersKeys = [
  'apiKeySource',
  'claude_code_version',
  'qwen_code_version',
  'permissionMode',
  'permission_mode',
  'permission_denials',
  'mcp_servers',
  'slash_commands',
  'total_cost_usd',
  'cost_usd',
  'uuid',
];

/** Claude Code, Qwen Code, Cursor and Amp start and end their streams with lines of the same types. */
function isOthers(wire: JsonObject): boolean {
  return othersKeys.some((key) => key in wire) || (typeof wire.session_id === 'string' && wire.session_id.startsWith('T-'));
}
