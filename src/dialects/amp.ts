import type { FinishReason } from '../events/event.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { present } from '../json/present.ts';
import { asText, count, filled, list, object, string, wordIn } from '../json/read.ts';
import type { Decoder, DecoderSink, Dialect } from './dialect.ts';
import { Calls, editsIn } from './kit/calls.ts';
import { deny, faultOf, finish } from './kit/ending.ts';
import { readInit } from './kit/init.ts';
import { textOf } from './kit/texts.ts';
import { kindIn, kindsOf, mcpName } from './kit/tool-kinds.ts';
import { readMessagesUsage } from './kit/messages-usage.ts';
import { tierOfMessages } from '../outcome/service-tier.ts';
import { reportUsage } from './kit/usage.ts';

const toolKinds = kindsOf({
  command: ['Bash'],
  read: ['Read', 'read_file'],
  file_edit: ['create_file', 'edit_file', 'undo_edit', 'format_file'],
  search: ['Grep', 'glob', 'finder', 'list_directory'],
  web: ['web_search', 'read_web_page'],
  subagent: ['Task', 'oracle', 'librarian', 'codebase_search_agent'],
  plan: ['todo_write', 'todo_read'],
});

export const amp: Dialect = {
  id: 'amp',
  about: { agent: 'Amp, `amp --execute --stream-json`', reads: 'with and without thinking blocks' },
  detect,
  decoder,
  toolKinds,
  schema,
};

const lineTypes = new Set<unknown>(['system', 'assistant', 'user', 'result']);

/** Claude's line types with Amp's own thread ids. */
function detect(head: readonly JsonObject[]): number {
  return head.some(
    (wire) => typeof wire.session_id === 'string' && wire.session_id.startsWith('T-') && lineTypes.has(wire.type),
  )
    ? 1
    : 0;
}

/** The values of `stop_reason`. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
};

/** A message may be printed again when it is complete, so its earlier content and its latest usage are kept. */
interface Message {
  readonly id: string;
  readonly seen: Set<string>;
  readonly model: string | undefined;
  usage: JsonObject;
  stopReason: Json | undefined;
  /** It has stopped, or another message came between: without an id, what follows is a new message. */
  isOver: boolean;
}

