import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, isObject, list, object, string } from '../../../json/read.ts';

/** The text, or the texts of its parts; for other parts, their type and path. */
export function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) =>
      isObject(part) ? (string(part.text) ?? `[${asText(part.type)}: ${asText(object(part.source).path)}]`) : '',
    )
    .join('\n');
}

/**
 * Some writers make the output of a call a step of its own, in the agent's name and with the output as its message. The model said none of
 * it: such a step has no calls, and its results belong to calls of earlier steps.
 */
export function isOutputStep(step: JsonObject): boolean {
  const results = list(object(step.observation).results).map(object);
  if (results.length === 0 || list(step.tool_calls).length > 0) return false;
  const message = textOf(step.message).trim();
  const shown = results.map(({ content }) => textOf(content).trim());
  if (message === '' || isEcho(message, shown.join('\n')) || shown.some((output) => isEcho(message, output)))
    return true;
  const isModels =
    isObject(step.metrics) || filled(step.reasoning_content) !== undefined || filled(step.model_name) !== undefined;
  return !isModels && results.every(({ source_call_id }) => filled(source_call_id) !== undefined);
}

/** Shorter texts may begin alike by chance. */
const shortestBeginning = 40;

/** Either text may be cut. */
function isEcho(message: string, shown: string): boolean {
  if (message === shown) return true;
  if (Math.min(message.length, shown.length) < shortestBeginning) return false;
  return (
    shown.startsWith(message.slice(0, -shortestBeginning / 4)) ||
    message.startsWith(shown.slice(0, -shortestBeginning / 4))
  );
}
