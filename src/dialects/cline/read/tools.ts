import type { FileOperation, ItemKind, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../present.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { asText, count, filled, isObject, list, object, string, wordIn } from '../../read.ts';
import { kindIn } from '../../tool-kinds.ts';
import { mcpName, patchOperations, refusal, toolKinds } from '../words.ts';

interface Edit {
  path: string;
  /** Undefined: only the tool's output shows whether the file existed before. */
  operation: FileOperation | undefined;
}

export class Tools {
  readonly #sink: DecoderSink;
  /** The open calls, and the files that each changes if it succeeds. */
  readonly #calls = new Map<string, readonly Edit[]>();
  /** The call that ended last was refused, and the model has written nothing since. */
  isRefused = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  start(id: string, event: JsonObject): void {
    const name = string(event.toolName) ?? 'unknown';
    this.#calls.set(id, editsOf(name, event.input));
    this.#sink.emit({ type: 'item.started', item_id: id, kind: kindOf(name), name, args: event.input ?? null });
  }

  /** Chunks of a running command's output, or whatever else a tool reports about its progress. */
  progress(id: string, update: Json | undefined): void {
    const fields = object(update);
    const chunk = string(fields.chunk);
    if (chunk !== undefined) {
      // Empty chunks only signal that the command may be detached now.
      if (chunk !== '')
        this.#sink.emit({ type: 'item.output', item_id: id, stream: fields.stream === 'stderr' ? 'stderr' : 'stdout', chunk });
      return;
    }
    const text = list(update).length > 0 || Object.keys(fields).length > 0 ? JSON.stringify(update) : asText(update);
    if (text !== '') this.#sink.emit({ type: 'item.output', item_id: id, stream: 'progress', chunk: text });
  }

  end(id: string, event: JsonObject): void {
    if (!this.#calls.has(id)) this.start(id, event);
    const edits = this.#calls.get(id) ?? [];
    this.#calls.delete(id);
    const end = endOf(event);
    this.isRefused = end.status === 'denied';
    this.#sink.emit({
      type: 'item.completed',
      item_id: id,
      ...end,
      ...present({ output: event.output ?? undefined, duration_ms: count(event.durationMs) }),
    });
    if (end.status !== 'success') return;
    for (const { path, operation = editorOperation(event.output) } of edits)
      this.#sink.emit({ type: 'file.edited', path, operation, item_id: id });
  }
}

function kindOf(name: string): ItemKind {
  return name.startsWith('team_') ? 'subagent' : kindIn(toolKinds, name, mcpName);
}

/** The files that a tool changes if it succeeds, as far as its input names them. */
function editsOf(name: string, input: Json | undefined): readonly Edit[] {
  if (name === 'editor') {
    const path = filled(object(input).path);
    return path === undefined ? [] : [{ path, operation: undefined }];
  }
  if (name !== 'apply_patch') return [];
  const patch = string(input) ?? string(object(input).input) ?? string(object(input).patch) ?? '';
  const edits: Edit[] = [];
  for (const [, verb = '', path] of patch.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)) {
    if (path !== undefined) edits.push({ path, operation: wordIn(patchOperations, verb) });
  }
  return edits;
}

function editorOperation(output: Json | undefined): FileOperation {
  return asText(object(output).result).startsWith('File created') ? 'created' : 'modified';
}

interface End {
  status: ItemStatus;
  error?: string;
  exit_code?: number;
}

/** A tool succeeds unless it says otherwise: `error` on the event, or `success: false` in any part of its output. */
function endOf(event: JsonObject): End {
  const output = event.output;
  const parts = Array.isArray(output) ? output : [output ?? null];
  let failed = false;
  let said: string | undefined;
  for (const part of parts) {
    if (!isObject(part)) continue;
    const error = filled(part.error);
    if (part.success === false || error !== undefined) failed = true;
    said ??= error;
  }
  const error = said ?? filled(event.error);
  if (!failed && error === undefined) return { status: 'success' };
  const exit = /exited with code (\d{1,9})$/.exec(error ?? '')?.[1];
  return { status: failureOf(error ?? ''), ...present({ error, exit_code: exit === undefined ? undefined : Number(exit) }) };
}

const unavailable = /Model tried to call unavailable tool '(\w+)'/;

function failureOf(error: string): ItemStatus {
  const head = error.slice(0, 500);
  // If one of Cline's own tools is unavailable, it was withheld.
  const withheld = Object.hasOwn(toolKinds, unavailable.exec(head)?.[1] ?? '');
  if (withheld || refusal.test(head)) return 'denied';
  return error.endsWith('was aborted') ? 'cancelled' : 'error';
}
