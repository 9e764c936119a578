import type { JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { surest } from '../kit/surest.ts';

export function detect(head: readonly JsonObject[]): number {
  return surest(head, sure);
}

function sure(wire: JsonObject): number {
  if (isResponse(wire)) return 1;
  switch (wire.type) {
    case 'stream_progress':
      return typeof wire.charDelta === 'number' && typeof wire.mode === 'string' ? 1 : 0;
    case 'done':
      return typeof wire.answer === 'string' && Array.isArray(wire.toolCalls) ? 1 : 0;
    case 'tool_start':
    case 'tool_end':
    case 'tool_approval':
    case 'tool_denied':
      return typeof wire.tool === 'string' && isObject(wire.args) ? 0.9 : 0;
    case 'thinking':
      return typeof wire.message === 'string' ? 0.6 : isScratchpad(wire) ? 0.9 : 0;
    case 'init':
      return isScratchpad(wire) ? 1 : 0;
    case 'tool_result':
      return typeof wire.toolName === 'string' && typeof wire.timestamp === 'string' ? 0.9 : 0;
  }
  return 0;
}

function isScratchpad(wire: JsonObject): boolean {
  return typeof wire.content === 'string' && typeof wire.timestamp === 'string' && !('turn' in wire);
}

/** The one object that `--json` prints. */
export function isResponse(wire: JsonObject): boolean {
  return (
    !('type' in wire) &&
    typeof wire.status === 'string' &&
    Array.isArray(wire.tools) &&
    isObject(wire.metadata) &&
    'scratchpadFile' in wire
  );
}
