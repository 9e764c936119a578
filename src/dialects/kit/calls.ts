import type { Draft, FileOperation, ItemKind, ItemStatus } from '../../events/event.ts';
import { OpenIds } from '../../ids/open-ids.ts';
import type { Json } from '../../json/json.ts';
import type { DecoderSink } from '../dialect.ts';
import { OpenCalls, type Waiting } from './open-calls.ts';
import { editedPath } from './tool-kinds.ts';

export interface Edit {
  readonly path: string;
  /** Unset: only its end shows whether the file existed before. */
  readonly operation?: FileOperation | undefined;
}

/** A call as it starts. */
export interface Call {
  readonly kind: ItemKind;
  readonly name: string;
  readonly args: Json | undefined;
  readonly native_name?: string | undefined;
  readonly parent_item_id?: string | undefined;
  /** What it changes if it succeeds. */
  readonly edits?: readonly Edit[] | undefined;
  /** The word by which a result without an id finds its call. */
  readonly tool?: string | undefined;
}

/** How it ends. */
export interface CallEnd {
  readonly status: ItemStatus;
  readonly error?: string | undefined;
  readonly exit_code?: number | undefined;
  readonly output?: Json | undefined;
  readonly duration_ms?: number | undefined;
}

interface OpenCall extends Waiting<OpenCall> {
  readonly id: string;
  readonly edits: readonly Edit[];
}

const noEdits: readonly Edit[] = [];

// Filled in by hand: a run has nothing more often than calls, and spreading optional fields costs as much as all the rest.
type DraftOf<Type extends Draft['type']> = Extract<Draft, { type: Type }>;

/** The tool calls of a run: an end finds its start, by its id or by its tool, and a call that succeeds has made its edits. */
export class Calls {
  readonly #sink: DecoderSink;
  readonly #open = new OpenIds<OpenCall>();
  readonly #byTool = new OpenCalls<OpenCall>();
  #haveEdited = false;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  /** Whether any of them has changed a file. */
  get haveEdited(): boolean {
    return this.#haveEdited;
  }

  get areOpen(): boolean {
    return this.#open.size > 0;
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** For a result without an id: the oldest open call of its tool. */
  oldestOf(tool: string): string | undefined {
    return this.#byTool.first(tool)?.id;
  }

  start(id: string, { kind, name, args, edits = noEdits, tool, native_name, parent_item_id }: Call): void {
    this.#take(id);
    const call: OpenCall = { id, edits, tool: tool ?? '' };
    this.#open.set(id, call);
    if (call.tool !== '') this.#byTool.open(call);
    const draft: DraftOf<'item.started'> = { type: 'item.started', item_id: id, kind, name, args: args ?? null };
    if (native_name !== undefined) draft.native_name = native_name;
    if (parent_item_id !== undefined) draft.parent_item_id = parent_item_id;
    this.#sink.emit(draft);
  }

  /** `operation`: what it did to files of which its start did not say. */
  end(
    id: string,
    { status, error, exit_code, output, duration_ms }: CallEnd,
    operation: FileOperation = 'modified',
  ): void {
    const call = this.#take(id);
    const draft: DraftOf<'item.completed'> = { type: 'item.completed', item_id: id, status };
    if (error !== undefined) draft.error = error;
    if (exit_code !== undefined) draft.exit_code = exit_code;
    if (output !== undefined) draft.output = output;
    if (duration_ms !== undefined) draft.duration_ms = duration_ms;
    this.#sink.emit(draft);
    if (call === undefined || status !== 'success') return;
    for (const edit of call.edits) {
      this.#haveEdited = true;
      this.#sink.emit({ type: 'file.edited', path: edit.path, operation: edit.operation ?? operation, item_id: id });
    }
  }

  #take(id: string): OpenCall | undefined {
    const call = this.#open.get(id);
    if (call === undefined) return undefined;
    this.#open.delete(id);
    if (call.tool !== '') this.#byTool.close(call);
    return call;
  }
}

/** The file that a call edits, if one of these fields of its input names it. */
export function editsIn(
  kind: ItemKind,
  input: Json | undefined,
  fields: readonly string[],
  operation?: FileOperation,
): readonly Edit[] {
  const path = editedPath(kind, input, fields);
  return path === undefined ? noEdits : [{ path, operation }];
}
