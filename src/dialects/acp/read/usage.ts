import { present } from '../../../json/present.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { Json, JsonObject } from '../../../json/json.ts';
import { count, filled, isObject, list, object } from '../../../json/read.ts';
import { isGuess, type Tokens } from '../../kit/tokens.ts';

/** Tokens and money: per model call, at the end of a prompt, or as the cost of the session so far. */
export class Usage {
  readonly #sink: DecoderSink;
  /** What the session had cost when the last prompt began; undefined: unknown. */
  #before: number | undefined = 0;
  /** What it has cost by now. */
  #cost: number | undefined;
  #reportedUsd = 0;

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  /** The session existed before this run. */
  resumed(): void {
    this.#before = undefined;
  }

  /** A prompt begins. */
  begin(): void {
    if (this.#cost !== undefined) this.#before = this.#cost;
    this.#reportedUsd = 0;
  }

  /** Qwen Code reports what each model call used. */
  step(wire: Json | undefined): void {
    const tokens = isObject(wire) ? tokensOf(wire) : undefined;
    if (tokens !== undefined) this.#sink.emit({ type: 'usage.reported', scope: 'step', ...tokens });
  }

  /** `usage_update`: the size of the context, which is not usage, and the cost of the whole session. */
  update({ cost }: JsonObject, isPrompted: boolean): void {
    const wire = object(cost);
    const usd = wire.currency === 'USD' && !isGuess(wire) ? count(wire.amount) : undefined;
    if (usd === undefined) return;
    this.#cost = usd;
    const spent = this.#spent();
    if (!isPrompted || spent === undefined || spent <= this.#reportedUsd) return;
    this.#sink.emit({ type: 'usage.reported', scope: 'step', cost_usd: spent - this.#reportedUsd });
    this.#reportedUsd = spent;
  }

  /** The answer to a prompt. OpenCode counts only the last model call, whatever the field is meant for. */
  end(result: JsonObject, agent: string | undefined): void {
    const quota = object(object(result._meta).quota);
    const models = list(quota.model_usage).map((each) => object(each));
    const whole = isObject(result.usage) && agent !== 'opencode' ? tokensOf(result.usage) : undefined;
    const cost = this.#reportedUsd > 0 ? { cost_usd: this.#reportedUsd } : {};
    if (whole !== undefined) this.#sink.emit({ type: 'usage.reported', scope: 'turn', ...whole, ...cost });
    else if (models.length > 0) for (const each of models) this.#model(each);
    else this.#quota(object(quota.token_count));
  }

  #model({ model, token_count }: JsonObject): void {
    this.#quota(object(token_count), filled(model));
  }

  #quota({ input_tokens, output_tokens }: JsonObject, model?: string): void {
    const tokens = present({ input_tokens: count(input_tokens), output_tokens: count(output_tokens) });
    if (!tokens.input_tokens && !tokens.output_tokens) return;
    this.#sink.emit({ type: 'usage.reported', scope: 'turn', ...tokens, ...present({ model }) });
  }

  #spent(): number | undefined {
    return this.#cost === undefined || this.#before === undefined ? undefined : Math.max(0, this.#cost - this.#before);
  }
}

/** Some agents count cached tokens and thoughts separately, some include them: their total shows which. */
function tokensOf(wire: JsonObject): Tokens | undefined {
  const [input, output, thought, total] = [
    wire.inputTokens,
    wire.outputTokens,
    wire.thoughtTokens,
    wire.totalTokens,
  ].map(count);
  const [read, write] = [count(wire.cachedReadTokens), count(wire.cachedWriteTokens)];
  if (!input && !output && !read && !write) return undefined;
  const cached = (read ?? 0) + (write ?? 0);
  const beside = total === undefined ? 0 : total - (input ?? 0) - (output ?? 0);
  const isCacheBeside = cached > 0 && (beside === cached || beside === cached + (thought ?? 0));
  const isThoughtBeside = (thought ?? 0) > 0 && (beside === thought || beside === cached + (thought ?? 0));
  return present({
    input_tokens: input === undefined ? undefined : input + (isCacheBeside ? cached : 0),
    output_tokens: output === undefined ? undefined : output + (isThoughtBeside ? (thought ?? 0) : 0),
    reasoning_tokens: thought,
    cache_read_tokens: read,
    cache_write_tokens: write,
  });
}