function decoder(sink: DecoderSink): Decoder {
  const calls = new Calls(sink);
  /** The open message of each thread: the main one under '', a sub-agent's under the id of its tool call. */
  const open = new Map<string, Message>();
  let hasSpoken = false;
  let denials = 0;

  function line(wire: JsonObject): void {
    switch (wire.type) {
      case 'system':
        return readInit(sink, 'amp', wire);
      case 'assistant':
        return readMessage(object(wire.message), filled(wire.parent_tool_use_id));
      case 'user':
        return readUser(object(wire.message).content, filled(wire.parent_tool_use_id));
      case 'result':
        closeAll();
        return readEnding(wire);
      default:
        return sink.unknown(wire);
    }
  }

  function readMessage(body: JsonObject, parent: string | undefined): void {
    const message = needMessage(body, parent);
    for (const each of list(body.content)) readBlock(object(each), parent, message.seen);
    if (body.usage !== undefined) message.usage = object(body.usage);
    message.stopReason = body.stop_reason ?? message.stopReason;
    if (filled(message.stopReason) !== undefined) message.isOver = true;
  }

  function needMessage(body: JsonObject, parent: string | undefined): Message {
    const id = filled(body.id) ?? '';
    const known = open.get(parent ?? '');
    if (known?.id === id && (id !== '' || !known.isOver)) return known;
    close(parent);
    const message: Message = {
      id,
      seen: new Set(),
      model: filled(body.model),
      usage: {},
      stopReason: undefined,
      isOver: false,
    };
    open.set(parent ?? '', message);
    if (parent === undefined) sink.emit({ type: 'turn.started', ...present({ model: message.model }) });
    return message;
  }

  function readBlock(part: JsonObject, parent: string | undefined, seen: Set<string>): void {
    switch (part.type) {
      case 'text':
      case 'thinking': {
        const text = asText(part.text ?? part.thinking);
        const key = `${part.type} ${text}`;
        if (text === '' || seen.has(key)) return;
        seen.add(key);
        hasSpoken ||= part.type === 'text' && parent === undefined;
        const type = part.type === 'text' ? 'text.completed' : 'reasoning.completed';
        return sink.emit({ type, text, ...present({ parent_item_id: parent }) });
      }
      case 'tool_use': {
        const id = filled(part.id);
        if (id === undefined) return sink.unknown(part);
        if (calls.isOpen(id) || seen.has(id)) return;
        seen.add(id);
        return startCall(id, part, parent);
      }
      case 'redacted_thinking':
        return;
      default:
        return sink.unknown(part);
    }
  }

  function startCall(id: string, { name: word, input }: JsonObject, parent: string | undefined): void {
    const name = filled(word) ?? 'unknown';
    const kind = kindIn(toolKinds, name, mcpName);
    const edits = editsIn(kind, input, ['path'], name === 'create_file' ? 'created' : 'modified');
    calls.start(id, { kind, name, args: input, parent_item_id: parent, edits });
  }

  /** A prompt, or the results of calls. */
  function readUser(content: Json | undefined, parent: string | undefined): void {
    const message = open.get(parent ?? '');
    if (message !== undefined) message.isOver = true;
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
    for (const part of parts.map(object)) {
      if (part.type === 'tool_result') readResult(part);
      else if (part.type === 'text' && parent === undefined && asText(part.text) !== '')
        sink.emit({ type: 'prompt.submitted', text: asText(part.text) });
    }
  }

  function readResult(part: JsonObject): void {
    const id = filled(part.tool_use_id);
    if (id === undefined) return sink.unknown(part);
    // When its call ends, a sub-agent has sent its last message.
    close(id);
    const output = Array.isArray(part.content) ? textOf(part.content) : (part.content ?? '');
    calls.end(id, { status: part.is_error === true ? 'error' : 'success', output });
  }

  /** The message of the call with this id is over; without one: the main one. */
  function close(parent: string | undefined): void {
    const message = open.get(parent ?? '');
    if (message === undefined) return;
    open.delete(parent ?? '');
    reportUsage(sink, 'step', readMessagesUsage(message.usage), {
      model: message.model,
      service_tier: tierOfMessages(message.usage),
    });
    if (parent !== undefined) return;
    // null while the message is still streaming.
    const raw = filled(message.stopReason);
    const reason = raw === undefined ? undefined : (wordIn(finishReasons, raw) ?? 'other');
    sink.emit({ type: 'turn.completed', ...present({ finish_reason: reason, raw_finish_reason: raw }) });
  }

  function closeAll(): void {
    for (const parent of open.keys()) close(parent === '' ? undefined : parent);
  }

  /** Unlike Claude's, it has its error in `error`, and its denials are plain texts. */
  function readEnding(wire: JsonObject): void {
    const text = string(wire.result) ?? '';
    if (!hasSpoken && text !== '') sink.emit({ type: 'text.completed', text });
    reportUsage(sink, 'turn', readMessagesUsage(object(wire.usage)), {
      service_tier: tierOfMessages(object(wire.usage)),
    });
    for (const each of list(wire.permission_denials)) deny(sink, `denial_${++denials}`, asText(each));
    const more = present({ raw_status: string(wire.subtype), duration_ms: count(wire.duration_ms) });
    if (wire.subtype === 'success' && wire.is_error === false) return finish(sink, undefined, more);
    const error = filled(wire.error) ?? text;
    const isLimit = wire.subtype === 'error_max_turns';
    if (isLimit)
      sink.emit({
        type: 'limit.reached',
        limit: 'turns',
        ...present({ value: count(wire.num_turns), message: filled(error) }),
      });
    finish(sink, isLimit ? faultOf(error, 'turn_limit') : faultOf(error), more);
  }

  return { line, end: closeAll };
}

async function schema() {
  const { z } = await import('zod');
  const session_id = z.string();
  const tokens = z.int().nonnegative();
  const usage = z.looseObject({ input_tokens: tokens, output_tokens: tokens });
  const content = z.array(z.looseObject({ type: z.string() }));
  const assistant = z.looseObject({ role: z.literal('assistant'), content, usage: usage.nullable().optional() });
  const user = z.looseObject({ role: z.literal('user'), content: z.union([z.string(), content]) });
  const result = {
    type: z.literal('result'),
    session_id,
    usage: usage.optional(),
    permission_denials: z.array(z.string()).optional(),
  };
  const subtype = z.enum(['error_during_execution', 'error_max_turns']);
  return z.union([
    z.looseObject({
      type: z.literal('system'),
      subtype: z.literal('init'),
      session_id,
      cwd: z.string(),
      tools: z.array(z.string()),
    }),
    z.looseObject({ type: z.literal('assistant'), session_id, message: assistant }),
    z.looseObject({ type: z.literal('user'), session_id, message: user }),
    z.looseObject({ ...result, subtype: z.literal('success'), is_error: z.literal(false), result: z.string() }),
    z.looseObject({ ...result, subtype, is_error: z.literal(true), error: z.string() }),
  ]);
}
