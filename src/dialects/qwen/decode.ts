import { eventIn } from '../../events/check.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { asText, compact, count, filled, integer, list, object, string } from '../read.ts';
import { foreignSubtype } from './foreign.ts';
import { itemReader } from './items.ts';
import { decodeOld } from './legacy.ts';
import { stderrDecoder } from './stderr.ts';
import { systemLine } from './system.ts';
import { modelUsage, readUsage } from './usage.ts';
import { attemptsIn, codeOfFault, isApiError, limitIn, splitApiError, unwrapApiError } from './words.ts';

type LineKind = 'text' | 'thinking' | 'tool_use' | 'error' | undefined;

interface Turn {
  /** The model's answer is whole: the next assistant line belongs to another one. */
  done: boolean;
  called: boolean;
  failed: boolean;
  last: LineKind;
}

/** A message of the main thread that arrives in deltas. */
interface Stream {
  /** Deltas of the text block that is open. */
  text: string;
  /** A delta that looks like an API error, until what follows shows that it is one. */
  held: string;
  /** What earlier attempts had said; the whole line repeats it. */
  given: number;
  attempt: number;
  /** Unset: the message is the turn's own. */
  messageId: string | undefined;
}

export function decoder(sink: DecoderSink): Decoder {
  const items = itemReader(sink);
  let turn: Turn | undefined;
  let stream: Stream | undefined;
  let lastId: string | undefined;
  let spoken: string[] = [];
  /** Retries that kept what was delivered, since the last text. */
  let retries = 0;
  /** Attempts of an answer that has not come yet, each of which may be a line of its own. */
  let attempts = 0;
  let turns = 0;
  let heard = false;
  let claim: 'none' | 'given' | 'outlived' = 'none';
  let limited = false;

  function startTurn(model: Json | undefined): Turn {
    closeTurn();
    if (claim === 'given') claim = 'outlived';
    turns += 1;
    turn = { done: false, called: false, failed: false, last: undefined };
    sink.emit({ type: 'turn.started', ...compact({ model: filled(model) }) });
    return turn;
  }

  function closeTurn(): void {
    if (turn === undefined) return;
    const reason = turn.failed ? 'error' : turn.called ? 'tool_calls' : 'stop';
    turn = undefined;
    stream = undefined;
    sink.emit({ type: 'turn.completed', finish_reason: reason });
  }

  /** Lines of one answer differ in kind, so a text right after a text is another answer; so is what follows tool results or usage. */
  function enterTurn(kind: LineKind, id: string | undefined, model: Json | undefined): Turn {
    const goesOn = turn !== undefined && (stream !== undefined || (id !== undefined && id === lastId));
    const isRepeat = kind === 'text' && turn?.last === 'text';
    const isNext = turn?.done === true || (isRepeat && attempts === 0);
    if (isRepeat && !isNext) attempts -= 1;
    const current = turn === undefined || (isNext && !goesOn) ? startTurn(model) : turn;
    if (id !== lastId || id === undefined) spoken = [];
    lastId = id;
    current.last = kind;
    current.done = false;
    return current;
  }

  function assistant(wire: JsonObject): void {
    const message = object(wire.message);
    const parent = filled(wire.parent_tool_use_id);
    const content = list(message.content);
    const usage = readUsage(message.usage);
    const kind = lineKind(content[0]);
    const id = filled(message.id) ?? filled(wire.uuid);
    const current = parent === undefined ? enterTurn(kind, id, message.model) : undefined;
    for (const value of content) {
      const block = object(value);
      switch (block.type) {
        case 'text':
          if (current === undefined) subAgentText(asText(block.text), parent);
          else words(asText(block.text), current, id, usage === undefined);
          break;
        case 'thinking':
          sink.emit({ type: 'reasoning.completed', text: asText(block.thinking), ...places(parent, id) });
          break;
        case 'tool_use':
          items.call(block, parent, wire);
          if (current !== undefined) {
            current.called = true;
            current.failed = false;
          }
          break;
        default:
          sink.unknown(wire);
      }
    }
    if (usage !== undefined) {
      sink.emit({ type: 'usage.reported', scope: 'step', ...compact({ model: filled(message.model) }), ...usage });
      if (current !== undefined) current.done = true;
    }
  }

  function places(parent: string | undefined, id: string | undefined): { parent_item_id?: string; message_id?: string } {
    const message = parent === undefined && stream !== undefined ? stream.messageId : id;
    return { ...(parent === undefined ? {} : { parent_item_id: parent }), ...(message === undefined ? {} : { message_id: message }) };
  }

  function words(full: string, current: Turn, id: string | undefined, isUnpaid: boolean): void {
    spoken.push(full);
    const { said, error } = splitApiError(full, isUnpaid);
    const pieces = stream === undefined ? attemptsIn(said, retries) : [said.slice(stream.given)];
    retries = 0;
    for (const [index, attempt] of pieces.entries()) {
      if (attempt === '' && error !== undefined) continue;
      const messageId = index === 0 || stream !== undefined ? places(undefined, id) : { message_id: `${id ?? 'retry'}_${index + 1}` };
      sink.emit({ type: 'text.completed', text: attempt, ...messageId });
    }
    if (stream !== undefined) stream = { ...stream, text: '', held: '', given: 0 };
    current.failed = error !== undefined;
    if (error === undefined) return;
    current.last = 'error';
    const fault = unwrapApiError(error);
    sink.emit({ type: 'error', scope: 'provider', code: codeOfFault(fault), message: fault, fatal: true });
  }

  function subAgentText(said: string, parent: string | undefined): void {
    if (!isApiError(said)) return sink.emit({ type: 'text.completed', text: said, ...compact({ parent_item_id: parent }) });
    const fault = unwrapApiError(said);
    sink.emit({ type: 'error', scope: 'subagent', code: codeOfFault(fault), message: fault, fatal: false });
  }

  function user(wire: JsonObject): void {
    const isMain = filled(wire.parent_tool_use_id) === undefined;
    const content = object(wire.message).content;
    for (const value of typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)) {
      const block = object(value);
      if (block.type === 'tool_result') items.result(block, wire);
      else if (block.type === 'text') userText(asText(block.text), isMain);
      else sink.unknown(wire);
    }
    if (!isMain) return;
    attempts = 0;
    if (turn !== undefined) turn.done = true;
  }

  /** The prompt is not echoed; what comes later under the user's name is a notice of the program itself. */
  function userText(said: string, isMain: boolean): void {
    if (!isMain || said === '') return;
    if (turn === undefined && claim === 'none') sink.emit({ type: 'prompt.submitted', text: said });
    else sink.emit({ type: 'log', stream: 'agent', level: 'info', text: said });
  }

  function ending(wire: JsonObject): void {
    const fault = object(wire.error);
    const said = string(wire.result);
    const message = string(fault.message) ?? (said !== undefined && isApiError(said) ? said : undefined);
    if (isOfSubAgent(wire)) {
      const cause = unwrapApiError(message ?? '');
      return sink.emit({ type: 'error', scope: 'subagent', code: codeOfFault(cause), message: cause, fatal: false });
    }
    for (const each of list(wire.permission_denials)) items.denied(object(each));
    if (said !== undefined) lastWords(said, filled(wire.uuid));
    const isOk =
      wire.subtype === 'success' && wire.is_error === false && said !== undefined && message === undefined && turn?.failed !== true;
    if (!isOk && turn !== undefined && !turn.called) turn.failed = true;
    closeTurn();
    if (!modelUsage(object(wire.stats).models, sink)) {
      const usage = readUsage(wire.usage);
      if (usage !== undefined) sink.emit({ type: 'usage.reported', scope: 'thread', whole_session: true, ...usage });
    }
    claim = 'given';
    retries = 0;
    attempts = 0;
    const raw = compact({ raw_status: string(wire.subtype), message, duration_ms: count(wire.duration_ms) || undefined });
    if (isOk) return sink.emit({ type: 'agent.finished', status: 'ok', ...raw });
    const code = codeOfFault(unwrapApiError(message ?? ''), fault.type);
    const limit = limitIn(message ?? '') ?? (wire.subtype === 'error_max_turns' ? 'turns' : undefined);
    if (limit !== undefined) return failAtLimit(limit, message, raw);
    sink.emit({ type: 'agent.finished', status: code === 'cancelled' ? 'cancelled' : 'failed', code, ...raw });
  }

  function failAtLimit(
    limit: NonNullable<ReturnType<typeof limitIn>>,
    message: string | undefined,
    raw: { raw_status?: string } = {},
  ): void {
    if (!limited) sink.emit({ type: 'limit.reached', limit, ...compact({ message }) });
    limited = true;
    sink.emit({
      type: 'agent.finished',
      status: 'failed',
      code: limit === 'time' ? 'time_limit' : 'turn_limit',
      ...compact({ message }),
      ...raw,
    });
  }

  /** A failing sub-agent prints a result as if the run were over; nothing was measured for it. */
  function isOfSubAgent(wire: JsonObject): boolean {
    return wire.is_error === true && wire.duration_ms === 0 && wire.duration_api_ms === 0 && items.hasSubAgent();
  }

  /** The result repeats the last message, except when the answer was given otherwise (`--json-schema`) or its line did not arrive. */
  function lastWords(said: string, id: string | undefined): void {
    const last = said.trim();
    if (last === '' || isApiError(last) || spoken.join('').trim() === last || spoken.join('\n').trim() === last) return;
    enterTurn('text', id, undefined);
    sink.emit({ type: 'text.completed', text: said, ...compact({ message_id: id }) });
  }

  function streamEvent(wire: JsonObject): void {
    const event = object(wire.event);
    const parent = filled(wire.parent_tool_use_id);
    switch (event.type) {
      case 'content_block_delta':
        return delta(object(event.delta), parent, wire);
      case 'message_start':
        if (parent !== undefined) return;
        startTurn(object(event.message).model);
        stream = newStream();
        return;
      case 'message_stop':
        if (parent !== undefined || turn === undefined) return;
        stream = undefined;
        turn.done = true;
        return;
      case 'tool_progress':
        return items.progress(event, wire);
      case 'content_block_start':
      case 'content_block_stop':
      case 'goal_state':
      case 'active_goal':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  function delta(piece: JsonObject, parent: string | undefined, wire: JsonObject): void {
    switch (piece.type) {
      case 'text_delta':
        return textDelta(asText(piece.text), parent);
      case 'thinking_delta':
        return sink.emit({ type: 'reasoning.delta', text: asText(piece.thinking), ...places(parent, undefined) });
      case 'input_json_delta':
      case 'signature_delta':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  function textDelta(said: string, parent: string | undefined): void {
    if (parent !== undefined) {
      if (!isApiError(said)) sink.emit({ type: 'text.delta', text: said, parent_item_id: parent });
      return;
    }
    if (stream === undefined) {
      if (turn === undefined || turn.done) startTurn(undefined);
      stream = newStream();
    }
    const before = stream.held;
    // An error comes in one piece, and last.
    stream.held = isApiError(said) ? said : '';
    const more = stream.held === '' ? before + said : before;
    if (more === '') return;
    stream.text += more;
    const { messageId } = stream;
    sink.emit(messageId === undefined ? { type: 'text.delta', text: more } : { type: 'text.delta', text: more, message_id: messageId });
  }

  function retry(data: JsonObject): void {
    if (turn === undefined || turn.done || turn.last !== 'text') attempts += 1;
    if (data.preserveText === true) retries += 1;
    if (stream !== undefined) {
      if (stream.text !== '') {
        if (data.preserveText === true) stream.given += stream.text.length;
        sink.emit({ type: 'text.completed', text: stream.text, ...compact({ message_id: stream.messageId }) });
      }
      const attempt = stream.attempt + 1;
      stream = { text: '', held: '', given: stream.given, attempt, messageId: `retry_${turns}_${attempt}` };
    }
    sink.emit({
      type: 'retry.scheduled',
      cause: asText(data.reason),
      ...compact({ attempt: whole(data.attempt), max_attempts: whole(data.maxRetries), delay_ms: count(data.delayMs) }),
    });
  }

  function line(wire: JsonObject): void {
    heard = true;
    switch (wire.type) {
      case 'assistant':
        return assistant(wire);
      case 'user':
        return user(wire);
      case 'stream_event':
        return streamEvent(wire);
      case 'result':
        return ending(wire);
      case 'system': {
        const data = object(wire.data);
        if (wire.subtype === 'retry') return retry(data);
        if (wire.subtype === foreignSubtype) return foreign(data, wire);
        if (wire.subtype === 'init') closeTurn();
        if (!systemLine(wire, data, sink)) sink.unknown(wire);
        return;
      }
      case 'control_request':
      case 'control_response':
      case 'control_cancel_request':
        return items.control(wire);
      default:
        if (wire.type !== undefined || !decodeOld(wire, sink)) sink.unknown(wire);
    }
  }

  function foreign(data: JsonObject, wire: JsonObject): void {
    const event = eventIn(data);
    const isKnown = event?.type === 'log' || event?.type === 'rate_limit.reported' || event?.type === 'limit.reached';
    if (event === undefined || !(isKnown || (event.type === 'error' && !event.fatal))) return sink.unknown(wire);
    if (event.type === 'limit.reached') limited = true;
    sink.emit(event);
  }

  return {
    line,
    stderr: stderrDecoder(sink, {
      heard: () => heard,
      claimed: () => claim === 'given' || limited,
      failAtLimit,
    }),
    end() {
      if (stream !== undefined && stream.held !== '') {
        const fault = unwrapApiError(stream.held);
        sink.emit({ type: 'error', scope: 'provider', code: codeOfFault(fault), message: fault, fatal: true });
      }
      // The session went on after its last result, so that result does not say how it ended.
      if (claim === 'outlived' && !limited)
        sink.emit({ type: 'agent.finished', status: 'failed', code: 'unknown', message: 'no result for the last turn' });
    },
  };
}

function newStream(): Stream {
  return { text: '', held: '', given: 0, attempt: 0, messageId: undefined };
}

function lineKind(first: Json | undefined): LineKind {
  const block = object(first);
  if (block.type === 'text') return isApiError(asText(block.text)) ? 'error' : 'text';
  return block.type === 'thinking' || block.type === 'tool_use' ? block.type : undefined;
}

function whole(value: Json | undefined): number | undefined {
  const number = integer(value);
  return number !== undefined && number >= 0 ? number : undefined;
}
