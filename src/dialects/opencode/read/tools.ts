import { OpenIds } from '../../../ids/open-ids.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { asText, filled, integer, object, string } from '../../../json/read.ts';
import { tellTime } from '../../kit/time.ts';
import { editsOf, endTool, startTool } from '../../shared/opencode/read/tools.ts';
import type { Edits } from './edits.ts';
import type { Lane } from './lane.ts';
import type { Recent } from '../../kit/recent.ts';
import type { Sessions } from './sessions.ts';

interface OpenTool {
  id: string;
  /** How much of its output has been shown. */
  shown: number;
  /** The sessions of the sub-agents that it started. */
  children: Set<string> | undefined;
  /** The open calls that began just before and after this one. */
  before: OpenTool | undefined;
  after: OpenTool | undefined;
}

/** No call has more sub-agents than this. */
const maxChildren = 100;

/** The tool calls of a run, from `pending` via `running` to their end. */
export class Tools {
  readonly #sink: DecoderSink;
  readonly #sessions: Sessions;
  readonly #edits: Edits;
  /** Parts that have ended. */
  readonly #done: Recent<true>;
  readonly #open = new OpenIds<OpenTool>();
  /** The open call that began last. */
  #last: OpenTool | undefined;
  /** Calls announced without their arguments. */
  readonly #announced = new Map<string, { name: string; lane: Lane }>();
  #lastCommand: string | undefined;
  readonly #nameless: Nameless;

  constructor(sink: DecoderSink, sessions: Sessions, edits: Edits, done: Recent<true>) {
    this.#sink = sink;
    this.#nameless = new Nameless(sink);
    this.#sessions = sessions;
    this.#edits = edits;
    this.#done = done;
  }

  /** A tool part. */
  update(lane: Lane, part: JsonObject): void {
    const partId = string(part.id) ?? '';
    // Providers restart call numbers in every session, so a sub-agent's call is identified by its part.
    const given = (lane.isMain ? filled(part.callID) : undefined) ?? filled(part.id) ?? filled(part.callID);
    if (partId !== '' && this.#done.has(partId)) return;
    const state = object(part.state);
    const name = asText(part.tool);
    const id = given ?? this.#nameless.idOf(lane, name);
    if (state.status === 'pending' && Object.keys(object(state.input)).length === 0) {
      if (!this.#open.has(id)) this.#announced.set(id, { name, lane });
      return;
    }
    const tool = this.#start(lane, id, name, state);
    const child = filled(object(state.metadata).sessionId);
    if (child !== undefined) this.#adopt(child, tool);
    const ended = endTool(id, name, state);
    if (ended === undefined) return this.#progress(tool, state);
    tellTime(this.#sink, object(state.time).end);
    this.#sink.emit(ended);
    if (partId !== '') this.#done.set(partId, true);
    if (given === undefined) this.#nameless.end(lane, name);
    this.#close(tool);
    if (ended.status === 'denied') lane.denied = true;
    this.#lastCommand = string(object(state.input).command);
    this.#edits.settle(ended.status === 'success' ? editsOf(name, state, id) : []);
  }

  /** A session was created for the call that began last; the call itself will confirm it. */
  adoptByLast(session: string): void {
    if (this.#last !== undefined && this.#sessions.isNew(session)) this.#adopt(session, this.#last);
  }

  /** `command.executed`: in practice, a slash command was run; only the documented event reports shell commands. */
  command(properties: JsonObject): void {
    const command = string(properties.command);
    if (command === undefined) return;
    // The call that ran it has reported it already.
    const isRepeated = command === this.#lastCommand;
    this.#lastCommand = undefined;
    if (isRepeated) return;
    const output = [asText(properties.stdout), asText(properties.stderr)].filter((each) => each !== '').join('\n');
    const exit = integer(properties.exitCode);
    const ended = exit === undefined ? '' : ` (exit code ${exit})`;
    this.#sink.emit({
      type: 'log',
      stream: 'agent',
      level: 'info',
      text: `$ ${command}${ended}${output === '' ? '' : `\n${output}`}`,
    });
  }

  end(): void {
    for (const [id, { name, lane }] of this.#announced) this.#start(lane, id, name, {});
  }

  #start(lane: Lane, id: string, name: string, state: JsonObject): OpenTool {
    this.#announced.delete(id);
    const known = this.#open.get(id);
    if (known !== undefined) return known;
    const tool: OpenTool = { id, shown: 0, children: undefined, before: this.#last, after: undefined };
    if (this.#last !== undefined) this.#last.after = tool;
    this.#last = tool;
    this.#open.set(id, tool);
    tellTime(this.#sink, object(state.time).start);
    this.#sink.emit({ ...startTool(id, name, state.input ?? {}), ...present({ parent_item_id: lane.parent }) });
    return tool;
  }

  #close(tool: OpenTool): void {
    if (tool.children !== undefined) this.#sessions.dismiss(tool.children);
    this.#open.delete(tool.id);
    if (tool.before !== undefined) tool.before.after = tool.after;
    if (tool.after !== undefined) tool.after.before = tool.before;
    else this.#last = tool.before;
  }

  #adopt(session: string, tool: OpenTool): void {
    tool.children ??= new Set();
    if (tool.children.size < maxChildren && this.#sessions.adopt(session, tool.id)) tool.children.add(session);
  }

  #progress(tool: OpenTool, state: JsonObject): void {
    const output = string(object(state.metadata).output);
    if (output === undefined || output.length <= tool.shown) return;
    this.#sink.emit({ type: 'item.output', item_id: tool.id, chunk: output.slice(tool.shown) });
    tool.shown = output.length;
  }
}

/** Calls whose parts have no id: until one has ended, the parts of the same tool in the same session are about it. */
class Nameless {
  readonly #sink: DecoderSink;
  readonly #open = new OpenIds<string>();
  #count = 0;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  idOf(lane: Lane, tool: string): string {
    const key = keyOf(lane, tool);
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    this.#sink.note('guessed', 'tool part without an id');
    this.#count += 1;
    const id = `unnamed_${this.#count}`;
    this.#open.set(key, id);
    return id;
  }

  end(lane: Lane, tool: string): void {
    this.#open.delete(keyOf(lane, tool));
  }
}

function keyOf({ parent = '' }: Lane, tool: string): string {
  return `${parent} ${tool}`;
}
