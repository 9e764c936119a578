import type { Json, JsonObject } from '../json/json.ts';
import { present } from '../json/present.ts';
import { isObject, list, object, string } from '../json/read.ts';

/** The result of a tool that a model called, as the program tells it with its next request. */
export interface CallResult {
  /** Of the call. */
  id?: string;
  /** Of the tool, where the API goes by that. */
  name?: string;
  output: string;
  isError: boolean;
}

/** All results in the body of a request, whichever of the four APIs it is for. */
export function resultsIn({ input, messages, contents }: JsonObject): CallResult[] {
  return [
    ...list(input).map(object).flatMap(responses),
    ...list(messages).map(object).flatMap(conversation),
    ...sinceAnswer(list(contents).map(object)).flatMap(({ parts }) => list(parts).map(object).flatMap(gemini)),
  ];
}

/** Where names stand for ids, only what follows the last answer can be its results. */
function sinceAnswer(contents: readonly JsonObject[]): readonly JsonObject[] {
  return contents.slice(contents.findLastIndex(({ role }) => role === 'model') + 1);
}

function responses({ type, call_id: id, output }: JsonObject): CallResult[] {
  if (string(type)?.endsWith('_output') !== true) return [];
  return [{ id: string(id) ?? '', output: textIn(output), isError: false }];
}

/** Chat Completions and Messages. */
function conversation({ role, tool_call_id: id, content }: JsonObject): CallResult[] {
  if (role === 'tool') return [{ id: string(id) ?? '', output: textIn(content), isError: false }];
  return list(content)
    .map(object)
    .filter(({ type }) => type === 'tool_result')
    .map((block) => ({
      id: string(block.tool_use_id) ?? '',
      output: textIn(block.content),
      isError: block.is_error === true,
    }));
}

function gemini({ functionResponse }: JsonObject): CallResult[] {
  if (!isObject(functionResponse)) return [];
  const { id, name, response } = functionResponse;
  const fields = object(response);
  return [
    {
      ...present({ id: string(id), name: string(name) }),
      output: textIn(fields.output ?? fields.result ?? fields.error ?? response),
      isError: fields.error !== undefined,
    },
  ];
}

/** A text, the texts of its parts, or JSON. */
function textIn(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  const parts = list(value).map((part) => string(object(part).text));
  if (parts.some((part) => part !== undefined)) return parts.join('');
  return value === undefined ? '' : JSON.stringify(value);
}
