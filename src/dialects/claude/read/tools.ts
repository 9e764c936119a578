import { OpenIds } from '../../../ids/open-ids.ts';
import type { ItemKind, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, count, filled, integer, isObject, list, object, string } from '../../../json/read.ts';
import { editedPath, kindIn, mcpName } from '../../kit/tool-kinds.ts';
import { Generations } from '../../kit/generations.ts';
import { actingTools, interruption, pathFields, toolKinds } from '../words.ts';
import type { Permissions } from './permissions.ts';

/** More calls than a model makes at once. */
const mostEarly = 1000;

/** Tool calls, from the block that makes them to the block with their result. */
export class Tools {
  readonly #sink: DecoderSink;
  readonly #permissions: Permissions;
  readonly #open = new OpenIds<{ name: string; path: string | undefined; isStopped?: true }>();
  readonly #ended = new Generations<true>(5000);
  /** Results of calls that somebody is said to have rejected: what comes next tells whether all was stopped. */
  #rejected: Parameters<Tools['end']>[] = [];
  /** Results that came before their calls; undefined: they cannot. */
  #early: Map<string, Parameters<Tools['end']>> | undefined;

  constructor(sink: DecoderSink, permissions: Permissions) {
    this.#sink = sink;
    this.#permissions = permissions;
  }

  /** Session files may have the row with a result before the row with its call. */
  expectEarlyResults(): void {
    this.#early ??= new Map();
  }

  /** The calls of these results are not in the file. */
  endEarly(): void {
    const early = this.#early;
    if (early === undefined || early.size === 0) return;
    this.#early = undefined;
    for (const result of early.values()) this.end(...result);
    this.#early = new Map();
  }

  start(id: string, block: JsonObject, turnId: string | undefined, parent: string | undefined): void {
    // A message may appear twice.
    if (this.#open.has(id)) return;
    const name = filled(block.name) ?? 'unknown';
    const kind = kindOf(name);
    this.#open.set(id, { name, path: editedPath(kind, block.input, pathFields) });
    const native = block.type === 'tool_use' ? undefined : string(block.type);
    this.#sink.emit({
      type: 'item.started',
      item_id: id,
      kind,
      name,
      args: block.input ?? {},
      ...present({ native_name: native, turn_id: turnId, parent_item_id: parent }),
    });
    const result = this.#early?.get(id);
    if (result === undefined) return;
    this.#early?.delete(id);
    this.end(...result);
  }

  /** It ran, and was stopped: whatever its result says, nobody refused it. */
  stop(id: string): void {
    const tool = this.#open.get(id);
    if (tool !== undefined) this.#open.set(id, { ...tool, isStopped: true });
  }

  /** The result of a tool that ran on the server: a block of the message itself. */
  endOnServer(id: string, block: JsonObject): void {
    const failed = block.is_error === true || (string(object(block.content).type) ?? '').endsWith('_error');
    this.#open.delete(id);
    this.#sink.emit({
      type: 'item.completed',
      item_id: id,
      status: failed ? 'error' : 'success',
      ...present({ output: outputOf(block.content) }),
    });
  }

  /** `details`: the structured output beside the text. */
  end(id: string, block: JsonObject, nonExecution: string | undefined, details: JsonObject): void {
    const tool = this.#open.get(id);
    // A resumed session repeats earlier results.
    if (tool === undefined && this.#ended.get(id) === true) return;
    if (tool === undefined && this.#early !== undefined && this.#early.size < mostEarly) {
      this.#early.set(id, [id, block, nonExecution, details]);
      return;
    }
    // In a session file the user was asked; here nobody is, and these are the words for an interruption, too.
    if (tool !== undefined && nonExecution === 'user-rejected' && this.#early === undefined) {
      this.#rejected.push([id, block, nonExecution, details]);
      return;
    }
    this.#finish(id, block, nonExecution, details);
  }

  /** What follows the calls that were rejected is known: a further message, or the end. */
  settle(isInterrupted: boolean): void {
    if (this.#rejected.length === 0) return;
    const rejected = this.#rejected;
    this.#rejected = [];
    for (const [id, ...rest] of rejected) {
      if (isInterrupted) this.stop(id);
      this.#finish(id, ...rest);
    }
  }

  #finish(...[id, block, nonExecution, details]: Parameters<Tools['end']>): void {
    const tool = this.#open.get(id);
    this.#open.delete(id);
    this.#ended.set(id, true);
    const output = outputOf(block.content);
    const text = typeof output === 'string' ? output : '';
    let status = resultStatus(block.is_error === true, nonExecution, text);
    if (status !== 'success' && tool?.isStopped === true) status = 'cancelled';
    if (status === 'error' && isDisallowed(tool?.name ?? '', text)) status = 'denied';
    if (status === 'error' && this.#permissions.isDenied(id)) status = 'denied';
    if (status === 'denied') this.#permissions.deny(id);
    this.#sink.emit({
      type: 'item.completed',
      item_id: id,
      status,
      ...present({
        output,
        exit_code: integer(details.exit_code) ?? exitCodeIn(tool?.name ?? '', status === 'error' ? text : ''),
        duration_ms: count(details.duration_ms) ?? count(details.durationMs) ?? count(details.totalDurationMs),
      }),
    });
    if (status !== 'success') return;
    const edit = editOf(tool?.path, details, output);
    if (edit !== undefined) this.#sink.emit({ type: 'file.edited', ...edit, item_id: id });
  }
}

