import { OpenIds } from '../../../ids/open-ids.ts';
import type { EventOf, EventRecord } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { parseJson } from '../../../json/parse.ts';
import { asText, list, object, string } from '../../../json/read.ts';
import { foreignServer, unanswered, wireCommandStatus, wireStatus } from '../words.ts';
import type { Items } from './items.ts';

/** Tool calls as items; the last line of an item repeats the fields of its first. */
export class Tools {
  readonly #sink: EncoderSink;
  readonly #items: Items;
  /** The fields of their first lines. */
  readonly #open = new OpenIds<JsonObject>();

  constructor(sink: EncoderSink, items: Items) {
    this.#sink = sink;
    this.#items = items;
  }

  start(event: EventOf<'item.started'>): void {
    if (event.parent_item_id !== undefined) this.#sink.lose('sub_agent');
    const fields = this.#opening(event);
    this.#open.set(event.item_id, fields);
    this.#items.write('started', event.item_id, fields);
  }

  /** Only the plan is repeated while it is carried out. */
  progress({ item_id, chunk }: EventOf<'item.output'>): void {
    if (this.#open.get(item_id)?.type !== 'todo_list') return this.#sink.lose('tool_progress');
    this.#items.write('updated', item_id, { type: 'todo_list', items: [...list(parseJson(chunk))] });
  }

  end(event: Extract<EventRecord, { type: 'item.completed' }>): void {
    const fields = this.#open.get(event.item_id);
    if (fields === undefined) return;
    this.#open.delete(event.item_id);
    // An item that never ended stays open on this wire too.
    if (event.synthetic && event.status === 'abandoned') return;
    this.#items.write('completed', event.item_id, this.#closing(fields, event));
  }

  #opening(event: EventOf<'item.started'>): JsonObject {
    const args = object(event.args);
    const native = event.native_name ?? event.name;
    if (event.kind === 'command') return this.#command(event, args);
    switch (native) {
      case 'file_change':
        return { type: native, changes: [...list(args.changes)], status: 'in_progress' };
      case 'web_search':
        return { type: native, query: asText(args.query), ...present({ action: args.action }) };
      case 'todo_list':
        return { type: native, items: [...list(args.items)] };
      case 'collab_tool_call':
        return { type: native, tool: event.name, prompt: null, ...args, agents_states: {}, status: 'in_progress' };
      case 'mcp_tool_call': {
        const dot = event.name.indexOf('.');
        return mcpCall(event.name.slice(0, dot), event.name.slice(dot + 1), event.args);
      }
      default:
        // Codex has no item for a tool of another agent; an MCP call is the one that carries any name, input and output.
        return mcpCall(foreignServer, event.name, event.args);
    }
  }

  #command(event: EventOf<'item.started'>, args: JsonObject): JsonObject {
    if (event.name !== 'command_execution') this.#sink.lose('tool_name');
    const command = string(args.command);
    if (command === undefined || Object.keys(args).length > 1) this.#sink.lose('tool_args');
    return {
      type: 'command_execution',
      command: command ?? asText(event.args),
      aggregated_output: '',
      exit_code: null,
      status: 'in_progress',
    };
  }

  #closing(fields: JsonObject, end: EventOf<'item.completed'>): JsonObject {
    const output = end.output;
    const status = this.#status(fields.type, end);
    switch (fields.type) {
      case 'command_execution':
        return {
          ...fields,
          aggregated_output: asText(output),
          exit_code: end.exit_code ?? (end.status === 'success' ? 0 : null),
          status,
        };
      case 'mcp_tool_call': {
        const isForeign = fields.server === foreignServer;
        if (isForeign && end.exit_code !== undefined) this.#sink.lose('exit_code');
        const text = { content: [{ type: 'text', text: asText(output) }], structured_content: null };
        return {
          ...fields,
          result: output === undefined ? null : isForeign ? text : output,
          error: end.error === undefined ? null : { message: end.error },
          status,
        };
      }
      case 'collab_tool_call':
        return { ...fields, ...present({ agents_states: output }), status };
      case 'todo_list':
        return { ...fields, ...(Array.isArray(output) ? { items: output } : {}) };
      case 'web_search':
        return fields;
      default:
        return { ...fields, status };
    }
  }

  #status(type: Json | undefined, { status, error }: EventOf<'item.completed'>): string {
    const isCommand = type === 'command_execution';
    if (status === 'cancelled' || (status === 'denied' && !isCommand && error !== unanswered))
      this.#sink.lose('tool_status');
    return (isCommand ? wireCommandStatus : wireStatus)[status];
  }
}

function mcpCall(server: string, tool: string, args: Json): JsonObject {
  return { type: 'mcp_tool_call', server, tool, arguments: args, result: null, error: null, status: 'in_progress' };
}
