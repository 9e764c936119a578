import type { EventOf, EventRecord } from '../../events/event.ts';
import type { Encoder, EncoderSink, Json, JsonObject } from '../dialect.ts';
import { lossOf } from '../losses.ts';
import { asText, compact, isObject, object } from '../read.ts';
import { closingLine } from './closing.ts';
import { exitCodeOf, nonExecution, resultStatus } from './tools.ts';
import { isAny, plus, type Tokens, writeUsage } from './usage.ts';
import { interruption, stopOf, synthetic, wordOfCode } from './words.ts';

type Started = EventOf<'item.started'>;
type Completed = EventOf<'item.completed'>;
type Said = EventOf<'text.delta' | 'text.completed' | 'reasoning.delta' | 'reasoning.completed'>;

interface Message {
  id: string;
  turnId: string;
  parent: string | undefined;
  model: string;
  usage: Tokens;
  calledTools: boolean;
  /** Blocks that stream at this moment, by our block id, with their place in the message. */
  streams: Map<string, number>;
  nextIndex: number;
  ended: boolean;
}

/** The end of the process is no part of the turn that was claimed; another agent may count its tokens after its last word. */
const afterAnyClaim = new Set(['process.ended', 'thread.completed']);
const afterForeignClaim = new Set(['usage.reported', 'turn.completed']);
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
  }

  function spoken(parent: string | undefined, wire: JsonObject): void {
    write({ ...wire, parent_tool_use_id: parent ?? null, ...compact({ timestamp: time ?? undefined }) });
  }

  function streamed(parent: string | undefined, event: JsonObject): void {
    write({ type: 'stream_event', event, parent_tool_use_id: parent ?? null });
  }

  function body(message: Message, content: Json[]): JsonObject {
    return {
      id: message.id,
      type: 'message',
      role: 'assistant',
      model: message.model,
      content,
      stop_reason: null,
      stop_sequence: null,
      usage: writeUsage(message.usage),
    };
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
    const message: Message = {
      id,
      turnId,
      parent,
      model: modelFor(parent),
      usage: closing.onLine({}, pending ?? {}, parent !== undefined && !resultAlone),
      calledTools: false,
      streams: new Map(),
      nextIndex: 0,
      ended: false,
    };
    pending = undefined;
    messages.set(parent ?? '', message);
    if (partial) streamed(parent, { type: 'message_start', message: body(message, []) });
    return (last = message);
  }

  /** A call belongs to the message that was last spoken in its turn. */
  function messageOfItem(event: Started): Message {
    const known = messages.get(event.parent_item_id ?? '');
    return messageFor(event.parent_item_id, event.turn_id, known?.turnId === event.turn_id ? known.id : event.turn_id);
  }

  function assistant(message: Message, block: JsonObject): void {
    spoken(message.parent, { type: 'assistant', message: body(message, [block]) });
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
    const content = contentOf(end.output ?? end.error);
    const text = typeof content === 'string' ? content : '';
    const block: JsonObject = {
      type: 'tool_result',
      tool_use_id: end.item_id,
      ...(content === undefined ? {} : { content }),
      is_error: end.status !== 'success',
    };
    const plain = resultStatus(end.item_id, block, undefined, text) === end.status;
    const told = exitCodeOf(start.name, end.status === 'error' ? text : '', {}) === end.exit_code;
    const details: JsonObject = compact({ exit_code: told ? undefined : end.exit_code, duration_ms: end.duration_ms }) as JsonObject;
    const line: JsonObject = {
      type: 'user',
      message: { role: 'user', content: [block] },
      parent_tool_use_id: start.parent_item_id ?? null,
      ...(Object.keys(details).length > 0 ? { tool_use_result: details } : {}),
      ...(plain ? {} : { tool_result_meta: [{ id: end.item_id, non_execution_kind: nonExecution[end.status] ?? 'error' }] }),
      ...compact({ timestamp: time ?? undefined }),
    };
    // Whether the file is new is said by the next event, and on this line.
    if (start.kind === 'file_edit' && end.status === 'success') heldResult = { line, id: end.item_id };
    else write(line);
  }

  function endServerTool(start: Started, end: Completed): void {
    if (end.status !== 'success' && end.status !== 'error') sink.lose('tool_status');
    const message = messageFor(start.parent_item_id, start.turn_id, messages.get(start.parent_item_id ?? '')?.id ?? start.turn_id);
    const prefix = start.native_name === 'server_tool_use' ? start.name : (start.native_name ?? '').replace(/_tool_use$/, '');
    assistant(message, {
      type: `${prefix}_tool_result`,
      tool_use_id: end.item_id,
      ...compact({ content: end.output ?? end.error }),
      ...(end.status === 'success' ? {} : { is_error: true }),
    });
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
    write({
      type: 'system',
      subtype: 'permission_denied',
      tool_name: name,
      tool_use_id: id,
      message: request?.title ?? '',
      ...compact({ decision_reason_type: event.raw_decision }),
    });
  }

  function requested(event: EventOf<'permission.requested'>): void {
    write({
      type: 'control_request',
      request_id: event.permission_id,
      request: {
        subtype: 'can_use_tool',
        tool_name: event.what,
        input: started.get(event.item_id ?? '')?.args ?? {},
        ...compact({ tool_use_id: event.item_id, title: event.title }),
      },
    });
  }

  function fault(event: EventOf<'error'>): void {
    const ofSubAgent = !event.fatal && event.scope === 'provider' && event.name !== undefined && event.item_id !== undefined;
    if (!event.fatal && !ofSubAgent) return inform('warning', `${event.scope}: ${event.message}`);
    if (event.code === 'refused' && event.name === undefined) {
      return write({
        type: 'system',
        subtype: 'model_refusal_no_fallback',
        trigger: 'refusal',
        original_model: turn?.model ?? thread?.model ?? 'unknown',
        content: event.message,
      });
    }
    const ownWord = event.scope === 'provider' && event.name !== undefined && /^[a-z_]+$/.test(event.name);
    spoken(ofSubAgent ? event.item_id : undefined, {
      type: 'assistant',
      message: {
        id: `msg_error_${count}`,
        type: 'message',
        role: 'assistant',
        model: synthetic,
        content: [{ type: 'text', text: event.message }],
        stop_reason: 'stop_sequence',
        stop_sequence: '',
        usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
      },
      error: ownWord ? (event.name ?? 'unknown') : wordOfCode(event.code),
    });
  }

  function inform(level: 'info' | 'warning', content: string): void {
    const fallback = 'model fallback: ';
    if (level === 'warning' && content.startsWith(fallback)) {
      return write({ type: 'system', subtype: 'model_fallback', content: content.slice(fallback.length) });
    }
    write({ type: 'system', subtype: 'informational', content, level });
  }

  function retry(event: EventOf<'retry.scheduled'>): void {
    const own = /^([a-z_]+)(?: \((\d{3})\))?$/.exec(event.cause);
    if (own === null) sink.lose('retry');
    write({
      type: 'system',
      subtype: 'api_retry',
      ...compact({ attempt: event.attempt, max_retries: event.max_attempts, retry_delay_ms: event.delay_ms }),
      error_status: own?.[2] === undefined ? null : Number(own[2]),
      error: own?.[1] ?? wordOfCode(event.code),
    });
  }

  function endTurn(event: EventOf<'turn.completed'>): void {
    if (turn !== undefined && !turn.spoke && !turn.isSynthetic) {
      const message = messageFor(undefined, turn.id, turn.id);
      spoken(undefined, { type: 'assistant', message: body(message, []) });
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
      requested(request);
    }
    const outside = event.type === 'log' && (event.stream !== 'agent' || event.cause !== undefined);
    const isOwn = thread?.agent === 'claude';
    const isQuiet = outside || afterAnyClaim.has(event.type) || (!isOwn && afterForeignClaim.has(event.type));
    if (claim !== undefined && !isQuiet) finish();
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
        return retry(event);
      case 'rate_limit.reported':
        return write({
          type: 'rate_limit_event',
          rate_limit_info: compact({
            status: event.status,
            rateLimitType: event.window,
            utilization: event.utilization,
            resetsAt: event.resets_at_ms === undefined ? undefined : event.resets_at_ms / 1000,
          }) as JsonObject,
        });
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

function firstLine(event: EventOf<'thread.started'>): JsonObject {
  return {
    type: 'system',
    subtype: 'init',
    cwd: event.cwd ?? '',
    model: event.model ?? '',
    ...(event.agent === 'claude' && event.agent_version !== undefined ? { claude_code_version: event.agent_version } : {}),
    permissionMode: 'default',
    apiKeySource: 'none',
    output_style: 'default',
    tools: [],
    mcp_servers: [],
    slash_commands: [],
    skills: [],
    plugins: [],
  };
}

function stepOf(event: EventOf<'usage.reported'>): (Tokens & { model?: string }) | undefined {
  const { model, input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens } = event;
  const tokens: Tokens = compact({ input_tokens, output_tokens, reasoning_tokens, cache_read_tokens, cache_write_tokens });
  return isAny(tokens) ? { ...tokens, ...compact({ model }) } : undefined;
}

/** Text, or blocks where the output is made of blocks already. */
function contentOf(output: Json | undefined): Json | undefined {
  if (output === undefined || typeof output === 'string') return output;
  if (Array.isArray(output) && output.length > 0 && output.every((each) => typeof object(each).type === 'string')) return output;
  return asText(output);
}
