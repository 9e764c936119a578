import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { jsonOrText } from '../../../json/parse.ts';
import { asText, filled, isObject, list, object, string, time } from '../../../json/read.ts';
import { endsTurn, type Fault, readFault } from './ending.ts';
import { SessionTools } from './session-tools.ts';
import { Fork } from './fork.ts';
import { ResponseTotals } from './response-totals.ts';
import { SessionUsage } from './session-usage.ts';

const ignored = new Set([
  'compacted',
  'world_state',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'security_risk_score',
]);

/** A line of a session file, `sessions/YYYY/MM/DD/rollout-*.jsonl`. */
export function isSession(wire: JsonObject): boolean {
  return typeof wire.timestamp === 'string' && typeof wire.type === 'string' && isObject(wire.payload);
}

/** The session files of Codex: what was sent to the model, what it answered, and some events of the program. */
export function sessionDecoder(sink: DecoderSink): { line(wire: JsonObject): void; end(): void } {
  const tools = new SessionTools(sink);
  let started = false;
  let model: string | undefined;
  let inTurn = false;
  /** Between the two events that begin and end a task. */
  let working = false;
  /** Versions before 0.43 write neither of these events. */
  let tellsTasks = false;
  let answered = false;
  let messages = 0;
  /** The error from which the turn has not recovered; the line that ends the turn may not repeat it. */
  let fault: Fault | undefined;
  const responses = new ResponseTotals();
  const usage = new SessionUsage(sink);
  const fork = new Fork();
  let lastPrompt: string | undefined;
  /** An answer that only an event has told so far. */
  let announced: string | undefined;
  let at: number | undefined;

  function line(wire: JsonObject): void {
    at = time(wire.timestamp);
    if (at !== undefined) sink.at(at);
    const payload = object(wire.payload);
    switch (wire.type) {
      case 'session_meta':
        fork.introduce(payload, at);
        return start(payload);
      case 'turn_context':
        fork.turn(filled(payload.turn_id));
        model = filled(payload.model) ?? model;
        return;
      case 'response_item':
        return item(payload, wire);
      case 'event_msg':
        return event(payload);
      case 'token_usage_record':
        return count(responses.add(payload), payload.usage);
      default:
        if (!ignored.has(asText(wire.type))) sink.unknown(wire);
    }
  }

  /** A fork begins with its own `session_meta` line, and then repeats its parent's. */
  function start(meta: JsonObject): void {
    if (started) return;
    started = true;
    sink.emit({
      type: 'thread.started',
      agent: 'codex',
      ...present({
        agent_version: filled(meta.cli_version),
        session_id: filled(meta.id) ?? filled(meta.session_id),
        parent_session_id: filled(meta.forked_from_id) ?? filled(meta.parent_thread_id),
        cwd: filled(meta.cwd),
      }),
    });
  }

  function count(total: Json | undefined, last: Json | undefined): void {
    if (fork.isCopying(at)) usage.begin(total);
    else usage.count(total, last, model);
  }

  function turn(): void {
    if (inTurn) return;
    inTurn = true;
    sink.emit({ type: 'turn.started', ...present({ model }) });
  }

  function item(payload: JsonObject, wire: JsonObject): void {
    const id = filled(payload.call_id) ?? filled(payload.id);
    switch (payload.type) {
      case 'message':
        return message(payload);
      case 'reasoning':
        return think(payload);
      case 'function_call':
        return call(id, asText(payload.name), argsIn(payload.arguments), wire);
      case 'custom_tool_call':
        return call(id, asText(payload.name), payload.input ?? null, wire);
      case 'local_shell_call':
        return call(id, 'local_shell', payload.action ?? null, wire);
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (id !== undefined) tools.end(id, payload.output);
        return;
      case 'web_search_call':
        turn();
        return tools.search(id ?? 'web_search', payload);
    }
  }

  function message(payload: JsonObject): void {
    const text = list(payload.content)
      .map((part) => string(object(part).text) ?? '')
      .join('');
    if (payload.role === 'user') return prompt(text);
    if (payload.role !== 'assistant' || text.trim() === '') return;
    turn();
    say(text, filled(payload.id));
  }

  /** Each message stands alone: the last is the answer. */
  function say(text: string, id = `message_${messages + 1}`): void {
    messages += 1;
    answered = true;
    announced = undefined;
    lastPrompt = undefined;
    fault = undefined;
    sink.emit({ type: 'text.completed', text, message_id: id, block_id: id });
  }

  function think(payload: JsonObject): void {
    const text = list(payload.summary)
      .map((part) => asText(object(part).text))
      .join('\n\n');
    turn();
    if (text !== '') sink.emit({ type: 'reasoning.completed', text });
  }

  /** What the program adds to the conversation in the user's name is in tags; what the user wrote appears twice. */
  function prompt(text: string): void {
    if (text.trim() === '' || text === lastPrompt || /^\s*(?:<[a-z_]+>|# AGENTS\.md instructions)/i.test(text)) return;
    // Without the events around a task, the next prompt is what ends it.
    if (!tellsTasks) endUntold();
    answered = false;
    lastPrompt = text;
    sink.emit({ type: 'prompt.submitted', text });
  }

  function call(id: string | undefined, name: string, input: Json, wire: JsonObject): void {
    if (id === undefined) return sink.unknown(wire);
    turn();
    answered = false;
    announced = undefined;
    lastPrompt = undefined;
    tools.start(id, name, input);
  }

  function event(payload: JsonObject): void {
    switch (payload.type) {
      case 'task_started':
      case 'turn_started':
        fork.turn(filled(payload.turn_id));
        // The model is named after this, and before any message.
        inTurn = false;
        working = true;
        tellsTasks = true;
        answered = false;
        fault = undefined;
        return;
      case 'user_message':
        return prompt(asText(payload.message));
      case 'token_count': {
        const { total_token_usage: total, last_token_usage: last } = object(payload.info);
        return count(total, last);
      }
      case 'agent_message':
        announced = filled(payload.message);
        return;
      case 'task_complete':
      case 'turn_complete':
        tellsTasks = true;
        return complete(payload);
      case 'turn_aborted':
        return finish({ status: 'cancelled', ...present({ raw_status: filled(payload.reason) }) }, 'aborted');
      case 'error':
        if (!endsTurn(payload)) return;
        fault = readFault(payload);
        if (!working) finish({ status: 'failed', ...fault }, 'error');
    }
  }

  /** A turn of a version that does not tell the end of one. */
  function endUntold(): void {
    if (announced !== undefined && !answered) {
      turn();
      say(announced);
    }
    if (inTurn && answered) finish({ status: 'ok' }, 'stop');
  }

  function complete(payload: JsonObject): void {
    const failure = payload.error === undefined || payload.error === null ? fault : readFault(payload.error);
    const last = filled(payload.last_agent_message);
    if (failure !== undefined) return finish({ status: 'failed', ...failure }, 'error');
    if (!answered && last !== undefined) {
      turn();
      say(last);
    }
    finish({ status: 'ok' }, 'stop');
  }

  type Claim = { status: 'ok' | 'cancelled' } | ({ status: 'failed' } & Fault);

  function finish(claim: Claim, reason: 'stop' | 'aborted' | 'error'): void {
    usage.tell();
    turn();
    inTurn = false;
    working = false;
    sink.emit({ type: 'turn.completed', finish_reason: reason });
    sink.emit({ type: 'agent.finished', ...claim });
  }

  return {
    line,
    end() {
      usage.tell();
      if (working && fault !== undefined) return finish({ status: 'failed', ...fault }, 'error');
      // Earlier turns say nothing about one that was cut off.
      if (working) sink.emit({ type: 'log', stream: 'agent', cause: 'cut', text: 'the session stops inside a turn' });
      else if (!tellsTasks) endUntold();
    },
  };
}

/** Arguments are JSON in a text. */
function argsIn(wire: Json | undefined): Json {
  return typeof wire === 'string' ? jsonOrText(wire) : (wire ?? null);
}
