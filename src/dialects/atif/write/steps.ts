import type { EventOf } from '../../../events/event.ts';
import type { Json, JsonObject } from '../../dialect.ts';
import { compact } from '../../read.ts';

type Usage = EventOf<'usage.reported'>;

/** One call, and what came of it. */
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

/** One step on its way: a model's answer with its calls, or what somebody else said. */
export class Step {
  readonly source: 'system' | 'user' | 'agent';
  readonly timestamp: string | null;
  readonly texts: string[] = [];
  readonly reasoning: string[] = [];
  readonly calls: Call[] = [];
  readonly #ids = new Set<string>();
  /** In the order of their ends. */
  readonly ended: Call[] = [];
  readonly extra: JsonObject = {};
  messageId: string | undefined;
  model: string | undefined;
  /** It was made for results whose calls are not known. */
  isOrphan = false;
  #open = 0;
  #usage: Usage | undefined;
  #modelCalls = 0;

  constructor(source: Step['source'], timestamp: string | null) {
    this.source = source;
    this.timestamp = timestamp;
  }

  /** All calls that it made have ended: what follows is the next answer. */
  get isAnswered(): boolean {
    return this.calls.length > 0 && this.#open === 0;
  }

  get hasUsage(): boolean {
    return this.#usage !== undefined;
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

  /** A call that nobody will hear of any more. */
  settle(): void {
    this.#open -= 1;
  }

  use(usage: Usage): void {
    this.#modelCalls += usage.scope === 'step' ? 1 : 0;
    this.#usage = this.#usage === undefined ? usage : sumOf(this.#usage, usage);
    this.model ??= usage.model;
  }

  wire(id: number): JsonObject {
    const extra = compact({ ...this.extra, message_id: this.messageId });
    return compact({
      step_id: id,
      timestamp: this.timestamp ?? undefined,
      source: this.source,
      message: this.texts.join('\n'),
      model_name: this.model,
      reasoning_content: this.reasoning.length === 0 || this.isOrphan ? undefined : this.reasoning.join('\n'),
      tool_calls: this.calls.length === 0 ? undefined : this.calls.map(callWire),
      observation: this.ended.length === 0 ? undefined : { results: this.ended.map(resultWire) },
      metrics: this.isOrphan ? undefined : this.#metrics(),
      llm_call_count: this.isOrphan ? 0 : this.#modelCalls > 0 ? this.#modelCalls : undefined,
      extra: Object.keys(extra).length === 0 ? undefined : extra,
    });
  }

  #metrics(): JsonObject | undefined {
    const usage = this.#usage;
    if (usage === undefined) return undefined;
    const extra = compact({ ...splitOf(usage), scope: usage.scope === 'turn' ? usage.scope : undefined, ...costSource(usage) });
    return compact({
      ...tokensOf(usage),
      cost_usd: usage.cost_usd,
      extra: Object.keys(extra).length === 0 ? undefined : extra,
    });
  }
}

function costSource({ cost_usd, cost_computed }: Usage): { cost_source?: string } {
  return cost_usd !== undefined && cost_computed === true ? { cost_source: 'estimated' } : {};
}

interface Counts {
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  cache_read_tokens?: number | undefined;
  cache_write_tokens?: number | undefined;
  reasoning_tokens?: number | undefined;
}

const rounded = (tokens: number | undefined): number | undefined => (tokens === undefined ? undefined : Math.round(tokens));

/** The prompt holds what was cached; a wire that says otherwise is not repeated. */
export function tokensOf({ input_tokens, output_tokens, cache_read_tokens }: Counts) {
  const prompt_tokens = rounded(input_tokens);
  const cached = rounded(cache_read_tokens);
  const isPart = cached !== undefined && prompt_tokens !== undefined && cached <= prompt_tokens;
  return { prompt_tokens, completion_tokens: rounded(output_tokens), cached_tokens: isPart ? cached : undefined };
}

/** What the format has no field for. */
export function splitOf({ cache_write_tokens, reasoning_tokens }: Counts) {
  return { cache_creation_input_tokens: rounded(cache_write_tokens), reasoning_output_tokens: rounded(reasoning_tokens) };
}

const counted = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cost_usd'] as const;

function sumOf(one: Usage, other: Usage): Usage {
  const sum = { ...one };
  for (const field of counted) {
    const value = other[field];
    if (value !== undefined) sum[field] = (sum[field] ?? 0) + value;
  }
  return other.cost_computed === true ? { ...sum, cost_computed: true } : sum;
}

function callWire({ id, name, arguments: args, extra }: Call): JsonObject {
  return { tool_call_id: id, function_name: name, arguments: args, ...(Object.keys(extra).length === 0 ? {} : { extra }) };
}

function resultWire({ id, result, edits, refs }: Call): JsonObject {
  const extra = { ...result?.extra, ...(edits.length === 0 ? {} : { file_changes: edits as Json[] }) };
  return compact({
    source_call_id: id,
    content: result?.content,
    subagent_trajectory_ref: refs.length === 0 ? undefined : refs.map((trajectory_id) => ({ trajectory_id })),
    extra,
  });
}
