import type { DecoderSink, JsonObject } from '../../dialect.ts';
import { asText, compact, filled, integer, object, string } from '../../read.ts';
import { tellTime } from '../../shared/opencode/read/time.ts';
import { editsOf, endTool, startTool } from '../../shared/opencode/read/tools.ts';
import type { Edits } from './edits.ts';
import type { Lane } from './lane.ts';
import type { Recent } from './recent.ts';
import type { Sessions } from './sessions.ts';

interface OpenTool {
  /** How much of its output has been shown. */
  shown: number;
  /** The sessions of the sub-agents that work for it. */
  children: string[];
}

/** The calls of a run, from `pending` over `running` to their end. */
export class Tools {
  readonly #sink: DecoderSink;
  readonly #sessions: Sessions;
  readonly #edits: Edits;
  /** Parts that have ended. */
  readonly #done: Recent<true>;
  readonly #open = new Map<string, OpenTool>();
  /** Calls announced without their arguments. */
  readonly #announced = new Map<string, { name: string; lane: Lane }>();
  #lastCommand: string | undefined;

  constructor(sink: DecoderSink, sessions: Sessions, edits: Edits, done: Recent<true>) {
    this.#sink = sink;
    this.#sessions = sessions;
    this.#edits = edits;
    this.#done = done;
  }

  /** A tool part. */
  update(lane: Lane, part: JsonObject): void {
    const partId = string(part.id) ?? '';
    // Providers number calls anew in every session, so a sub-agent's call is known by its part.
    const id = (lane.isMain ? filled(part.callID) : undefined) ?? filled(part.id) ?? filled(part.callID);
    if (id === undefined || (partId !== '' && this.#done.has(partId))) return;
    const state = object(part.state);
    const name = asText(part.tool);
    if (state.status === 'pending' && Object.keys(object(state.input)).length === 0) {
      if (!this.#open.has(id)) this.#announced.set(id, { name, lane });
      return;
    }
    this.#start(lane, id, name, state);
    const child = filled(object(state.metadata).sessionId);
    if (child !== undefined) this.#adopt(child, id);
    const ended = endTool(id, name, state);
    if (ended === undefined) return this.#progress(id, state);
    tellTime(this.#sink, object(state.time).end);
    this.#sink.emit(ended);
    this.#done.set(partId, true);
    this.#sessions.dismiss(this.#open.get(id)?.children ?? []);
    this.#open.delete(id);
    if (ended.status === 'denied') lane.denied = true;
    this.#lastCommand = string(object(state.input).command);
    this.#edits.settle(ended.status === 'success' ? editsOf(name, state, id) : []);
  }

  /** A session was created for the call that began last; the call itself will confirm it. */
  adoptByLast(session: string): void {
    const last = [...this.#open.keys()].at(-1);
    if (last !== undefined && this.#sessions.isNew(session)) this.#adopt(session, last);
  }

  /** `command.executed`: really that a slash command was run; only the documented event tells of commands of the shell. */
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
    for (const [id, { name, lane }] of this.#announced) this.#start(lane, id, name, {});
  }

  #start(lane: Lane, id: string, name: string, state: JsonObject): void {
    this.#announced.delete(id);
    if (this.#open.has(id)) return;
    this.#open.set(id, { shown: 0, children: [] });
    tellTime(this.#sink, object(state.time).start);
    this.#sink.emit({ ...startTool(id, name, state.input ?? {}), ...compact({ parent_item_id: lane.parent }) });
  }

  #adopt(session: string, itemId: string): void {
    if (this.#sessions.adopt(session, itemId)) this.#open.get(itemId)?.children.push(session);
  }

  #progress(id: string, state: JsonObject): void {
    const tool = this.#open.get(id);
    const output = string(object(state.metadata).output);
    if (tool === undefined || output === undefined || output.length <= tool.shown) return;
    this.#sink.emit({ type: 'item.output', item_id: id, chunk: output.slice(tool.shown) });
    tool.shown = output.length;
  }
}