function kindOf(name: string): ItemKind {
  return kindIn(toolKinds, name, mcpName);
}

const refusals = [
  /^(?:Error: )?Permission to use .{0,400} (?:has been|was) denied/s,
  /^(?:Error: )?Claude requested permissions? to /,
  /^The user doesn't want to (?:proceed with this tool use|take this action)/,
  /^(?:Error: )?This (?:Bash )?command (?:contains multiple operations\. The following parts? )?requires? approval/,
  /^(?:Error: )?(?:Hook )?PreToolUse:\S{1,200} (?:hook error|denied this tool)/,
];

/** A tool of its own that it does not have was disallowed. */
function isDisallowed(name: string, text: string): boolean {
  return actingTools.has(name) && /^(?:<tool_use_error>)?(?:Error: )?No such tool available\b/.test(text.slice(0, 100));
}

/** `toolDenialKind` of a session file, in the terms of `tool_result_meta`. */
export function nonExecutionOf(denial: Json | undefined): string | undefined {
  const kind = filled(denial);
  return kind === undefined || /interrupt|cancel|permission|reject|deni/.test(kind) ? kind : 'denied';
}

export function resultStatus(isError: boolean, nonExecution: string | undefined, text: string): ItemStatus {
  if (nonExecution !== undefined) {
    if (/permission|reject|deni|block|hook|plan-mode/.test(nonExecution)) return 'denied';
    if (/interrupt|cancel/.test(nonExecution)) return 'cancelled';
    if (nonExecution === 'abandoned') return 'abandoned';
  }
  if (!isError) return 'success';
  if (text.startsWith(interruption)) return 'cancelled';
  const head = text.slice(0, 600);
  return refusals.some((wording) => wording.test(head)) ? 'denied' : 'error';
}

/** `tool_result_meta`: one object for all results of its line, or a list with one per result. */
export function nonExecutionIn(meta: Json | undefined): (id: string) => string | undefined {
  if (meta === undefined) return () => undefined;
  if (isObject(meta)) return () => string(meta.non_execution_kind);
  const byId = new Map<Json | undefined, string | undefined>();
  for (const each of list(meta)) {
    const { id, non_execution_kind: kind } = object(each);
    if (!byId.has(id)) byId.set(id, string(kind));
  }
  return (id) => byId.get(id);
}

/** A tool's output: text if every block is text, else the blocks unchanged. */
function outputOf(content: Json | undefined): Json | undefined {
  if (!Array.isArray(content)) return content ?? undefined;
  const texts: string[] = [];
  for (const each of content) {
    const block = object(each);
    if (block.type !== 'text' || typeof block.text !== 'string') return content;
    texts.push(block.text);
  }
  return texts.join('\n');
}

/** The exit code in the first line of a failed command's output. */
export function exitCodeIn(name: string, text: string): number | undefined {
  if (kindOf(name) !== 'command') return undefined;
  const printed = /^(?:Error: )?Exit code (\d{1,9})\b/.exec(text.slice(0, 60))?.[1];
  return printed === undefined ? undefined : Number(printed);
}

/** The `tool_use_result` of Write says whether the file is new; without it, only the output text does. */
function editOf(path: string | undefined, details: JsonObject, output: Json | undefined) {
  const change = details.type;
  const isNamed = change === 'create' || change === 'update' || change === 'delete';
  const file = isNamed ? (filled(details.filePath) ?? path) : path;
  if (file === undefined) return undefined;
  const created = change === 'create' || (!isNamed && asText(output).startsWith('File created'));
  return {
    path: file,
    operation: created ? ('created' as const) : change === 'delete' ? ('deleted' as const) : ('modified' as const),
  };
}
