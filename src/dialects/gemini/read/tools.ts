import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf, ItemKind, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, count, object, string } from '../../../json/read.ts';
import { kindIn } from '../../kit/tool-kinds.ts';
import { mcpName, toolKinds } from '../words.ts';

/** The calls of a stream, from `tool_use` to `tool_result`. */
export class Tools {
  readonly #sink: DecoderSink;
  /** What the result of a call does not repeat: its name, and the file that it edits if it succeeds. */
  readonly #open = new OpenIds<{ name: string; edit: Edit | undefined }>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  start(id: string, wire: JsonObject): void {
    const name = asText(wire.tool_name);
    this.#open.set(id, { name, edit: editOf(name, object(wire.parameters)) });
    this.#sink.emit(startTool(id, name, wire.parameters ?? {}));
  }

  end(id: string, wire: JsonObject): void {
    const call = this.#open.get(id);
    this.#open.delete(id);
    const status = statusOf(call?.name, wire);
    const error = string(object(wire.error).message);
    this.#sink.emit({
      type: 'item.completed',
      item_id: id,
      status,
      ...present({ output: wire.output, error }),
    });
    if (status === 'success' && call?.edit !== undefined)
      this.#sink.emit({ type: 'file.edited', ...call.edit, item_id: id });
  }
}

function startTool(id: string, name: string, args: Json): Omit<EventOf<'item.started'>, 'turn_id'> {
  return { type: 'item.started', item_id: id, kind: kindOf(name), name, args };
}

function kindOf(name: string): ItemKind {
  return kindIn(toolKinds, name, mcpName);
}

interface Edit {
  path: string;
  operation: 'created' | 'modified';
}

/** The file that a successful call to this tool has changed. */
export function editOf(name: string, args: JsonObject): Edit | undefined {
  const path = string(args.file_path);
  if (path === undefined) return undefined;
  if (name === 'write_file') return { path, operation: 'created' };
  if (name === 'replace') return { path, operation: args.old_string === '' ? 'created' : 'modified' };
  return undefined;
}

/** The tool that was not found: it is told in two texts, and any line may be damaged, that of the call too. */
function missingTool(wire: JsonObject): string | undefined {
  const names = [object(wire.error).message, wire.output].map(
    (text) => /^Tool "([^"\n]{1,200})" not found/.exec(string(text) ?? '')?.[1],
  );
  return names.find((name) => name !== undefined);
}

function statusOf(called: string | undefined, wire: JsonObject): ItemStatus {
  if (wire.status === 'success') return 'success';
  const error = object(wire.error);
  const missing = missingTool(wire);
  const name = (called === '' ? undefined : called) ?? missing ?? '';
  switch (error.type) {
    case 'policy_violation':
    case 'path_not_in_workspace':
      return 'denied';
    case 'tool_not_registered':
      // Tools that may not be used are not registered; a name that the program never had is the model's mistake.
      return Object.hasOwn(toolKinds, name) ? 'denied' : 'error';
    case 'invalid_tool_params':
      return string(error.message)?.startsWith('Path not in workspace') === true ? 'denied' : 'error';
    default:
      return missing !== undefined && Object.hasOwn(toolKinds, name) ? 'denied' : 'error';
  }
}

/** No run makes this many calls; a larger number is damage. */
const maxCalls = 10_000;

export interface ToolCount {
  name: string;
  calls: number;
  failed: number;
  rejected: number;
}

/** Calls as the json document reports them, in numbers per tool: how many there were, how many failed, how many were refused. */
export function readToolCounts(stats: JsonObject): ToolCount[] {
  let left = maxCalls;
  return Object.entries(object(object(stats.tools).byName)).flatMap(([name, wire]) => {
    const tool = object(wire);
    const calls = Math.min(Math.floor(count(tool.count) ?? 0), left);
    if (name === '' || calls < 1) return [];
    left -= calls;
    return [{ name, calls, failed: count(tool.fail) ?? 0, rejected: count(object(tool.decisions).reject) ?? 0 }];
  });
}

/** Order and inputs are not reported; all calls start, then all end, as in one batch. */
export function emitCalls(sink: DecoderSink, tools: readonly ToolCount[]): void {
  for (const { name, calls } of tools) {
    for (let call = 1; call <= calls; call += 1) sink.emit(startTool(`${name}_${call}`, name, {}));
  }
  for (const { name, calls, failed, rejected } of tools) {
    for (let call = 1; call <= calls; call += 1) {
      // Which of them failed is not reported: assume the first ones, so that a run that went on does not seem to end in a failure.
      const status = call > failed ? 'success' : call <= rejected ? 'denied' : 'error';
      sink.emit({ type: 'item.completed', item_id: `${name}_${call}`, status });
    }
  }
}
