import { OpenIds } from '../../../ids/open-ids.ts';
import type { ItemStatus } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, list, object, string } from '../../../json/read.ts';
import { kindIn } from '../../kit/tool-kinds.ts';
import { toolKinds } from '../words.ts';

interface Edit {
  path: string;
  operation: 'created' | 'modified';
}

interface OpenCall {
  name: string;
  edit: Edit | undefined;
  /** Updates hold the output so far; this is what has been emitted of it. */
  shown: string;
}

export class Tools {
  readonly #sink: DecoderSink;
  readonly #calls = new OpenIds<OpenCall>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  start(wire: JsonObject): void {
    const id = filled(wire.toolCallId);
    if (id === undefined) return this.#sink.unknown(wire);
    const name = asText(wire.toolName);
    this.#calls.set(id, { name, edit: editOf(name, object(wire.args)), shown: '' });
    this.#sink.emit({ type: 'item.started', item_id: id, kind: kindIn(toolKinds, name), name, args: wire.args ?? {} });
  }

  progress(wire: JsonObject): void {
    const id = filled(wire.toolCallId);
    if (id === undefined) return this.#sink.unknown(wire);
    if (!this.#calls.has(id)) this.start(wire);
    const call = this.#calls.get(id);
    const text = resultText(wire.partialResult);
    if (call === undefined || text === call.shown) return;
    const chunk = text.startsWith(call.shown) ? text.slice(call.shown.length) : text;
    call.shown = text;
    if (chunk !== '') this.#sink.emit({ type: 'item.output', item_id: id, chunk });
  }

  end(wire: JsonObject): void {
    const id = filled(wire.toolCallId);
    if (id === undefined) return this.#sink.unknown(wire);
    if (!this.#calls.has(id)) this.start(wire);
    this.#end(id, wire.result, wire.isError);
  }

  /** A message that repeats the end of its call, unless that line was lost. */
  endByMessage(message: JsonObject): void {
    const id = string(message.toolCallId) ?? '';
    if (this.#calls.has(id)) this.#end(id, message, message.isError);
  }

  #end(id: string, result: Json | undefined, isError: Json | undefined): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const name = call?.name ?? '';
    const output = resultText(result);
    const status = resultStatus(name, isError, output);
    const exit = status === 'error' ? exitCodeIn(name, output) : undefined;
    this.#sink.emit({ type: 'item.completed', item_id: id, status, output, ...present({ exit_code: exit }) });
    if (status !== 'success' || call?.edit === undefined) return;
    const diff = string(object(object(result).details).diff);
    this.#sink.emit({ type: 'file.edited', ...call.edit, item_id: id, ...present({ diff }) });
  }
}

/** The file that a successful call to this tool has changed. */
export function editOf(name: string, args: JsonObject): Edit | undefined {
  const path = string(args.path);
  if (path === undefined) return undefined;
  if (name === 'write') return { path, operation: 'created' };
  return name === 'edit' ? { path, operation: 'modified' } : undefined;
}

function resultText(result: Json | undefined): string {
  return contentText(object(result).content);
}

/** The text of blocks, without images. */
export function contentText(content: Json | undefined): string {
  const blocks = list(content);
  if (blocks.length === 1) return textOf(blocks[0]) ?? '';
  return blocks.flatMap((block) => textOf(block) ?? []).join('\n');
}

function textOf(block: Json | undefined): string | undefined {
  const { type, text } = object(block);
  return type === 'text' ? string(text) : undefined;
}

function resultStatus(name: string, isError: Json | undefined, text: string): ItemStatus {
  if (isError === false) return 'success';
  return isRefusal(name, text) ? 'denied' : 'error';
}

/** There are no permissions: a tool that may not be used is withheld, so a call to it is "not found". */
export function isRefusal(name: string, text: string): boolean {
  return Object.hasOwn(toolKinds, name) && text === `Tool ${name} not found`;
}

const exitWords = /(?:^|\n)Command exited with code (\d{1,3})$/;

/** A command's exit code is in the last line of its output, and only if it is not 0. */
export function exitCodeIn(name: string, text: string): number | undefined {
  const code = name === 'bash' ? exitWords.exec(text.slice(-60))?.[1] : undefined;
  return code === undefined ? undefined : Number(code);
}
