import type { ItemKind, ItemStatus } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, count, filled, isObject, list, object, string, wordIn } from '../../../json/read.ts';
import type { DecoderSink } from '../../dialect.ts';
import { type CallEnd, Calls, type Edit } from '../../kit/calls.ts';
import { kindIn } from '../../kit/tool-kinds.ts';
import { mcpName, patchOperations, refusal, toolKinds } from '../words.ts';

export class Tools {
  readonly #sink: DecoderSink;
  readonly #calls: Calls;
  /** The call that ended last was refused, and the model has written nothing since. */
  isRefused = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
    this.#calls = new Calls(sink);
  }

  start(id: string, { toolName, input }: JsonObject): void {
    const name = string(toolName) ?? 'unknown';
    this.#calls.start(id, { kind: kindOf(name), name, args: input, edits: editsOf(name, input) });
  }

  /** Chunks of a running command's output, or whatever else a tool reports about its progress. */
  progress(item_id: string, update: Json | undefined): void {
    const fields = object(update);
    const stream = string(fields.chunk) === undefined ? 'progress' : fields.stream === 'stderr' ? 'stderr' : 'stdout';
    const isEmpty = list(update).length === 0 && Object.keys(fields).length === 0;
    const chunk = string(fields.chunk) ?? (isEmpty ? asText(update) : JSON.stringify(update));
    // Empty chunks only signal that the command may be detached now.
    if (chunk !== '') this.#sink.emit({ type: 'item.output', item_id, stream, chunk });
  }

  end(id: string, event: JsonObject): void {
    if (!this.#calls.isOpen(id)) this.start(id, event);
    const end = endOf(event);
    this.isRefused = end.status === 'denied';
    const isNew = asText(object(event.output).result).startsWith('File created');
    this.#calls.end(id, end, isNew ? 'created' : 'modified');
  }
}

function kindOf(name: string): ItemKind {
  return name.startsWith('team_') ? 'subagent' : kindIn(toolKinds, name, mcpName);
}

/** The files that a tool changes if it succeeds, as far as its input names them. */
function editsOf(name: string, input: Json | undefined): readonly Edit[] {
  if (name === 'editor') {
    const path = filled(object(input).path);
    return path === undefined ? [] : [{ path }];
  }
  if (name !== 'apply_patch') return [];
  const patch = string(input) ?? string(object(input).input) ?? string(object(input).patch) ?? '';
  const edits: Edit[] = [];
  for (const [, verb = '', path] of patch.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)) {
    if (path !== undefined) edits.push({ path, operation: wordIn(patchOperations, verb) });
  }
  return edits;
}

/** A tool succeeds unless it says otherwise: `error` on the event, or `success: false` in any part of its output. */
function endOf(event: JsonObject): CallEnd {
  const output = event.output ?? undefined;
  const duration_ms = count(event.durationMs);
  const parts = (Array.isArray(output) ? output : [output]).filter(isObject);
  const message = parts.map((part) => filled(part.error)).find((each) => each !== undefined);
  const error = message ?? filled(event.error);
  if (error === undefined && !parts.some((part) => part.success === false))
    return { status: 'success', output, duration_ms };
  const exit = /exited with code (\d{1,9})$/.exec(error ?? '')?.[1];
  return {
    status: failureOf(error ?? ''),
    error,
    exit_code: exit === undefined ? undefined : Number(exit),
    output,
    duration_ms,
  };
}

const unavailable = /Model tried to call unavailable tool '(\w+)'/;

function failureOf(error: string): ItemStatus {
  const head = error.slice(0, 500);
  // If one of Cline's own tools is unavailable, it was withheld.
  const withheld = Object.hasOwn(toolKinds, unavailable.exec(head)?.[1] ?? '');
  if (withheld || refusal.test(head)) return 'denied';
  return error.endsWith('was aborted') ? 'cancelled' : 'error';
}
