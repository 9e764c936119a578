import type { EventOf, EventRecord, FinishReason } from '../../events/event.ts';
import type { Encoder, EncoderSink, JsonObject } from '../dialect.ts';
import { lossOf } from '../losses.ts';
import { asText, isObject, list, object, string } from '../read.ts';
import { editedFile, exitCode, isRefusal } from './tools.ts';
import { Ledger, noUsage } from './usage.ts';

const ownBlock = /^message_\d+\.(\d+)$/;
/** Calls that stand between two texts are not known yet; so many of their places are kept. */
const maxGap = 32;
const stopReasons: Record<FinishReason, string> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'toolUse',
  content_filter: 'error',
  error: 'error',
  aborted: 'aborted',
  other: 'stop',
};

type Placed<Type extends EventRecord['type']> = EventOf<Type> & EventRecord;

interface OpenCall {
  start: EventOf<'item.started'>;
  /** Updates repeat the whole output so far. */
  told: string;
}

interface OpenMessage {
  id: string | undefined;
  content: JsonObject[];
  timestamp: string | null;
  closed: boolean;
  final?: JsonObject;
}

export function encoder(sink: EncoderSink): Encoder {
  const ledger = new Ledger();
  const calls = new Map<string, OpenCall>();
  /** Where the blocks of the message stand in it, and which places they have taken. */
  const indexes = new Map<string, number>();
  const taken = new Set<number>();
  let introduction: (() => void) | undefined;
  let prompts: { text: string; timestamp: string | null }[] = [];
  let prompt: string | undefined;
  let model = '';
  let runOpen = false;
  let turnOpen = false;
  /** The assistant message of the turn; `closed` when its end has been written. */
  let message: OpenMessage | undefined;
  let toolResults: JsonObject[] = [];
  /** A turn's end waits: only what follows shows whether it is the last, and whether it failed for good. */
  let turnEnd: EventOf<'turn.completed'> | undefined;
  /** The end of an edit waits for the diff that follows it. */
  let callEnd: { event: Placed<'item.completed'>; call: OpenCall } | undefined;
  let retry: number | undefined;
  let claim: EventOf<'agent.finished'> | undefined;
  let fatal: EventOf<'error'> | undefined;
  /** Something that this wire has no word for speaks against the agent's claim. */
  let doubted = false;

  function line(wire: JsonObject): void {
    const first = introduction;
    introduction = undefined;
    first?.();
    sink.line(wire);
  }

  function introduce(event: Placed<'thread.started'>): void {
    line({
      type: 'session',
      version: 3,
      id: event.session_id ?? event.thread_id,
      ...(event.timestamp === null ? {} : { timestamp: event.timestamp }),
      cwd: event.cwd ?? '',
      ...(event.parent_session_id === undefined ? {} : { parentSession: event.parent_session_id }),
    });
  }

  function openTurn(): void {
    if (!runOpen) line({ type: 'agent_start' });
    runOpen = true;
    if (turnOpen) return;
    turnOpen = true;
    line({ type: 'turn_start' });
    writePrompts();
  }

  function writePrompts(): void {
    for (const { text, timestamp } of prompts) {
      const user = { role: 'user', content: [{ type: 'text', text }], ...at(timestamp) };
      line({ type: 'message_start', message: user });
      line({ type: 'message_end', message: user });
    }
    prompts = [];
  }

  function openMessage(timestamp: string | null, id?: string): OpenMessage {
    // One turn is one model call and one message here: words after a call's result, or of another message, are the next one.
    if (message !== undefined && !message.closed && message.id !== id && id !== undefined) {
      if (message.id === undefined) message.id = id;
      else closeMessage('stop');
    }
    if (message?.closed === true) writeTurnEnd();
    openTurn();
    if (message !== undefined) return message;
    message = { id, content: [], timestamp, closed: false };
    indexes.clear();
    taken.clear();
    line({ type: 'message_start', message: assistant(message, noUsage, 'stop') });
    return message;
  }

  function assistant(of: OpenMessage, usage: JsonObject, stopReason: string, error?: string): JsonObject {
    return {
      role: 'assistant',
      content: of.content.map((block) => ({ ...block })),
      api: 'unknown',
      provider: 'unknown',
      model,
      usage,
      stopReason,
      ...at(of.timestamp),
      ...(error === undefined ? {} : { errorMessage: error }),
    };
  }

  function closeMessage(stopReason: string, error?: string): void {
    const of = message ?? openMessage(null);
    if (of.closed) return;
    of.closed = true;
    of.final = assistant(of, ledger.take(), stopReason, error);
    line({ type: 'message_end', message: of.final });
    if (retry !== undefined && stopReason !== 'error') {
      line({ type: 'auto_retry_end', success: true, attempt: retry });
      retry = undefined;
    }
  }

  function writeTurnEnd(): void {
    const final = message?.final;
    line({ type: 'turn_end', ...(final === undefined ? {} : { message: final }), toolResults });
    toolResults = [];
    turnOpen = false;
    message = undefined;
    turnEnd = undefined;
  }

  function writeRunEnd(final: JsonObject | undefined): void {
    line({ type: 'agent_end', messages: final === undefined ? [] : [final] });
    runOpen = false;
  }

  /** The turn that waits was not the last one. */
  function settleTurn(error?: string): JsonObject | undefined {
    if (turnEnd === undefined) return undefined;
    const reason = turnEnd.finish_reason ?? (calls.size > 0 ? 'tool_calls' : 'stop');
    if (message?.closed !== true) closeMessage(stopReasons[reason], error);
    const final = message?.final;
    writeTurnEnd();
    return final;
  }

  function indexOf(blockId: string, of: OpenMessage): number {
    const known = indexes.get(blockId);
    if (known !== undefined) return known;
    const own = Number(ownBlock.exec(blockId)?.[1] ?? Infinity);
    const index = own <= of.content.length + maxGap && !taken.has(own) ? own : of.content.length;
    indexes.set(blockId, index);
    taken.add(index);
    return index;
  }

  function delta(event: Placed<'text.delta' | 'reasoning.delta'>): void {
    if (event.parent_item_id !== undefined) return;
    const of = openMessage(event.timestamp, event.message_id);
    const word = event.type === 'text.delta' ? 'text' : 'thinking';
    const fresh = !indexes.has(event.block_id);
    const contentIndex = indexOf(event.block_id, of);
    const update = (fields: JsonObject): void => line({ type: 'message_update', assistantMessageEvent: { contentIndex, ...fields } });
    if (fresh) {
      while (of.content.length <= contentIndex) of.content.push({ type: word, [word]: '' });
      update({ type: `${word}_start` });
    }
    const block = of.content[contentIndex];
    if (block !== undefined) block[word] = asText(block[word]) + event.text;
    update({ type: `${word}_delta`, delta: event.text });
  }

  function endBlock(event: Placed<'text.completed' | 'reasoning.completed'>): void {
    if (event.parent_item_id !== undefined) return sink.lose('sub_agent');
    const of = message;
    const contentIndex = indexes.get(event.block_id);
    if (of === undefined || contentIndex === undefined || of.closed) return;
    const word = event.type === 'text.completed' ? 'text' : 'thinking';
    line({ type: 'message_update', assistantMessageEvent: { type: `${word}_end`, contentIndex, content: event.text } });
  }

  function startCall(event: Placed<'item.started'>): void {
    if (event.parent_item_id !== undefined) sink.lose('sub_agent');
    const of = message ?? openMessage(event.timestamp);
    of.content.push({ type: 'toolCall', id: event.item_id, name: event.name, arguments: event.args });
    closeMessage('toolUse');
    calls.set(event.item_id, { start: event, told: '' });
    line({ type: 'tool_execution_start', toolCallId: event.item_id, toolName: event.name, args: event.args });
  }

  function progress(event: EventOf<'item.output'>): void {
    const call = calls.get(event.item_id);
    if (call === undefined) return sink.lose('tool_progress');
    call.told += event.chunk;
    line({
      type: 'tool_execution_update',
      toolCallId: event.item_id,
      toolName: call.start.name,
      args: call.start.args,
      partialResult: { content: [{ type: 'text', text: call.told }] },
    });
  }

  function endCall(event: Placed<'item.completed'>): void {
    const call = calls.get(event.item_id);
    // A call that never ended stays open on this wire too.
    if (call === undefined || (event.synthetic && event.status === 'abandoned')) return;
    calls.delete(event.item_id);
    callEnd = { event, call };
    if (event.status !== 'success' || editedFile(call.start.name, object(call.start.args)) === undefined) writeCallEnd();
  }

  function writeCallEnd(diff?: string): void {
    if (callEnd === undefined) return;
    const { event, call } = callEnd;
    callEnd = undefined;
    const { name } = call.start;
    const text = asText(event.output ?? event.error);
    if (event.output !== undefined && event.error !== undefined && event.error !== text) sink.lose('tool_output');
    if (event.exit_code !== undefined && event.exit_code !== exitCode(name, text) && event.exit_code !== 0) sink.lose('exit_code');
    const told = event.status === 'success' || event.status === 'error' || (event.status === 'denied' && isRefusal(name, text));
    if (!told) sink.lose('tool_status');
    const isError = event.status !== 'success';
    const result = { content: [{ type: 'text', text }], ...(diff === undefined ? {} : { details: { diff } }) };
    const id = { toolCallId: event.item_id, toolName: name };
    line({ type: 'tool_execution_end', ...id, result, isError });
    const spoken = { role: 'toolResult', ...id, ...result, isError, ...at(event.timestamp) };
    line({ type: 'message_start', message: spoken });
    line({ type: 'message_end', message: spoken });
    toolResults.push(spoken);
  }

  function edited(event: EventOf<'file.edited'>): void {
    const call = callEnd?.event.item_id === event.item_id ? callEnd?.call : undefined;
    const path = call === undefined ? undefined : editedFile(call.start.name, object(call.start.args))?.path;
    writeCallEnd(event.diff);
    if (path !== event.path) sink.lose('file_edit');
  }

  function scheduleRetry(event: EventOf<'retry.scheduled'>): void {
    if (turnEnd !== undefined) writeRunEnd(settleTurn(event.cause));
    retry = event.attempt ?? (retry ?? 0) + 1;
    line({
      type: 'auto_retry_start',
      attempt: retry,
      maxAttempts: event.max_attempts ?? retry,
      delayMs: event.delay_ms ?? 0,
      errorMessage: event.cause,
    });
  }

  function end(report: JsonObject): void {
    const ok = claim?.status === 'ok' && (string(object(report.verdict).class) === 'success' || !doubted);
    const failure = failureOf(report);
    if (!ok && failure === undefined) return stopInTheMiddle(report);
    if (ledger.settle(object(report.metrics))) sink.lose('usage');
    // The last message ended in calls; what the run came to needs one more.
    if (message?.closed === true) writeTurnEnd();
    closeMessage(ok ? 'stop' : (failure?.reason ?? 'error'), ok ? undefined : failure?.error);
    const final = message?.final;
    writeTurnEnd();
    writeRunEnd(final);
    if (retry !== undefined && failure?.reason === 'error') {
      line({
        type: 'auto_retry_end',
        success: false,
        attempt: retry,
        ...(failure.error === undefined ? {} : { finalError: failure.error }),
      });
    }
  }

  function failureOf(report: JsonObject): { reason: string; error?: string } | undefined {
    if (claim?.status === 'cancelled') return { reason: 'aborted', ...(claim.message === undefined ? {} : { error: claim.message }) };
    if (claim?.status === 'failed') {
      const reason = turnEnd?.finish_reason === 'length' ? 'length' : 'error';
      const error = claim.message ?? (reason === 'error' ? string(object(report.error_details).message) : undefined);
      return { reason, ...(error === undefined ? {} : { error }) };
    }
    if (claim?.status === 'ok' && doubted) return { reason: 'error', error: why(report) };
    if (claim === undefined && fatal !== undefined) return { reason: 'error', error: fatal.message };
    return undefined;
  }

  /** Nobody said how it ended: neither does this stream. What was counted is told if a message can carry it. */
  function stopInTheMiddle(report: JsonObject): void {
    if (ledger.pending && message?.closed === false) closeMessage('toolUse');
    if (!ledger.isComplete(object(report.metrics))) sink.lose('usage');
  }

  function record(event: EventRecord): void {
    if (callEnd !== undefined && event.type !== 'file.edited') writeCallEnd();
    switch (event.type) {
      case 'thread.started':
        model = event.model ?? '';
        if (event.task !== undefined) {
          prompt = event.task;
          prompts.push({ text: event.task, timestamp: event.timestamp });
        }
        if (!event.synthetic) return introduce(event);
        introduction = () => introduce(event);
        return;
      case 'prompt.submitted':
        if (event.text === prompt) return void (prompt = undefined);
        prompts.push({ text: event.text, timestamp: event.timestamp });
        if (turnOpen) writePrompts();
        return;
      case 'turn.started':
        settleTurn();
        if (event.model !== undefined) model = event.model;
        return openTurn();
      case 'turn.completed':
        turnEnd = event;
        return;
      case 'text.delta':
      case 'reasoning.delta':
        return delta(event);
      case 'text.completed':
      case 'reasoning.completed':
        return endBlock(event);
      case 'item.started':
        return startCall(event);
      case 'item.output':
        return progress(event);
      case 'item.completed':
        return endCall(event);
      case 'file.edited':
        return edited(event);
      case 'usage.reported':
        if (event.model !== undefined) model = event.model;
        if (event.reasoning_tokens) sink.lose('token_split');
        return ledger.see(event);
      case 'retry.scheduled':
        return scheduleRetry(event);
      case 'agent.finished':
        claim = event;
        return;
      case 'error':
        if (event.fatal) fatal = event;
        return sink.lose('error');
      case 'limit.reached':
        doubted = true;
        return sink.lose('limit');
      case 'process.ended':
        doubted ||= event.exit_code !== 0;
        return sink.lose('process');
      case 'permission.resolved':
        doubted ||= event.decision === 'denied';
        return sink.lose('permission');
      case 'log':
        doubted ||= event.cause === 'cut';
        return sink.lose('log');
      case 'line.unknown':
        if (event.dialect !== 'pi' || !isObject(event.wire)) return sink.lose('unknown_line');
        return line(event.wire);
      case 'thread.completed':
        return end(event.final_report as JsonObject);
      default:
        return sink.lose(lossOf[event.type]);
    }
  }

  return { record, end() {} };
}

function why(report: JsonObject): string {
  return asText(object(list(object(report.verdict).evidence)[0]).detail);
}

function at(timestamp: string | null): { timestamp?: number } {
  return timestamp === null ? {} : { timestamp: Date.parse(timestamp) };
}
