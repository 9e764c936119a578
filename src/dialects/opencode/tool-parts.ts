import type { DecoderSink, JsonObject } from '../dialect.ts';
import { asText, compact, filled, integer, object, string, time } from '../read.ts';
import { editsOf, endOf, kindOf } from '../shared/opencode/parts.ts';
import type { Edits } from './edits.ts';
import { type Lane, newLane } from './lane.ts';
import type { Recent } from './recent.ts';

interface OpenTool {
  /** How much of its output has been shown. */
  shown: number;
  children: string[];
}

/** The calls of a run, from `pending` over `running` to their end, and the sessions of the sub-agents that work for them. */
export class ToolParts {
  /** Sessions of sub-agents, by id. */
  readonly children = new Map<string, Lane>();
  readonly #sink: DecoderSink;
  readonly #done: Recent<true>;
  readonly #edits: Edits;
  readonly #open = new Map<string, OpenTool>();
  /** Calls announced without their arguments. */
  readonly #announced = new Map<string, { wire: JsonObject; lane: Lane }>();
  #lastCommand: string | undefined;

  constructor(sink: DecoderSink, done: Recent<true>, edits: Edits) {
    this.#sink = sink;
    this.#done = done;
    this.#edits = edits;
  }

  update(lane: Lane, wire: JsonObject): void {
    const partId = string(wire.id) ?? '';
    // Providers number calls anew in every session, so a sub-agent's call is known by its part.
    const id = (lane.parent === undefined ? filled(wire.callID) : undefined) ?? filled(wire.id) ?? filled(wire.callID);
    if (id === undefined || (partId !== '' && this.#done.has(partId))) return;
    const state = object(wire.state);
    const name = asText(wire.tool);
    if (state.status === 'pending' && Object.keys(object(state.input)).length === 0) {
      if (!this.#open.has(id)) this.#announced.set(id, { wire, lane });
      return;
    }
    this.#start(lane, id, wire, state);
    const child = filled(object(state.metadata).sessionId);
    if (child !== undefined) this.#adopt(child, id);
    const end = endOf(name, state);
    if (end === undefined) return this.#progress(id, state);
    const to = time(object(state.time).end);
    if (to !== undefined) this.#sink.at(to);
    this.#sink.emit({ type: 'item.completed', item_id: id, ...end });
    this.#done.set(partId, true);
    for (const session of this.#open.get(id)?.children ?? []) this.children.delete(session);
    this.#open.delete(id);
    if (end.status === 'denied') lane.denied = true;
    this.#lastCommand = string(object(state.input).command);
    this.#edits.settle(end.status === 'success' ? editsOf(name, state, id) : []);
  }

  /** A session was created for the call that began last; the call itself will confirm it. */
  adoptByLast(session: string): void {
    const last = [...this.#open.keys()].at(-1);
    if (last !== undefined && !this.children.has(session)) this.#adopt(session, last);
  }

  /** `command.executed`: really that a slash command was run; only the seed tells of commands of the shell. */
  command(properties: JsonObject): void {
    const command = string(properties.command);
    if (command === undefined) return;
    // The call that ran it has told it already.
    const told = command === this.#lastCommand;
    this.#lastCommand = undefined;
    if (told) return;
    const output = [asText(properties.stdout), asText(properties.stderr)].filter((each) => each !== '').join('\n');
    const exit = integer(properties.exitCode);
    const ended = exit === undefined ? '' : ` (exit code ${exit})`;
    this.#sink.emit({ type: 'log', stream: 'agent', level: 'info', text: `$ ${command}${ended}${output === '' ? '' : `\n${output}`}` });
  }

  end(): void {
    for (const [id, { wire, lane }] of this.#announced) this.#start(lane, id, wire, {});
  }

  #start(lane: Lane, id: string, wire: JsonObject, state: JsonObject): void {
    this.#announced.delete(id);
    if (this.#open.has(id)) return;
    this.#open.set(id, { shown: 0, children: [] });
    const from = time(object(state.time).start);
    if (from !== undefined) this.#sink.at(from);
    const name = asText(wire.tool);
    this.#sink.emit({
      type: 'item.started',
      item_id: id,
      kind: kindOf(name),
      name,
      args: state.input ?? {},
      ...compact({ parent_item_id: lane.parent }),
    });
  }

  #adopt(session: string, itemId: string): void {
    if (this.children.get(session)?.parent === itemId) return;
    this.children.set(session, newLane(itemId));
    this.#open.get(itemId)?.children.push(session);
  }

  #progress(id: string, state: JsonObject): void {
    const tool = this.#open.get(id);
    const output = string(object(state.metadata).output);
    if (tool === undefined || output === undefined || output.length <= tool.shown) return;
    this.#sink.emit({ type: 'item.output', item_id: id, chunk: output.slice(tool.shown) });
    tool.shown = output.length;
  }
}
