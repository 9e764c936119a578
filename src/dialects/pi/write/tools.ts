import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, object } from '../../../json/read.ts';
import { editOf, exitCodeIn, isRefusal } from '../read/tools.ts';
import { at, type Conversation } from './conversation.ts';

// Updates repeat the arguments and the whole output so far: one for every piece would cost the square of the output's length.
/** An update of up to this many characters is written at once. */
const shortUpdate = 4096;
/** A longer one is written once this fraction of it is new. */
const freshPart = 1 / 8;

interface OpenCall {
  name: string;
  args: Json;
  argsLength: number | undefined;
  /** The file that it changes if it succeeds. */
  path: string | undefined;
  output: string;
  /** How much of the output has been written. */
  written: number;
}

export class Tools {
  readonly #sink: EncoderSink;
  readonly #line: (wire: JsonObject) => void;
  readonly #conversation: Conversation;
  readonly #calls = new OpenIds<OpenCall>();
  /** The end of an edit waits for the diff that follows it. */
  #waiting: { event: EventOf<'item.completed'> & EventRecord; call: OpenCall } | undefined;

  constructor(sink: EncoderSink, line: (wire: JsonObject) => void, conversation: Conversation) {
    this.#sink = sink;
    this.#line = line;
    this.#conversation = conversation;
  }

  get areOpen(): boolean {
    return this.#calls.size > 0;
  }

  start({ item_id, name, args, parent_item_id, timestamp }: EventOf<'item.started'> & EventRecord): void {
    if (parent_item_id !== undefined) this.#sink.lose('sub_agent');
    const message = this.#conversation.message ?? this.#conversation.openMessage(timestamp);
    if (!message.isClosed) message.addCall({ type: 'toolCall', id: item_id, name, arguments: args });
    this.#conversation.closeMessage('toolUse');
    const path = editOf(name, object(args))?.path;
    this.#calls.set(item_id, { name, args, argsLength: undefined, path, output: '', written: 0 });
    this.#line({ type: 'tool_execution_start', toolCallId: item_id, toolName: name, args });
  }

  progress({ item_id, chunk }: EventOf<'item.output'>): void {
    const call = this.#calls.get(item_id);
    if (call === undefined) return this.#sink.lose('tool_progress');
    call.output += chunk;
    call.argsLength ??= lengthOf(call.args);
    const length = call.argsLength + call.output.length;
    if (length <= shortUpdate || call.output.length - call.written >= length * freshPart)
      this.#writeUpdate(item_id, call);
  }

  #writeUpdate(id: string, call: OpenCall): void {
    call.written = call.output.length;
    this.#line({
      type: 'tool_execution_update',
      toolCallId: id,
      toolName: call.name,
      args: call.args,
      partialResult: { content: [{ type: 'text', text: call.output }] },
    });
  }

  end(event: EventOf<'item.completed'> & EventRecord): void {
    const call = this.#calls.get(event.item_id);
    if (call === undefined) return;
    if (call.written < call.output.length) this.#writeUpdate(event.item_id, call);
    // A call that never ended stays open on this wire too.
    if (event.synthetic && event.status === 'abandoned') return;
    this.#calls.delete(event.item_id);
    this.#waiting = { event, call };
    if (event.status !== 'success' || call.path === undefined) this.writeEnd();
  }

  edit(event: EventOf<'file.edited'>): void {
    const waiting = this.#waiting;
    const path = waiting?.event.item_id === event.item_id ? waiting?.call.path : undefined;
    this.writeEnd(event.diff);
    if (path !== event.path) this.#sink.lose('file_edit');
  }

  /** Writes the end that was waiting for a diff, with it or without. */
  writeEnd(diff?: string): void {
    if (this.#waiting === undefined) return;
    const { event, call } = this.#waiting;
    this.#waiting = undefined;
    const { name } = call;
    const text = asText(event.output ?? event.error);
    if (event.output !== undefined && event.error !== undefined && event.error !== text) this.#sink.lose('tool_output');
    if (event.exit_code !== undefined && event.exit_code !== exitCodeIn(name, text) && event.exit_code !== 0)
      this.#sink.lose('exit_code');
    const isSayable =
      event.status === 'success' || event.status === 'error' || (event.status === 'denied' && isRefusal(name, text));
    if (!isSayable) this.#sink.lose('tool_status');
    const isError = event.status !== 'success';
    const result = { content: [{ type: 'text', text }], ...(diff === undefined ? {} : { details: { diff } }) };
    const id = { toolCallId: event.item_id, toolName: name };
    this.#line({ type: 'tool_execution_end', ...id, result, isError });
    this.#conversation.addToolResult({ role: 'toolResult', ...id, ...result, isError, ...at(event.timestamp) });
  }
}

function lengthOf(args: Json): number {
  try {
    return JSON.stringify(args).length;
  } catch {
    // Nested too deep for any line to contain it.
    return Infinity;
  }
}
