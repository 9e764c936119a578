import type { ErrorCode } from '../../events/event.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, integer, object, string, time } from '../read.ts';
import { legacyDecoder } from './legacy.ts';
import { codeOfClass, editsOf, kindOf, progressOf, toolEnd } from './tools.ts';

// Its loop check ends a run with these words, then calls that an abort by another client.
const loopStop = /^Detected (\d{1,6}) consecutive identical calls .* stopping to avoid a loop/s;
const timeout = /^run timed out after \d/;
const libraryWarning = /^(?:\w*Warning: AI SDK Warning| +at )/;

export function decoder(sink: DecoderSink): Decoder {
  const tools = new Map<string, { name: string; input: Json | undefined }>();
  const legacy = legacyDecoder(sink);
  let introduced = false;
  let abort: string | undefined;
  let loop: { value: number; message: string } | undefined;
  let denied = false;
  let told: string | undefined;
  let claim: 'ok' | 'failed' | 'cancelled' | undefined;

  function introduce(fields: { session_id?: string; model?: string } = {}): void {
    if (introduced) return;
    introduced = true;
    sink.emit({ type: 'thread.started', agent: 'cline', ...fields });
  }

  function contentStart(wire: JsonObject, event: JsonObject): void {
    switch (event.contentType) {
      case 'text': {
        const text = string(event.text) ?? '';
        denied = false;
        if (text !== '') sink.emit({ type: 'text.delta', text });
        return;
      }
      case 'reasoning': {
        const text = string(event.reasoning) ?? string(event.text) ?? '';
        if (text !== '') sink.emit({ type: 'reasoning.delta', text });
        return;
      }
      case 'tool': {
        const id = filled(event.toolCallId);
        if (id === undefined) return sink.unknown(wire);
        const name = string(event.toolName) ?? 'unknown';
        tools.set(id, { name, input: event.input });
        return sink.emit({ type: 'item.started', item_id: id, kind: kindOf(name), name, args: event.input ?? null });
      }
      default:
        return sink.unknown(wire);
    }
  }

  function contentEnd(wire: JsonObject, event: JsonObject): void {
    switch (event.contentType) {
      case 'text':
        return sink.emit({ type: 'text.completed', text: string(event.text) ?? '' });
      case 'reasoning':
        return sink.emit({ type: 'reasoning.completed', text: string(event.reasoning) ?? string(event.text) ?? '' });
      case 'tool':
        return toolCompleted(wire, event);
      default:
        return sink.unknown(wire);
    }
  }

  function toolCompleted(wire: JsonObject, event: JsonObject): void {
    const id = filled(event.toolCallId);
    if (id === undefined) return sink.unknown(wire);
    if (!tools.has(id)) contentStart(wire, event);
    const tool = tools.get(id);
    tools.delete(id);
    const end = toolEnd(event);
    denied = end.status === 'denied';
    sink.emit({
      type: 'item.completed',
      item_id: id,
      ...end,
      ...compact({ output: event.output ?? undefined, duration_ms: count(event.durationMs) }),
    });
    if (end.status !== 'success' || tool === undefined) return;
    for (const edit of editsOf(tool.name, tool.input, event.output)) sink.emit({ type: 'file.edited', ...edit, item_id: id });
  }

  function agentEvent(wire: JsonObject): void {
    const event = object(wire.event);
    switch (event.type) {
      case 'iteration_start':
        return sink.emit({ type: 'turn.started', ...iteration(event) });
      case 'iteration_end':
        return sink.emit({ type: 'turn.completed', finish_reason: event.hadToolCalls === true ? 'tool_calls' : 'stop' });
      case 'content_start':
        return contentStart(wire, event);
      case 'content_update': {
        const id = filled(event.toolCallId);
        if (id === undefined) return sink.unknown(wire);
        const progress = progressOf(event.update);
        return progress === undefined ? undefined : sink.emit({ type: 'item.output', item_id: id, ...progress });
      }
      case 'content_end':
        return contentEnd(wire, event);
      case 'usage':
        return usage('step', event, count(event.cost), undefined);
      case 'notice':
        return notice(event);
      case 'error':
        return error(event);
      case 'done':
        // `run_result` repeats it with the final word.
        return;
      default:
        return sink.unknown(wire);
    }
  }

  function notice(event: JsonObject): void {
    const text = asText(event.message);
    const detail = object(event.metadata);
    if (event.noticeType === 'recovery' || (detail.kind === 'context_overflow_recovery' && detail.phase === 'started')) {
      const cause = filled(detail.providerError) ?? text;
      return sink.emit({ type: 'retry.scheduled', code: codeOfMessage(cause), cause });
    }
    sink.emit({ type: 'log', stream: 'agent', level: event.noticeType === 'stop' ? 'warning' : 'info', text });
  }

  function error(event: JsonObject): void {
    const fault = object(event.error);
    const message = asText(fault.message ?? event.error);
    const stop = loopStop.exec(message);
    if (stop !== null) loop = { value: Number(stop[1]), message };
    const fatal = event.recoverable !== true;
    if (fatal) told = message;
    const tool = message.includes('tool call(s) failed');
    sink.emit({
      type: 'error',
      scope: fatal ? 'provider' : tool ? 'tool' : 'agent',
      code: tool ? 'tool' : (codeOfClass(event.errorClass) ?? codeOfMessage(message)),
      message,
      fatal,
      ...compact({ name: fault.name === 'Error' ? undefined : string(fault.name), stack: string(fault.stack) }),
      ...iteration(event),
    });
  }

  /** Input counts include cached tokens. All zero means that nothing was counted; a cost of 0 means that no price is known. */
  function usage(scope: 'step' | 'thread', wire: JsonObject, cost: number | undefined, model: string | undefined): void {
    const tokens = compact({
      input_tokens: count(wire.inputTokens),
      output_tokens: count(wire.outputTokens),
      cache_read_tokens: count(wire.cacheReadTokens) || undefined,
      cache_write_tokens: count(wire.cacheWriteTokens) || undefined,
    });
    if (!tokens.input_tokens && !tokens.output_tokens) return;
    sink.emit({ type: 'usage.reported', scope, ...tokens, ...compact({ model, cost_usd: cost || undefined }) });
  }

  function finish(
    status: 'ok' | 'failed' | 'cancelled',
    fields: { code?: ErrorCode; raw_status?: string; message?: string; duration_ms?: number },
  ) {
    claim = status;
    sink.emit({ type: 'agent.finished', status, ...fields });
  }

  function runResult(wire: JsonObject): void {
    const total = object(wire.aggregateUsage ?? wire.usage);
    usage('thread', total, count(total.totalCost), filled(object(wire.model).id));
    const message = asText(wire.text);
    const reason = asText(wire.finishReason);
    const fields = compact({ raw_status: filled(reason), duration_ms: count(wire.durationMs) });
    switch (reason) {
      case 'completed':
        return finish('ok', fields);
      case 'aborted':
        return aborted(fields);
      case 'max_iterations':
        sink.emit({ type: 'limit.reached', limit: 'turns', ...compact({ value: count(wire.iterations) }) });
        return finish('failed', { ...fields, code: 'turn_limit' });
      case 'mistake_limit':
        return finish('failed', { ...fields, code: denied ? 'permission' : 'tool', message });
      default:
        told = message;
        return finish('failed', { ...fields, code: codeOfMessage(message), message });
    }
  }

  /** Cline calls every early end an abort: a signal, its own loop check, and giving up after refusals. */
  function aborted(fields: { raw_status?: string; duration_ms?: number }): void {
    if (abort === undefined && loop !== undefined) {
      sink.emit({ type: 'limit.reached', limit: 'tool_calls', ...loop });
      return finish('failed', { ...fields, code: 'turn_limit', message: loop.message });
    }
    if (abort === undefined && denied) return finish('failed', { ...fields, code: 'permission', message: 'aborted after a refused tool' });
    return finish('cancelled', fields);
  }

  function line(wire: JsonObject): void {
    const at = time(wire.ts);
    if (at !== undefined) sink.at(at);
    if (legacy.line(wire)) return;
    if (wire.type === 'run_start') return introduce(compact({ session_id: filled(wire.sessionId), model: filled(wire.modelId) }));
    introduce();
    switch (wire.type) {
      case 'agent_event':
        return agentEvent(wire);
      case 'run_result':
        return runResult(wire);
      case 'run_abort_requested':
        abort = asText(wire.reason);
        return sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: `abort requested: ${abort}` });
      case 'run_aborted':
        if (claim === undefined || claim === 'ok')
          finish('cancelled', compact({ raw_status: filled(wire.reason), message: filled(wire.message) }));
        return;
      case 'error':
        failed(asText(wire.message));
        return;
      case 'hook_event':
      case 'team_event':
      case 'team_restored':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  function failed(message: string): void {
    // The same words came on stdout already.
    if (message === told) return;
    told = message;
    if (timeout.test(message)) return sink.emit({ type: 'limit.reached', limit: 'time', message });
    sink.emit({ type: 'error', scope: 'agent', code: codeOfMessage(message), message, fatal: true });
  }

  function stderr(text: string, wire?: JsonObject): boolean {
    if (wire?.type === 'error' && typeof wire.message === 'string') {
      introduce();
      failed(wire.message);
      return true;
    }
    return libraryWarning.test(text);
  }

  function close(): void {
    legacy.end();
    if (claim === undefined && abort !== undefined) finish('cancelled', { raw_status: abort });
  }

  return { line, stderr, end: close };
}

function iteration(event: JsonObject): { iteration?: number } {
  const value = integer(event.iteration);
  return value === undefined || value < 0 ? {} : { iteration: value };
}
