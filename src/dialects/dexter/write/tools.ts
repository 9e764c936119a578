import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf } from '../../../events/event.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, isObject } from '../../../json/read.ts';
import { finished } from '../read/tools.ts';
import { errorPrefix, operationOf } from '../words.ts';

/** The running calls, and the one that may have edited a file. */
export class Tools {
  readonly #sink: EncoderSink;
  readonly #open = new OpenIds<EventOf<'item.started'>>();
  #editor: string | undefined;

  constructor(sink: EncoderSink) {
    this.#sink = sink;
  }

  start(event: EventOf<'item.started'>): void {
    if (event.parent_item_id !== undefined) this.#sink.lose('sub_agent');
    this.#open.set(event.item_id, event);
  }

  nameOf(id: string): string {
    return this.#open.get(id)?.name ?? '';
  }

  /** The call that has ended. */
  end(id: string): EventOf<'item.started'> | undefined {
    const start = this.#open.get(id);
    if (start === undefined) return undefined;
    this.#open.delete(id);
    this.#editor = Object.hasOwn(operationOf, start.name) ? id : undefined;
    return start;
  }

  /** An edit follows from the tool that made it; edits by another agent's tools have no place on this wire. */
  edit({ item_id }: EventOf<'file.edited'>): void {
    if (item_id === undefined || item_id !== this.#editor) this.#sink.lose('file_edit');
  }
}

export function writeArgs(args: Json): JsonObject {
  return isObject(args) ? args : { value: args };
}

/** A record has no status: a failure shows in its first word, and in the exit code inside a command's result. */
export function writeResult(name: string, end: EventOf<'item.completed'>, sink: EncoderSink): string {
  const text = end.output === undefined || end.output === null ? (end.error ?? '') : asText(end.output);
  if (end.error !== undefined && text !== end.error) sink.lose('error');
  const read = finished(name, text);
  if (end.exit_code !== undefined && read.exit_code !== end.exit_code) sink.lose('exit_code');
  if (read.status === end.status) return text;
  if (end.status !== 'error') sink.lose('tool_status');
  return (end.status === 'error' || end.status === 'denied') && read.status !== 'error' ? errorPrefix + text : text;
}
