import { eventIn } from '../../../events/check.ts';
import type { Draft, ItemStatus } from '../../../events/event.ts';
import { subject } from '../../../events/subject.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, filled, integer, isObject, list, object, string, wordIn } from '../../../json/read.ts';
import { Recent } from '../../kit/recent.ts';
import { wireKinds } from '../words.ts';
import { editsOf, pathsOf, textOf } from './edits.ts';
import type { Heard } from './heard.ts';
import { ownMetaOf } from './meta.ts';
import { nameOf } from './tool-name.ts';

/** How many ended calls are remembered: later updates about them are nothing new. */
const remembered = 1000;

/** Kinds of calls whose output an answer may quote; that of a sub-agent may be a failure that the agent shares. */
const quotable: ReadonlySet<string> = new Set(['read', 'search', 'execute', 'fetch']);

interface Call {
  id: string;
  title: string;
  name: string | undefined;
  kind: string | undefined;
  input: Json | undefined;
  locations: readonly Json[];
  contents: readonly Json[];
  /** What it has shown so far. */
  shown: string;
  isStarted: boolean;
}

/** A call is announced once, then patched: fields missing from an update stay as they were. */
export class Tools {
  readonly #sink: DecoderSink;
  readonly #heard: Heard;
  readonly #calls = new Map<string, Call>();
  /** By id, the turn in which each ended: in a later one an agent may use the id again. */
  readonly #ended = new Recent<number>(remembered);
  #turn = 0;
  /** The agent's plan, open until its turn ends. */
  #plan: Json | undefined;
  #plans = 0;
  #isCancelled = false;

  constructor(sink: DecoderSink, heard: Heard) {
    this.#sink = sink;
    this.#heard = heard;
  }

