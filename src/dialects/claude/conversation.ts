import type { ErrorCode } from '../../events/event.ts';
import type { DecoderSink, Json, JsonObject } from '../dialect.ts';
import { codeOfMessage } from '../../faults.ts';
import { asText, compact, count, filled, list, object, string } from '../read.ts';
import { editedPath, editOf, exitCodeOf, kindOf, outputOf, resultStatus } from './tools.ts';
import { growth, isAny, plus, readUsage, type Tokens } from './usage.ts';
import { codeOfWord, finishOf, interruption, synthetic } from './words.ts';

type BlockKind = 'text' | 'reasoning';
interface Place {
  turn_id?: string;
  message_id?: string;
  block_id?: string;
  parent_item_id?: string;
}

/** One call of the model: all lines that share a `message.id`. */
interface Message {
  id: string | undefined;
  parent: string | undefined;
  model: string | undefined;
  usage: Tokens;
  stop: string | undefined;
  calledTools: boolean;
  /** How many blocks of each kind came as deltas, and how many as whole lines. */
  streamed: Record<BlockKind, number>;
  whole: Record<BlockKind, number>;
  streams: Map<number, { kind: BlockKind; place: Place }>;
}

/** What the main thread did since the last result; the result line is judged by it. */
export interface TurnFacts {
  lastText: string | undefined;
  interrupted: boolean;
  refused: boolean;
  /** A hook said that the run may not go on. */
  stopped: boolean;
  /** Why the last message ended. */
  stop: string | undefined;
  /** A failure of the model's side that no later message got over. */
  fault: ErrorCode | undefined;
  active: boolean;
}

const ignoredBlocks = new Set(['redacted_thinking', 'compaction', 'container_upload', 'fallback', 'image', 'document']);

