import type { JsonObject } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { isSession } from './read/session.ts';

/** Sentences that no other agent prints. */
const peculiar = [
  'Error when talking to Gemini API',
  '@google/gemini-cli',
  'gemini-client-error-',
  'GOOGLE_GENAI_USE_',
  'YOLO mode is enabled. All tool calls will be automatically approved.',
  'Ripgrep is not available. Falling back to GrepTool.',
  'GEMINI_CLI_',
];

export function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  let best = 0;
  for (const wire of head) best = Math.max(best, sure(wire));
  return head.length === 0 ? sureOfStderr(stderr) : best;
}

function sure(wire: JsonObject): number {
  if (isSession(wire)) return 1;
  const timed = typeof wire.timestamp === 'string';
  switch (wire.type) {
    case 'init':
      return typeof wire.session_id === 'string' && typeof wire.model === 'string' && !('subtype' in wire) ? 1 : 0;
    case 'message':
      return typeof wire.role === 'string' && typeof wire.content === 'string' && timed && !('id' in wire) ? 0.9 : 0;
    case 'tool_use':
      return typeof wire.tool_name === 'string' && typeof wire.tool_id === 'string' ? 1 : 0;
    case 'tool_result':
      return typeof wire.tool_id === 'string' && typeof wire.status === 'string' ? 0.95 : 0;
    case 'error':
      return typeof wire.severity === 'string' && typeof wire.message === 'string' && timed ? 0.8 : 0;
    case 'result':
      if (isObject(wire.stats) && 'total_tokens' in wire.stats) return 1;
      return typeof wire.status === 'string' && timed && !('subtype' in wire) ? 0.7 : 0;
    case undefined:
      return sureOfDocument(wire);
    default:
      return 0;
  }
}

function sureOfDocument(wire: JsonObject): number {
  if (isObject(wire.stats) && isObject(wire.stats.models) && isObject(wire.stats.tools)) return 1;
  const { error } = wire;
  return typeof wire.session_id === 'string' &&
    isObject(error) &&
    typeof error.type === 'string' &&
    typeof error.message === 'string'
    ? 0.7
    : 0;
}

function sureOfStderr(lines: readonly string[]): number {
  // Qwen Code is a fork: some of its messages still mention gemini.
  if (lines.some((line) => line.includes('qwen'))) return 0;
  if (lines.some((line) => peculiar.some((words) => line.includes(words)))) return 0.9;
  return lines.some((line) => line.includes('piping data into gemini')) ? 0.6 : 0;
}

/** A document that was cut off: indented, with its session and its answer first. */
export function detectText(text: string): number {
  return /^\{\n {2}"(?:session_id": "[^"]*",\n {2}"(?:response|error|stats)|response)": ?/.test(text.slice(0, 500))
    ? 0.7
    : 0;
}
