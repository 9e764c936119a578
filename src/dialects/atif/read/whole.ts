import type { Json, JsonObject } from '../../../json/json.ts';
import { filled, list, object, string } from '../../../json/read.ts';
import { isStatus } from '../words.ts';

/** The keys of each part, as the format has them: it allows others only in `extra`, `arguments` and `tool_definitions`. */
export const keys = {
  root: keysOf(
    'schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref extra subagent_trajectories',
  ),
  step: keysOf(
    'step_id timestamp source message model_name reasoning_effort reasoning_content tool_calls observation metrics llm_call_count is_copied_context extra',
  ),
  call: keysOf('tool_call_id function_name arguments extra'),
  observation: keysOf('results'),
  result: keysOf('source_call_id content subagent_trajectory_ref extra'),
};

const sources: ReadonlySet<Json | undefined> = new Set(['agent', 'user', 'system']);

/** How deep trajectories inside trajectories are followed. */
const deepest = 50;

/** What a document with these flaws may have lost: nothing that matters, how calls ended, or whole calls. */
export const losses = ['nothing', 'ends of calls', 'tool calls'] as const;

/** How much of the document may be missing, as an index of `losses`: other programs write keys of their own, and so does damage. */
export function lossIn(wire: JsonObject, depth = 0): number {
  const steps = list(wire.steps).map(object);
  const calls = new Set(steps.flatMap((step) => list(step.tool_calls).map((call) => object(call).tool_call_id)));
  const children = depth < deepest ? list(wire.subagent_trajectories).map(object) : [];
  let loss = has(wire, keys.root) ? 0 : 1;
  for (const [index, step] of steps.entries())
    loss = Math.max(loss, follows(steps[index - 1], step) ? lossInStep(step, calls) : 2);
  for (const child of children) loss = Math.max(loss, lossIn(child, depth + 1));
  return loss;
}

/** Steps are numbered without gaps, if at all. */
function follows(before: JsonObject | undefined, step: JsonObject): boolean {
  const [last, id] = [before?.step_id, step.step_id];
  return typeof last !== 'number' || typeof id !== 'number' || id === last + 1;
}

function lossInStep(step: JsonObject, calls: ReadonlySet<Json | undefined>): number {
  const observation = object(step.observation);
  const results = list(observation.results).map(object);
  const isNobodys = !sources.has(step.source);
  const isStray = ({ source_call_id: id }: JsonObject): boolean => typeof id === 'string' && !calls.has(id);
  if (isNobodys || results.some(isStray)) return 2;
  const isWhole =
    has(step, keys.step) &&
    has(observation, keys.observation) &&
    list(step.tool_calls).every((call) => isWholeCall(object(call))) &&
    results.every(isWholeResult);
  return isWhole ? 0 : 1;
}

function isWholeCall(call: JsonObject): boolean {
  return has(call, keys.call) && filled(call.function_name) !== undefined;
}

function isWholeResult(result: JsonObject): boolean {
  const extra = extraOf(result);
  // Who tells what a call changed also tells how it ended.
  const isTold = !('file_changes' in extra) || extra.status !== undefined;
  return has(result, keys.result) && isTold && (string(extra.status) === undefined || isStatus(extra.status));
}

/** What a result says besides its content, under whatever name. */
export function extraOf(result: JsonObject): JsonObject {
  if (result.extra !== undefined) return object(result.extra);
  for (const key in result) if (!keys.result.has(key) && 'is_error' in object(result[key])) return object(result[key]);
  return {};
}

/** A part of a trajectory that stands by itself: the document around it was torn apart. */
export function isPiece(wire: JsonObject): boolean {
  return 'step_id' in wire || 'source_call_id' in wire || ('tool_call_id' in wire && 'function_name' in wire);
}

function has(wire: JsonObject, known: ReadonlySet<string>): boolean {
  for (const key in wire) if (!known.has(key)) return false;
  return true;
}

function keysOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
