import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf, EventRecord } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, object } from '../../../json/read.ts';
import { exitCodeIn, resultStatus } from '../read/tools.ts';
import { nonExecution } from '../words.ts';
import type { Conversation } from './conversation.ts';
import type { Ending } from './ending.ts';
import type { Output } from './output.ts';

type Started = EventOf<'item.started'>;
type Completed = EventOf<'item.completed'>;

/** Inputs are held for a denial, which comes soon; the limit is for calls that never end. */
const mostInputs = 1000;

/** Calls that are open, and the lines that start and end them. */
export class Tools {
  readonly #output: Output;
  readonly #talk: Conversation;
  readonly #ending: Ending;
  readonly #open = new OpenIds<Started>();
  /** The result line says whether a file is new, which only the next event tells us. */
  #held: { line: JsonObject; id: string } | undefined;

  constructor(output: Output, talk: Conversation, ending: Ending) {
    this.#output = output;
    this.#talk = talk;
    this.#ending = ending;
  }

  find(id: string): Started | undefined {
    return this.#open.get(id);
  }

  start(event: Started): void {
    const message = this.#talk.messageOfCall(event);
    this.#open.set(event.item_id, this.#open.size < mostInputs ? event : { ...event, args: {} });
    message.call(isOnServer(event) ? event.native_name : 'tool_use', event);
  }

  end(event: EventRecord & { type: 'item.completed' }): void {
    const start = this.#open.get(event.item_id);
    this.#open.delete(event.item_id);
    // A call that never ended stays open on this wire too.
    if (start === undefined || (event.synthetic && event.status === 'abandoned')) return;
    const owner = this.#talk.current(start.parent_item_id);
    if (owner?.hasOpenBlocks === false) owner.end('tool_use');
    this.#talk.endSubAgent(event.item_id);
    if (event.status === 'denied') this.#ending.deny(start.name, event.item_id, start.args);
    if (isOnServer(start)) return this.#endOnServer(start, event);
    const line = { ...resultLine(start, event), ...present({ timestamp: this.#output.time ?? undefined }) };
    if (start.kind === 'file_edit' && event.status === 'success') this.#held = { line, id: event.item_id };
    else this.#output.line(line);
  }

  edit(event: EventOf<'file.edited'>): void {
    const held = this.#held;
    if (held === undefined || held.id !== event.item_id) return this.#output.lose('file_edit');
    this.#held = undefined;
    if (event.diff !== undefined || event.additions !== undefined || event.deletions !== undefined)
      this.#output.lose('file_edit');
    const type = event.operation === 'created' ? 'create' : event.operation === 'deleted' ? 'delete' : 'update';
    this.#output.line({
      ...held.line,
      tool_use_result: { ...object(held.line.tool_use_result), type, filePath: event.path },
    });
  }

  /** A result that waits for an edit is written when something else follows. */
  settle(next: EventRecord | undefined): void {
    if (this.#held === undefined || next?.type === 'file.edited') return;
    const { line } = this.#held;
    this.#held = undefined;
    this.#output.line(line);
  }

  #endOnServer(start: Started & { native_name: string }, end: Completed): void {
    if (end.status !== 'success' && end.status !== 'error') this.#output.lose('tool_status');
    const known = this.#talk.current(start.parent_item_id)?.id;
    this.#talk.message(start.parent_item_id, start.turn_id, known).say([serverResult(start, end)]);
  }
}

/** A tool that ran on the server has its result in the message itself. */
function isOnServer(event: Started): event is Started & { native_name: string } {
  return event.native_name?.endsWith('_tool_use') === true;
}

function serverResult(start: Started & { native_name: string }, end: Completed): JsonObject {
  const prefix = start.native_name === 'server_tool_use' ? start.name : start.native_name.slice(0, -'_tool_use'.length);
  return {
    type: `${prefix}_tool_result`,
    tool_use_id: end.item_id,
    ...present({ content: end.output ?? end.error }),
    ...(end.status === 'success' ? {} : { is_error: true }),
  };
}

/** The line that ends a call; what its text does not say goes into fields beside it. */
function resultLine(start: Started, end: Completed): JsonObject {
  const isError = end.status !== 'success';
  const content = contentOf(end.output ?? end.error);
  const text = typeof content === 'string' ? content : '';
  const block: JsonObject = {
    type: 'tool_result',
    tool_use_id: end.item_id,
    ...present({ content }),
    is_error: isError,
  };
  const isPlain = resultStatus(isError, undefined, text) === end.status;
  const isTold = exitCodeIn(start.name, end.status === 'error' ? text : '') === end.exit_code;
  const details = present({ exit_code: isTold ? undefined : end.exit_code, duration_ms: end.duration_ms });
  return {
    type: 'user',
    message: { role: 'user', content: [block] },
    parent_tool_use_id: start.parent_item_id ?? null,
    ...(Object.keys(details).length > 0 ? { tool_use_result: details } : {}),
    ...(isPlain
      ? {}
      : { tool_result_meta: [{ id: end.item_id, non_execution_kind: nonExecution[end.status] ?? 'error' }] }),
  };
}

/** Text, or blocks where the output is made of blocks already. */
function contentOf(output: Json | undefined): Json | undefined {
  if (output === undefined || typeof output === 'string') return output;
  if (Array.isArray(output) && output.length > 0 && output.every((each) => typeof object(each).type === 'string'))
    return output;
  return asText(output);
}
