import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Encoder, EncoderSink, Json, JsonObject } from '../dialect.ts';
import { lossOf } from '../losses.ts';
import { asText, count, isObject, list, object, string } from '../read.ts';
import { foreignServer } from './foreign.ts';

const ownId = /^(?:item_\d+|ws_\w+)$/;

export function encoder(sink: EncoderSink): Encoder {
  const ids = new Map<string, string>();
  const started = new Map<string, EventOf<'item.started'>>();
  let next = 0;
  let turnOpen = false;
  let claim: EventOf<'agent.finished'> | undefined;

  /** Codex numbers its items `item_0`, `item_1`, …; ids of other agents are mapped to the next free number. */
  function wireId(id: string): string {
    const known = ids.get(id);
    if (known !== undefined) return known;
    const mine = ownId.test(id) ? id : `item_${next}`;
    next = Math.max(next, (mine.startsWith('item_') ? Number(mine.slice(5)) : next - 1) + 1);
    ids.set(id, mine);
    return mine;
  }

  function item(phase: 'started' | 'updated' | 'completed', id: string, fields: JsonObject): void {
    sink.line({ type: `item.${phase}`, item: { id: wireId(id), ...fields } });
    if (phase === 'completed') ids.delete(id);
  }

  function opening(event: EventOf<'item.started'>): JsonObject {
    const args = object(event.args);
    const native = event.native_name ?? event.name;
    if (event.kind === 'command') {
      if (event.name !== 'command_execution') sink.lose('tool_name');
      const command = string(args.command);
      if (command === undefined || Object.keys(args).length > 1) sink.lose('tool_args');
      return {
        type: 'command_execution',
        command: command ?? asText(event.args),
        aggregated_output: '',
        exit_code: null,
        status: 'in_progress',
      };
    }
    switch (native) {
      case 'file_change':
        return { type: native, changes: [...list(args.changes)], status: 'in_progress' };
      case 'web_search':
        return { type: native, query: asText(args.query), ...(args.action === undefined ? {} : { action: args.action }) };
      case 'todo_list':
        return { type: native, items: [...list(args.items)] };
      case 'collab_tool_call':
        return { type: native, tool: event.name, prompt: null, ...args, agents_states: {}, status: 'in_progress' };
      case 'mcp_tool_call': {
        const dot = event.name.indexOf('.');
        return {
          type: native,
          server: event.name.slice(0, dot),
          tool: event.name.slice(dot + 1),
          arguments: event.args,
          result: null,
          error: null,
          status: 'in_progress',
        };
      }
      default:
        // Codex has no item for a tool of another agent; an MCP call is the one that carries any name, input and output.
        return {
          type: 'mcp_tool_call',
          server: foreignServer,
          tool: event.name,
          arguments: event.args,
          result: null,
          error: null,
          status: 'in_progress',
        };
    }
  }

  function closing(start: EventOf<'item.started'>, end: EventOf<'item.completed'>): JsonObject {
    const fields = opening(start);
    const output = end.output;
    const status = wireStatus(fields.type, end);
    switch (fields.type) {
      case 'command_execution':
        return { ...fields, aggregated_output: asText(output), exit_code: end.exit_code ?? (end.status === 'success' ? 0 : null), status };
      case 'mcp_tool_call': {
        const own = fields.server !== foreignServer;
        if (!own && end.exit_code !== undefined) sink.lose('exit_code');
        return {
          ...fields,
          result:
            output === undefined ? null : own ? output : { content: [{ type: 'text', text: asText(output) }], structured_content: null },
          error: end.error === undefined ? null : { message: end.error },
          status,
        };
      }
      case 'collab_tool_call':
        return { ...fields, ...(output === undefined ? {} : { agents_states: output }), status };
      case 'todo_list':
        return { ...fields, ...(Array.isArray(output) ? { items: output } : {}) };
      case 'web_search':
        return fields;
      default:
        return { ...fields, status };
    }
  }

  function wireStatus(type: Json | undefined, end: EventOf<'item.completed'>): string {
    switch (end.status) {
      case 'success':
        return 'completed';
      case 'error':
        return 'failed';
      case 'denied':
        if (type === 'command_execution') return 'declined';
        if (end.error !== 'user cancelled MCP tool call') sink.lose('tool_status');
        return 'failed';
      case 'cancelled':
        sink.lose('tool_status');
        return type === 'command_execution' ? 'completed' : 'failed';
      case 'abandoned':
        return type === 'command_execution' ? 'completed' : 'in_progress';
    }
  }

  function finish(report: JsonObject): void {
    if (claim?.status === 'ok') {
      const metrics = object(report.metrics);
      if (metrics.cost !== undefined && metrics.cost_source === 'reported') sink.lose('cost');
      sink.line({
        type: 'turn.completed',
        usage: {
          input_tokens: count(metrics.input_tokens) ?? 0,
          cached_input_tokens: count(metrics.cache_read_tokens) ?? 0,
          cache_write_input_tokens: count(metrics.cache_write_tokens) ?? 0,
          output_tokens: count(metrics.output_tokens) ?? 0,
          reasoning_output_tokens: count(metrics.reasoning_tokens) ?? 0,
        },
      });
    } else {
      // A failed or interrupted turn has no usage on this wire.
      if (object(report.metrics).tokens_used !== undefined) sink.lose('usage');
      if (claim?.status === 'failed')
        sink.line({ type: 'turn.failed', error: { message: claim.message ?? asText(object(report.error_details).message) } });
    }
    const verdict = object(report.verdict);
    if ((claim?.status === 'ok') !== (verdict.class === 'success')) sink.lose('verdict');
  }

  return {
    record(event: EventRecord) {
      switch (event.type) {
        case 'thread.started':
          if (event.model !== undefined) sink.lose('model');
          if (event.task !== undefined) sink.lose('prompt');
          return sink.line({ type: 'thread.started', thread_id: event.session_id ?? event.thread_id });
        case 'turn.started':
          if (turnOpen) return sink.lose('turn_boundary');
          turnOpen = true;
          return sink.line({ type: 'turn.started' });
        case 'text.completed':
          if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
          return item('completed', event.block_id, { type: 'agent_message', text: event.text });
        case 'reasoning.completed':
          if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
          return item('completed', event.block_id, { type: 'reasoning', text: event.text });
        case 'item.started':
          if (event.parent_item_id !== undefined) sink.lose('sub_agent');
          started.set(event.item_id, event);
          return item('started', event.item_id, opening(event));
        case 'item.output':
          if (started.get(event.item_id)?.name !== 'todo_list') return sink.lose('tool_progress');
          return item('updated', event.item_id, { type: 'todo_list', items: parseItems(event.chunk) });
        case 'item.completed': {
          const start = started.get(event.item_id);
          // An item that never ended stays open on this wire too.
          if (start === undefined || (event.synthetic && event.status === 'abandoned')) return;
          started.delete(event.item_id);
          return item('completed', event.item_id, closing(start, event));
        }
        case 'file.edited':
          // Part of the file_change item it came from; an edit by another agent's tool has no place of its own.
          if (!event.item_id?.startsWith('item_')) sink.lose('file_edit');
          return;
        case 'error':
          if (event.fatal) return sink.line({ type: 'error', message: event.message });
          return item('completed', `error_${next}`, { type: 'error', message: event.message });
        case 'log':
          if (event.stream !== 'agent') return sink.lose('log');
          return item('completed', `log_${next}`, { type: 'error', message: event.text });
        case 'retry.scheduled': {
          const of = event.attempt === undefined ? '' : ` ${event.attempt}/${event.max_attempts ?? event.attempt}`;
          return sink.line({ type: 'error', message: `Reconnecting...${of}${event.cause === '' ? '' : ` (${event.cause})`}` });
        }
        case 'agent.finished':
          claim = event;
          return;
        case 'line.unknown':
          if (event.dialect !== 'codex' || !isObject(event.wire)) return sink.lose('unknown_line');
          return sink.line(event.wire);
        case 'thread.completed':
          return finish(event.final_report as JsonObject);
        case 'text.delta':
        case 'reasoning.delta':
        case 'turn.completed':
        case 'usage.reported':
          // Said elsewhere on this wire: whole texts, and one closing line with the totals.
          return;
        default:
          return sink.lose(lossOf[event.type]);
      }
    },
    end() {},
  };
}

function parseItems(chunk: string): Json[] {
  try {
    const items: Json = JSON.parse(chunk);
    return Array.isArray(items) ? items : [];
  } catch {
    return [];
  }
}
