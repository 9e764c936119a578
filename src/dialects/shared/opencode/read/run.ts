import { present } from '../../../../json/present.ts';
import type { Decoder, DecoderSink } from '../../../dialect.ts';
import type { JsonObject } from '../../../../json/json.ts';
import { asText, filled, isObject, object, string } from '../../../../json/read.ts';
import { type Fault, readEnding, readFault, readFinish } from './ending.ts';
import { plainText, readRejection } from './stderr.ts';
import { tellTime } from '../../../kit/time.ts';
import { callIdOf, editsOf, endTool, startTool } from './tools.ts';
import { exclusive, readUsage } from './usage.ts';

const untoldCalls = 'calls under way, which are told when they end: it stopped inside a step';
const mixed = 'lines of two sessions are mixed: they are read as one run';

/** How many sessions are remembered. */
const maxSessions = 100;

/** Every line names its session, and a run has only one: another session is another run in the same stream. */
export function runDecoder(sink: DecoderSink, agent: string): Decoder {
  let run = oneRun(sink, agent);
  let current: string | undefined;
  let isMixed = false;
  const sessions = new Set<string>();

  function line(wire: JsonObject): void {
    const session = filled(wire.sessionID);
    if (session !== undefined && session !== current) {
      if (sessions.has(session)) warn();
      else if (current !== undefined) {
        run.end();
        run = oneRun(sink, agent);
      }
      current = session;
      if (sessions.size < maxSessions) sessions.add(session);
    }
    run.line(wire);
  }

  function warn(): void {
    if (!isMixed) sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: mixed });
    isMixed = true;
  }

  return { line, stderr: (text) => run.stderr(text), end: () => run.end() };
}

/**
 * The stream of `run --format json`: finished parts, one per line, without an opening or a closing line.
 * It ends with stdout, and the finish reason of the last step is the only claim.
 */
