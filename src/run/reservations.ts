import { contextWindowOf } from '../builtin/models/context-window.ts';
import type { Limits } from '../contract/spec.ts';
import { dollars, type Price } from '../outcome/price.ts';
import type { Tokens } from '../outcome/tokens.ts';
import { firstGrant } from '../stores/grants.ts';
import { dollarsSet } from '../terminal/figures.ts';
import type { Account, Hold } from './budget.ts';
import { type Cause, reached } from './stop.ts';

/**
 * `work`: it offers tools, or goes on with what the model said before. `side`: a title or the like, which costs money and is no
 * turn. `unclear`: it may be either, until a request with tools comes from the same program.
 */
export type RequestKind = 'work' | 'side' | 'unclear';

/** A request to a model that is about to go out. */
export interface NextRequest {
  number: number;
  model: string | undefined;
  /** The most tokens that it can have; undefined: it holds more than its text, so nobody knows. */
  mostInput(): number | undefined;
  /** The most that it lets the model answer; undefined: it names no limit. */
  mostOutput: number | undefined;
  kind: RequestKind;
}

type Bound = Omit<NextRequest, 'mostInput'> & { mostInput: number | undefined };

/** What became of it. */
export interface Used {
  /** A model worked on it, or may have. */
  isServed: boolean;
  /** All that it used is known. */
  isFinal: boolean;
  model: string | undefined;
  tokens: Tokens;
  serviceTier?: string | undefined;
}

interface Held extends Hold {
  kind: RequestKind;
  /** The most that is sure did not fit: it may use more than is held. */
  isUnsure: boolean;
}

interface Parts {
  limits: Pick<Limits, 'max_turns' | 'max_cost_usd' | 'max_tokens'>;
  account: Account;
  /** What the run has used, by the words of its agent as well. */
  spent(): { tokens: number; cost: number | undefined };
  /** Unset: no dollars are counted. */
  price(): Price | undefined;
  /** Aborted when no more requests go out. */
  signal: AbortSignal;
}

/**
 * What the requests of a run may use at most, held from the moment when they go out until it is known what they used. What does not
 * fit waits for those that are on their way, which seldom need all that is held for them; then it is refused.
 */
export class Reservations {
  readonly #parts: Parts;
  readonly #held = new Map<number, Held>();
  /** What ended, and all that may have been used by what was cut off. */
  readonly #used: Hold = { cost: 0, tokens: 0 };
  readonly #served: Record<RequestKind, number> = { work: 0, side: 0, unclear: 0 };
  readonly #dearest: Hold = { cost: 0, tokens: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns why the request must not go out. `gone`: aborted when nobody waits for it any more. */
  async reserve(request: NextRequest, gone: AbortSignal): Promise<Cause | undefined> {
    const { account } = this.#parts;
    if (!this.#isLimited) return undefined;
    const bound: Bound = { ...request, mostInput: request.mostInput() };
    const window = request.model === undefined ? undefined : await contextWindowOf(request.model);
    const { mostInput = window, mostOutput = window } = bound;
    const sure = mostInput === undefined || mostOutput === undefined ? undefined : { mostInput, mostOutput };
    const signal = AbortSignal.any([this.#parts.signal, gone]);
    for (;;) {
      const settled = account.settled;
      const cause = await this.#take(bound, sure, signal);
      if (cause === undefined || cause.kind !== 'limit' || signal.aborted || !account.isWaitedFor) return cause;
      // Those that wait for nothing but each other would ask in turns for ever.
      if (!(await settledOrAborted(settled, signal))) return cause;
    }
  }

  /** What it really used replaces what was held for it; of what was cut off, nobody knows more than that. */
  settle(number: number, used: Used): void {
    const held = this.#held.get(number);
    if (held === undefined) return;
    this.#held.delete(number);
    const real = used.isServed ? this.#real(used, held) : { cost: 0, tokens: 0 };
    this.#used.cost += real.cost;
    this.#used.tokens += real.tokens;
    if (used.isServed) this.#served[held.kind] += 1;
    this.#dearest.cost = Math.max(this.#dearest.cost, real.cost);
    this.#dearest.tokens = Math.max(this.#dearest.tokens, real.tokens);
    this.#parts.account.replace(held, real);
  }

  get #isLimited(): boolean {
    const { limits, account } = this.#parts;
    const { max_turns, max_cost_usd, max_tokens } = limits;
    return account.isLimited || max_turns !== undefined || max_cost_usd !== undefined || max_tokens !== undefined;
  }

  async #take(
    request: Bound,
    sure: { mostInput: number; mostOutput: number } | undefined,
    signal: AbortSignal,
  ): Promise<Cause | undefined> {
    const { number, mostOutput, kind } = request;
    const turn = this.#turnLimit(kind);
    if (turn !== undefined) return turn;
    let cause: Cause | undefined;
    if (sure !== undefined) {
      const most = this.#mostOf(request.model, sure.mostInput, sure.mostOutput);
      if ('kind' in most) return most;
      cause = await this.#hold(number, { ...most, kind, isUnsure: false }, signal);
      if (cause === undefined || (mostOutput !== undefined && request.mostInput !== undefined)) return cause;
    }
    // One at a time: what such a request uses beyond what is held for it is not added up.
    const others = [...this.#held.values()].some(({ isUnsure }) => isUnsure);
    const likely = this.#likelyOf(request, sure?.mostInput);
    if ('kind' in likely) return likely;
    if (others) return cause ?? anotherIsUnsure;
    return this.#hold(number, { ...likely, kind, isUnsure: true }, signal);
  }

  /** Some agents ask for a title before anything else: what may have been one was no turn, once there is work. */
  #turnLimit(kind: RequestKind): Cause | undefined {
    const { max_turns: maximum = Infinity } = this.#parts.limits;
    if (kind === 'side' || maximum === Infinity) return undefined;
    const count = (wanted: RequestKind): number =>
      this.#served[wanted] + [...this.#held.values()].filter((held) => held.kind === wanted).length;
    const work = count('work');
    const turns = kind === 'work' || work > 0 ? work : count('unclear');
    if (turns < maximum) return undefined;
    return reached({ limit: 'turns', value: turns, maximum, message: `the turn limit of ${maximum} was reached` });
  }

  /** The most that so many tokens cost: all of them may be new to the cache, and all of the answer thoughts. */
  #mostOf(model: string | undefined, input: number, output: number): Hold | Cause {
    const { price } = this.#parts;
    const priced = price();
    const tokens = input + output;
    if (priced === undefined) return { cost: 0, tokens };
    const costs = [
      priced(model, { input, output }),
      priced(model, { input, output, cacheWrite: input, cacheWriteHour: input, reasoning: output }),
    ].filter((cost) => cost !== undefined);
    return costs.length === 0 ? unpriced(model) : { cost: Math.max(...costs), tokens };
  }

