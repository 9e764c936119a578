import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Encoder, EncoderSink, JsonObject } from '../dialect.ts';
import { lossOf } from '../losses.ts';
import { asText, count, integer, isObject, list, object, string } from '../read.ts';
import { cancelledOutput, deniedPrefix, editOf } from './tools.ts';

interface Tokens {
  input: number;
  output: number;
  cost: number;
}

const none: Tokens = { input: 0, output: 0, cost: 0 };

/** The eight events of seed 001, and nothing else. */
export function encoder(sink: EncoderSink): Encoder {
  const open = new Map<string, { start: EventOf<'item.started'>; turn: number }>();
  let model = '';
  let turn = 0;
  let turnOpen = false;
  /** What this turn has used so far, and what the closed turns have been written with. */
  let pending = none;
  let written = none;
  let message: string | undefined;
  let lastMessage: string | undefined;
  let block: string | undefined;
  let blocks = new Set<string>();
  /** The white space a block begins with: a blank text is no text. */
  let held: string | undefined;
  let edited: { id: string; path: string } | undefined;
  let errorIsLast = false;
  let limits = 0;

  function startTurn(): void {
    if (turnOpen) completeTurn(pending);
    turn += 1;
    turnOpen = true;
    message = undefined;
    block = undefined;
    blocks = new Set();
    errorIsLast = false;
  }

  /** Written when the next turn begins, because some agents tell the usage of a turn after its end. */
  function completeTurn({ input, output, cost }: Tokens): void {
    sink.line({ type: 'turn_complete', turn, input_tokens: input, output_tokens: output, cost_usd: cost });
    written = { input: written.input + input, output: written.output + output, cost: written.cost + cost };
    pending = none;
    turnOpen = false;
  }

  function say(event: EventOf<'text.delta'>): void {
    if (event.block_id !== block) {
      if (blocks.has(event.block_id)) sink.lose('text');
      block = event.block_id;
      blocks.add(block);
      held = '';
    }
    if (held === undefined) return content(event.text);
    held += event.text;
    if (held.trim() === '') return;
    const text = held;
    held = undefined;
    // A turn holds one message here; another message is another reply of the model.
    if (message !== undefined && message !== event.message_id) {
      const current = block;
      startTurn();
      block = current;
      sink.lose('turn_boundary');
    } else if (message === undefined && lastMessage === event.message_id) sink.lose('text');
    content(message === undefined ? text : `\n${text}`);
    message = event.message_id;
    lastMessage = message;
  }

  function content(text: string): void {
    if (text === '') return;
    errorIsLast = false;
    sink.line({ type: 'text_delta', content: text, turn });
  }

  function result(event: Extract<EventRecord, { type: 'item.completed' }>): void {
    const call = open.get(event.item_id);
    // An item that never ended stays open on this wire too.
    if (call === undefined || (event.synthetic && event.status === 'abandoned')) return;
    if (pairedWith(call.start.name) !== event.item_id) sink.lose('tool_args');
    open.delete(event.item_id);
    const { name, args } = call.start;
    const edit = event.status === 'success' ? editOf(name, args) : undefined;
    edited = edit === undefined ? undefined : { id: event.item_id, path: edit.path };
    if (event.exit_code !== undefined) sink.lose('exit_code');
    sink.line({ type: 'tool_result', tool: name, output: outputText(event), is_error: event.status !== 'success', turn });
  }

  /** The call that a reader takes the next result of this tool for. */
  function pairedWith(name: string): string | undefined {
    let other: string | undefined;
    for (const [id, call] of open) {
      if (call.start.name !== name) continue;
      if (call.turn === turn) return id;
      other ??= id;
    }
    return other;
  }

  function outputText(event: EventOf<'item.completed'>): string {
    const text = event.output === undefined || event.output === null ? (event.error ?? '') : asText(event.output);
    if (event.error !== undefined && text !== event.error) sink.lose('error');
    switch (event.status) {
      case 'success':
        return text;
      case 'denied':
        return text.startsWith(deniedPrefix) ? text : deniedPrefix + text;
      case 'cancelled':
        if (text !== '' && text !== cancelledOutput) sink.lose('tool_status');
        return text === '' ? cancelledOutput : text;
      case 'error':
        if (text.startsWith(deniedPrefix) || text === cancelledOutput) sink.lose('tool_status');
        return text;
      case 'abandoned':
        sink.lose('tool_status');
        return text;
    }
  }

  function use(event: EventOf<'usage.reported'>): void {
    const tokens = { input: event.input_tokens ?? 0, output: event.output_tokens ?? 0, cost: event.cost_usd ?? 0 };
    if (event.scope === 'turn') pending = tokens;
    if (event.scope === 'step')
      pending = { input: pending.input + tokens.input, output: pending.output + tokens.output, cost: pending.cost + tokens.cost };
  }

  function end(report: JsonObject): void {
    const metrics = object(report.metrics);
    const verdict = object(report.verdict);
    const failed = verdict.class !== 'success';
    if (failed && !errorIsLast) sink.line({ type: 'error', message: failureMessage(report), turn: Math.max(1, turn) });
    // Nothing came after this error, so a reader must take the run for failed.
    if (!failed && errorIsLast) sink.lose('verdict');
    if (turn === 0 && !failed) startTurn();
    const cost = count(metrics.cost) ?? 0;
    closeLastTurn(metrics, cost);
    if (limits > 0 && !asText(verdict.class).endsWith('_limit')) sink.lose('limit');
    if ((string(metrics.model_name) ?? '') !== model) sink.lose('model');
    if ((count(metrics.duration_ms) ?? 0) > 0) sink.lose('time');
    sink.line({ type: 'session_end', turns: turn, total_cost_usd: cost, exit_code: integer(verdict.exit_code) ?? 8 });
  }

  /** The last turn takes what the others have not told, so that the turns add up to the totals. */
  function closeLastTurn(metrics: JsonObject, cost: number): void {
    const input = count(metrics.input_tokens);
    const output = count(metrics.output_tokens);
    const rest = { input: (input ?? 0) - written.input, output: (output ?? 0) - written.output };
    const told = input === undefined && output === undefined;
    const partly =
      (input === undefined) !== (output === undefined) || rest.input < 0 || rest.output < 0 || (!turnOpen && rest.input + rest.output > 0);
    if (!told && partly) sink.lose('usage');
    if ((metrics.reasoning_tokens ?? metrics.cache_read_tokens ?? metrics.cache_write_tokens) !== undefined) sink.lose('token_split');
    if (turnOpen)
      completeTurn({ input: Math.max(0, rest.input), output: Math.max(0, rest.output), cost: Math.max(0, cost - written.cost) });
  }

  return {
    record(event: EventRecord) {
      switch (event.type) {
        case 'thread.started':
          model = event.model ?? '';
          if (event.task !== undefined) sink.lose('prompt');
          if (event.timestamp === null) sink.lose('time');
          return sink.line({
            type: 'session_start',
            session_id: event.session_id ?? event.thread_id,
            model,
            timestamp: event.timestamp ?? '1970-01-01T00:00:00Z',
          });
        case 'turn.started':
          return startTurn();
        case 'text.delta':
          return event.parent_item_id === undefined ? say(event) : undefined;
        case 'text.completed':
          // Its deltas have said it.
          if (event.parent_item_id !== undefined) sink.lose('sub_agent');
          return;
        case 'reasoning.completed':
          if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
          return sink.line({ type: 'thinking', content: event.text, turn });
        case 'item.started':
          if (event.parent_item_id !== undefined) sink.lose('sub_agent');
          errorIsLast = false;
          open.set(event.item_id, { start: event, turn });
          return sink.line({ type: 'tool_call', tool: event.name, input: event.args, turn });
        case 'item.completed':
          return result(event);
        case 'file.edited':
          // Told again by the tool that did it; the edits of another agent's tools have no place.
          if (event.item_id === undefined || edited?.id !== event.item_id || edited.path !== event.path) sink.lose('file_edit');
          return;
        case 'usage.reported':
          return use(event);
        case 'error':
          // An error that the agent got over would read as the end of the run.
          if (!event.fatal) return sink.lose('error');
          errorIsLast = true;
          return sink.line({ type: 'error', message: event.message, turn: Math.max(1, turn) });
        case 'limit.reached':
          limits += 1;
          return;
        case 'line.unknown':
          if (event.dialect !== 'agent-code' || !isObject(event.wire)) return sink.lose('unknown_line');
          return sink.line(event.wire);
        case 'thread.completed':
          return end(event.final_report as JsonObject);
        case 'reasoning.delta':
        case 'turn.completed':
        case 'agent.finished':
          return;
        default:
          return sink.lose(lossOf[event.type]);
      }
    },
    end() {},
  };
}

function failureMessage(report: JsonObject): string {
  const evidence = object(list(object(report.verdict).evidence)[0]);
  return string(object(report.error_details).message) || asText(evidence.detail);
}
