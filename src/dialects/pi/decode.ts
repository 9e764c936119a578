import type { FinishReason } from '../../events/event.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, integer, list, object, string, time } from '../read.ts';
import { tokensBesideCache } from '../tokens.ts';
import { editedFile, exitCode, kindOf, resultStatus, resultText } from './tools.ts';

const finishReasons: Record<string, FinishReason> = {
  stop: 'stop',
  length: 'length',
  toolUse: 'tool_calls',
  error: 'error',
  aborted: 'aborted',
};

/** How a message ended, in the agent's word, and why if it failed. */
interface End {
  reason: string;
  error: string | undefined;
}

interface OpenCall {
  name: string;
  args: JsonObject;
  /** Updates hold the output so far; what was already told of it. */
  told: string;
}

export function decoder(sink: DecoderSink): Decoder {
  const calls = new Map<string, OpenCall>();
  /** Blocks of the current message: what was streamed of them, and which have ended. */
  const streamed = new Map<number, string>();
  const ended = new Set<number>();
  let messages = 0;
  /** The current assistant message has started; the second: its end has been read. */
  let started = false;
  let settled = false;
  /** Every word on how the last assistant message ended; they are repeated, and a bad one outweighs the good. */
  let last: End | undefined;
  let retrying = false;
  /** The run ended after the last message. */
  let finished = false;
  let storedTurn: JsonObject | undefined;

  function place(index: number): { block_id: string; message_id: string } {
    return { block_id: `message_${messages}.${index}`, message_id: `message_${messages}` };
  }

  function startMessage(): void {
    messages += 1;
    started = true;
    settled = false;
    last = undefined;
    retrying = false;
    finished = false;
    ended.clear();
    streamed.clear();
  }

  function update(wire: JsonObject): void {
    if (!started) startMessage();
    const event = object(wire.assistantMessageEvent);
    const index = integer(event.contentIndex) ?? 0;
    switch (event.type) {
      case 'text_delta':
        return delta('text.delta', index, asText(event.delta));
      case 'thinking_delta':
        return delta('reasoning.delta', index, asText(event.delta));
      case 'text_end':
        return endBlock('text.completed', index, string(event.content));
      case 'thinking_end':
        return endBlock('reasoning.completed', index, string(event.content));
      case 'start':
      case 'text_start':
      case 'thinking_start':
      case 'toolcall_start':
      case 'toolcall_delta':
      case 'toolcall_end':
      case 'done':
      case 'error':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  function delta(type: 'text.delta' | 'reasoning.delta', index: number, text: string): void {
    // With the Google format an empty text stands beside every call.
    if (text === '') return;
    streamed.set(index, (streamed.get(index) ?? '') + text);
    sink.emit({ type, text, ...place(index) });
  }

  function endBlock(type: 'text.completed' | 'reasoning.completed', index: number, text: string | undefined): void {
    if (text === undefined || ended.has(index)) return;
    ended.add(index);
    const told = streamed.get(index);
    if (text === '' && told === undefined) return;
    streamed.delete(index);
    // With the Responses format the whole of a thought is without the blank lines that were streamed after it.
    const same = told !== undefined && told.trimEnd() === text.trimEnd();
    sink.emit({ type, text: same ? told : text, ...place(index) });
  }

  /** The end of an assistant message is told three times: by itself, by its turn and by the run. Any of them may be lost. */
  function endMessage(message: JsonObject): void {
    const told: End = { reason: asText(message.stopReason), error: filled(message.errorMessage) };
    if (!settled) {
      if (!started) startMessage();
      settled = true;
      list(message.content).forEach((each, index) => {
        const block = object(each);
        if (block.type === 'text') endBlock('text.completed', index, string(block.text));
        else if (block.type === 'thinking') endBlock('reasoning.completed', index, string(block.thinking));
      });
      usage(message);
    }
    started = false;
    if (last === undefined || (isGood(last) && !isGood(told))) last = told;
    else last.error ??= told.error;
  }

  /** Of this message alone; input is without the cached part. All zero: the provider counted nothing. */
  function usage(message: JsonObject): void {
    const wire = object(message.usage);
    const tokens = tokensBesideCache(wire.input, wire.output, wire.cacheRead, wire.cacheWrite);
    if (tokens === undefined) return;
    const more = compact({ model: filled(message.model), cost_usd: count(object(wire.cost).total) || undefined });
    sink.emit({ type: 'usage.reported', scope: 'step', ...more, ...tokens });
  }

  function endOfMessage(message: JsonObject): void {
    switch (message.role) {
      case 'assistant':
        return endMessage(message);
      case 'user':
        return sink.emit({ type: 'prompt.submitted', text: userText(message.content) });
      case 'toolResult': {
        // Repeats the end of the call, unless that line was lost.
        const id = string(message.toolCallId) ?? '';
        if (calls.has(id)) endCall(id, message, message.isError);
      }
    }
  }

  function startCall(wire: JsonObject): void {
    const id = filled(wire.toolCallId);
    if (id === undefined) return sink.unknown(wire);
    const name = asText(wire.toolName);
    calls.set(id, { name, args: object(wire.args), told: '' });
    sink.emit({ type: 'item.started', item_id: id, kind: kindOf(name), name, args: wire.args ?? {} });
  }

  function progress(wire: JsonObject): void {
    const id = filled(wire.toolCallId);
    if (id === undefined) return sink.unknown(wire);
    if (!calls.has(id)) startCall(wire);
    const call = calls.get(id);
    const text = resultText(wire.partialResult);
    if (call === undefined || text === call.told) return;
    const chunk = text.startsWith(call.told) ? text.slice(call.told.length) : text;
    call.told = text;
    if (chunk !== '') sink.emit({ type: 'item.output', item_id: id, chunk });
  }

  function endCall(id: string, result: Json | undefined, isError: Json | undefined): void {
    const { name, args } = calls.get(id) ?? { name: '', args: {} };
    calls.delete(id);
    const output = resultText(result);
    const status = resultStatus(name, isError, output);
    const exit = status === 'error' ? exitCode(name, output) : undefined;
    sink.emit({ type: 'item.completed', item_id: id, status, output, ...(exit === undefined ? {} : { exit_code: exit }) });
    const edited = status === 'success' ? editedFile(name, args) : undefined;
    if (edited === undefined) return;
    const diff = string(object(object(result).details).diff);
    sink.emit({ type: 'file.edited', ...edited, item_id: id, ...compact({ diff }) });
  }

  function endTurn(wire: JsonObject): void {
    const message = object(wire.message);
    if (message.role === 'assistant') endMessage(message);
    const reason = last?.reason ?? '';
    const known = finishReasons[reason];
    sink.emit({
      type: 'turn.completed',
      finish_reason: known ?? 'other',
      ...(known === undefined && reason !== '' ? { raw_finish_reason: reason } : {}),
    });
  }

  function endRun(wire: JsonObject): void {
    retrying = false;
    const message = object(list(wire.messages).at(-1));
    if (message.role === 'assistant') endMessage(message);
    finished = true;
  }

  function line(wire: JsonObject): void {
    switch (wire.type) {
      case 'session': {
        const ms = time(wire.timestamp);
        if (ms !== undefined) sink.at(ms);
        return sink.emit({
          type: 'thread.started',
          agent: 'pi',
          ...compact({ session_id: filled(wire.id), parent_session_id: filled(wire.parentSession), cwd: filled(wire.cwd) }),
        });
      }
      case 'agent_start':
        started = false;
        settled = false;
        retrying = false;
        finished = false;
        last = undefined;
        return;
      case 'turn_start':
        settled = false;
        started = false;
        finished = false;
        return sink.emit({ type: 'turn.started' });
      case 'message_start': {
        const message = object(wire.message);
        timed(message);
        if (message.role === 'assistant') startMessage();
        return;
      }
      case 'message_update':
        return update(wire);
      case 'message_end': {
        const message = object(wire.message);
        timed(message);
        return endOfMessage(message);
      }
      case 'turn_end':
        return endTurn(wire);
      case 'agent_end':
        return endRun(wire);
      case 'message':
        return stored(wire);
      case 'tool_execution_start':
        return startCall(wire);
      case 'tool_execution_update':
        return progress(wire);
      case 'tool_execution_end': {
        const id = filled(wire.toolCallId);
        if (id === undefined) return sink.unknown(wire);
        if (!calls.has(id)) startCall(wire);
        return endCall(id, wire.result, wire.isError);
      }
      case 'auto_retry_start': {
        const cause = asText(wire.errorMessage);
        retrying = true;
        return sink.emit({
          type: 'retry.scheduled',
          code: codeOfMessage(cause),
          cause,
          ...compact({ attempt: natural(wire.attempt), max_attempts: natural(wire.maxAttempts), delay_ms: count(wire.delayMs) }),
        });
      }
      case 'auto_retry_end':
        if (wire.success === true) return;
        retrying = false;
        last = { reason: 'error', error: filled(wire.finalError) ?? last?.error };
        return;
      case 'compaction_end':
      case 'auto_compaction_end': {
        const error = filled(wire.errorMessage);
        if (error !== undefined) sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: error });
        return;
      }
      case 'compaction_start':
      case 'auto_compaction_start':
      case 'queue_update':
      case 'agent_settled':
      case 'compaction':
      case 'branch_summary':
      case 'model_change':
      case 'thinking_level_change':
      case 'custom':
      case 'custom_message':
      case 'label':
      case 'session_info':
      case 'context_edit':
      case 'usage':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  /** A line of a session file: whole messages, in the order in which they were said. */
  function stored(wire: JsonObject): void {
    const message = object(wire.message);
    timed(message);
    if (message.role === 'toolResult') return endOfMessage(message);
    closeStored();
    if (message.role !== 'assistant') return endOfMessage(message);
    sink.emit({ type: 'turn.started', ...compact({ model: filled(message.model) }) });
    startMessage();
    endMessage(message);
    for (const each of list(message.content)) {
      const block = object(each);
      if (block.type === 'toolCall')
        startCall({ toolCallId: block.id ?? null, toolName: block.name ?? null, args: block.arguments ?? null });
    }
    storedTurn = message;
  }

  /** The tools of a turn follow its message. */
  function closeStored(): void {
    if (storedTurn === undefined) return;
    endTurn({ message: storedTurn });
    finished = storedTurn.stopReason === 'stop';
    storedTurn = undefined;
  }

  function timed(message: JsonObject): void {
    const ms = time(message.timestamp);
    if (ms !== undefined) sink.at(ms);
  }

  /** The process exits with 0 whatever happened and prints no closing line: how it ended is how the last message ended. */
  function end(): void {
    closeStored();
    if (last === undefined || retrying) return;
    const { reason, error } = last;
    if (isGood(last)) {
      if (finished && reason === 'stop') sink.emit({ type: 'agent.finished', status: 'ok' });
      return;
    }
    if (reason === 'aborted') return sink.emit({ type: 'agent.finished', status: 'cancelled', ...compact({ message: error }) });
    sink.emit({
      type: 'agent.finished',
      status: 'failed',
      code: reason === 'length' ? 'output_length' : codeOfMessage(error ?? ''),
      ...compact({ raw_status: reason === 'error' || reason === '' ? undefined : reason, message: error }),
    });
  }

  return { line, end };
}

function isGood({ reason, error }: End): boolean {
  return (reason === 'stop' || reason === 'toolUse') && error === undefined;
}

function userText(content: Json | undefined): string {
  return typeof content === 'string' ? content : resultText({ content: [...list(content)] });
}

function natural(value: Json | undefined): number | undefined {
  const number = integer(value);
  return number === undefined || number < 0 ? undefined : number;
}
