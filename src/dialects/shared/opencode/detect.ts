import type { Json, JsonObject } from '../../../json/json.ts';
import { isObject, object } from '../../../json/read.ts';
import { plainText } from './read/stderr.ts';

// Kilo is a fork of OpenCode and prints the same stream. What differs: Kilo's `step_finish` has `metrics` and `time`, its tools
// say which rule approved them, some of its errors are plain strings, and each error is on stderr as well. OpenCode has
// printed `messageID` before `sessionID` since 1.14 (spring of 2026); earlier versions did not, nor does 2.0, and Kilo never did.
const ordersDiffer = Date.UTC(2026, 4, 1);
const runTypes = new Set(['step_start', 'text', 'reasoning', 'tool_use', 'step_finish', 'error']);

export type Speaker = 'opencode' | 'kilo';

/** Whose run stream this is and how certain that is; undefined if it is neither's. */
export function speakerOf(
  head: readonly JsonObject[],
  stderr: readonly string[],
): { who: Speaker; sure: number } | undefined {
  let leaning: { who: Speaker; sure: number } | undefined;
  for (const wire of head) {
    if (!isRunLine(wire)) continue;
    const sign = signOf(wire, stderr);
    if (sign.sure >= 0.9) return sign;
    if (leaning === undefined || sign.sure > leaning.sure) leaning = sign;
  }
  return leaning;
}

function isRunLine(wire: JsonObject): boolean {
  if (typeof wire.type !== 'string' || !runTypes.has(wire.type) || typeof wire.sessionID !== 'string') return false;
  return isObject(wire.part) || isObject(wire.text) || wire.error !== undefined;
}

function signOf(wire: JsonObject, stderr: readonly string[]): { who: Speaker; sure: number } {
  if (wire.type === 'error') return errorSign(wire.error, stderr);
  if (!isObject(wire.part)) return { who: 'opencode', sure: 1 };
  const { part } = wire;
  if (wire.type === 'step_finish') return { who: 'metrics' in part || 'time' in part ? 'kilo' : 'opencode', sure: 1 };
  if ('approval' in object(object(part.state).metadata)) return { who: 'kilo', sure: 1 };
  const keys = Object.keys(part);
  const session = keys.indexOf('sessionID');
  const message = keys.indexOf('messageID');
  if ('partID' in part || keys[0] === 'type' || session === -1 || (message !== -1 && message < session))
    return { who: 'opencode', sure: 1 };
  if (typeof wire.timestamp !== 'number' || wire.timestamp < ordersDiffer) return { who: 'opencode', sure: 0.9 };
  // OpenCode 2 begins like this too: its first tool call or the end of its first step will tell.
  return { who: 'kilo', sure: 0.7 };
}

function errorSign(error: Json | undefined, stderr: readonly string[]): { who: Speaker; sure: number } {
  if (typeof error === 'string') return { who: 'kilo', sure: 1 };
  const coloured = stderr.some((text) => plainText(text).startsWith('Error: '));
  return { who: coloured ? 'kilo' : 'opencode', sure: 0.7 };
}
