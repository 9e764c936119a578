import type { EventOf } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { Loss } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { totalsByModel, totalTokens } from '../../kit/model-totals.ts';
import { isAny, minus, plus, type Tokens, tokensOf } from '../../kit/tokens.ts';

type Reported = EventOf<'usage.reported'>;

export function writeUsage(tokens: Tokens): JsonObject {
  return {
    input_tokens: uncached(tokens),
    ...present({
      cache_creation_input_tokens: tokens.cache_write_tokens,
      cache_read_input_tokens: tokens.cache_read_tokens,
    }),
    output_tokens: tokens.output_tokens ?? 0,
    ...present({ cache_creation: writeCacheKinds(tokens), server_tool_use: writeSearches(tokens) }),
  };
}

/** How long what was written into the cache is kept; only an hour has to be told. */
function writeCacheKinds({ cache_write_tokens = 0, cache_write_1h_tokens: hour }: Tokens): JsonObject | undefined {
  if (hour === undefined) return undefined;
  return { ephemeral_5m_input_tokens: Math.max(0, cache_write_tokens - hour), ephemeral_1h_input_tokens: hour };
}

function writeSearches({ web_searches }: Tokens): JsonObject | undefined {
  return web_searches === undefined ? undefined : { web_search_requests: web_searches };
}

function writeModelUsage(tokens: Tokens): JsonObject {
  return {
    inputTokens: uncached(tokens),
    outputTokens: tokens.output_tokens ?? 0,
    ...present({
      cacheReadInputTokens: tokens.cache_read_tokens,
      cacheCreationInputTokens: tokens.cache_write_tokens,
      thinkingTokens: tokens.reasoning_tokens,
    }),
    webSearchRequests: tokens.web_searches ?? 0,
    // A cost that is not known is not 0.
    ...present({ costUSD: tokens.cost_usd }),
  };
}

function uncached({ input_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0 }: Tokens): number {
  return Math.max(0, input_tokens - cache_read_tokens - cache_write_tokens);
}

/** The tokens of one model call; undefined if the event has none. */
export function stepOf(event: Reported): (Tokens & { model?: string }) | undefined {
  const { cost_usd: _cost, ...tokens } = tokensOf(event);
  return isAny(tokens) ? { ...tokens, ...present({ model: event.model }) } : undefined;
}

/** Limited because every result repeats the totals of all models. */
const mostModels = 100;

/** The totals in the results of a run, counted as this wire counts them. */
export class Usage {
  readonly #lose: (what: Loss) => void;
  readonly #isAlone: boolean;
  readonly #ofThread = new Map<string, Tokens>();
  #costOfAll: number | undefined;
  #stepModel: string | undefined;
  #isOneModel = true;
  #ofTurns: Tokens = {};
  #isTurnTold = false;
  #written: Tokens = {};
  /** What the message lines showed. */
  #shown: Tokens = {};
  #shownBySubAgents: Tokens = {};
  #results = 0;
  #isWholeSession = false;

  /** `isAlone`: only the last result is written. */
  constructor(lose: (what: Loss) => void, isAlone: boolean) {
    this.#lose = lose;
    this.#isAlone = isAlone;
  }

  see(event: Reported): void {
    const tokens = tokensOf(event);
    const { cost_usd } = tokens;
    this.#isWholeSession ||= event.whole_session === true;
    // A cost without a model and without tokens is that of all models.
    if (event.scope === 'thread' && event.model === undefined && Object.keys(tokens).join() === 'cost_usd')
      this.#costOfAll = cost_usd;
    else if (event.scope === 'thread') this.#countThread(event.model ?? '', tokens);
    else if (event.scope === 'turn') {
      this.#isTurnTold = true;
      this.#ofTurns = plus(this.#ofTurns, tokens);
    } else {
      if (event.model !== undefined && event.model !== (this.#stepModel ??= event.model)) this.#isOneModel = false;
      if (cost_usd !== undefined) this.#ofTurns = plus(this.#ofTurns, { cost_usd });
    }
  }

  /** The usage of a message including `more`, as its next line shows it. */
  show(known: Tokens, more: Tokens, isSubAgent: boolean): Tokens {
    this.#shown = plus(this.#shown, more);
    if (isSubAgent) this.#shownBySubAgents = plus(this.#shownBySubAgents, more);
    return plus(known, more);
  }

  /** Whether a reader of the lines alone would count less than was used. */
  isUntold({ metrics }: RunOutcome): boolean {
    if (metrics.tokens_used === undefined || this.#isAlone) return metrics.tokens_used !== undefined;
    if (this.#results > 0) return false;
    return (
      (metrics.input_tokens ?? 0) !== (this.#shown.input_tokens ?? 0) ||
      metrics.output_tokens !== this.#shown.output_tokens
    );
  }

  /** The fields of a result; `outcome`: only for the last one. */
  write(outcome: RunOutcome | undefined): JsonObject {
    if (this.#isAlone) this.#written = {};
    const fields = this.#fields(outcome);
    this.#results += 1;
    this.#isTurnTold = false;
    return fields;
  }

  #countThread(model: string, tokens: Tokens): void {
    if (this.#ofThread.size < mostModels || this.#ofThread.has(model)) this.#ofThread.set(model, tokens);
    else this.#lose('usage');
  }

  #fields(outcome: RunOutcome | undefined): JsonObject {
    if (this.#ofThread.size > 0 && !this.#ofThread.has('')) {
      const models = outcome === undefined ? this.#ofThread : totalsByModel(this.#ofThread, outcome);
      if (!models.has('')) return this.#byModel(models);
    }
    const sum =
      outcome === undefined
        ? (this.#ofThread.get('') ?? this.#ofTurns)
        : totalTokens(outcome.metrics, outcome.metrics.cost_source);
    const model = outcome?.metrics.model_name;
    const isOneModel = this.#isOneModel && !this.#isTurnTold && this.#results === 0;
    if (isAny(sum) && isOneModel && model !== undefined && model.trim() !== '')
      return this.#byModel(new Map([[model, sum]]));
    if (sum.reasoning_tokens) this.#lose('token_split');
    const turn = minus(sum, this.#written);
    this.#written = plus(this.#written, turn);
    const main = minus(turn, this.#shownBySubAgents);
    this.#shownBySubAgents = {};
    return { ...present({ total_cost_usd: this.#written.cost_usd }), usage: writeUsage(main), modelUsage: {} };
  }

  #byModel(models: ReadonlyMap<string, Tokens>): JsonObject {
    let sum: Tokens = {};
    for (const tokens of models.values()) sum = plus(sum, tokens);
    // Totals that begin with an earlier run are recognised by a turn that is less.
    const turn =
      this.#isWholeSession && this.#results === 0
        ? minus(this.#shown, this.#shownBySubAgents)
        : minus(sum, this.#written);
    this.#written = sum;
    return {
      ...present({ total_cost_usd: sum.cost_usd ?? this.#costOfAll }),
      usage: writeUsage(turn),
      modelUsage: Object.fromEntries([...models].map(([model, tokens]) => [model, writeModelUsage(tokens)])),
    };
  }
}
