import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { Encoder, EncoderSink, Json, JsonObject } from '../../dialect.ts';
import { lossOf } from '../../losses.ts';
import { asText, compact, isObject } from '../../read.ts';
import { wrapApiError } from '../api-error.ts';
import { editedPath, exitCodeIn, isRefusal, kindOf } from '../read/tools.ts';
import { cancelMark, foreignSubtype } from '../words.ts';
import { closing } from './ending.ts';
import { wireProgress } from './tools.ts';
import { addUsage, writeUsage } from './usage.ts';

type Said = EventOf<'text.completed'> | EventOf<'reasoning.completed'>;

/** An assistant line waits for the usage of its answer, and for more blocks of its kind. */
interface Pending {
  kind: 'text' | 'thinking' | 'tool_use' | 'error';
  id: string;
  parent: string | null;
  content: JsonObject[];
  usage: EventOf<'usage.reported'> | undefined;
}

export function encoder(sink: EncoderSink, variant: string): Encoder {
  const started = new Map<string, EventOf<'item.started'>>();
  const denials: JsonObject[] = [];
  const totals = new Map<string, EventOf<'usage.reported'>>();
  let opening: (EventOf<'thread.started'> & { synthetic: boolean }) | undefined;
  let session = '';
  let model = '';
  let isOwn = false;
  let lines = 0;
  let pending: Pending | undefined;
  let owed: EventOf<'usage.reported'> | undefined;
  let claim: EventOf<'agent.finished'> | undefined;
  let isBroken = false;
  let edit: { item: string; path: string } | undefined;
  let limit: EventOf<'limit.reached'> | undefined;
  /** The `message_start` … `message_stop` pair of a streamed answer, and the block open inside it. */
  let isStreaming = false;
  let isFresh = false;
  let streamed: string | undefined;
  let isRetried = false;
  let block: { kind: 'text' | 'thinking'; parent: string | null } | undefined;
  /** The turn as a reader of these lines would see it. */
  let turn: { id: string; done: boolean; last: Pending['kind'] | undefined; message: string } | undefined;
  let attempts = 0;
  let emptyTurn: string | undefined;

  function nextId(): string {
    lines += 1;
    return `${session}:${lines}`;
  }

  function write(type: string, fields: JsonObject, parent: string | null = null, uuid = nextId()): void {
    const { subtype, ...rest } = fields;
    sink.line({
      type,
      ...(subtype === undefined ? {} : { subtype }),
      uuid,
      session_id: session,
      ...(type === 'result' ? {} : { parent_tool_use_id: parent }),
      ...rest,
    });
  }

  function open(): void {
    const first = opening;
    if (first === undefined) return;
    opening = undefined;
    sink.line({
      type: 'system',
      subtype: 'init',
      uuid: session,
      session_id: session,
      cwd: first.cwd ?? '',
      tools: [],
      mcp_servers: [],
      model,
      permission_mode: 'default',
      slash_commands: [],
      qwen_code_version: (isOwn ? first.agent_version : undefined) ?? 'unknown',
      agents: [],
    });
  }

  function flush(): void {
    open();
    if (pending === undefined) return;
    const { id, parent, content, usage: paid, kind } = pending;
    pending = undefined;
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: paid?.model ?? model,
      content,
      stop_reason: kind === 'tool_use' ? 'tool_use' : null,
      usage: writeUsage(paid ?? {}),
    };
    write('assistant', { message }, parent, id);
    if (turn !== undefined && parent === null && paid !== undefined) turn.done = true;
  }

  function streamEvent(event: JsonObject, parent: string | null = null): void {
    write('stream_event', { event }, parent);
  }

  function startMessage(): void {
    if (isStreaming) return;
    open();
    isStreaming = true;
    isFresh = true;
    streamed = undefined;
    streamEvent({ type: 'message_start', message: { id: nextId(), role: 'assistant', model, content: [] } });
  }

  function stopMessage(): void {
    flush();
    if (!isStreaming) return;
    isStreaming = false;
    streamEvent({ type: 'message_stop' });
  }

  /** A reader takes all text between start and stop for one message, except what follows a retry. */
  function splitMessage(id: string): void {
    if (isStreaming && streamed !== undefined && streamed !== id && !isRetried) stopMessage();
    startMessage();
    streamed = id;
    isRetried = false;
  }

  function canStream(synthetic: boolean): boolean {
    return variant === 'partial' || (variant === 'stream-json' && isOwn && !synthetic);
  }

  function delta(event: EventOf<'text.delta'> | EventOf<'reasoning.delta'>, synthetic: boolean): void {
    if (!canStream(synthetic)) return;
    const kind = event.type === 'text.delta' ? 'text' : 'thinking';
    const parent = event.parent_item_id ?? null;
    if (block?.kind !== kind || block.parent !== parent) {
      closeBlock();
      flush();
      if (parent === null && kind === 'text') splitMessage(event.message_id);
      if (parent === null) startMessage();
      block = { kind, parent };
      const empty = kind === 'text' ? { type: kind, text: '' } : { type: kind, thinking: '', signature: '' };
      streamEvent({ type: 'content_block_start', index: 0, content_block: empty }, parent);
    }
    const piece = kind === 'text' ? { type: 'text_delta', text: event.text } : { type: 'thinking_delta', thinking: event.text };
    streamEvent({ type: 'content_block_delta', index: 0, delta: piece }, parent);
  }

  function closeBlock(): void {
    if (block === undefined) return;
    streamEvent({ type: 'content_block_stop', index: 0 }, block.parent);
    block = undefined;
  }

  function add(kind: Pending['kind'], id: string, turnId: string | undefined, parent: string | null, content: JsonObject): void {
    closeBlock();
    const isMore = pending !== undefined && pending.kind === kind && pending.parent === parent && pending.usage === undefined;
    if (isMore && (pending?.id === id || kind === 'tool_use')) {
      pending?.content.push(content);
      return;
    }
    flush();
    pending = { kind, id, parent, content: [content], usage: undefined };
    if (parent !== null) return;
    if (variant === 'partial') startMessage();
    if (owed !== undefined) pending.usage = owed;
    owed = undefined;
    place(kind, id, turnId);
  }

  /** Turns have no line of their own: a reader tells them by the order of lines, and may tell others than there were. */
  function place(kind: Pending['kind'], id: string, turnId: string | undefined): void {
    const goesOn = turn !== undefined && (isStreaming || turn.message === id);
    const isRepeat = kind === 'text' && turn?.last === 'text';
    const looksNew = isFresh || turn === undefined || ((turn.done || (isRepeat && attempts === 0)) && !goesOn);
    if (isRepeat && !looksNew) attempts = Math.max(0, attempts - 1);
    if (turnId !== undefined && turn !== undefined && looksNew !== (turn.id !== turnId)) sink.lose('turn_boundary');
    isFresh = false;
    turn = { id: turnId ?? turn?.id ?? '', done: false, last: kind, message: id };
    emptyTurn = undefined;
  }

  function say(event: Said): void {
    const parent = event.parent_item_id ?? null;
    const kind = event.type === 'text.completed' ? 'text' : 'thinking';
    const content = kind === 'text' ? { type: kind, text: event.text } : { type: kind, thinking: event.text, signature: '' };
    add(kind, event.message_id, event.turn_id, parent, content);
  }

  function call(event: EventOf<'item.started'>): void {
    started.set(event.item_id, event);
    if (!isObject(event.args)) sink.lose('tool_args');
    const parent = event.parent_item_id ?? null;
    const tool = { type: 'tool_use', id: event.item_id, name: event.name };
    if (isStreaming || variant === 'partial') {
      if (pending !== undefined && pending.kind !== 'tool_use') flush();
      if (parent === null) startMessage();
      streamEvent({ type: 'content_block_start', index: 0, content_block: { ...tool, input: {} } }, parent);
      const json = { type: 'input_json_delta', partial_json: JSON.stringify(event.args) };
      streamEvent({ type: 'content_block_delta', index: 0, delta: json }, parent);
      streamEvent({ type: 'content_block_stop', index: 0 }, parent);
    }
    add('tool_use', pending?.kind === 'tool_use' ? pending.id : nextId(), event.turn_id, parent, { ...tool, input: event.args });
  }

  function finish(event: EventOf<'item.completed'>): void {
    const start = started.get(event.item_id);
    if (start === undefined) return;
    started.delete(event.item_id);
    // A call that never ended stays open on this wire too.
    if (event.status === 'abandoned') return;
    stopMessage();
    const content = resultText(start, event);
    if (event.status === 'denied')
      denials.push({ tool_name: start.name, tool_use_id: event.item_id, tool_input: isObject(start.args) ? start.args : {} });
    if (event.status === 'denied' ? !isRefusal(content ?? '') : event.status === 'cancelled' && !content?.startsWith(cancelMark))
      sink.lose('tool_status');
    const shown = kindOf(start.name) === 'command' && content !== undefined ? exitCodeIn(content) : undefined;
    if (event.exit_code !== shown) sink.lose('exit_code');
    if (event.duration_ms !== undefined) sink.lose('time');
    const result = {
      type: 'tool_result',
      tool_use_id: event.item_id,
      is_error: event.status !== 'success',
      ...(content === undefined ? {} : { content }),
    };
    write('user', { message: { role: 'user', content: [result] } }, start.parent_item_id ?? null);
    if (turn !== undefined && start.parent_item_id === undefined) {
      turn.done = true;
      attempts = 0;
    }
    const path = event.status === 'success' ? editedPath(start.name, start.args) : undefined;
    edit = path === undefined ? undefined : { item: event.item_id, path };
  }

  function resultText(start: EventOf<'item.started'>, event: EventOf<'item.completed'>): string | undefined {
    if (event.output !== undefined) {
      const output = asText(event.output);
      if (event.error !== undefined && !output.includes(event.error)) sink.lose('tool_output');
      return output;
    }
    if (event.error !== undefined || event.status === 'success' || event.status === 'error') return event.error;
    return event.status === 'cancelled'
      ? cancelMark
      : `Qwen Code requires permission to use "${start.name}", but that permission was declined.`;
  }

  function usage(event: EventOf<'usage.reported'>): void {
    if (event.scope === 'thread') totals.set(event.model ?? '', event);
    if (event.scope !== 'step') return;
    if (pending !== undefined && pending.usage === undefined) {
      pending.usage = event;
      return flush();
    }
    owed = owed === undefined ? event : addUsage(owed, event);
  }

  function carry(event: EventRecord): void {
    flush();
    const { sequence: _sequence, timestamp: _timestamp, thread_id: _thread, source: _source, synthetic: _synthetic, ...data } = event;
    write('system', { subtype: foreignSubtype, data: data as unknown as JsonObject });
  }

  function permission(event: EventOf<'permission.requested'> | EventOf<'permission.resolved'>): void {
    if (event.permission_id === event.item_id) {
      // The list of the result says it.
      if (event.type === 'permission.requested') denials.push({ tool_name: event.what, tool_use_id: event.item_id, tool_input: {} });
      return;
    }
    flush();
    const request_id = event.permission_id;
    if (event.type === 'permission.resolved') {
      const response = { allowed: event.decision === 'allowed' };
      return sink.line({ type: 'control_response', response: { subtype: 'success', request_id, response } });
    }
    sink.line({
      type: 'control_request',
      request_id,
      request: { subtype: 'can_use_tool', tool_name: event.what, tool_use_id: event.item_id ?? '', input: {} },
    });
  }

  function end(report: JsonObject): void {
    if (pending !== undefined || isStreaming || claim !== undefined || opening?.synthetic === false) stopMessage();
    if (claim !== undefined) write('result', closing({ claim, limit, isBroken, totals, denials, variant }, report, sink));
    else if (owed !== undefined || totals.size > 0) sink.lose('usage');
  }

  return {
    record(event: EventRecord) {
      switch (event.type) {
        case 'thread.started':
          if (event.task !== undefined) sink.lose('prompt');
          opening = event;
          isOwn = event.agent === 'qwen';
          session = event.session_id ?? event.thread_id;
          model = event.model ?? '';
          return;
        case 'prompt.submitted':
          if (turn !== undefined) return sink.lose('prompt');
          flush();
          return write('user', { message: { role: 'user', content: event.text } });
        case 'turn.started':
          if (pending !== undefined || isStreaming) stopMessage();
          emptyTurn = event.turn_id;
          if (event.model !== undefined) model = event.model;
          return;
        case 'turn.completed':
          if (emptyTurn !== undefined && canStream(false)) startMessage();
          else if (emptyTurn !== undefined) sink.lose('turn_boundary');
          emptyTurn = undefined;
          if (!event.synthetic && (pending !== undefined || isStreaming)) stopMessage();
          return;
        case 'text.delta':
        case 'reasoning.delta':
          return delta(event, event.synthetic);
        case 'text.completed':
        case 'reasoning.completed':
          return say(event);
        case 'item.started':
          return call(event);
        case 'item.output':
          if (!isStreaming && !canStream(event.synthetic)) return sink.lose('tool_progress');
          flush();
          return streamEvent({ type: 'tool_progress', tool_use_id: event.item_id, content: wireProgress(event.chunk) });
        case 'item.completed':
          return finish(event);
        case 'file.edited':
          // Follows from the result of an editing tool; an edit by other means has no place of its own.
          if (edit?.item !== event.item_id || edit?.path !== event.path) sink.lose('file_edit');
          return;
        case 'usage.reported':
          return usage(event);
        case 'retry.scheduled':
          flush();
          isRetried = isStreaming;
          if (turn === undefined || turn.done || turn.last !== 'text') attempts += 1;
          return write('system', {
            subtype: 'retry',
            data: compact({
              reason: event.cause,
              attempt: event.attempt,
              maxRetries: event.max_attempts,
              delayMs: event.delay_ms,
              discardedToolCalls: 0,
              preserveText: false,
            }),
          });
        case 'permission.requested':
        case 'permission.resolved':
          return permission(event);
        case 'error':
          if (!event.fatal) return carry(event);
          return add('error', nextId(), event.turn_id ?? turn?.id, null, { type: 'text', text: wrapApiError(event.message) });
        case 'limit.reached':
          limit = event;
          return carry(event);
        case 'log':
          if (event.cause === 'cut') isBroken = true;
          return carry(event);
        case 'rate_limit.reported':
          return carry(event);
        case 'agent.finished':
          flush();
          // One result closes the run; what was claimed before, in a session of several prompts, is not repeated.
          if (claim !== undefined) sink.lose('verdict');
          claim = event;
          return;
        case 'process.ended':
          if (event.exit_code === 0) return;
          isBroken = true;
          return sink.lose('process');
        case 'line.unknown':
          flush();
          if (event.dialect !== 'qwen' || !isObject(event.wire as Json)) return sink.lose('unknown_line');
          return sink.line(event.wire as JsonObject);
        case 'thread.completed':
          return end(event.final_report as JsonObject);
        default:
          return sink.lose(lossOf[(event as EventRecord).type]);
      }
    },
    end() {},
  };
}
