import type { FileOperation, ItemKind } from '../events/event.ts';
import { present } from '../json/present.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { asText, filled, isObject, number, object } from '../json/read.ts';
import type { Decoder, DecoderSink, Dialect } from './dialect.ts';
import { type CallEnd, Calls, editsIn } from './kit/calls.ts';
import { type Fault, faultOf, finish } from './kit/ending.ts';
import { textOf } from './kit/texts.ts';
import { kindIn, kindsOf } from './kit/tool-kinds.ts';

const toolKinds = kindsOf({
  command: ['terminal', 'execute_bash'],
  file_edit: ['file_editor', 'str_replace_editor', 'apply_patch', 'planning_file_editor'],
  search: ['grep', 'glob'],
  plan: ['task_tracker', 'think', 'finish'],
  subagent: ['delegate', 'task'],
  web: ['browser_tool_set', 'browser_navigate', 'browser_get_content'],
});

export const openhands: Dialect = {
  id: 'openhands',
  about: {
    agent: 'OpenHands CLI, `openhands --headless --json`',
    reads: 'its events, one a line or printed over many, by its documents: never tried against the program',
  },
  detect: (head) => (head.some(isEvent) ? 1 : 0),
  decoder,
  toolKinds,
  hasNoLastWord: true,
  schema,
};

/** What an agent and its surroundings do, as they are called in `kind`. */
const work = new Set<unknown>([
  'MessageEvent',
  'ActionEvent',
  'ObservationEvent',
  'UserRejectObservation',
  'AgentErrorEvent',
  'ConversationErrorEvent',
]);

/** What says nothing of the work: prompts of the system, states, and texts in pieces whose whole follows. */
const housekeeping = new Set<unknown>([
  'SystemPromptEvent',
  'ConversationStateUpdateEvent',
  'TokenEvent',
  'StreamingDeltaEvent',
  'PauseEvent',
  'Condensation',
  'CondensationRequest',
  'CondensationSummaryEvent',
  'LLMCompletionLogEvent',
]);

const isEvent = (wire: JsonObject): boolean =>
  (work.has(wire.kind) || housekeeping.has(wire.kind)) &&
  typeof wire.source === 'string' &&
  typeof wire.id === 'string';

/** The tool by which it says that it is done. */
const lastTool = 'finish';

