import type { ItemKind } from '../events/event.ts';
import type { JsonObject } from '../json/json.ts';
import { present } from '../json/present.ts';
import { asText, count, filled, isObject, list, number, object, string } from '../json/read.ts';
import type { Decoder, DecoderSink, Dialect } from './dialect.ts';
import { type CallEnd, Calls, editsIn } from './kit/calls.ts';
import { Ending, faultOf } from './kit/ending.ts';
import { surest } from './kit/surest.ts';
import { Block, textOf } from './kit/texts.ts';
import { kindIn, kindsOf } from './kit/tool-kinds.ts';
import { type Counting, reportUsage, tokensIn } from './kit/usage.ts';

/** The tools of the built-in extension `developer`. */
const toolKinds = kindsOf({
  command: ['shell', 'execute_command'],
  read: ['read', 'list_windows', 'read_module', 'read_resource'],
  search: ['tree', 'search', 'rg', 'glob', 'grep', 'analyze'],
  file_edit: ['text_editor', 'write', 'edit'],
});

export const goose: Dialect = {
  id: 'goose',
  about: {
    agent: 'Goose, `goose run --output-format stream-json`',
    reads: 'stream-json, and the one document of `json`',
  },
  detect: (head) => surest(head, sure),
  decoder,
  toolKinds,
  schema,
};

function sure(wire: JsonObject): number {
  switch (wire.type) {
    case 'message':
      return isMessage(wire.message) ? 1 : 0;
    case 'notification':
      return typeof wire.extension_id === 'string' ? 0.95 : 0;
    case 'complete':
      return 'total_tokens' in wire ? 0.95 : 0;
    case 'error':
      // A `complete` line follows and decides.
      return typeof wire.error === 'string' && Object.keys(wire).length === 2 ? 0.3 : 0;
    case undefined:
      return isDocument(wire) ? 1 : 0;
    default:
      return 0;
  }
}

function isMessage(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.role === 'string' &&
    Array.isArray(value.content) &&
    typeof value.created === 'number'
  );
}

function isDocument(wire: JsonObject): boolean {
  return (
    Array.isArray(wire.messages) &&
    isObject(wire.metadata) &&
    'total_tokens' in wire.metadata &&
    'status' in wire.metadata
  );
}

const extensionKinds = kindsOf({ plan: ['todo'], subagent: ['subagent', 'dynamic_task'] });

// Goose prints these in the assistant's name; they are not the model's text.
const providerError = /^(?:Ran into this error|Network error): ?(.*)/s;
const turnLimit = "I've reached the maximum number of actions I can do without user input";

const refusal = /user has declined to run this tool|tool call was skipped in goose chat mode/i;

const counting: Counting = {
  fields: {
    input_tokens: 'input_tokens',
    output_tokens: 'output_tokens',
    cache_read_input_tokens: 'cache_read_tokens',
    cache_write_input_tokens: 'cache_write_tokens',
    cost_usd: 'cost_usd',
    total_cost_usd: 'cost_usd',
  },
  // A model without a known price costs 0 here, which is not a price.
  unknownIfZero: ['cost_usd'],
};

