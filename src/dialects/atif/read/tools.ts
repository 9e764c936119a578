import type { ItemKind, ItemStatus } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { asText, count, filled, integer, list, object, string, whole, wordIn } from '../../../json/read.ts';
import { nearestWord } from '../../../words/nearest.ts';
import { kindIn } from '../../kit/tool-kinds.ts';
import { isKind, isOperation, isStatus, toolKinds, unknownName } from '../words.ts';
import { textOf } from './content.ts';
import { extraOf } from './whole.ts';

interface Trajectory {
  parent: string | undefined;
  used: Set<string>;
}

/** The trajectories of sub-agents, by their ids. */
interface Children {
  has(id: string): boolean;
  read(id: string, item: string): void;
}

interface Call {
  item: string;
  name: string;
  isEnded: boolean;
}

const lookingTools = Object.keys(toolKinds).filter((name) => ['read', 'search', 'web'].includes(toolKinds[name] ?? ''));
const mostNames = 1000;

/** The calls of a trajectory, step by step. */
export class Tools {
  readonly #sink: DecoderSink;
  readonly #place: Trajectory;
  readonly #children: Children;
  /** Our item ids, by call ids that are unique only within their step. */
  readonly #items = new Map<string, string>();
  /** Calls whose step did not have their result. */
  readonly #waiting = new Map<string, Call>();
  /** By the names of tools: comparing names takes time. */
  readonly #kinds = new Map<string, ItemKind>();

  constructor(sink: DecoderSink, place: Trajectory, children: Children) {
    this.#sink = sink;
    this.#place = place;
    this.#children = children;
  }

  read(wires: readonly JsonObject[], results: readonly JsonObject[]): void {
    const calls = new Map<string, Call>();
    for (const wire of wires) {
      const id = asText(wire.tool_call_id);
      calls.set(id, { item: this.#start(wire, id), name: asText(wire.function_name), isEnded: false });
    }
    const waiting = calls.values();
    for (const result of results) this.#end(result, this.#callOf(result, calls, waiting));
    for (const [id, call] of calls) if (!call.isEnded) this.#waiting.set(id, call);
  }

  /** Results in a step that has no calls. */
  endEarlier(results: readonly JsonObject[]): void {
    for (const result of results) {
      const id = string(result.source_call_id) ?? this.#waiting.keys().next().value;
      this.#end(result, id === undefined ? undefined : this.#earlier(id));
    }
  }

  /** The item of a call that was read before. */
  known(id: string | undefined): string | undefined {
    return id === undefined ? undefined : this.#items.get(id);
  }

  /** A call that the document lacks, for a sub-agent that it has. */
  start(id: string): string {
    return this.#start({ function_name: unknownName, extra: { kind: 'subagent' } }, id);
  }

  /** A result without a call id belongs to the first call that has no result yet. */
  #callOf(result: JsonObject, calls: ReadonlyMap<string, Call>, waiting: Iterator<Call>): Call | undefined {
    const source = string(result.source_call_id);
    if (source !== undefined) return calls.get(source) ?? this.#earlier(source);
    for (let next = waiting.next(); next.done !== true; next = waiting.next())
      if (!next.value.isEnded) return next.value;
    return undefined;
  }

  #earlier(id: string): Call | undefined {
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    return call;
  }

  #start(wire: JsonObject, id: string): string {
    const { parent, used } = this.#place;
    const extra = object(wire.extra);
    const name = asText(wire.function_name);
    const item_id = unusedId(id === '' ? 'call' : id, used);
    this.#items.set(id, item_id);
    const raw = object(wire.arguments);
    this.#sink.emit({
      type: 'item.started',
      item_id,
      kind: isKind(extra.kind) ? extra.kind : this.#kindOf(name),
      name,
      args: extra.raw_arguments ?? raw,
      ...present({ native_name: filled(extra.native_name), parent_item_id: parent }),
    });
    this.#permission(object(extra.permission), item_id, name);
    return item_id;
  }

  /** A name that is nearly that of a tool which only looks does not show that anything was done. */
  #kindOf(name: string): ItemKind {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    const near = Object.hasOwn(toolKinds, name) ? undefined : nearestWord(name, lookingTools);
    const kind = kindIn(toolKinds, near ?? name);
    if (this.#kinds.size < mostNames) this.#kinds.set(name, kind);
    return kind;
  }

  #permission(wire: JsonObject, item_id: string, what: string): void {
    const { decision } = wire;
    if (decision !== 'allowed' && decision !== 'denied') return;
    const permission_id = filled(wire.id) ?? `${item_id}_permission`;
    this.#sink.emit({ type: 'permission.requested', permission_id, item_id, what: filled(wire.what) ?? what });
    const by = wordIn(byWhom, asText(wire.by));
    this.#sink.emit({ type: 'permission.resolved', permission_id, item_id, decision, ...present({ by }) });
  }

  #end(result: JsonObject, call: Call | undefined): void {
    const refs = list(result.subagent_trajectory_ref).map((ref) => asText(object(ref).trajectory_id));
    const content = result.content === undefined || result.content === null ? undefined : textOf(result.content);
    if (call === undefined) {
      if (content !== undefined && content !== '')
        this.#sink.emit({ type: 'log', stream: 'agent', level: 'info', text: content });
      return;
    }
    call.isEnded = true;
    for (const id of refs) if (this.#children.has(id)) this.#children.read(id, call.item);
    const extra = extraOf(result);
    const error = string(extra.error);
    this.#sink.emit({
      type: 'item.completed',
      item_id: call.item,
      status: statusOf(extra),
      ...present({
        // An error without any output is written in its place.
        output: content === error ? undefined : content,
        error,
        exit_code: integer(extra.exit_code),
        duration_ms: count(extra.duration_ms),
        branch_id: filled(extra.branch_id),
        summary: string(extra.summary),
      }),
    });
    readEdits(extra.file_changes, this.#sink, call.item);
  }
}

const byWhom: Readonly<Record<string, 'user' | 'rule' | 'agent' | 'runner'>> = {
  user: 'user',
  rule: 'rule',
  agent: 'agent',
  runner: 'runner',
};

/** What other writers call a success. */
const good = /^(?:success(?:ful)?|succeeded|completed?|ok|done|finished|passed)?$/i;

/** A result has no status field: only `extra` can say that it failed. */
function statusOf(extra: JsonObject): ItemStatus {
  const { status } = extra;
  if (isStatus(status)) return status;
  const code = integer(extra.exit_code);
  if (typeof status === 'string' && code === undefined && !good.test(status)) return 'error';
  return extra.is_error === true || (extra.is_error === undefined && code !== undefined && code !== 0)
    ? 'error'
    : 'success';
}

export function readEdits(changes: Json | undefined, sink: DecoderSink, item_id?: string): void {
  for (const change of list(changes).map(object)) {
    const path = string(change.path);
    if (path === undefined) continue;
    sink.emit({
      type: 'file.edited',
      path,
      operation: isOperation(change.kind) ? change.kind : 'modified',
      ...present({
        item_id,
        additions: whole(change.additions),
        deletions: whole(change.deletions),
        diff: string(change.diff),
      }),
    });
  }
}

/** The same id may be used for calls of several steps, and of sub-agents. */
function unusedId(id: string, used: Set<string>): string {
  const free = used.has(id) ? `${id}#${used.size}` : id;
  used.add(free);
  return free;
}
