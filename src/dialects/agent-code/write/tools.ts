import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { EncoderSink } from '../../dialect.ts';
import { OpenCalls, type Waiting } from '../../kit/open-calls.ts';
import { asText } from '../../../json/read.ts';
import { editOf } from '../read/tools.ts';
import { cancelledOutput, deniedPrefix } from '../words.ts';
import type { Turns } from './turns.ts';

interface Call extends Waiting<Call> {
  /** The file that it writes if it succeeds. */
  readonly path: string | undefined;
}

export class Tools {
  readonly #sink: EncoderSink;
  readonly #turns: Turns;
  /** The open calls as a reader sees them. */
  readonly #open = new OpenCalls<Call>();
  readonly #calls = new OpenIds<Call>();
  #edited: { id: string; path: string } | undefined;

  constructor(sink: EncoderSink, turns: Turns) {
    this.#sink = sink;
    this.#turns = turns;
  }

  start({ item_id, parent_item_id, name, args }: EventOf<'item.started'>): void {
    if (parent_item_id !== undefined) this.#sink.lose('sub_agent');
    const turn = this.#turns.current;
    this.#turns.endsInError = false;
    const call: Call = { tool: name, path: editOf(name, args)?.path };
    this.#open.open(call, turn);
    this.#calls.set(item_id, call);
    this.#sink.line({ type: 'tool_call', tool: name, input: args, turn });
  }

  end(event: Extract<EventRecord, { type: 'item.completed' }>): void {
    const call = this.#calls.get(event.item_id);
    if (call === undefined) return;
    this.#calls.delete(event.item_id);
    // An item that never ended stays open on this wire too.
    if (event.synthetic && event.status === 'abandoned') return;
    const { tool, path } = call;
    const turn = this.#turns.current;
    if (this.#open.first(tool, turn) !== call) this.#sink.lose('tool_args');
    this.#open.close(call);
    this.#edited = event.status === 'success' && path !== undefined ? { id: event.item_id, path } : undefined;
    if (event.exit_code !== undefined) this.#sink.lose('exit_code');
    this.#sink.line({
      type: 'tool_result',
      tool,
      output: this.#output(event),
      is_error: event.status !== 'success',
      turn,
    });
  }

  /** An edit follows from the tool that made it; edits by another agent's tools have no place on this wire. */
  edit({ item_id, path }: EventOf<'file.edited'>): void {
    if (item_id === undefined || this.#edited?.id !== item_id || this.#edited.path !== path)
      this.#sink.lose('file_edit');
  }

  #output(event: EventOf<'item.completed'>): string {
    const text = event.output === undefined || event.output === null ? (event.error ?? '') : asText(event.output);
    if (event.error !== undefined && text !== event.error) this.#sink.lose('error');
    switch (event.status) {
      case 'success':
        return text;
      case 'denied':
        return text.startsWith(deniedPrefix) ? text : deniedPrefix + text;
      case 'cancelled':
        if (text !== '' && text !== cancelledOutput) this.#sink.lose('tool_status');
        return text === '' ? cancelledOutput : text;
      case 'error':
        if (text.startsWith(deniedPrefix) || text === cancelledOutput) this.#sink.lose('tool_status');
        return text;
      case 'abandoned':
        this.#sink.lose('tool_status');
        return text;
    }
  }
}
