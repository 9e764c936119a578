import type { EventOf, EventRecord } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { EncoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { unknownName } from '../words.ts';
import type { SizeLimit } from './size-limit.ts';
import type { Call, Step } from './steps.ts';
import { Trajectory } from './trajectory.ts';

interface Known {
  call: Call;
  step: Step;
  owner: Trajectory;
}

/** How many permissions may wait for their call. */
const mostWaiting = 1000;

/** The calls of a run, and who made them. */
export class Tools {
  readonly #sink: EncoderSink;
  readonly #sizeLimit: SizeLimit;
  readonly #root: Trajectory;
  readonly #open = new Map<string, Known>();
  readonly #children = new Map<string, Trajectory>();
  readonly #questions = new Map<string, { item: string | undefined; what: string }>();
  readonly #permissions = new Map<string, JsonObject>();
  /** Edits are reported after the end of the call that made them. */
  #last: Known | undefined;
  /** Edits that no call made. */
  readonly edits: JsonObject[] = [];

  constructor(sink: EncoderSink, sizeLimit: SizeLimit, root: Trajectory) {
    this.#sink = sink;
    this.#sizeLimit = sizeLimit;
    this.#root = root;
  }

  /** The trajectory of the main agent, or of the sub-agent that this call started. */
  ownerOf(parent: string | undefined): Trajectory {
    if (parent === undefined) return this.#root;
    const known = this.#children.get(parent);
    if (known !== undefined) return known;
    const call = this.#known(parent);
    const owner = call?.owner ?? this.#root;
    const child = new Trajectory(`${this.#root.id}/${parent}`, this.#sizeLimit, this.#sink.lose, parent);
    owner.children.push(child);
    call?.call.refs.push(child.id);
    this.#children.set(parent, child);
    return child;
  }

  start(event: EventOf<'item.started'> & EventRecord): void {
    const owner = this.ownerOf(event.parent_item_id);
    const step = owner.agentStep(event.timestamp);
    const { arguments: args, raw } = this.#sizeLimit.args(event.args);
    const permission = this.#permissions.get(event.item_id);
    this.#permissions.delete(event.item_id);
    const call: Call = {
      id: unusedId(event.item_id, step),
      name: event.name,
      arguments: args,
      extra: present({
        kind: event.kind,
        native_name: event.native_name,
        raw_arguments: raw,
        permission,
        synthetic: event.synthetic ? true : undefined,
      }),
      edits: [],
      refs: [],
    };
    this.#sizeLimit.frame();
    step.start(call);
    this.#open.set(event.item_id, { call, step, owner });
  }

  end(event: EventOf<'item.completed'> & EventRecord): void {
    const known = this.#open.get(event.item_id) ?? this.#unknownCall(event);
    this.#open.delete(event.item_id);
    this.#last = known;
    const { call, step } = known;
    // A call that never ended has no result in this format.
    if (event.status === 'abandoned' && event.output === undefined && call.extra['synthetic'] !== true)
      return step.settle();
    call.result = this.#resultOf(event);
    step.end(call);
  }

  #resultOf(event: EventOf<'item.completed'>): NonNullable<Call['result']> {
    const { output, error, status } = event;
    const content = output === undefined || output === null ? error : this.#sizeLimit.json(output, 'tool_output');
    const extra = present({
      is_error: status !== 'success',
      status: status === 'success' || status === 'error' ? undefined : status,
      exit_code: event.exit_code,
      error,
      duration_ms: event.duration_ms,
      branch_id: event.branch_id,
      summary: event.summary,
    });
    return { ...present({ content }), extra };
  }

  edit({ item_id, path, operation, additions, deletions, diff }: EventOf<'file.edited'>): void {
    const change = present({
      path,
      kind: operation,
      additions,
      deletions,
      diff: diff === undefined ? undefined : this.#sizeLimit.text(diff, 'file_edit'),
    });
    const call = item_id === undefined ? undefined : this.#known(item_id)?.call;
    if (this.#sizeLimit.isFull) return this.#sink.lose('file_edit');
    this.#sizeLimit.frame();
    (call?.edits ?? this.edits).push(change);
  }

  ask({ permission_id, item_id, what }: EventOf<'permission.requested'>): void {
    if (this.#questions.size < mostWaiting) this.#questions.set(permission_id, { item: item_id, what });
  }

  /** Returns whether it is written with its call. */
  answer(event: EventOf<'permission.resolved'> & EventRecord): boolean {
    const question = this.#questions.get(event.permission_id);
    this.#questions.delete(event.permission_id);
    const item = event.item_id ?? question?.item;
    if (item === undefined) return false;
    const { permission_id: id, decision, by, timestamp } = event;
    const permission = present({ id, what: question?.what, decision, by, at: timestamp ?? undefined });
    const known = this.#known(item);
    if (known !== undefined) known.call.extra['permission'] = permission;
    else if (this.#permissions.size < mostWaiting) this.#permissions.set(item, permission);
    return known !== undefined || this.#permissions.has(item);
  }

  #known(item: string): Known | undefined {
    return this.#open.get(item) ?? (this.#last?.call.id === item ? this.#last : undefined);
  }

  #unknownCall({ item_id, timestamp }: EventOf<'item.completed'> & EventRecord): Known {
    const step = this.#root.orphanStep(timestamp);
    const call: Call = {
      id: unusedId(item_id, step),
      name: unknownName,
      arguments: {},
      extra: { synthetic: true },
      edits: [],
      refs: [],
    };
    step.start(call);
    return { call, step, owner: this.#root };
  }
}

/** Two calls with the same id in one step could not be distinguished. */
function unusedId(id: string, step: Step): string {
  return step.has(id) ? `${id}#${step.calls.length}` : id;
}
