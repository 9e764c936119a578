import type { EventOf, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { OpenIds } from '../../../ids/open-ids.ts';
import { asText, integer, list, object, string } from '../../../json/read.ts';
import { kindIn } from '../../kit/tool-kinds.ts';
import { foreignServer, operationOf, statusOf, toolKinds, unanswered } from '../words.ts';

/** The most frequent item: handled without table lookups and copies, which would cost more than everything else. */
const command = 'command_execution';
const commandKind = kindIn(toolKinds, command);

/** The items that are tool calls. Started and completed lines pair by id; an item may have only its last line. */
export class Tools {
  readonly #sink: DecoderSink;
  readonly #open = new OpenIds<true>();

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  start(item: JsonObject, id: string): void {
    if (this.#open.has(id)) return;
    this.#open.set(id, true);
    const type = typeOf(item);
    if (type === command) return this.#startCommand(item, id);
    this.#sink.emit({
      type: 'item.started',
      item_id: id,
      kind: kindIn(toolKinds, type),
      name: type,
      ...callOf(type, item),
    });
  }

  /** Only the plan is repeated while it is carried out. */
  progress(item: JsonObject, id: string): void {
    this.start(item, id);
    this.#sink.emit({ type: 'item.output', item_id: id, stream: 'progress', chunk: JSON.stringify(list(item.items)) });
  }

  end(item: JsonObject, id: string): void {
    this.start(item, id);
    this.#open.delete(id);
    const type = typeOf(item);
    if (type === command) return this.#endCommand(item, id);
    const result = resultOf(type, item);
    this.#sink.emit({ type: 'item.completed', item_id: id, ...result });
    if (type === 'file_change' && result.status === 'success')
      for (const change of list(item.changes)) this.#edit(object(change), id);
  }

  #startCommand(item: JsonObject, item_id: string): void {
    this.#sink.emit({
      type: 'item.started',
      item_id,
      kind: commandKind,
      name: command,
      args: { command: asText(item.command) },
    });
  }

  #endCommand(item: JsonObject, item_id: string): void {
    const exit_code = integer(item.exit_code);
    const status = commandStatus(item.status, exit_code);
    const output = asText(item.aggregated_output);
    this.#sink.emit(
      exit_code === undefined
        ? { type: 'item.completed', item_id, status, output }
        : { type: 'item.completed', item_id, status, output, exit_code },
    );
  }

  #edit({ path, kind }: JsonObject, itemId: string): void {
    const operation = kind === 'add' || kind === 'delete' ? operationOf[kind] : 'modified';
    this.#sink.emit({ type: 'file.edited', path: asText(path), operation, item_id: itemId });
  }
}

/** 0.42 and 0.43 called it `item_type`. */
export function typeOf(item: JsonObject): string {
  return string(item.type) ?? string(item.item_type) ?? '';
}

type Call = Pick<EventOf<'item.started'>, 'args'> &
  Partial<Pick<EventOf<'item.started'>, 'kind' | 'name' | 'native_name'>>;

function callOf(type: string, item: JsonObject): Call {
  switch (type) {
    case 'file_change':
      return { args: { changes: [...list(item.changes)] } };
    case 'mcp_tool_call':
      if (item.server === foreignServer)
        return { kind: 'tool_call', name: asText(item.tool), args: item.arguments ?? null };
      return { name: `${asText(item.server)}.${asText(item.tool)}`, native_name: type, args: item.arguments ?? null };
    case 'collab_tool_call': {
      const { prompt, sender_thread_id, receiver_thread_ids } = item;
      return {
        name: asText(item.tool),
        native_name: type,
        args: present({ prompt, sender_thread_id, receiver_thread_ids }),
      };
    }
    case 'web_search':
      return { args: present({ query: item.query, action: item.action }) };
    default:
      return { args: { items: [...list(item.items)] } };
  }
}

function resultOf(type: string, item: JsonObject): Omit<EventOf<'item.completed'>, 'type' | 'item_id'> {
  switch (type) {
    case 'file_change':
      return { status: plainStatus(item.status) };
    case 'mcp_tool_call': {
      const error = string(object(item.error).message);
      const output = item.server === foreignServer ? foreignOutput(item.result) : (item.result ?? undefined);
      return { status: error === unanswered ? 'denied' : plainStatus(item.status), ...present({ output, error }) };
    }
    case 'collab_tool_call':
      return { status: plainStatus(item.status), ...present({ output: item.agents_states }) };
    case 'todo_list':
      return { status: 'success', output: [...list(item.items)] };
    default:
      return { status: 'success' };
  }
}

function foreignOutput(result: Json | undefined): string | undefined {
  return string(object(list(object(result).content)[0]).text);
}

function commandStatus(status: Json | undefined, exit: number | undefined): ItemStatus {
  if (status === 'declined') return 'denied';
  if (exit !== undefined) return exit === 0 ? 'success' : 'error';
  // Up to 0.116 a command still running at the end of the turn was closed as "completed" without an exit code.
  return status === 'failed' ? 'error' : 'abandoned';
}

function plainStatus(status: Json | undefined): ItemStatus {
  return typeof status === 'string' && Object.hasOwn(statusOf, status) ? (statusOf[status] ?? 'error') : 'error';
}
