import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, count, filled, list, object, string, time, whole } from '../../../json/read.ts';
import { isErrorCode } from '../words.ts';
import { isOutputStep, textOf } from './content.ts';
import { Tools } from './tools.ts';
import { readUsage } from './usage.ts';

export interface StepReader {
  step(step: JsonObject): void;
  end(): void;
}

interface Reading {
  sink: DecoderSink;
  /** The trajectory of these steps, and its embedded ones. */
  wire: JsonObject;
  /** Whether the usage of each step is emitted; not if a total would count it twice. */
  countsSteps: boolean;
  /** The prompt tokens of this document leave the cached ones out. */
  isCacheApart: boolean;
  /** The call that started the sub-agent. */
  parent?: string;
  /** Ids of calls in use in the whole document. */
  used?: Set<string>;
}

/** How deep trajectories inside trajectories are followed. */
const deepest = 50;

export function stepReader(reading: Reading, depth = 0): StepReader {
  const { sink, wire, parent, used = new Set<string>() } = reading;
  const place = present({ parent_item_id: parent });
  const children = new Map(
    list(wire.subagent_trajectories)
      .map(object)
      .map((child) => [asText(child.trajectory_id), child]),
  );
  const tools = new Tools(
    sink,
    { parent, used },
    { has: (id) => children.has(id), read: (id, item) => readChild(id, item) },
  );
  const prefix = parent === undefined ? '' : `${parent}/`;
  /** The open turn, with its number if the document has it. */
  let turn: { number: number | undefined; hasCalls: boolean } | undefined;

  /** A child trajectory to which no result refers is read last. */
  function readChild(id: string, item: string): void {
    const child = children.get(id);
    if (child === undefined || depth >= deepest) return;
    children.delete(id);
    const below = stepReader({ ...reading, wire: child, parent: item, used }, depth + 1);
    for (const step of list(child.steps)) below.step(object(step));
    below.end();
  }

  function closeTurn(): void {
    if (turn !== undefined) sink.emit({ type: 'turn.completed', finish_reason: turn.hasCalls ? 'tool_calls' : 'stop' });
    turn = undefined;
  }

  /** Retries within a turn belong to it. */
  function openTurn(step: JsonObject, hasCalls: boolean): void {
    const { turn: given, retries } = object(step.extra);
    const number = whole(given);
    const goesOn = turn !== undefined && number !== undefined && turn.number === number;
    if (!goesOn) closeTurn();
    readRetries(retries, sink);
    if (parent !== undefined) return;
    if (!goesOn) sink.emit({ type: 'turn.started', ...present({ model: filled(step.model_name) }) });
    turn = { number, hasCalls };
  }

  function agentStep(step: JsonObject): void {
    const id = filled(object(step.extra).message_id) ?? `${prefix}step_${asText(step.step_id)}`;
    const calls = list(step.tool_calls).map(object);
    const results = list(object(step.observation).results).map(object);
    if (isOutputStep(step)) return tools.endEarlier(results);
    openTurn(step, calls.length > 0);
    const reasoning = filled(step.reasoning_content);
    if (reasoning !== undefined) sink.emit({ type: 'reasoning.completed', text: reasoning, message_id: id, ...place });
    // Words about results that a step without calls repeats come after them.
    if (calls.length === 0) tools.endEarlier(results);
    const text = textOf(step.message);
    if (text !== '') sink.emit({ type: 'text.completed', text, message_id: id, ...place });
    if (calls.length > 0) tools.read(calls, results);
    if (reading.countsSteps && step.is_copied_context !== true) readUsage(step, reading.isCacheApart, sink);
  }

  function read(step: JsonObject): void {
    const at = time(string(step.timestamp));
    if (at !== undefined) sink.at(at);
    if (step.source === 'agent') return agentStep(step);
    const text = textOf(step.message);
    // A sub-agent's prompt is in the call that started it.
    if (parent !== undefined) return;
    if (step.source === 'user' && !isOutputStep(step)) {
      closeTurn();
      return sink.emit({ type: 'prompt.submitted', text });
    }
    if (text.trim() !== '' && !isOutputStep(step)) sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
    tools.endEarlier(list(object(step.observation).results).map(object));
  }

  function end(): void {
    for (const [id, child] of children)
      readChild(id, tools.known(string(object(child.extra).parent_tool_call_id)) ?? tools.start(id));
    if (parent === undefined) closeTurn();
  }

  return { step: read, end };
}

export function readRetries(retries: Json | undefined, sink: DecoderSink): void {
  for (const retry of list(retries).map(object)) {
    sink.emit({
      type: 'retry.scheduled',
      ...(retry.scope === 'run' ? { scope: 'run' } : {}),
      cause: asText(retry.cause),
      ...present({
        resumes: retry.resumes === true ? true : undefined,
        attempt: whole(retry.attempt),
        max_attempts: whole(retry.max_attempts),
        delay_ms: count(retry.delay_ms),
        code: isErrorCode(retry.code) ? retry.code : undefined,
      }),
    });
  }
}
