import type { ErrorCode } from '../events/event.ts';
import type { JsonObject } from '../json/json.ts';
import { present } from '../json/present.ts';
import { asText, count, filled, integer, isObject, list, object, string } from '../json/read.ts';
import type { Decoder, DecoderSink, Dialect } from './dialect.ts';
import { faultOf, finish } from './kit/ending.ts';
import { surest } from './kit/surest.ts';
import { type Counting, reportUsage, tokensIn } from './kit/usage.ts';

export const sweAgent: Dialect = {
  id: 'swe-agent',
  about: {
    agent: 'SWE-agent and mini-SWE-agent, their trajectory files',
    reads:
      '`.traj` of SWE-agent 0.6 to 1.1, `.traj.json` of mini-SWE-agent, as others describe them: never tried against the programs',
  },
  detect: (head) => surest(head, (wire) => (isTrajectory(wire) ? 1 : isMini(wire) ? 0.95 : 0)),
  decoder,
  schema,
};

/** The file of SWE-agent. */
function isTrajectory(wire: JsonObject): boolean {
  if (!Array.isArray(wire.trajectory) || !isObject(wire.info)) return false;
  const [first] = wire.trajectory;
  if (first === undefined) return 'history' in wire || 'exit_status' in wire.info;
  return isObject(first) && 'action' in first && 'observation' in first;
}

/** The file of mini-SWE-agent. */
function isMini(wire: JsonObject): boolean {
  if (!Array.isArray(wire.messages) || !isObject(wire.info)) return false;
  return (
    (typeof wire.trajectory_format === 'string' && wire.trajectory_format.startsWith('mini-swe-agent')) ||
    'mini_version' in wire.info
  );
}

/** How a run ended that submitted nothing, or only because it was stopped: by the word in `exit_status`. */
const exitCodes: readonly (readonly [RegExp, ErrorCode])[] = [
  [/exit_cost|cost_?limit|instance_cost/i, 'cost_limit'],
  [/exit_context|contextwindow|context_window/i, 'context_overflow'],
  [/time(?:out|_?exceeded)|execution_time/i, 'time_limit'],
  [/limits_?exceeded|max_?(?:steps|turns|requeries)|call_limit/i, 'turn_limit'],
  [/interrupt|early_exit|cancel/i, 'cancelled'],
  [/exit_api|apierror|ratelimit/i, 'server'],
  [/authentication|unauthorized/i, 'auth'],
  [/environment/i, 'tool'],
];

const counting: Counting = {
  fields: { tokens_sent: 'input_tokens', tokens_received: 'output_tokens', instance_cost: 'cost_usd' },
  unknownIfZero: ['input_tokens', 'output_tokens', 'cost_usd'],
};

/** One document is one run. */
function decoder(sink: DecoderSink): Decoder {
  return {
    line(wire) {
      const isFull = isTrajectory(wire);
      if (!isFull && !isMini(wire)) return sink.unknown(wire);
      const info = object(wire.info);
      const model = filled(object(object(info.config).model).model_name) ?? filled(wire.model_name);
      const version = filled(info.mini_version) ?? filled(info.swe_agent_version);
      sink.emit({
        type: 'thread.started',
        agent: isFull ? 'swe-agent' : 'mini-swe-agent',
        ...present({
          agent_version: version,
          model,
          session_id: filled(wire.instance_id),
          task: isFull ? taskOf(wire) : undefined,
        }),
      });
      if (isFull) readSteps(wire, sink);
      else readMessages(wire, sink);
      reportUsage(sink, 'thread', tokensIn(counting, object(info.model_stats)), { model });
      readEnding(info, sink);
    },
    end() {},
  };
}

/** The first message of the user, in the history of what was sent to the model. */
function taskOf(wire: JsonObject): string | undefined {
  const messages = list(wire.history).map(object);
  return string(messages.find(({ role, is_demo }) => role === 'user' && is_demo !== true)?.content);
}

/** The steps of SWE-agent: each a thought, an action and what it brought. */
function readSteps(wire: JsonObject, sink: DecoderSink): void {
  for (const [index, each] of list(wire.trajectory).entries()) {
    const step = object(each);
    const id = `step_${index + 1}`;
    sink.emit({ type: 'turn.started' });
    const text = filled(step.thought) ?? filled(step.response);
    if (text !== undefined) sink.emit({ type: 'text.completed', text, message_id: id, block_id: id });
    const action = filled(step.action);
    if (action !== undefined) readAction(id, action, step, sink);
    sink.emit({ type: 'turn.completed', finish_reason: action === undefined ? 'stop' : 'tool_calls' });
  }
}