  /** A `tool_call` or a `tool_call_update`. Agents announce a call before they know its arguments. */
  tell(id: string, update: JsonObject, agent: string | undefined): void {
    const own = ownMetaOf(update);
    if (own !== undefined) return this.#tellOwn(id, update, own);
    if (update.sessionUpdate === 'tool_call') this.#forgetEarlier(id);
    if (this.#ended.has(id)) return;
    const call = this.#patch(id, update, agent);
    const { status } = update;
    const isEnd = status === 'completed' || status === 'failed';
    if (isEnd || status === 'in_progress' || isWhole(call)) this.#start(call);
    if (isEnd) return this.#end(call, status === 'completed', update.rawOutput);
    // The content of the announcement describes the call; later content is its output.
    if (call.isStarted && update.sessionUpdate === 'tool_call_update') this.#progress(call);
  }

  /** Permission is requested for a call, perhaps before it was announced. Returns what it is about. */
  inQuestion(
    id: string,
    update: JsonObject,
    agent: string | undefined,
  ): { name: string; pattern: string | undefined; title: string } {
    this.#forgetEarlier(id);
    const call = this.#patch(id, update, agent);
    if (!this.#ended.has(id)) this.#start(call);
    const pattern = subject(argsOf(call));
    return { name: this.#nameOf(call), pattern: pattern === '' ? undefined : pattern, title: call.title };
  }

  #forgetEarlier(id: string): void {
    if (this.#ended.get(id) !== this.#turn) this.#ended.delete(id);
  }

  /** Not all agents report the end of a call that was refused. */
  refused(id: string, status: ItemStatus): void {
    const call = this.#calls.get(id);
    if (call !== undefined) this.#complete(call, { status });
  }

  /** From now until the turn ends, commands are cut off; agents report them as completed or failed. */
  cancel(): void {
    this.#isCancelled = true;
  }

  /** The plan, complete each time. */
  planned(entries: Json): void {
    const item_id = `plan_${this.#plan === undefined ? ++this.#plans : this.#plans}`;
    if (this.#plan === undefined)
      this.#sink.emit({ type: 'item.started', item_id, kind: 'plan', name: 'plan', args: { entries } });
    else this.#sink.emit({ type: 'item.output', item_id, stream: 'progress', chunk: JSON.stringify(entries) });
    this.#plan = entries;
  }

  endTurn(): void {
    this.#isCancelled = false;
    this.#turn += 1;
    for (const call of this.#calls.values()) this.#start(call);
    this.#calls.clear();
    if (this.#plan !== undefined)
      this.#sink.emit({
        type: 'item.completed',
        item_id: `plan_${this.#plans}`,
        status: 'success',
        output: { entries: this.#plan },
      });
    this.#plan = undefined;
  }

  #patch(id: string, update: JsonObject, agent: string | undefined): Call {
    const before = this.#calls.get(id);
    const call: Call = {
      id,
      title: string(update.title) ?? before?.title ?? '',
      name: before?.name ?? nameOf(id, update, agent),
      kind: filled(update.kind) ?? before?.kind,
      input: hasFields(update.rawInput) || typeof update.rawInput === 'string' ? update.rawInput : before?.input,
      locations: Array.isArray(update.locations) ? update.locations : (before?.locations ?? []),
      contents: Array.isArray(update.content) ? update.content : (before?.contents ?? []),
      shown: before?.shown ?? '',
      isStarted: before?.isStarted ?? false,
    };
    if (!this.#ended.has(id)) this.#calls.set(id, call);
    return call;
  }

  #start(call: Call): void {
    if (call.isStarted) return;
    call.isStarted = true;
    const kind = wordIn(wireKinds, call.kind ?? '') ?? 'tool_call';
    this.#sink.emit({ type: 'item.started', item_id: call.id, kind, name: this.#nameOf(call), args: argsOf(call) });
  }

  #nameOf({ name, kind, title }: Call): string {
    return name ?? (kind === undefined || kind === 'other' ? this.#sink.quote(title, 80, '') || 'unknown' : kind);
  }

  /** Contents are sent in full each time: emits only what is new in a growing text. */
  #progress(call: Call): void {
    const text = textOf(call.contents);
    if (text === call.shown) return;
    const chunk = text.startsWith(call.shown) ? text.slice(call.shown.length) : text;
    call.shown = text;
    if (chunk !== '') this.#sink.emit({ type: 'item.output', item_id: call.id, chunk });
  }

  #end(call: Call, isGood: boolean, rawOutput: Json | undefined): void {
    const exit_code = exitCodeIn(rawOutput);
    const isCut = this.#isCancelled && call.kind === 'execute';
    const output = outputOf(rawOutput, call.contents);
    if (quotable.has(call.kind ?? '')) this.#heard.hear(asText(output));
    const status = isCut ? 'cancelled' : isGood && (exit_code ?? 0) === 0 ? 'success' : 'error';
    this.#complete(call, { status, ...present({ output, exit_code }) });
    if (!isGood) return;
    const { id: itemId, kind, contents, locations } = call;
    const edits = editsOf({ itemId, kind, contents, locations, args: object(argsOf(call)), rawOutput });
    for (const edit of edits) this.#sink.emit(edit);
  }

  #complete({ id }: Call, end: Omit<Extract<Draft, { type: 'item.completed' }>, 'type' | 'item_id'>): void {
    this.#calls.delete(id);
    this.#ended.set(id, this.#turn);
    this.#sink.emit({ type: 'item.completed', item_id: id, ...end });
  }

  /** A call that Runwire wrote contains all details. */
  #tellOwn(id: string, { rawInput, rawOutput, content }: JsonObject, own: JsonObject): void {
    const item: JsonObject = { ...object(own.item), item_id: id };
    if (item.type === 'item.started') item.args = rawInput ?? null;
    if (own.hasOutput === true) item.output = rawOutput === undefined ? textOf(list(content)) : rawOutput;
    const event = eventIn(item);
    if (event?.type === 'item.started' || event?.type === 'item.output' || event?.type === 'item.completed')
      this.#sink.emit(event);
  }
}

/** Whether the arguments are complete: a command may come later than its working directory. */
function isWhole({ input, kind }: Call): boolean {
  return hasFields(input) && (kind !== 'execute' || 'command' in object(input));
}

function hasFields(input: Json | undefined): boolean {
  return isObject(input) ? Object.keys(input).length > 0 : list(input).length > 0;
}

/** The arguments of a call; if an agent does not report them, its path and title. */
function argsOf({ input, kind, title, locations }: Call): Json {
  if (input !== undefined) return input;
  const [path] = pathsOf(locations, {});
  if (kind === 'execute') return title === '' ? {} : { command: title };
  return present({ path, title: title === '' ? undefined : title });
}

function exitCodeIn(rawOutput: Json | undefined): number | undefined {
  const result = object(rawOutput);
  return integer(result.exitCode) ?? integer(result.exit_code) ?? integer(object(result.metadata).exit);
}

function outputOf(rawOutput: Json | undefined, contents: readonly Json[]): Json | undefined {
  const text = textOf(contents);
  if (rawOutput === undefined || rawOutput === null || rawOutput === '') return text === '' ? undefined : text;
  return isObject(rawOutput) && typeof rawOutput.output === 'string' ? asText(rawOutput.output) : rawOutput;
}
