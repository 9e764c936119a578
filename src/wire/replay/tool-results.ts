import type { Json, JsonObject } from '../../json/json.ts';
import { isObject, list, object, string } from '../../json/read.ts';

/** A result of a tool that a request hands to the model, and where it stands. */
export interface ToolResult {
  path: readonly string[];
  /** The call that it answers, in words: its command, or its name and arguments. */
  call: string;
}

/** All results of tools in the body of a request, whichever API it is for. */
export function toolResultsIn(body: Json): ToolResult[] {
  const top = object(body);
  return [...responses(top), ...conversation(top), ...gemini(top)];
}

function responses({ input }: JsonObject): ToolResult[] {
  const calls = new Map<string, string>();
  return list(input).flatMap((each, index) => {
    const item = object(each);
    const id = string(item.call_id) ?? '';
    if (string(item.type)?.endsWith('_output') !== true) {
      if (id !== '') calls.set(id, wordsOf(string(item.name), item.arguments ?? item.input ?? item.action));
      return [];
    }
    return [{ path: ['input', String(index), 'output'], call: calls.get(id) ?? id }];
  });
}

/** Chat Completions and Messages. */
function conversation({ messages }: JsonObject): ToolResult[] {
  const calls = new Map<string, string>();
  return list(messages).flatMap((each, index) => {
    const message = object(each);
    const path = ['messages', String(index), 'content'];
    for (const call of list(message.tool_calls).map(object))
      calls.set(string(call.id) ?? '', wordsOf(string(object(call.function).name), object(call.function).arguments));
    if (message.role === 'tool') return [{ path, call: calls.get(string(message.tool_call_id) ?? '') ?? 'a tool' }];
    return list(message.content).flatMap((part, at) => {
      const block = object(part);
      if (block.type === 'tool_use') calls.set(string(block.id) ?? '', wordsOf(string(block.name), block.input));
      if (block.type !== 'tool_result') return [];
      return [{ path: [...path, String(at), 'content'], call: calls.get(string(block.tool_use_id) ?? '') ?? 'a tool' }];
    });
  });
}

function gemini({ contents }: JsonObject): ToolResult[] {
  const waiting: { name: string; words: string }[] = [];
  return list(contents).flatMap((content, index) =>
    list(object(content).parts).flatMap((part, at) => {
      const { functionCall, functionResponse } = object(part);
      if (isObject(functionCall))
        waiting.push({
          name: string(functionCall.name) ?? '',
          words: wordsOf(string(functionCall.name), functionCall.args),
        });
      if (!isObject(functionResponse)) return [];
      const found = waiting.findIndex(({ name }) => name === functionResponse.name);
      const [call] = found < 0 ? [] : waiting.splice(found, 1);
      return [
        {
          path: ['contents', String(index), 'parts', String(at), 'functionResponse', 'response'],
          call: call?.words ?? 'a tool',
        },
      ];
    }),
  );
}

/** A command as it was typed; else the name of the tool with its arguments. */
function wordsOf(name: string | undefined, args: Json | undefined): string {
  let given = args;
  if (typeof given === 'string')
    try {
      given = JSON.parse(given) as Json;
    } catch {
      return given as string;
    }
  const { command, cmd, script } = object(given);
  const typed = command ?? cmd ?? script;
  if (typeof typed === 'string') return typed;
  if (Array.isArray(typed)) return typed.join(' ');
  return given === undefined ? (name ?? 'a tool') : `${name ?? 'a tool'} ${JSON.stringify(given)}`;
}
