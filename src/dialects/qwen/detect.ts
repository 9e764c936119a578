import type { JsonObject } from '../../json/json.ts';
import { isObject, object } from '../../json/read.ts';
import { isOldQwen } from './read/legacy.ts';
import { isSession } from './read/session.ts';

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  let best = 0;
  for (const wire of head) best = Math.max(best, sure(wire));
  if (head.length === 0 && stderr.some(isQwenTalk)) best = 0.9;
  return best;
}

function sure(wire: JsonObject): number {
  if (isSession(wire)) return 1;
  switch (wire.type) {
    case 'system':
      if (wire.subtype === 'init')
        return 'qwen_code_version' in wire ? 1 : 'permission_mode' in wire && !('permissionMode' in wire) ? 0.9 : 0;
      // Claude Code, whose protocol this is, puts a payload beside the subtype and never under `data`.
      return typeof wire.subtype === 'string' && isObject(wire.data) && typeof wire.uuid === 'string' ? 0.9 : 0;
    case 'stream_event':
      return 'goal_state' in object(wire.event) ? 0.95 : 0;
    case 'assistant':
      // The program makes up the message id itself, and uses it in both places.
      return typeof wire.uuid === 'string' && wire.uuid === object(wire.message).id ? 0.8 : 0;
    case 'result':
      return isObject(wire.error) && wire.subtype === 'error_during_execution' && !('total_cost_usd' in wire) ? 0.8 : 0;
    case undefined:
      return isOldQwen(wire) ? 0.95 : 0;
  }
  return 0;
}

function isQwenTalk(text: string): boolean {
  return (
    /QWEN_(?:CODE_\w+|SANDBOX)|@qwen-code\//.test(text) ||
    /^Retrying provider attempt \(\d+ buffered tool call/.test(text)
  );
}
