import type { ErrorCode, ItemKind, ItemStatus } from '../../events/event.ts';
import type { Decoder, DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, isObject, list, number, object, string } from '../read.ts';
import { isDocument } from './detect.ts';

// Goose tells these in the assistant's name; they are not the model's words.
const providerError = /^(?:Ran into this error|Network error): ?(.*)/s;
const turnLimit = "I've reached the maximum number of actions I can do without user input";
/** As much of a text as shows whose words they are. */
const headLength = turnLimit.length;
const refusal = /user has declined to run this tool|tool call was skipped in goose chat mode/i;

const commandTools = new Set(['shell', 'execute_command']);
const readTools = new Set(['read', 'tree', 'list_windows', 'read_module', 'read_resource']);
const searchTools = new Set(['search', 'rg', 'glob', 'grep', 'analyze']);
const editTools = new Set(['text_editor', 'write', 'edit']);

interface Call {
  name: string;
  kind: ItemKind;
  args: JsonObject;
}

export function decoder(sink: DecoderSink): Decoder {
  const calls = new Map<string, Call>();
  let introduced = false;
  let turn: string | undefined;
  let turns = 0;
  /** `head`: how it begins, as far as that matters. `own`: the words are Goose's, not the model's. */
  let block: { id: string; kind: 'text' | 'reasoning'; text: string; head: string; own: boolean } | undefined;
  let blocks = 0;
  let fault: { code: ErrorCode; message: string } | undefined;
  let limited = false;
  let last: 'text' | 'tool' | undefined;

  function introduce(): void {
    if (introduced) return;
    introduced = true;
    sink.emit({ type: 'thread.started', agent: 'goose' });
  }

  function closeBlock(): void {
    if (block === undefined) return;
    const { id, kind, text } = block;
    block = undefined;
    if (kind === 'reasoning') return sink.emit({ type: 'reasoning.completed', block_id: id, text });
    const error = providerError.exec(text)?.[1];
    if (error !== undefined) return fail(error.split('\n\nPlease retry')[0] ?? error);
    if (!text.startsWith(turnLimit)) return sink.emit({ type: 'text.completed', block_id: id, text, ...messageId() });
    limited = true;
    sink.emit({ type: 'limit.reached', limit: 'turns', message: text });
  }

  function fail(message: string): void {
    fault = { code: codeOfMessage(message), message };
    sink.emit({ type: 'error', scope: 'provider', ...fault, fatal: true });
  }

  /** A piece of a text; all pieces of one message follow each other. */
  function say(kind: 'text' | 'reasoning', text: string): void {
    if (block?.kind !== kind) {
      closeBlock();
      block = { id: `block_${++blocks}`, kind, text: '', head: '', own: false };
    }
    block.text += text;
    if (text.trim() !== '') fault = undefined;
    if (kind === 'reasoning') return sink.emit({ type: 'reasoning.delta', block_id: block.id, text });
    last = 'text';
    if (block.head.length < headLength) {
      block.head += text.slice(0, headLength - block.head.length);
      block.own = providerError.test(block.head) || block.head === turnLimit;
    }
    // These come whole, in one piece.
    if (block.own) return;
    sink.emit({ type: 'text.delta', block_id: block.id, text, ...messageId() });
  }

  function messageId(): { message_id?: string } {
    return turn === undefined ? {} : { message_id: turn };
  }

  function readMessage(wire: JsonObject): void {
    const created = number(wire.created);
    if (created !== undefined && created > 0 && created < 8.64e12) sink.at(created * 1000);
    const assistant = wire.role === 'assistant';
    if (assistant) openTurn(filled(wire.id));
    else closeBlock();
    for (const each of list(wire.content)) content(object(each), assistant);
    if (!assistant) turn = undefined;
  }

  function openTurn(id: string | undefined): void {
    if (turn !== undefined && (id === undefined || id === turn)) return;
    closeBlock();
    turn = id ?? `message_${turns + 1}`;
    turns += 1;
    sink.emit({ type: 'turn.started' });
  }

  function content(part: JsonObject, assistant: boolean): void {
    switch (part.type) {
      case 'text':
        if (assistant) return say('text', asText(part.text));
        return sink.emit({ type: 'prompt.submitted', text: asText(part.text) });
      case 'thinking':
      case 'reasoning':
        return say('reasoning', string(part.thinking) ?? asText(part.text));
      case 'toolRequest':
      case 'frontendToolRequest':
        return request(part);
      case 'toolResponse':
        return response(part);
      case 'systemNotification':
        return notification(part);
      case 'toolConfirmationRequest':
        return ask(part);
      case 'actionRequired':
        return ask(object(part.data));
      case 'image':
      case 'redactedThinking':
        return;
      default:
        return sink.unknown(part);
    }
  }

  function request(part: JsonObject): void {
    closeBlock();
    const id = filled(part.id);
    if (id === undefined) return sink.unknown(part);
    const call = object(part.toolCall);
    const value = object(call.value);
    const name = filled(value.name) ?? 'unknown';
    const args = object(value.arguments);
    const kind = kindOf(name, args);
    last = 'tool';
    fault = undefined;
    calls.set(id, { name, kind, args });
    sink.emit({ type: 'item.started', item_id: id, kind, name, args: value.arguments ?? null });
    // The model's call could not be read: no response follows.
    if (call.status === 'error') complete(id, 'error', undefined, asText(call.error));
  }

  function response(part: JsonObject): void {
    const id = filled(part.id);
    if (id === undefined) return sink.unknown(part);
    const result = object(part.toolResult);
    if (result.status === 'error') {
      const error = asText(result.error);
      return complete(id, refusal.test(error) ? 'denied' : 'error', undefined, error);
    }
    // Until 2026 the value was the list of contents itself.
    const value = object(result.value);
    const contents = Array.isArray(result.value) ? result.value : list(value.content);
    const output = contents.length === 0 ? (value.structuredContent ?? '') : textOf(contents);
    if (typeof output === 'string' && refusal.test(output.slice(0, 500))) return complete(id, 'denied', undefined, output);
    const good = result.status === 'success' && value.isError !== true;
    complete(id, good ? 'success' : 'error', output, undefined);
  }

  function complete(id: string, status: ItemStatus, output: Json | undefined, error: string | undefined): void {
    const call = calls.get(id);
    calls.delete(id);
    sink.emit({ type: 'item.completed', item_id: id, status, ...compact({ output, error }) });
    if (status !== 'success' || call?.kind !== 'file_edit') return;
    const path = filled(call.args.path) ?? filled(call.args.file_path);
    if (path !== undefined) sink.emit({ type: 'file.edited', path, operation: 'modified', item_id: id });
  }

  function notification(part: JsonObject): void {
    const text = asText(part.msg);
    if (part.notificationType !== 'creditsExhausted') return sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
    fault = { code: 'quota', message: text };
    sink.emit({ type: 'error', scope: 'provider', ...fault, fatal: true });
  }

  function ask(part: JsonObject): void {
    const id = filled(part.id);
    const what = filled(part.toolName) ?? filled(part.prompt) ?? filled(part.message);
    if (id === undefined) return;
    sink.emit({ type: 'permission.requested', permission_id: id, what: what ?? 'unknown', ...compact({ title: filled(part.prompt) }) });
  }

  function line(wire: JsonObject): void {
    introduce();
    switch (wire.type) {
      case 'message':
        return readMessage(object(wire.message));
      case 'notification':
        return progress(wire);
      case 'error':
        closeBlock();
        return fail(asText(wire.error));
      case 'complete':
        return finish(wire.total_tokens, 'complete');
      default:
        if (!isDocument(wire)) return sink.unknown(wire);
        for (const each of list(wire.messages)) readMessage(object(each));
        return finish(object(wire.metadata).total_tokens, asText(object(wire.metadata).status));
    }
  }

  function progress(wire: JsonObject): void {
    const detail = isObject(wire.log) ? wire.log : object(wire.progress);
    const text = asText(detail.message);
    if (text !== '') sink.emit({ type: 'log', stream: 'agent', level: 'info', text });
  }

  /** The last line comes after a failure too, so it is a good end only when the model had the last word and no error came. */
  function finish(tokens: Json | undefined, status: string): void {
    closeBlock();
    // One number for the whole session, without a split: not a usage that could be added up.
    const total = count(tokens);
    if (total !== undefined) sink.emit({ type: 'log', stream: 'agent', level: 'info', text: `${total} tokens in this session` });
    if (turns > 0) sink.emit({ type: 'turn.completed' });
    const raw = { raw_status: status };
    if (limited) sink.emit({ type: 'agent.finished', status: 'failed', code: 'turn_limit', ...raw });
    else if (fault !== undefined) sink.emit({ type: 'agent.finished', status: 'failed', ...fault, ...raw });
    else if (last === 'text' && calls.size === 0 && (status === 'complete' || status === 'completed'))
      sink.emit({ type: 'agent.finished', status: 'ok', ...raw });
  }

  return { line, end: closeBlock };
}

function textOf(contents: readonly Json[]): string {
  return contents.flatMap((each) => (object(each).type === 'text' ? [asText(object(each).text)] : [])).join('\n');
}

/** Tools are called `extension__tool`; newer releases leave the built-in extension's name out. */
function kindOf(name: string, args: JsonObject): ItemKind {
  const [extension = '', tool] = name.includes('__') ? name.split('__', 2) : ['', name];
  const own = tool ?? '';
  const builtIn = extension === '' || extension === 'developer';
  if (builtIn && commandTools.has(own)) return 'command';
  if (builtIn && editTools.has(own)) return args.command === 'view' ? 'read' : 'file_edit';
  if (builtIn && readTools.has(own)) return 'read';
  if (builtIn && searchTools.has(own)) return 'search';
  if (extension === 'todo') return 'plan';
  if (extension === 'subagent' || extension === 'dynamic_task' || own === 'delegate') return 'subagent';
  return extension === '' || extension === 'developer' || extension === 'platform' ? 'tool_call' : 'mcp';
}