function decoder(sink: DecoderSink): Decoder {
  const calls = new Calls(sink);
  const ending = new Ending(sink, 'provider');
  let isIntroduced = false;
  /** The message whose pieces are arriving. */
  let turn: string | undefined;
  let turns = 0;
  /** All pieces of one text follow each other. */
  let block: Block | undefined;
  let blocks = 0;
  /** The beginning of the open text, as far as it shows whether it is Goose's own, and whether it is. */
  let head = '';
  let isOwn = false;
  let isLimited = false;
  let lastWord: 'text' | 'call' | undefined;

  function line(wire: JsonObject): void {
    if (!isIntroduced) sink.emit({ type: 'thread.started', agent: 'goose' });
    isIntroduced = true;
    switch (wire.type) {
      case 'message':
        return readMessage(object(wire.message));
      case 'notification':
        return readProgress(wire);
      case 'error':
        closeText();
        return ending.fail(faultOf(asText(wire.error)));
      case 'complete':
        return readEnding(wire, 'complete');
      default:
        if (!isDocument(wire)) return sink.unknown(wire);
        for (const each of list(wire.messages)) readMessage(object(each));
        return readEnding(object(wire.metadata), asText(object(wire.metadata).status));
    }
  }

  function readMessage(wire: JsonObject): void {
    const created = number(wire.created);
    if (created !== undefined && created > 0 && created < 8.64e12) sink.at(created * 1000);
    const isAssistant = wire.role === 'assistant';
    if (isAssistant) openTurn(filled(wire.id));
    else closeText();
    for (const each of list(wire.content)) readContent(object(each), isAssistant);
    if (!isAssistant) turn = undefined;
  }

  function openTurn(id: string | undefined): void {
    if (turn !== undefined && (id === undefined || id === turn)) return;
    closeText();
    turns += 1;
    turn = id ?? `message_${turns}`;
    sink.emit({ type: 'turn.started' });
  }

  function readContent(part: JsonObject, isAssistant: boolean): void {
    switch (part.type) {
      case 'text':
        return isAssistant
          ? readText('text', asText(part.text))
          : sink.emit({ type: 'prompt.submitted', text: asText(part.text) });
      case 'thinking':
      case 'reasoning':
        return readText('reasoning', string(part.thinking) ?? asText(part.text));
      case 'toolRequest':
      case 'frontendToolRequest':
        return startCall(part);
      case 'toolResponse':
        return filled(part.id) === undefined
          ? sink.unknown(part)
          : calls.end(asText(part.id), endOf(object(part.toolResult)));
      case 'systemNotification':
        return readNotification(part);
      case 'toolConfirmationRequest':
        return readQuestion(part);
      case 'actionRequired':
        return readQuestion(object(part.data));
      case 'image':
      case 'redactedThinking':
        return;
      default:
        return sink.unknown(part);
    }
  }

  function readText(kind: Block['kind'], text: string): void {
    if (text.trim() !== '') ending.recover();
    if (kind === 'text') lastWord = 'text';
    if (block?.kind !== kind) {
      closeText();
      block = new Block(sink, kind, { block_id: `block_${++blocks}`, message_id: kind === 'text' ? turn : undefined });
    }
    if (kind === 'text' && head.length < turnLimit.length) {
      head += text.slice(0, turnLimit.length - head.length);
      isOwn = providerError.test(head) || head === turnLimit;
    }
    // Goose's own texts come complete, in one piece.
    if (isOwn) block.keep(text);
    else block.add(text);
  }

  function closeText(): void {
    const text = block?.text ?? '';
    if (!isOwn) block?.complete();
    else if (providerError.test(text))
      ending.fail(faultOf(providerError.exec(text)?.[1]?.split('\n\nPlease retry')[0] ?? text));
    else {
      isLimited = true;
      sink.emit({ type: 'limit.reached', limit: 'turns', message: text });
    }
    block = undefined;
    head = '';
    isOwn = false;
  }

  function startCall(part: JsonObject): void {
    closeText();
    const id = filled(part.id);
    if (id === undefined) return sink.unknown(part);
    lastWord = 'call';
    ending.recover();
    const call = object(part.toolCall);
    const { name: word, arguments: args } = object(call.value);
    const name = filled(word) ?? 'unknown';
    const kind = kindOf(name, object(args));
    calls.start(id, { kind, name, args, edits: editsIn(kind, args, ['path', 'file_path']) });
    // The model's call could not be read: no response follows.
    if (call.status === 'error') calls.end(id, { status: 'error', error: asText(call.error) });
  }

  function readNotification(part: JsonObject): void {
    const text = asText(part.msg);
    if (part.notificationType === 'creditsExhausted') return ending.fail(faultOf(text, 'quota'));
    sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
  }

  function readQuestion(part: JsonObject): void {
    const id = filled(part.id);
    if (id === undefined) return;
    const what = filled(part.toolName) ?? filled(part.prompt) ?? filled(part.message) ?? 'unknown';
    sink.emit({ type: 'permission.requested', permission_id: id, what, ...present({ title: filled(part.prompt) }) });
  }

  function readProgress(wire: JsonObject): void {
    const detail = isObject(wire.log) ? wire.log : object(wire.progress);
    const text = asText(detail.message ?? wire.message);
    if (text !== '') sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
  }

  /** The last line comes after a failure too: it means success only if the model had the last word and no error followed. */
  function readEnding(totals: JsonObject, raw_status: string): void {
    closeText();
    readTotals(totals);
    if (turns > 0) sink.emit({ type: 'turn.completed' });
    if (isLimited) return sink.emit({ type: 'agent.finished', status: 'failed', code: 'turn_limit', raw_status });
    const isGood = lastWord === 'text' && !calls.areOpen && (raw_status === 'complete' || raw_status === 'completed');
    if (isGood || ending.hasFailed) ending.read(undefined, { raw_status });
  }

  /** Of the session. Older versions have one number, not split by kind: that is not usage that can be added up. */
  function readTotals(totals: JsonObject): void {
    const tokens = tokensIn(counting, totals);
    const isReported = reportUsage(sink, 'thread', tokens, { whole_session: true });
    const total = count(totals.total_tokens);
    const isSplit = isReported && (tokens.input_tokens !== undefined || tokens.output_tokens !== undefined);
    if (!isSplit && total !== undefined)
      sink.emit({ type: 'log', stream: 'agent', level: 'info', text: `${total} tokens in this session` });
  }

  return { line, end: closeText };
}

