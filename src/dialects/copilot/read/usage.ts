import { present } from '../../../present.ts';
import type { DecoderSink, Json, JsonObject } from '../../dialect.ts';
import { count, filled, object } from '../../read.ts';

/** Input counts include cached tokens. `cost` counts premium requests, not money. */
export class Usage {
  readonly #sink: DecoderSink;
  #isCounted = false;
  /** Messages report their output tokens; used only if no line counts more. */
  #outputTokens = 0;
  #model: string | undefined;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  readMessage(data: JsonObject, model: string | undefined): void {
    this.#outputTokens += count(data.outputTokens) ?? 0;
    this.#model = filled(data.model) ?? model;
  }

  readStep(data: JsonObject): void {
    this.#read('step', filled(data.model), data);
  }

  /** The closing line counts by model. */
  readTotals(modelMetrics: Json | undefined): void {
    const metrics = object(modelMetrics);
    for (const model in metrics) this.#read('thread', model, object(object(metrics[model]).usage ?? metrics[model]));
  }

  end(): void {
    if (this.#isCounted) return;
    if (this.#outputTokens > 0) return this.#read('step', this.#model, { outputTokens: this.#outputTokens });
    // Recent versions count nothing at all, but name the model in each message.
    if (this.#model !== undefined) this.#sink.emit({ type: 'usage.reported', scope: 'step', model: this.#model });
    this.#model = undefined;
  }

  #read(scope: 'step' | 'thread', model: string | undefined, wire: JsonObject): void {
    const tokens = present({
      input_tokens: count(wire.inputTokens),
      output_tokens: count(wire.outputTokens),
      reasoning_tokens: count(wire.reasoningTokens),
      cache_read_tokens: count(wire.cacheReadTokens),
      cache_write_tokens: count(wire.cacheWriteTokens),
    });
    if (!tokens.input_tokens && !tokens.output_tokens) return;
    this.#isCounted = true;
    this.#sink.emit({ type: 'usage.reported', scope, ...tokens, ...present({ model }) });
  }
}
