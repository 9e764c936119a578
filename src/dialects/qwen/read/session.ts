import type { ErrorCode } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, integer, isObject, list, object, string, time } from '../../../json/read.ts';
import { codeOfMessage } from '../../../outcome/faults.ts';
import { countsOfAnswer, countsOfCall, Totals, usageOf } from './session-usage.ts';
import type { Tools } from './tools.ts';

const lineTypes = new Set<unknown>(['user', 'assistant', 'tool_result', 'system']);

/** A line of a session file, `projects/*\/chats/ID.jsonl`: an envelope like Claude Code's around Gemini's messages. */
export function isSession(wire: JsonObject): boolean {
  if (typeof wire.sessionId !== 'string' || !lineTypes.has(wire.type) || 'session_id' in wire) return false;
  return Array.isArray(object(wire.message).parts) || isObject(wire.systemPayload) || isObject(wire.toolCallResult);
}

/** The session files have no result line: the run ended the way its last message ended. */
export class SessionFile {
  readonly #sink: DecoderSink;
  readonly #tools: Tools;
  #isStarted = false;
  #messages = 0;
  /** The last message is an answer, not a call. */
  #isAnswered = false;
  /** Every model call, including those of sub-agents and for titles; older versions do not count them. */
  readonly #calls = new Totals();
  #fault: { code: ErrorCode; message: string } | undefined;

  constructor(sink: DecoderSink, tools: Tools) {
    this.#sink = sink;
    this.#tools = tools;
  }

  get isStarted(): boolean {
    return this.#isStarted;
  }

  line(wire: JsonObject): void {
    const at = time(wire.timestamp);
    if (at !== undefined) this.#sink.at(at);
    this.#start(wire);
    const parts = list(object(wire.message).parts).map(object);
    switch (wire.type) {
      case 'user':
        return this.#prompt(parts);
      case 'assistant':
        return this.#answer(wire, parts);
      case 'tool_result':
        return this.#result(object(wire.toolCallResult), object(parts[0]?.functionResponse));
      case 'system':
        return this.#telemetry(object(object(wire.systemPayload).uiEvent));
      default:
        return this.#sink.unknown(wire);
    }
  }

  end(): void {
    if (!this.#isStarted) return;
    this.#calls.tell(this.#sink);
    if (this.#fault !== undefined) {
      const { code } = this.#fault;
      this.#sink.emit({
        type: 'agent.finished',
        status: code === 'cancelled' ? 'cancelled' : 'failed',
        ...this.#fault,
      });
    } else if (this.#isAnswered) this.#sink.emit({ type: 'agent.finished', status: 'ok' });
  }

  #start(wire: JsonObject): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#sink.emit({
      type: 'thread.started',
      agent: 'qwen',
      ...present({ agent_version: filled(wire.version), session_id: filled(wire.sessionId), cwd: filled(wire.cwd) }),
    });
  }

  #prompt(parts: readonly JsonObject[]): void {
    const text = parts
      .map((part) => asText(part.text))
      .filter((each) => each !== '')
      .join('\n');
    this.#isAnswered = false;
    if (text !== '') this.#sink.emit({ type: 'prompt.submitted', text });
  }

  #answer(wire: JsonObject, parts: readonly JsonObject[]): void {
    this.#messages += 1;
    this.#fault = undefined;
    const model = filled(wire.model);
    this.#sink.emit({ type: 'turn.started', ...present({ model }) });
    const message_id = `message_${this.#messages}`;
    let hasCalled = false;
    for (const [index, part] of parts.entries()) {
      const text = string(part.text);
      const call = object(part.functionCall);
      if (filled(text) !== undefined) {
        const type = part.thought === true ? 'reasoning.completed' : 'text.completed';
        this.#sink.emit({ type, text: text ?? '', message_id, block_id: `${message_id}.${index}` });
        if (part.thought !== true) this.#isAnswered = true;
      } else if (filled(call.name) !== undefined) {
        hasCalled = true;
        this.#tools.start(
          { id: call.id ?? `${message_id}.${index}`, name: call.name ?? '', input: call.args ?? {} },
          undefined,
        );
      }
    }
    if (hasCalled) this.#isAnswered = false;
    const counts = countsOfAnswer(object(wire.usageMetadata));
    if (counts !== undefined) this.#sink.emit(usageOf('step', model, counts));
    this.#sink.emit({ type: 'turn.completed', finish_reason: hasCalled ? 'tool_calls' : 'stop' });
  }

  #result(result: JsonObject, response: JsonObject): void {
    this.#isAnswered = false;
    const output = object(response.response);
    const error =
      filled(output.error) ?? (result.status === 'success' ? undefined : filled(object(result.error).message));
    const block = {
      tool_use_id: result.callId ?? response.id ?? '',
      content: error ?? filled(output.output) ?? shown(result.resultDisplay),
      is_error: result.status === undefined ? error !== undefined : result.status !== 'success',
    };
    this.#tools.end(block, result.status === 'cancelled' ? 'cancelled' : undefined);
  }

  #telemetry(event: JsonObject): void {
    const name = string(event['event.name']) ?? '';
    if (name.endsWith('api_error')) {
      const message = filled(event.error_message) ?? filled(event.error) ?? filled(event.error_type) ?? 'unknown';
      this.#fault = { code: codeOfMessage(message, integer(event.status_code)), message };
      return this.#sink.emit({ type: 'error', scope: 'provider', ...this.#fault, fatal: true });
    }
    if (name.endsWith('api_response')) this.#calls.add(filled(event.model), countsOfCall(event));
  }
}

function shown(display: Json | undefined): Json {
  return display === undefined ? '' : asText(display);
}