export function conversation(sink: DecoderSink) {
  const messages = new Map<string, Message>();
  const open = new Map<string, { name: string; path: string | undefined }>();
  const denied = new Set<string>();
  let facts = newFacts();
  let subAgents: Tokens = {};
  let mainModel: string | undefined;

  function enter(parent: string | undefined, wire: JsonObject): Message {
    const id = filled(wire.id);
    const known = messages.get(parent ?? '');
    if (known !== undefined && (id === undefined || known.id === id)) return known;
    if (parent === undefined) closeTurn();
    const named = filled(wire.model);
    const message: Message = {
      id,
      parent,
      model: named === synthetic ? undefined : named,
      usage: {},
      stop: undefined,
      calledTools: false,
      streamed: { text: 0, reasoning: 0 },
      whole: { text: 0, reasoning: 0 },
      streams: new Map(),
    };
    messages.set(parent ?? '', message);
    if (parent === undefined) {
      facts.active = true;
      facts.stop = undefined;
      facts.fault = undefined;
      mainModel = message.model ?? mainModel;
      sink.emit({ type: 'turn.started', ...compact({ turn_id: id, model: message.model }) });
    }
    return message;
  }

  /** Lines of one message repeat its usage: only what is new is counted, at once and so live. */
  function countUsage(message: Message, wire: JsonObject): void {
    const now = readUsage(wire);
    const more = growth(now, message.usage);
    if (!isAny(more)) return;
    message.usage = plus(message.usage, more);
    if (message.parent !== undefined) subAgents = plus(subAgents, more);
    sink.emit({ type: 'usage.reported', scope: 'step', ...compact({ model: message.model }), ...more });
  }

  function placeOf(message: Message, kind: BlockKind, number: number): Place {
    const { id, parent } = message;
    const owner = parent === undefined ? id : `${parent}_${id}`;
    return compact({
      turn_id: id,
      message_id: id,
      block_id: id === undefined ? undefined : `${owner}_${kind}_${number}`,
      parent_item_id: parent,
    });
  }

  function say(message: Message, kind: BlockKind, text: string): void {
    const number = message.whole[kind];
    if (text === '') {
      if (message.streamed[kind] > number) message.whole[kind] += 1;
      return;
    }
    message.whole[kind] += 1;
    if (kind === 'text' && message.parent === undefined && text.trim() !== '') facts.lastText = text;
    sink.emit({ type: kind === 'text' ? 'text.completed' : 'reasoning.completed', text, ...placeOf(message, kind, number) });
  }

  function assistant(wire: JsonObject): void {
    const parent = filled(wire.parent_tool_use_id);
    const body = object(wire.message);
    if (wire.aborted === true) facts.interrupted = true;
    const word = filled(wire.error);
    const ownWords = body.model !== synthetic;
    if (!ownWords) {
      // Builds without the `error` field tell a failure by this text alone.
      const text = textOf(body.content);
      if (word !== undefined || text.startsWith('API Error')) return fault(word ?? 'unknown', text, parent);
    }
    const message = enter(parent, body);
    if (ownWords) countUsage(message, object(body.usage));
    setStop(message, body.stop_reason);
    if (typeof body.content === 'string') say(message, 'text', body.content);
    for (const each of list(body.content)) block(message, object(each), wire);
    if (word !== undefined) fault(word, word, parent);
  }

  function setStop(message: Message, raw: Json | undefined): void {
    if (typeof raw !== 'string') return;
    message.stop = raw;
    if (message.parent !== undefined) return;
    facts.stop = raw;
    if (raw === 'refusal') facts.refused = true;
  }

  /** An API failure is told as a text nobody said, with the kind of failure beside it. */
  function fault(word: string, message: string, parent: string | undefined): void {
    const code = codeOfWord(word) ?? codeOfMessage(message);
    if (parent === undefined) {
      facts.active = true;
      facts.fault = code;
    }
    sink.emit({
      type: 'error',
      scope: 'provider',
      code,
      name: word,
      message,
      fatal: parent === undefined,
      ...compact({ item_id: parent }),
    });
  }

  function block(message: Message, wire: JsonObject, line: JsonObject): void {
    const type = string(wire.type) ?? '';
    if (type === 'text') return say(message, 'text', asText(wire.text));
    if (type === 'thinking') return say(message, 'reasoning', asText(wire.thinking));
    if (type === 'tool_use' || type.endsWith('_tool_use')) return startTool(message, type, wire, line);
    if (type.endsWith('_tool_result')) return endServerTool(wire, line);
    if (ignoredBlocks.has(type)) return;
    sink.unknown({ ...line, message: { ...object(line.message), content: [wire] } });
  }

  function startTool(message: Message, type: string, wire: JsonObject, line: JsonObject): void {
    const id = filled(wire.id);
    if (id === undefined) return sink.unknown({ ...line, message: { ...object(line.message), content: [wire] } });
    message.calledTools = true;
    if (open.has(id)) return;
    const name = filled(wire.name) ?? 'unknown';
    open.set(id, { name, path: editedPath(name, wire.input) });
    sink.emit({
      type: 'item.started',
      item_id: id,
      kind: kindOf(name),
      name,
      args: wire.input ?? {},
      ...compact({ native_name: type === 'tool_use' ? undefined : type, turn_id: message.id, parent_item_id: message.parent }),
    });
  }

  function endServerTool(wire: JsonObject, line: JsonObject): void {
    const id = filled(wire.tool_use_id);
    if (id === undefined) return sink.unknown({ ...line, message: { ...object(line.message), content: [wire] } });
    const failed = wire.is_error === true || (string(object(wire.content).type) ?? '').endsWith('_error');
    open.delete(id);
    sink.emit({
      type: 'item.completed',
      item_id: id,
      status: failed ? 'error' : 'success',
      ...compact({ output: outputOf(wire.content) }),
    });
  }

  function user(wire: JsonObject): void {
    const parent = filled(wire.parent_tool_use_id);
    const content = object(wire.message).content;
    const blocks = list(content).map(object);
    const results = blocks.filter((each) => each.type === 'tool_result');
    // The tool's own structured output belongs to the one result of this line.
    const details = results.length === 1 ? object(wire.tool_use_result) : object(undefined);
    for (const each of results) endTool(each, wire.tool_result_meta, details);
    if (results.length > 0) {
      if (messages.get(parent ?? '')?.id === undefined && parent === undefined) closeTurn();
      return;
    }
    prompt(wire, textOf(content), parent);
  }

  function endTool(wire: JsonObject, meta: Json | undefined, details: JsonObject): void {
    const id = filled(wire.tool_use_id);
    if (id === undefined) return;
    const tool = open.get(id);
    open.delete(id);
    messages.delete(id);
    const output = outputOf(wire.content);
    const text = typeof output === 'string' ? output : '';
    let status = resultStatus(id, wire, meta, text);
    if (status === 'error' && denied.has(id)) status = 'denied';
    if (status === 'denied') deny(id);
    sink.emit({
      type: 'item.completed',
      item_id: id,
      status,
      ...compact({
        output,
        exit_code: exitCodeOf(tool?.name ?? '', status === 'error' ? text : '', details),
        duration_ms: count(details.duration_ms) ?? count(details.durationMs) ?? count(details.totalDurationMs),
      }),
    });
    if (status !== 'success') return;
    const edit = editOf(tool?.path, details, output);
    if (edit !== undefined) sink.emit({ type: 'file.edited', ...edit, item_id: id });
  }

  function prompt(wire: JsonObject, text: string, parent: string | undefined): void {
    if (parent !== undefined || text.trim() === '') return;
    if (text.startsWith(interruption)) {
      facts.interrupted = true;
      return;
    }
    const origin = string(object(wire.origin).kind);
    if (wire.isSynthetic === true || (origin !== undefined && origin !== 'human')) return;
    sink.emit({ type: 'prompt.submitted', text });
  }

  function stream(wire: JsonObject): void {
    const parent = filled(wire.parent_tool_use_id);
    const event = object(wire.event);
    switch (event.type) {
      case 'content_block_delta':
        return delta(parent, event, wire);
      case 'message_start': {
        const body = object(event.message);
        const message = enter(parent, body);
        return countUsage(message, object(body.usage));
      }
      case 'content_block_start': {
        const text = filled(object(event.content_block).text);
        if (text !== undefined) piece(parent, event.index, 'text', text);
        return;
      }
      case 'content_block_stop':
        messages.get(parent ?? '')?.streams.delete(indexOf(event.index));
        return;
      case 'message_delta': {
        const message = messages.get(parent ?? '');
        if (message === undefined) return;
        setStop(message, object(event.delta).stop_reason);
        return countUsage(message, object(event.usage));
      }
      case 'error':
        return sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: asText(object(event.error).message) });
      case 'message_stop':
      case 'ping':
        return;
      default:
        return sink.unknown(wire);
    }
  }

  function delta(parent: string | undefined, event: JsonObject, line: JsonObject): void {
    const change = object(event.delta);
    switch (change.type) {
      case 'text_delta':
        return piece(parent, event.index, 'text', asText(change.text));
      case 'thinking_delta':
        return piece(parent, event.index, 'reasoning', asText(change.thinking));
      case 'input_json_delta':
      case 'signature_delta':
      case 'citations_delta':
      case 'compaction_delta':
        return;
      default:
        return sink.unknown(line);
    }
  }

  function piece(parent: string | undefined, index: Json | undefined, kind: BlockKind, text: string): void {
    if (text === '') return;
    const message = messages.get(parent ?? '') ?? enter(parent, {});
    let known = message.streams.get(indexOf(index));
    if (known === undefined || known.kind !== kind) {
      known = { kind, place: placeOf(message, kind, message.streamed[kind]) };
      message.streamed[kind] += 1;
      message.streams.set(indexOf(index), known);
    }
    sink.emit({ type: kind === 'text' ? 'text.delta' : 'reasoning.delta', text, ...known.place });
  }

  /** `stop`: what the result line says of the turn it ends. */
  function closeTurn(stop?: string): void {
    const message = messages.get('');
    if (message === undefined) return;
    messages.delete('');
    sink.emit({ type: 'turn.completed', ...finishOf(message.stop ?? stop, message.calledTools) });
  }

  function deny(id: string): void {
    // A run that is refused a thousand times needs no list of them.
    if (denied.size < 1000) denied.add(id);
  }

  return {
    assistant,
    user,
    stream,
    closeTurn,
    deny,
    isDenied: (id: string): boolean => denied.has(id),
    /** A text that only the result line tells. */
    speak(id: string, text: string): void {
      closeTurn();
      say(enter(undefined, { id }), 'text', text);
    },
    forget: (parent: string): void => void messages.delete(parent),
    facts: (): TurnFacts => facts,
    mainModel: (): string | undefined => mainModel,
    subAgentUsage: (): Tokens => subAgents,
    nextTurn(): void {
      facts = newFacts();
      subAgents = {};
    },
  };
}

function newFacts(): TurnFacts {
  return { lastText: undefined, interrupted: false, refused: false, stopped: false, stop: undefined, fault: undefined, active: false };
}

function indexOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map(object)
    .filter((each) => each.type === 'text')
    .map((each) => asText(each.text))
    .join('\n');
}
