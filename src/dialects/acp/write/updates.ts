import type { EventOf, EventRecord } from '../../../events/event.ts';
import { subject } from '../../../events/subject.ts';
import { present } from '../../../json/present.ts';
import type { Loss } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { lossOf } from '../../kit/losses.ts';
import { asText, object } from '../../../json/read.ts';
import { Recent } from '../../kit/recent.ts';
import { pathsOf } from '../read/edits.ts';
import { isCarried } from '../read/meta.ts';
import { kindOnWire, ownMeta } from '../words.ts';
import { diffOf } from './diff.ts';
import { planOf } from './plan.ts';

const longestTitle = 200;
/** For how many calls diffs are kept until their end. */
const mostDiffs = 1000;
/** Contents are sent in full each time: if a call changes more files than this, an editor sees only the first ones. */
const mostShown = 20;

export interface UpdateSink {
  /** Takes what goes into `session/update`. */
  update(update: JsonObject): void;
  lose(what: Loss): void;
}

type TextEvent = EventOf<'text.delta' | 'reasoning.delta' | 'text.completed' | 'reasoning.completed'>;

/** Records as session updates: in ACP's own terms where it has them, otherwise in `_meta.runwire`. */
export class Updates {
  readonly #sink: UpdateSink;
  /** The block that a reader has open, by the call that it belongs to. */
  readonly #open = new Map<string, { block: string; kind: string; message: string | undefined; isOver: boolean }>();
  readonly #diffs = new Recent<JsonObject[]>(mostDiffs);
  #cwd = '';

  constructor(sink: UpdateSink) {
    this.#sink = sink;
  }

  record(event: EventRecord): void {
    switch (event.type) {
      case 'thread.started':
        this.#cwd = event.cwd ?? '';
        return;
      case 'text.delta':
      case 'reasoning.delta':
        return this.#say(event);
      case 'text.completed':
      case 'reasoning.completed':
        return this.#textSource(event);
      case 'item.started':
        return this.#start(event);
      case 'item.output':
        return this.#call(event.item_id, { _meta: own({ item: eventOf(event) }) });
      case 'item.completed':
        return this.#end(event);
      case 'file.edited':
        this.#carry(event);
        return this.#show(event);
      case 'agent.finished':
      case 'thread.completed':
        return;
      default:
        if (isCarried(event.type)) this.#carry(event);
        else this.#sink.lose(lossOf[event.type]);
    }
  }

  #say(event: TextEvent): void {
    const { parent_item_id: parent, block_id: block, message_id, turn_id, text } = event;
    const kind = event.type === 'text.delta' ? 'agent_message_chunk' : 'agent_thought_chunk';
    const message = message_id === turn_id ? undefined : message_id;
    const open = this.#open.get(parent ?? '');
    const isNew = open !== undefined && open.block !== block && open.kind === kind && open.message === message;
    this.#open.set(parent ?? '', { block, kind, message, isOver: false });
    const meta = present({ parent, isNew: isNew ? true : undefined });
    this.#sink.update({
      sessionUpdate: kind,
      content: { type: 'text', text },
      ...present({ messageId: message }),
      ...(Object.keys(meta).length === 0 ? {} : { _meta: own(meta) }),
    });
  }

  #textSource({ parent_item_id, block_id }: TextEvent): void {
    const open = this.#open.get(parent_item_id ?? '');
    if (open?.block === block_id) open.isOver = true;
  }

  #start(event: EventOf<'item.started'>): void {
    const { item_id, kind, name, args } = event;
    const { args: _args, ...item } = eventOf(event);
    this.#open.delete('');
    this.#sink.update({
      sessionUpdate: 'tool_call',
      toolCallId: item_id,
      title: titleOf(event),
      name,
      kind: kindOnWire[kind],
      status: 'in_progress',
      rawInput: args,
      locations: pathsOf([], object(args)).map((path) => ({ path: this.#absolute(path) })),
      _meta: own({ item }),
    });
    const entries = planOf(event);
    if (entries !== undefined) this.#sink.update({ sessionUpdate: 'plan', entries, _meta: own({}) });
  }

  #end(event: EventOf<'item.completed'>): void {
    const { item_id, status, output, error } = event;
    const { output: _output, ...item } = eventOf(event);
    const shown = output === undefined ? error : asText(output);
    const diffs = this.#diffs.get(item_id) ?? [];
    this.#diffs.delete(item_id);
    this.#call(item_id, {
      status: status === 'success' ? 'completed' : 'failed',
      content: [
        ...diffs,
        ...(shown === undefined ? [] : [{ type: 'content', content: { type: 'text', text: shown } }]),
      ],
      ...(output === undefined || typeof output === 'string' ? {} : { rawOutput: output }),
      _meta: own({ item, ...(output === undefined ? {} : { hasOutput: true }) }),
    });
  }

  /** Editors show a change beside the call that made it. */
  #show({ item_id, path, diff }: EventOf<'file.edited'>): void {
    if (item_id === undefined || diff === undefined) return;
    const before = this.#diffs.get(item_id) ?? [];
    const shown = before.length < mostShown ? diffOf(this.#absolute(path), diff) : undefined;
    if (shown === undefined) return;
    const content = [...before, shown];
    this.#diffs.set(item_id, content);
    this.#call(item_id, { content, _meta: own({}) });
  }

  #call(toolCallId: string, fields: JsonObject): void {
    this.#sink.update({ sessionUpdate: 'tool_call_update', toolCallId, ...fields });
  }

  #carry(event: EventRecord): void {
    const open = this.#open.get('');
    if (open?.isOver === true) this.#open.delete('');
    this.#sink.update({
      sessionUpdate: 'session_info_update',
      _meta: own({ event: eventOf(event), ...(open?.isOver === true ? { ends: true } : {}) }),
    });
  }

  #absolute(path: string): string {
    return path.startsWith('/') || this.#cwd === '' ? path : `${this.#cwd.replace(/\/$/, '')}/${path}`;
  }
}

function own(value: JsonObject): JsonObject {
  return { [ownMeta]: value };
}

/** An event without its place in the run. */
function eventOf(event: EventRecord | EventOf<'item.started' | 'item.completed'>): Record<string, Json> {
  const {
    sequence: _sequence,
    timestamp: _time,
    thread_id: _thread,
    source: _source,
    synthetic: _synthetic,
    ...rest
  } = event as EventRecord;
  return present(rest) as Record<string, Json>;
}

/** One line for people. */
function titleOf({ kind, name, args }: EventOf<'item.started'>): string {
  const about = subject(args).replaceAll(/\s+/g, ' ').trim().slice(0, longestTitle).toWellFormed();
  if (about === '') return name;
  return kind === 'command' ? about : `${name} ${about}`;
}