  /** For a request that names no limit, and whose model could answer more than is left: as much as the dearest one so far. */
  #likelyOf({ model, mostInput }: Bound, window = 0): Hold | Cause {
    const { limits, account } = this.#parts;
    const input = this.#mostOf(model, Math.min(mostInput ?? 0, window === 0 ? Infinity : window), 0);
    if ('kind' in input) return input;
    const first = (limit: number): number => (limit === Infinity ? 0 : firstGrant(limit, limit));
    const { cost, tokens } = account.limit;
    return {
      cost: Math.max(this.#dearest.cost, input.cost + first(Math.min(limits.max_cost_usd ?? Infinity, cost))),
      tokens: Math.max(this.#dearest.tokens, input.tokens + first(Math.min(limits.max_tokens ?? Infinity, tokens))),
    };
  }

  async #hold(number: number, hold: Held, signal: AbortSignal): Promise<Cause | undefined> {
    const { account, limits } = this.#parts;
    const { cost, tokens } = this.#taken();
    const over = dollars(cost + hold.cost) > (limits.max_cost_usd ?? Infinity);
    if (over) return this.#tooMuch('cost', hold.cost);
    if (tokens + hold.tokens > (limits.max_tokens ?? Infinity)) return this.#tooMuch('tokens', hold.tokens);
    // Held before the first wait, so that no other request takes the same room meanwhile.
    this.#held.set(number, hold);
    const cause = await account.hold(hold, signal);
    if (cause !== undefined) this.#held.delete(number);
    return cause;
  }

  /** Used up or held. */
  #taken(): Hold {
    const { cost = 0, tokens } = this.#parts.spent();
    const sum = { cost: Math.max(cost, this.#used.cost), tokens: Math.max(tokens, this.#used.tokens) };
    for (const held of this.#held.values()) {
      sum.cost += held.cost;
      sum.tokens += held.tokens;
    }
    return sum;
  }

  #tooMuch(limit: 'cost' | 'tokens', more: number): Cause {
    const { max_cost_usd: maxCost = 0, max_tokens: maxTokens = 0 } = this.#parts.limits;
    const taken = this.#taken();
    const [maximum, value] = limit === 'cost' ? [maxCost, dollars(taken.cost)] : [maxTokens, taken.tokens];
    const shown = (amount: number): string => (limit === 'cost' ? dollarsSet(amount) : String(amount));
    const message = `the ${limit === 'cost' ? 'cost' : 'token'} limit of ${shown(maximum)} was reached: ${shown(value)} is used, and the next request may take ${shown(dollars(more))}`;
    return reached({ limit, value, maximum, message });
  }

  #real({ model, tokens, isFinal, serviceTier }: Used, held: Hold): Hold {
    const { input = 0, output = 0 } = tokens;
    const priced = this.#parts.price();
    const cost = tokens.cost ?? priced?.(model, tokens, { serviceTier }) ?? (priced === undefined ? 0 : held.cost);
    if (isFinal) return { cost, tokens: input + output };
    return { cost: Math.max(cost, held.cost), tokens: Math.max(input + output, held.tokens) };
  }
}

/** What is returned for a request that waits for another one, which may use more than is held for it. */
const anotherIsUnsure = reached({ limit: 'cost', message: 'the cost of a request on its way is not known' });

async function settledOrAborted(settled: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const aborted = (): void => resolve(false);
  signal.addEventListener('abort', aborted, { once: true });
  const leavesRoom = await Promise.race([settled, promise]);
  signal.removeEventListener('abort', aborted);
  return leavesRoom;
}

function unpriced(model: string | undefined): Cause {
  const what = model === undefined ? 'the model of a request is not named' : `the price of ${model} is not known`;
  return {
    kind: 'refused',
    code: 'config',
    message: `${what}, so no limit on cost can hold; --price names it`,
  };
}
