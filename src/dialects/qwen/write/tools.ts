import type { EventOf } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { asText, compact, isObject } from '../../read.ts';
import { editedPath, exitCodeIn, isRefusal, kindOf } from '../read/tools.ts';
import { cancelMark } from '../words.ts';
import type { Conversation } from './conversation.ts';
import type { Ending } from './ending.ts';
import type { Output } from './output.ts';

type Started = EventOf<'item.started'>;
type Completed = EventOf<'item.completed'>;

/** Calls that are open, and the lines that end them. */
export class Tools {
  readonly #output: Output;
  readonly #talk: Conversation;
  readonly #ending: Ending;
  readonly #open = new Map<string, Started>();
  /** The edit that a reader sees in the last result. */
  #edit: { item: string; path: string } | undefined;

  constructor(output: Output, talk: Conversation, ending: Ending) {
    this.#output = output;
    this.#talk = talk;
    this.#ending = ending;
  }

  start(event: Started): void {
    this.#open.set(event.item_id, event);
    if (!isObject(event.args)) this.#output.lose('tool_args');
    this.#talk.call(event);
  }

  end(event: Completed): void {
    const start = this.#open.get(event.item_id);
    this.#open.delete(event.item_id);
    // A call that never ended stays open on this wire too.
    if (start === undefined || event.status === 'abandoned') return;
    this.#talk.stop();
    const content = this.#contentOf(start, event);
    this.#loseDetails(start, event, content);
    if (event.status === 'denied') this.#ending.deny(start.name, event.item_id, start.args);
    const result = { type: 'tool_result', tool_use_id: event.item_id, is_error: event.status !== 'success', ...compact({ content }) };
    this.#output.line('user', { message: { role: 'user', content: [result] } }, start.parent_item_id);
    if (start.parent_item_id === undefined) this.#talk.endAnswer();
    const path = event.status === 'success' ? editedPath(start.name, start.args) : undefined;
    this.#edit = path === undefined ? undefined : { item: event.item_id, path };
  }

  /** Follows from the result of an editing tool; an edit by other means has no place of its own. */
  edit(event: EventOf<'file.edited'>): void {
    if (this.#edit?.item !== event.item_id || this.#edit?.path !== event.path) this.#output.lose('file_edit');
  }

  progress(event: EventOf<'item.output'>): void {
    this.#talk.flush();
    this.#talk.stream.event({ type: 'tool_progress', tool_use_id: event.item_id, content: progressOf(event.chunk) });
  }

  #contentOf(start: Started, event: Completed): string | undefined {
    if (event.output !== undefined) {
      const output = asText(event.output);
      if (event.error !== undefined && !output.includes(event.error)) this.#output.lose('tool_output');
      return output;
    }
    if (event.error !== undefined || event.status === 'success' || event.status === 'error') return event.error;
    return event.status === 'cancelled'
      ? cancelMark
      : `Qwen Code requires permission to use "${start.name}", but that permission was declined.`;
  }

  /** What a reader would not find in the result. */
  #loseDetails(start: Started, event: Completed, content = ''): void {
    if (event.status === 'denied' ? !isRefusal(content) : event.status === 'cancelled' && !content.startsWith(cancelMark))
      this.#output.lose('tool_status');
    const shown = kindOf(start.name) === 'command' ? exitCodeIn(content) : undefined;
    if (event.exit_code !== shown) this.#output.lose('exit_code');
    if (event.duration_ms !== undefined) this.#output.lose('time');
  }
}

/** Our progress is text; the wire's is an object, and its own are passed through as the text of one. */
function progressOf(chunk: string): JsonObject {
  if (chunk.startsWith('{')) {
    try {
      const value: Json = JSON.parse(chunk);
      if (isObject(value) && typeof value.type === 'string') return value;
    } catch {
      // Text that only looks like JSON.
    }
  }
  return { type: 'mcp_tool_progress', progress: 0, message: chunk };
}