function readAction(item_id: string, command: string, step: JsonObject, sink: DecoderSink): void {
  const name = /^\w{1,60}/.exec(command)?.[0] ?? 'bash';
  const seconds = count(step.execution_time);
  const duration_ms = seconds === undefined ? undefined : Math.round(seconds * 1000);
  sink.emit({ type: 'item.started', item_id, kind: 'command', name, args: { command } });
  // An observation has no exit code: what the environment says of a failed command is in its text.
  sink.emit({
    type: 'item.completed',
    item_id,
    status: 'success',
    ...present({ output: string(step.observation), duration_ms }),
  });
}

const exitCode = /<returncode>(-?\d{1,9})<\/returncode>|"returncode":\s?(-?\d{1,9})/;

/** The messages of mini-SWE-agent: an answer is followed by what its command printed. */
function readMessages(wire: JsonObject, sink: DecoderSink): void {
  let open: string | undefined;
  let turns = 0;
  for (const each of list(wire.messages)) {
    const message = object(each);
    const text = textOf(message);
    if (message.role === 'assistant') {
      turns += 1;
      sink.emit({ type: 'turn.started' });
      if (text.trim() !== '')
        sink.emit({ type: 'text.completed', text, message_id: `message_${turns}`, block_id: `message_${turns}` });
      const command = commandIn(message, text);
      open = command === undefined ? undefined : `call_${turns}`;
      if (open !== undefined && command !== undefined)
        sink.emit({ type: 'item.started', item_id: open, kind: 'command', name: 'bash', args: { command } });
    } else if (open !== undefined) {
      const code = integer(object(message.extra).returncode) ?? codeIn(text);
      const status = code === undefined || code === 0 ? 'success' : 'error';
      sink.emit({ type: 'item.completed', item_id: open, status, output: text, ...present({ exit_code: code }) });
      open = undefined;
    } else if (message.role === 'user' && text.trim() !== '') sink.emit({ type: 'prompt.submitted', text });
  }
}

function codeIn(text: string): number | undefined {
  const [, tagged, quoted] = exitCode.exec(text.slice(0, 2000)) ?? [];
  const code = tagged ?? quoted;
  return code === undefined ? undefined : Number(code);
}

function textOf({ content }: JsonObject): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => asText(object(part).text))
    .join('\n');
}

/** The command is in a block of the text, or in a call. */
function commandIn(message: JsonObject, text: string): string | undefined {
  const [action] = list(object(message.extra).actions).map(object);
  const command = filled(action?.command);
  if (command !== undefined) return command;
  const [call] = list(message.tool_calls).map(object);
  if (call !== undefined) return filled(object(call.function).arguments) ?? '';
  const from = text.indexOf('```');
  const until = from === -1 ? -1 : text.indexOf('```', from + 3);
  return until === -1 ? undefined : text.slice(text.indexOf('\n', from) + 1, until).trim();
}

/** Its exit status is a verdict: only a plain submission is a success. `submitted (exit_cost)` was submitted by the harness. */
function readEnding(info: JsonObject, sink: DecoderSink): void {
  const raw_status = filled(info.exit_status);
  if (raw_status === undefined) return;
  if (/^submitted$/i.test(raw_status)) return finish(sink, undefined, { raw_status });
  const code = exitCodes.find(([words]) => words.test(raw_status))?.[1] ?? faultOf(raw_status).code;
  finish(sink, faultOf(filled(info.exception) ?? filled(info.exception_str) ?? raw_status, code), { raw_status });
}

/** One document: of SWE-agent, or of mini-SWE-agent. */
async function schema() {
  const { z } = await import('zod');
  const info = z.looseObject({ exit_status: z.string().nullish(), submission: z.string().nullish() });
  const step = z.looseObject({ action: z.string(), observation: z.string().nullish() });
  return z.union([
    z.looseObject({ trajectory: z.array(step), info }),
    z.looseObject({ messages: z.array(z.looseObject({ role: z.string() })), info }),
  ]);
}
