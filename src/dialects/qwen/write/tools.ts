import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { objectIn } from '../../../json/parse.ts';
import { asText, isObject } from '../../../json/read.ts';
import { editedPath } from '../../kit/tool-kinds.ts';
import { exitCodeIn, isRefusal, kindOf } from '../read/tools.ts';
import { cancelMark, pathFields } from '../words.ts';
import type { Conversation } from './conversation.ts';
import type { Ending } from './ending.ts';
import type { Output } from './output.ts';

type Completed = EventOf<'item.completed'>;

interface Call {
  name: string;
  parent: string | undefined;
  input: Json;
  /** The file that it edits. */
  path: string | undefined;
}

/** Inputs are held for a denial, which comes soon; the limit is for calls that never end. */
const mostInputs = 1000;

/** Calls that are open, and the lines that end them. */
export class Tools {
  readonly #output: Output;
  readonly #talk: Conversation;
  readonly #ending: Ending;
  readonly #open = new OpenIds<Call>();
  /** The edit that a reader sees in the last result. */
  #edit: { item: string; path: string } | undefined;

  constructor(output: Output, talk: Conversation, ending: Ending) {
    this.#output = output;
    this.#talk = talk;
    this.#ending = ending;
  }

  start(event: EventOf<'item.started'>): void {
    const { item_id: id, name, parent_item_id: parent, args } = event;
    this.#open.set(id, {
      name,
      parent,
      input: this.#open.size < mostInputs ? args : {},
      path: editedPath(kindOf(name), args, pathFields),
    });
    if (!isObject(args)) this.#output.lose('tool_args');
    this.#talk.call(event);
  }

  end(event: Completed): void {
    const call = this.#open.get(event.item_id);
    this.#open.delete(event.item_id);
    // A call that never ended stays open on this wire too.
    if (call === undefined || event.status === 'abandoned') return;
    this.#talk.stop();
    const content = this.#contentOf(call, event);
    this.#loseDetails(call, event, content);
    if (event.status === 'denied') this.#ending.deny(call.name, event.item_id, call.input);
    const result = {
      type: 'tool_result',
      tool_use_id: event.item_id,
      is_error: event.status !== 'success',
      ...present({ content }),
    };
    this.#output.line('user', { message: { role: 'user', content: [result] } }, call.parent);
    if (call.parent === undefined) this.#talk.endAnswer();
    this.#edit =
      event.status === 'success' && call.path !== undefined ? { item: event.item_id, path: call.path } : undefined;
  }

  /** It follows from the result of an editing tool; an edit by other means has no place on this wire. */
  edit(event: EventOf<'file.edited'>): void {
    if (this.#edit?.item !== event.item_id || this.#edit?.path !== event.path) this.#output.lose('file_edit');
  }

  progress(event: EventOf<'item.output'>): void {
    this.#talk.flush();
    this.#talk.stream.event({ type: 'tool_progress', tool_use_id: event.item_id, content: progressOf(event.chunk) });
  }

  #contentOf(call: Call, event: Completed): string | undefined {
    if (event.output !== undefined) {
      const output = asText(event.output);
      if (event.error !== undefined && !output.includes(event.error)) this.#output.lose('tool_output');
      return output;
    }
    if (event.error !== undefined || event.status === 'success' || event.status === 'error') return event.error;
    return event.status === 'cancelled'
      ? cancelMark
      : `Qwen Code requires permission to use "${call.name}", but that permission was declined.`;
  }

  /** Counts as lost what a reader would not find in the result. */
  #loseDetails(call: Call, event: Completed, content = ''): void {
    if (
      event.status === 'denied' ? !isRefusal(content) : event.status === 'cancelled' && !content.startsWith(cancelMark)
    )
      this.#output.lose('tool_status');
    const shown = kindOf(call.name) === 'command' ? exitCodeIn(content) : undefined;
    if (event.exit_code !== shown) this.#output.lose('exit_code');
    if (event.duration_ms !== undefined) this.#output.lose('time');
  }
}

/** Progress is text in our events and an object on this wire; Qwen's own objects pass through as JSON text. */
function progressOf(chunk: string): JsonObject {
  const value = objectIn(chunk);
  return typeof value.type === 'string' ? value : { type: 'mcp_tool_progress', progress: 0, message: chunk };
}