function oneRun(sink: DecoderSink, agent: string): Decoder & Required<Pick<Decoder, 'stderr'>> {
  let started = false;
  let session: string | undefined;
  let steps = false;
  /** How many calls had no id. */
  let unnamed = 0;
  let closed = false;
  let isOpen = false;
  /** The last line of the open step is a text. */
  let isSpoken = false;
  /** The message to which the last step belongs. */
  let stepOf: string | undefined;
  let finish: string | undefined;
  let fault: Fault | undefined;
  let rejections = 0;
  let last: Record<string, string | undefined> = {};

  function start(sessionId: string | undefined): void {
    if (started) return;
    started = true;
    session = filled(sessionId);
    sink.emit({ type: 'thread.started', agent, ...present({ session_id: session }) });
  }

  /** The run had finished: the session is resumed in the same stream. */
  function beginAgain(): void {
    sink.emit({ type: 'agent.finished', status: 'ok' });
    sink.emit({ type: 'thread.started', agent, ...present({ session_id: session }) });
  }

  /** A model call that is retried begins its step again, in the same message. */
  function startStep(message: string | undefined): void {
    const isRetry = isOpen && message !== undefined && message === stepOf;
    if (finish === 'stop' && fault === undefined) beginAgain();
    isOpen = true;
    stepOf = message;
    finish = undefined;
    fault = undefined;
    if (!isRetry) sink.emit({ type: 'turn.started' });
  }

  /** The same part printed again says nothing new. */
  function isRepeated(type: string, part: JsonObject): boolean {
    const id = filled(part.partID) ?? filled(part.id);
    if (id === undefined) return false;
    if (last[type] === id) return true;
    last[type] = id;
    return false;
  }

  function text(type: 'text.completed' | 'reasoning.completed', part: JsonObject): void {
    const words = asText(part.text);
    if (words === '') return;
    sink.emit({ type, text: words, ...present({ block_id: filled(part.id), message_id: filled(part.messageID) }) });
  }

  function tool(wire: JsonObject, part: JsonObject): void {
    const given = callIdOf(part);
    const id = given ?? `unnamed_${unnamed + 1}`;
    const name = asText(part.tool);
    const state = object(part.state);
    const ended = endTool(id, name, state);
    if (ended === undefined) return sink.unknown(wire);
    if (given === undefined) {
      unnamed += 1;
      sink.note('guessed', 'tool part without an id');
    }
    tellTime(sink, object(state.time).start);
    sink.emit(startTool(id, name, state.input ?? {}));
    tellTime(sink, wire.timestamp);
    sink.emit(ended);
    if (ended.status === 'success') for (const edit of editsOf(name, state, id)) sink.emit(edit);
  }

  function line(wire: JsonObject): void {
    const type = string(wire.type) ?? '';
    const { part } = wire;
    if (typeof wire.sessionID !== 'string') return sink.unknown(wire);
    if (type === 'error' ? wire.error === undefined : type !== 'text' && !isObject(part)) return sink.unknown(wire);
    tellTime(sink, wire.timestamp);
    isSpoken = type === 'text';
    switch (type) {
      case 'step_start':
        start(wire.sessionID);
        if (isRepeated(type, object(part))) return;
        steps = true;
        last = { [type]: last[type] };
        return startStep(filled(object(part).messageID));
      case 'text': {
        start(wire.sessionID);
        // Up to 0.15.13 the last line of a piped run repeats the final text, under a key other than `part`.
        const content = object(part ?? wire.text);
        if (!isRepeated(type, content)) return text('text.completed', content);
        closed ||= part === undefined;
        return;
      }
      case 'reasoning':
        start(wire.sessionID);
        if (!isRepeated(type, object(part))) text('reasoning.completed', object(part));
        return;
      case 'tool_use':
        start(wire.sessionID);
        if (!isRepeated(type, object(part))) tool(wire, object(part));
        return;
      case 'step_finish': {
        start(wire.sessionID);
        const step = object(part);
        if (isRepeated(type, step)) return;
        steps = true;
        const counts = readUsage(object(step.tokens), step.cost, exclusive);
        if (counts !== undefined) sink.emit({ type: 'usage.reported', scope: 'step', ...counts });
        finish = filled(step.reason);
        isOpen = false;
        return sink.emit({ type: 'turn.completed', ...readFinish(finish) });
      }
      case 'error': {
        start(wire.sessionID);
        const next = readFault(wire.error);
        // A context overflow is printed twice: by the step, and by the compaction that fails as well.
        const repeated = fault?.name === next.name && fault.message === next.message;
        fault = next;
        return repeated ? undefined : sink.emit({ type: 'error', scope: 'session', fatal: true, ...next });
      }
      default:
        sink.unknown(wire);
    }
  }

  function stderr(coloured: string): boolean {
    const plain = plainText(coloured);
    // Kilo prints each error here as well.
    if (fault !== undefined && plain === `Error: ${fault.message}`) return true;
    const refused = readRejection(plain);
    if (refused === undefined) return false;
    start(undefined);
    const id = `stderr_${++rejections}`;
    sink.emit({ type: 'permission.requested', permission_id: id, ...refused });
    sink.emit({ type: 'permission.resolved', permission_id: id, decision: 'denied', by: 'rule' });
    return true;
  }

  /** A call is printed when it ends, a text when it is complete: if a step goes on after a text, it is making a call. */
  function tellCallsUnderWay(): void {
    sink.note('lost', untoldCalls);
    if (isSpoken)
      sink.emit({ type: 'item.started', item_id: 'under_way', kind: 'tool_call', name: 'unknown', args: {} });
  }

  function end(): void {
    if (!started || fault !== undefined) return;
    if (isOpen) tellCallsUnderWay();
    // Before 0.13.2 there were no steps; then the repeated text is the only sign of an end.
    if (!steps && closed) return sink.emit({ type: 'agent.finished', status: 'ok' });
    // After a refused permission the run just stops, on a step that wanted to go on: that is not a claim.
    const claim = finish === 'tool-calls' ? undefined : readEnding(finish, false, undefined);
    if (claim !== undefined) sink.emit({ type: 'agent.finished', ...claim });
  }

  return { line, stderr, end };
}