/** Events, each with its `kind`; there is no last one, so an answer after which nothing is done is a good end. */
function decoder(sink: DecoderSink): Decoder {
  const calls = new Calls(sink);
  let isIntroduced = false;
  /** The model's answer that the open turn is from. */
  let response: string | undefined;
  let blocks = 0;
  let isAnswered = false;
  let fault: Fault | undefined;

  function line(wire: JsonObject): void {
    // Its times have no zone, so they say nothing.
    introduce();
    switch (wire.kind) {
      case 'MessageEvent':
        return readMessage(wire);
      case 'ActionEvent':
        return readAction(wire);
      case 'ObservationEvent':
        return readObservation(wire, object(wire.observation));
      case 'UserRejectObservation':
        return endCall(wire, { status: 'denied', error: asText(wire.rejection_reason) });
      case 'AgentErrorEvent':
        return endCall(wire, { status: 'error', error: asText(wire.error) });
      case 'ConversationErrorEvent':
        return readError(wire);
      default:
        return housekeeping.has(wire.kind) ? undefined : sink.unknown(wire);
    }
  }

  function introduce(): void {
    if (!isIntroduced) sink.emit({ type: 'thread.started', agent: 'openhands' });
    isIntroduced = true;
  }

  function readMessage(wire: JsonObject): void {
    const message = object(wire.llm_message);
    const text = textOf(message.content);
    if (wire.source === 'user') return text === '' ? undefined : sink.emit({ type: 'prompt.submitted', text });
    beginTurn(filled(wire.llm_response_id) ?? filled(wire.id) ?? '');
    think(message.reasoning_content);
    say(text);
    closeTurn('stop');
    isAnswered = true;
  }

  function readAction(wire: JsonObject): void {
    const { tool_name: word, tool_call_id: given, action, tool_call: called } = wire;
    const id = filled(given);
    if (id === undefined || calls.isOpen(id)) return sink.unknown(wire);
    beginTurn(filled(wire.llm_response_id) ?? id);
    think(wire.reasoning_content);
    say(textOf(wire.thought));
    const name = filled(word) ?? 'unknown';
    const { kind: _, ...args } = object(action);
    isAnswered = name === lastTool;
    const more = isObject(action) ? args : (object(called).arguments ?? {});
    const kind = kindOf(name, args);
    calls.start(id, { kind, name, args: more, edits: editsIn(kind, args, ['path'], operationOf(args)) });
    if (isAnswered) say(asText(args.message));
  }

  function beginTurn(id: string): void {
    const isSame = response === id;
    if (!isSame) {
      closeTurn('tool_calls');
      // What comes after an answer is of the next run, or of a later turn.
      if (isAnswered) finish(sink, fault, {});
    }
    isAnswered = false;
    // Whoever goes on has got over what went wrong.
    fault = undefined;
    if (isSame) return;
    response = id;
    sink.emit({ type: 'turn.started' });
  }

  function closeTurn(reason: 'stop' | 'tool_calls'): void {
    if (response !== undefined) sink.emit({ type: 'turn.completed', finish_reason: isAnswered ? 'stop' : reason });
    response = undefined;
  }

  function think(text: Json | undefined): void {
    if (filled(text) !== undefined)
      sink.emit({ type: 'reasoning.completed', text: asText(text), block_id: `block_${++blocks}` });
  }

  function say(text: string): void {
    if (text !== '') sink.emit({ type: 'text.completed', text, block_id: `block_${++blocks}` });
  }

  function readObservation(wire: JsonObject, observation: JsonObject): void {
    const exit = number(observation.exit_code) ?? number(object(observation.metadata).exit_code);
    // -1: it is still running.
    const exit_code = exit === undefined || exit < 0 ? undefined : exit;
    const hasFailed = observation.is_error === true || (exit_code !== undefined && exit_code !== 0);
    const output = textOf(observation.content) || asText(observation.output);
    endCall(wire, { status: hasFailed ? 'error' : 'success', output, ...present({ exit_code }) });
  }

  function endCall(wire: JsonObject, how: CallEnd): void {
    const id = filled(wire.tool_call_id);
    if (id === undefined || !calls.isOpen(id)) return sink.unknown(wire);
    calls.end(id, how);
  }

  /** It goes on after none of these, except where somebody answers. */
  function readError({ code, detail }: JsonObject): void {
    const message = [filled(code), filled(detail)].filter((part) => part !== undefined).join(': ');
    fault = /MaxIterations/i.test(asText(code)) ? faultOf(message, 'turn_limit') : faultOf(message);
    sink.emit({ type: 'error', scope: 'openhands', code: fault.code, message, fatal: true });
  }

  function end(): void {
    closeTurn('tool_calls');
    if (fault !== undefined || isAnswered) finish(sink, fault, {});
  }

  return { line, end };
}

/** Its editor also shows files. */
function kindOf(name: string, args: JsonObject): ItemKind {
  const kind = kindIn(toolKinds, name);
  return kind === 'file_edit' && args.command === 'view' ? 'read' : kind;
}

function operationOf({ command }: JsonObject): FileOperation {
  return command === 'create' ? 'created' : 'modified';
}

async function schema() {
  const { z } = await import('zod');
  const text = z.string();
  const event = { id: text, timestamp: text, source: text };
  const call = { ...event, tool_name: text, tool_call_id: text };
  const part = z.looseObject({ type: text });
  const kinds = [...housekeeping].map(String);
  return z.union([
    z.looseObject({
      ...event,
      kind: z.literal('MessageEvent'),
      llm_message: z.looseObject({ role: text, content: z.array(part) }),
    }),
    z.looseObject({
      ...call,
      kind: z.literal('ActionEvent'),
      thought: z.array(part),
      action: z.looseObject({}).nullable(),
    }),
    z.looseObject({ ...call, kind: z.literal('ObservationEvent'), observation: z.looseObject({}) }),
    z.looseObject({ ...call, kind: z.literal('UserRejectObservation'), rejection_reason: text }),
    z.looseObject({ ...call, kind: z.literal('AgentErrorEvent'), error: text }),
    z.looseObject({ ...event, kind: z.literal('ConversationErrorEvent'), code: text, detail: text }),
    z.looseObject({ ...event, kind: z.enum(kinds as [string, ...string[]]) }),
  ]);
}