function endOf(result: JsonObject): CallEnd {
  if (result.status === 'error') {
    const error = asText(result.error);
    return { status: refusal.test(error) ? 'denied' : 'error', error };
  }
  // Until 2026 the value was the list of contents itself.
  const value = object(result.value);
  const contents = Array.isArray(result.value) ? result.value : value.content;
  const output = list(contents).length === 0 ? (value.structuredContent ?? '') : textOf(contents);
  if (typeof output === 'string' && refusal.test(output.slice(0, 500))) return { status: 'denied', error: output };
  return { status: result.status === 'success' && value.isError !== true ? 'success' : 'error', output };
}

/** Tools are named `extension__tool`; newer releases leave out the name of the built-in extension. */
function kindOf(name: string, args: JsonObject): ItemKind {
  const [extension = '', tool = ''] = name.includes('__') ? name.split('__', 2) : ['', name];
  const isOwn = extension === '' || extension === 'developer';
  const own = isOwn ? kindIn(toolKinds, tool) : 'tool_call';
  if (own !== 'tool_call') return own === 'file_edit' && args.command === 'view' ? 'read' : own;
  const kind = kindIn(extensionKinds, extension);
  if (kind !== 'tool_call') return kind;
  if (tool === 'delegate') return 'subagent';
  return isOwn || extension === 'platform' ? 'tool_call' : 'mcp';
}

/** One line of stream-json, or the document of `json`. */
async function schema() {
  const { z } = await import('zod');
  const call = { id: z.string(), toolCall: z.looseObject({ status: z.string() }) };
  const content = z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
    z.looseObject({ type: z.literal('toolRequest'), ...call }),
    z.looseObject({ type: z.literal('frontendToolRequest'), ...call }),
    z.looseObject({
      type: z.literal('toolResponse'),
      id: z.string(),
      toolResult: z.looseObject({ status: z.string() }),
    }),
    z.looseObject({ type: z.literal('thinking'), thinking: z.string() }),
    z.looseObject({ type: z.literal('reasoning'), text: z.string() }),
    z.looseObject({ type: z.literal('redactedThinking'), data: z.string() }),
    z.looseObject({ type: z.literal('systemNotification'), notificationType: z.string(), msg: z.string() }),
    z.looseObject({ type: z.literal('toolConfirmationRequest'), id: z.string(), toolName: z.string() }),
    z.looseObject({ type: z.literal('actionRequired'), data: z.looseObject({}) }),
  ]);
  const role = z.enum(['user', 'assistant']);
  const message = z.looseObject({ id: z.string().nullish(), role, created: z.number(), content: z.array(content) });
  const total_tokens = z.int().nonnegative().nullable();
  const line = z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('message'), message }),
    z.looseObject({ type: z.literal('notification'), extension_id: z.string() }),
    z.looseObject({ type: z.literal('error'), error: z.string() }),
    z.looseObject({ type: z.literal('complete'), total_tokens }),
  ]);
  return z.union([
    line,
    z.looseObject({ messages: z.array(message), metadata: z.looseObject({ total_tokens, status: z.string() }) }),
  ]);
}
