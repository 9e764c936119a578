import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { Encoder, EncoderSink, JsonObject } from '../../dialect.ts';
import { lossOf } from '../../losses.ts';
import { compact, isObject, object } from '../../read.ts';
import { closingLine } from './ending.ts';
import {
  denialLine,
  faultLine,
  firstLine,
  isOwnCause,
  noticeLine,
  rateLimitLine,
  refusalLine,
  requestLine,
  resultLine,
  retryLine,
  serverResultBlock,
} from './notices.ts';
import { type Message, messageBody, newMessage, stepOf } from './message.ts';
import { plus, type Tokens } from '../tokens.ts';
import { writeUsage } from './usage.ts';
import { interruption, stopOf, synthetic } from '../words.ts';

type Started = EventOf<'item.started'>;
type Completed = EventOf<'item.completed'>;
type Said = EventOf<'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed'>;

const opensBlock = new Set(['text.delta', 'text.completed', 'reasoning.delta', 'reasoning.completed', 'item.started']);

export function encoder(sink: EncoderSink, variant: string): Encoder {
  const partial = variant === 'partial';
  const resultAlone = variant === 'json';
  const messages = new Map<string, Message>();
  const started = new Map<string, Started>();
  const closing = closingLine((what) => sink.lose(what));
  let opening: JsonObject | undefined;
  let thread: EventOf<'thread.started'> | undefined;
  let session = '';
  let count = 0;
  let time: string | null = null;
  let turn: { id: string; model: string | undefined; isSynthetic: boolean; spoke: boolean } | undefined;
  let last: Message | undefined;
  let pending: (Tokens & { model?: string }) | undefined;
  let claim: EventOf<'agent.finished'> | undefined;
  let heldResult: { line: JsonObject; id: string } | undefined;
  let heldRequest: EventOf<'permission.requested'> | undefined;
  let result: JsonObject | undefined;

  /** Fresh for every line; a pure machine has no randomness. */
  function identity(): { session_id: string; uuid: string } {
    count += 1;
    return { session_id: session, uuid: `00000000-0000-4000-8000-${count.toString(16).padStart(12, '0')}` };
  }

  /** The first line waits for a second: of a run that printed nothing, nothing is written. */
  function introduce(): void {
    if (opening === undefined) return;
    const first = opening;
    opening = undefined;
    write(first);
  }

  function write(wire: JsonObject): void {
    introduce();
    if (!resultAlone) return sink.line({ ...wire, ...identity() });
    if (wire.type === 'result') result = { ...wire, ...identity() };
    else leaveOut(wire);
  }

  /** What the result object alone has no place for, as far as no other rule says it. */
  function leaveOut(wire: JsonObject): void {
    if (wire.type === 'rate_limit_event') sink.lose('rate_limit');
    else if (wire.type === 'control_request') sink.lose('permission');
    else if (wire.subtype === 'api_retry') sink.lose('retry');
    else if (wire.subtype === 'informational' || wire.subtype === 'model_fallback') sink.lose('log');
  }

  function spoken(parent: string | undefined, wire: JsonObject): void {
    write({ ...wire, parent_tool_use_id: parent ?? null, ...compact({ timestamp: time ?? undefined }) });
  }

  function streamed(parent: string | undefined, event: JsonObject): void {
    write({ type: 'stream_event', event, parent_tool_use_id: parent ?? null });
  }

  function modelFor(parent: string | undefined): string {
    if (parent !== undefined) return pending?.model ?? thread?.model ?? 'unknown';
    if (turn?.model !== undefined) return turn.model;
    return thread?.agent === 'claude' ? synthetic : (pending?.model ?? thread?.model ?? 'unknown');
  }

  function messageFor(parent: string | undefined, turnId: string, id: string): Message {
    const known = messages.get(parent ?? '');
    if (turn !== undefined && parent === undefined) turn.spoke = true;
    if (known?.id === id) {
      if (pending !== undefined) known.usage = closing.onLine(known.usage, pending, parent !== undefined && !resultAlone);
      pending = undefined;
      return (last = known);
    }
    if (known !== undefined) endStream(known, known.calledTools ? 'tool_use' : null);
    const usage = closing.onLine({}, pending ?? {}, parent !== undefined && !resultAlone);
    const message = newMessage({ id, turnId, parent, model: modelFor(parent), usage });
    pending = undefined;
    messages.set(parent ?? '', message);
    if (partial) streamed(parent, { type: 'message_start', message: messageBody(message, []) });
    return (last = message);
  }

  /** A call belongs to the message that was last spoken in its turn. */
  function messageOfItem(event: Started): Message {
    const known = messages.get(event.parent_item_id ?? '');
    return messageFor(event.parent_item_id, event.turn_id, known?.turnId === event.turn_id ? known.id : event.turn_id);
  }

  function assistant(message: Message, block: JsonObject): void {
    spoken(message.parent, { type: 'assistant', message: messageBody(message, [block]) });
  }

  function endStream(message: Message, stop: string | null): void {
    if (!partial || message.ended) return;
    message.ended = true;
    streamed(message.parent, {
      type: 'message_delta',
      delta: { stop_reason: stop, stop_sequence: null },
      usage: writeUsage(message.usage),
    });
    streamed(message.parent, { type: 'message_stop' });
  }

  /** Usage that came after the blocks of its message: the final count, which only a stream has a line for. */
  function settleUsage(next: EventRecord): void {
    const tokens = pending;
    pending = undefined;
    if (tokens === undefined || last === undefined || messages.get(last.parent ?? '') !== last) return;
    last.usage = partial && !last.ended ? closing.onLine(last.usage, tokens, last.parent !== undefined) : plus(last.usage, tokens);
    if (next.type === 'turn.completed' || !partial || last.ended) return;
    if (last.calledTools || last.parent !== undefined) return endStream(last, last.calledTools ? 'tool_use' : 'end_turn');
    streamed(last.parent, { type: 'message_delta', delta: { stop_reason: null, stop_sequence: null }, usage: writeUsage(last.usage) });
  }

  function delta(event: Said): void {
    const message = messageFor(event.parent_item_id, event.turn_id, event.message_id);
    const text = event.type === 'text.delta';
    let index = message.streams.get(event.block_id);
    if (index === undefined) {
      index = message.nextIndex++;
      message.streams.set(event.block_id, index);
      streamed(event.parent_item_id, {
        type: 'content_block_start',
        index,
        content_block: text ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' },
      });
    }
    streamed(event.parent_item_id, {
      type: 'content_block_delta',
      index,
      delta: text ? { type: 'text_delta', text: event.text } : { type: 'thinking_delta', thinking: event.text },
    });
  }

  function completed(event: Said): void {
    const isText = event.type === 'text.completed';
    if (event.text === '') return;
    if (isText && event.parent_item_id === undefined) closing.says(event.message_id, event.text, resultAlone);
    const message = messageFor(event.parent_item_id, event.turn_id, event.message_id);
    const index = message.streams.get(event.block_id);
    if (index !== undefined) {
      message.streams.delete(event.block_id);
      streamed(event.parent_item_id, { type: 'content_block_stop', index });
    }
    assistant(message, isText ? { type: 'text', text: event.text } : { type: 'thinking', thinking: event.text, signature: '' });
  }

  function startTool(event: Started): void {
    const message = messageOfItem(event);
    message.calledTools = true;
    started.set(event.item_id, event);
    const type = event.native_name?.endsWith('_tool_use') === true ? event.native_name : 'tool_use';
    const input = event.args ?? {};
    if (partial) {
      const index = message.nextIndex++;
      const block = { type, id: event.item_id, name: event.name, input: {} };
      streamed(event.parent_item_id, { type: 'content_block_start', index, content_block: block });
      const partial_json = JSON.stringify(input);
      streamed(event.parent_item_id, { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } });
      streamed(event.parent_item_id, { type: 'content_block_stop', index });
    }
    assistant(message, { type, id: event.item_id, name: event.name, input });
  }

  function endTool(start: Started, end: Completed): void {
    started.delete(end.item_id);
    const owner = messages.get(start.parent_item_id ?? '');
    if (owner !== undefined && owner.streams.size === 0) endStream(owner, 'tool_use');
    const inner = messages.get(end.item_id);
    if (inner !== undefined) {
      endStream(inner, inner.calledTools ? 'tool_use' : 'end_turn');
      messages.delete(end.item_id);
    }
    if (end.status === 'denied') closing.denies(start.name, end.item_id, start.args);
    if (start.native_name?.endsWith('_tool_use') === true) return endServerTool(start, end);
    const line = { ...resultLine(start, end), ...compact({ timestamp: time ?? undefined }) };
    // Whether the file is new is said by the next event, and on this line.
    if (start.kind === 'file_edit' && end.status === 'success') heldResult = { line, id: end.item_id };
    else write(line);
  }

  function endServerTool(start: Started, end: Completed): void {
    if (end.status !== 'success' && end.status !== 'error') sink.lose('tool_status');
    const message = messageFor(start.parent_item_id, start.turn_id, messages.get(start.parent_item_id ?? '')?.id ?? start.turn_id);
    assistant(message, serverResultBlock(start, end));
  }

  function edited(event: EventOf<'file.edited'>): void {
    const held = heldResult;
    if (held === undefined || held.id !== event.item_id) return sink.lose('file_edit');
    heldResult = undefined;
    if (event.diff !== undefined || event.additions !== undefined || event.deletions !== undefined) sink.lose('file_edit');
    const type = event.operation === 'created' ? 'create' : event.operation === 'deleted' ? 'delete' : 'update';
    write({ ...held.line, tool_use_result: { ...object(held.line.tool_use_result), type, filePath: event.path } });
  }

  function refused(event: EventOf<'permission.resolved'>, request: EventOf<'permission.requested'> | undefined): void {
    if (event.decision === 'allowed') return sink.lose('permission');
    const id = event.item_id ?? event.permission_id;
    const name = request?.what ?? started.get(id)?.name ?? 'unknown';
    closing.denies(name, id, started.get(id)?.args ?? {});
    write(denialLine(event, id, name, request?.title));
  }

  function fault(event: EventOf<'error'>): void {
    const ofSubAgent = !event.fatal && event.scope === 'provider' && event.name !== undefined && event.item_id !== undefined;
    if (!event.fatal && !ofSubAgent) return inform('warning', `${event.scope}: ${event.message}`);
    if (event.code === 'refused' && event.name === undefined) {
      return write(refusalLine(event, turn?.model ?? thread?.model ?? 'unknown'));
    }
    spoken(ofSubAgent ? event.item_id : undefined, faultLine(event, `msg_error_${count}`));
  }

  function inform(level: 'info' | 'warning', content: string): void {
    write(noticeLine(level, content));
  }

  function endTurn(event: EventOf<'turn.completed'>): void {
    if (turn !== undefined && !turn.spoke && !turn.isSynthetic) {
      const message = messageFor(undefined, turn.id, turn.id);
      spoken(undefined, { type: 'assistant', message: messageBody(message, []) });
    }
    const stop = stopOf(event.finish_reason, event.raw_finish_reason);
    const message = messages.get('');
    if (message !== undefined) endStream(message, stop);
    messages.delete('');
    turn = undefined;
    closing.turnEnded(stop);
  }

  function finish(report?: JsonObject): void {
    const ending = claim;
    claim = undefined;
    const isMissing = result === undefined || (result.is_error === false && object(report?.verdict).class !== 'success');
    const line = closing.result(ending, thread?.agent === 'claude', resultAlone && isMissing, report);
    if (line === undefined) return;
    if (ending?.status === 'cancelled' && line.terminal_reason === undefined) {
      spoken(undefined, { type: 'user', message: { role: 'user', content: [{ type: 'text', text: `${interruption}]` }] } });
    }
    write(line);
  }

  /** A result waits for what still belongs to it: another agent may count its tokens or tell a refusal after its last word. */
  function endsClaim(event: EventRecord): boolean {
    if (event.type === 'thread.completed' || event.type === 'process.ended') return false;
    if (thread?.agent !== 'claude') return opensBlock.has(event.type) || event.type === 'turn.started' || event.type === 'prompt.submitted';
    return event.type !== 'log' || (event.stream === 'agent' && event.cause === undefined);
  }

  /** Lines that waited for the next event, which is not the one they waited for. */
  function flush(event: EventRecord): void {
    if (heldResult !== undefined && event.type !== 'file.edited') {
      const { line } = heldResult;
      heldResult = undefined;
      write(line);
    }
    if (heldRequest !== undefined && !(event.type === 'permission.resolved' && event.permission_id === heldRequest.permission_id)) {
      const request = heldRequest;
      heldRequest = undefined;
      write(requestLine(request, started.get(request.item_id ?? '')?.args ?? {}));
    }
    if (claim !== undefined && endsClaim(event)) finish();
    if (pending !== undefined && !opensBlock.has(event.type) && !(event.type === 'turn.completed' && turn?.spoke !== true)) {
      settleUsage(event);
    }
  }

  function record(event: EventRecord): void {
    time = event.timestamp;
    flush(event);
    switch (event.type) {
      case 'thread.started':
        thread = event;
        session = event.session_id ?? event.thread_id;
        opening = firstLine(event);
        if (event.task !== undefined) prompt(event.task);
        return;
      case 'prompt.submitted':
        return prompt(event.text);
      case 'turn.started':
        turn = { id: event.turn_id, model: event.model, isSynthetic: event.synthetic, spoke: false };
        messages.delete('');
        return closing.turnStarted();
      case 'turn.completed':
        return endTurn(event);
      case 'text.delta':
      case 'reasoning.delta':
        return partial ? delta(event) : undefined;
      case 'reasoning.completed':
        if (resultAlone) sink.lose('reasoning');
        return completed(event);
      case 'text.completed':
        return completed(event);
      case 'item.started':
        return startTool(event);
      case 'item.completed': {
        if (resultAlone) sink.lose('tool_call');
        const start = started.get(event.item_id);
        // A call that never ended stays open on this wire too.
        if (start === undefined || (event.synthetic && event.status === 'abandoned')) return void started.delete(event.item_id);
        return endTool(start, event);
      }
      case 'file.edited':
        if (resultAlone) sink.lose('file_edit');
        return edited(event);
      case 'permission.requested':
        heldRequest = event;
        return;
      case 'permission.resolved': {
        const request = heldRequest;
        heldRequest = undefined;
        return refused(event, request);
      }
      case 'usage.reported':
        closing.counts(event);
        if (event.scope === 'step') pending = stepOf(event);
        return;
      case 'retry.scheduled':
        if (!isOwnCause(event.cause)) sink.lose('retry');
        return write(retryLine(event));
      case 'rate_limit.reported':
        return write(rateLimitLine(event));
      case 'limit.reached':
        return closing.limits(event);
      case 'log':
        if (event.cause === 'cut') closing.spoils();
        if (event.stream !== 'agent') return sink.lose('log');
        if (event.cause === undefined) inform(event.level === 'warning' || event.level === 'error' ? 'warning' : 'info', event.text);
        return;
      case 'error':
        return fault(event);
      case 'agent.finished':
        claim = event;
        return;
      case 'process.ended':
        if (event.exit_code !== 0) closing.spoils();
        return sink.lose('process');
      case 'line.unknown':
        if (event.dialect !== 'claude' || !isObject(event.wire)) return sink.lose('unknown_line');
        if (resultAlone) return sink.lose('unknown_line');
        introduce();
        return sink.line(event.wire);
      case 'thread.completed':
        return finish(event.final_report as JsonObject);
      default:
        return sink.lose(lossOf[(event as EventRecord).type]);
    }
  }

  function prompt(text: string): void {
    if (resultAlone) return sink.lose('prompt');
    spoken(undefined, { type: 'user', message: { role: 'user', content: text }, isReplay: true });
  }

  return {
    record,
    end() {
      if (result !== undefined) sink.line(result);
    },
  };
}
