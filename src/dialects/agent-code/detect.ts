import type { JsonObject } from '../../json/json.ts';

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  let best = 0;
  for (const wire of head) best = Math.max(best, sure(wire));
  if (head.length === 0 && stderr.some(isComplaint)) best = 0.9;
  return best;
}

const complaint = 'unknown output format: ';

function isComplaint(text: string): boolean {
  const at = text.indexOf(complaint);
  return at !== -1 && text.includes(' (expected text or json)', at + complaint.length);
}

function sure(wire: JsonObject): number {
  switch (wire.type) {
    case 'session_start':
      return typeof wire.session_id === 'string' && typeof wire.model === 'string' && typeof wire.timestamp === 'string'
        ? 1
        : 0;
    case 'session_end':
      return typeof wire.turns === 'number' && typeof wire.exit_code === 'number' ? 1 : 0;
    case 'turn_start':
      return typeof wire.turn === 'number' && Object.keys(wire).length === 2 ? 0.9 : 0;
    case 'text_delta':
    case 'thinking':
      return typeof wire.turn === 'number' && typeof wire.content === 'string' ? 0.9 : 0;
    case 'tool_call':
      return typeof wire.turn === 'number' && typeof wire.tool === 'string' && 'input' in wire ? 0.95 : 0;
    case 'tool_result':
      return typeof wire.turn === 'number' && typeof wire.tool === 'string' && 'is_error' in wire ? 0.95 : 0;
    case 'turn_complete':
      return typeof wire.turn === 'number' && 'input_tokens' in wire ? 0.95 : 0;
    case 'error':
    case 'warning':
      return typeof wire.turn === 'number' && typeof wire.message === 'string' ? 0.8 : 0;
  }
  return 0;
}
