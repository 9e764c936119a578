import { present } from '../../../present.ts';
import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, count, filled, integer, list, object, string } from '../../read.ts';

/** The steps of SWE-agent: each a thought, an action and what it brought. */
export function readSteps(wire: JsonObject, sink: DecoderSink): void {
  for (const [index, each] of list(wire.trajectory).entries()) {
    const step = object(each);
    const id = `step_${index + 1}`;
    sink.emit({ type: 'turn.started' });
    const text = filled(step.thought) ?? filled(step.response);
    if (text !== undefined) sink.emit({ type: 'text.completed', text, message_id: id, block_id: id });
    const action = filled(step.action);
    if (action !== undefined) act(id, action, step, sink);
    sink.emit({ type: 'turn.completed', finish_reason: action === undefined ? 'stop' : 'tool_calls' });
  }
}

function act(item_id: string, command: string, step: JsonObject, sink: DecoderSink): void {
  const name = /^\w{1,60}/.exec(command)?.[0] ?? 'bash';
  const seconds = count(step.execution_time);
  sink.emit({ type: 'item.started', item_id, kind: 'command', name, args: { command } });
  const output = string(step.observation) ?? undefined;
  sink.emit({
    type: 'item.completed',
    item_id,
    // An observation has no exit code: what the environment says of a failed command is in its text.
    status: 'success',
    ...present({ output, duration_ms: seconds === undefined ? undefined : Math.round(seconds * 1000) }),
  });
}

const exitCode = /<returncode>(-?\d{1,9})<\/returncode>|"returncode":\s?(-?\d{1,9})/;

/** The messages of mini-SWE-agent: an answer is followed by what its command printed. */
export function readMessages(wire: JsonObject, sink: DecoderSink): void {
  let open: string | undefined;
  let turns = 0;
  for (const each of list(wire.messages)) {
    const message = object(each);
    const text = textOf(message);
    if (message.role === 'assistant') {
      turns += 1;
      sink.emit({ type: 'turn.started' });
      if (text.trim() !== '') sink.emit({ type: 'text.completed', text, message_id: `message_${turns}`, block_id: `message_${turns}` });
      const command = commandIn(message, text);
      open = command === undefined ? undefined : `call_${turns}`;
      if (open !== undefined && command !== undefined)
        sink.emit({ type: 'item.started', item_id: open, kind: 'command', name: 'bash', args: { command } });
      continue;
    }
    if (open !== undefined) {
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
  const told = filled(action?.command);
  if (told !== undefined) return told;
  const [call] = list(message.tool_calls).map(object);
  if (call !== undefined) return filled(object(call.function).arguments) ?? '';
  const from = text.indexOf('```');
  const until = from === -1 ? -1 : text.indexOf('```', from + 3);
  return until === -1 ? undefined : text.slice(text.indexOf('\n', from) + 1, until).trim();
}
