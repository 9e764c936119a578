import type { EventOf } from '../../../events/event.ts';
import { present } from '../../../json/present.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { Usage } from './usage.ts';

/** One call and its result. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly extra: JsonObject;
  /** Unset: it has not ended. */
  result?: { content?: string; extra: JsonObject };
  readonly edits: JsonObject[];
  /** The trajectories of the sub-agents that it started. */
  readonly refs: string[];
}

/** One step while it is built: a model's answer with its calls, or a message by someone else. */
export class Step {
  readonly source: 'system' | 'user' | 'agent';
  readonly timestamp: string | null;
  readonly texts: string[] = [];
  readonly reasoning: string[] = [];
  readonly calls: Call[] = [];
  readonly #ids = new Set<string>();
  /** In the order in which they ended. */
  readonly ended: Call[] = [];
  readonly extra: JsonObject = {};
  messageId: string | undefined;
  model: string | undefined;
  /** The step was made for results whose calls are not known. */
  isOrphan = false;
  #open = 0;
  readonly #usage = new Usage();

  constructor(source: Step['source'], timestamp: string | null) {
    this.source = source;
    this.timestamp = timestamp;
  }

  /** All calls that it made have ended: what follows is the next answer. */
  get isAnswered(): boolean {
    return this.calls.length > 0 && this.#open === 0;
  }

  get hasUsage(): boolean {
    return !this.#usage.isEmpty;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  start(call: Call): void {
    this.calls.push(call);
    this.#ids.add(call.id);
    this.#open += 1;
  }

  end(call: Call): void {
    this.ended.push(call);
    this.settle();
  }

  /** A call that will never get a result. */
  settle(): void {
    this.#open -= 1;
  }

  use(usage: EventOf<'usage.reported'>): void {
    this.#usage.see(usage);
    this.model ??= usage.model;
  }

  wire(id: number): JsonObject {
    const extra = present({ ...this.extra, message_id: this.messageId });
    return present({
      step_id: id,
      timestamp: this.timestamp ?? undefined,
      source: this.source,
      message: this.texts.join('\n'),
      model_name: this.model,
      reasoning_content: this.reasoning.length === 0 || this.isOrphan ? undefined : this.reasoning.join('\n'),
      tool_calls: this.calls.length === 0 ? undefined : this.calls.map(callWire),
      observation: this.ended.length === 0 ? undefined : { results: this.ended.map(resultWire) },
      metrics: this.isOrphan ? undefined : this.#usage.write(),
      llm_call_count: this.isOrphan ? 0 : this.#usage.modelCalls || undefined,
      extra: Object.keys(extra).length === 0 ? undefined : extra,
    });
  }
}

function callWire({ id, name, arguments: args, extra }: Call): JsonObject {
  return {
    tool_call_id: id,
    function_name: name,
    arguments: args,
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function resultWire({ id, result, edits, refs }: Call): JsonObject {
  const extra = { ...result?.extra, ...(edits.length === 0 ? {} : { file_changes: edits as Json[] }) };
  return present({
    source_call_id: id,
    content: result?.content,
    subagent_trajectory_ref: refs.length === 0 ? undefined : refs.map((trajectory_id) => ({ trajectory_id })),
    extra,
  });
}
