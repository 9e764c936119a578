import type { Json } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { type Clean, cleanJson } from '../recording/clean.ts';
import type { RecordedAnswer, RecordedExchange } from '../recording/recording.ts';
import { type Departure, differenceOf, distance, leavesOf } from './departure.ts';
import { RequestKeys } from './keys.ts';
import { type Folders, normalise } from './normalise.ts';
import type { ReplayRules } from './rules.ts';
import { toolResultsIn } from './tool-results.ts';

/** A request of a run that is replayed. */
export interface NewRequest {
  method: string;
  path: string;
  body: Json;
}

/** What a recording says to a request. */
export type Match = { answer: RecordedAnswer; recorded: number; isLoose: boolean } | { departure: Departure };

/** Knows the answers of a recording. */
export interface Answers {
  /** How many there are, and how many of them were given. */
  readonly size: number;
  readonly given: number;
  match(request: NewRequest): Match;
}

export interface MatcherOptions {
  rules: ReplayRules;
  clean: Clean;
  /** Where the recorded run worked, and where this one does: that may be set until the first request. */
  recordedIn: Folders;
  folders: Folders;
}

interface Entry {
  exchange: AnsweredExchange;
  target: string;
  isUsed: boolean;
}

export type AnsweredExchange = RecordedExchange & { answer: RecordedAnswer };

/** Among how many answers that are left the one that was meant is looked for. */
const mostCompared = 8;

/**
 * Answers requests from a recording, by what they say and never by their order. Each recorded answer is given once; a request without
 * one gets none, and no guess instead.
 */
export class Matcher implements Answers {
  readonly #options: MatcherOptions;
  readonly #entries: Entry[];
  readonly #keys: RequestKeys;
  readonly #exact = new Queues<Entry>();
  /** Made when it is first needed. */
  #loose: Queues<Entry> | undefined;
  #count = 0;
  #given = 0;

  constructor(exchanges: readonly RecordedExchange[], options: MatcherOptions) {
    this.#options = options;
    this.#keys = new RequestKeys(options.rules, options.recordedIn);
    this.#entries = exchanges.filter(isAnswered).map((exchange) => {
      const { method, path } = exchange.request;
      return { exchange, target: `${method} ${path}`, isUsed: false };
    });
    for (const entry of this.#entries) this.#exact.add(this.#keys.of(entry.target, entry.exchange.request.body), entry);
  }

  get size(): number {
    return this.#entries.length;
  }

  get given(): number {
    return this.#given;
  }

  match({ method, path, body: sent }: NewRequest): Match {
    this.#count += 1;
    const { rules, folders, clean } = this.#options;
    const target = `${method} ${clean(path)}`;
    const body = cleanJson(sent, clean);
    const keys = new RequestKeys(rules, folders);
    const exact = this.#exact.take(keys.of(target, body));
    // What a command writes to its two outputs may arrive in either order.
    const found = exact ?? this.#looseQueues().take(keys.of(target, withoutOrder(body)));
    if (found === undefined) return { departure: this.#departure(target, normalise(body, rules, folders)) };
    this.#given += 1;
    return { answer: found.exchange.answer, recorded: found.exchange.request.number, isLoose: exact === undefined };
  }

  #looseQueues(): Queues<Entry> {
    if (this.#loose !== undefined) return this.#loose;
    this.#loose = new Queues();
    for (const entry of this.#entries)
      this.#loose.add(this.#keys.of(entry.target, withoutOrder(entry.exchange.request.body)), entry);
    return this.#loose;
  }

  #departure(target: string, body: Json): Departure {
    const left = this.#entries.filter((entry) => !entry.isUsed && entry.target === target).slice(0, mostCompared);
    const recorded = left.map(({ exchange: { request } }) => ({
      number: request.number,
      body: normalise(request.body, this.#options.rules, this.#options.recordedIn),
    }));
    return departureFrom({ request: this.#count, target, body }, recorded);
  }
}

/** Which of the recorded requests one is nearest to, and where it differs. Both are normalised. */
export function departureFrom(
  { request, target, body }: { request: number; target: string; body: Json },
  recorded: readonly { number: number; body: Json }[],
): Departure {
  const leaves = leavesOf(body);
  const nearest = recorded
    .map((each) => ({ each, far: distance(leavesOf(each.body), leaves) }))
    .toSorted((one, other) => one.far - other.far)[0]?.each;
  const nowhere = { path: '', before: undefined, now: undefined, others: 0 };
  if (nearest === undefined) return { request, recorded: undefined, target, ...nowhere };
  return { request, recorded: nearest.number, target, ...(differenceOf(nearest.body, body) ?? nowhere) };
}

export function isAnswered(exchange: RecordedExchange): exchange is AnsweredExchange {
  return exchange.answer !== undefined;
}

/** What has the same key is taken in the order in which it was added, each once. */
export class Queues<Each extends { isUsed: boolean }> {
  readonly #queues = new Map<string, { entries: Each[]; next: number }>();

  add(key: string, entry: Each): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, { entries: [entry], next: 0 });
    else queue.entries.push(entry);
  }

  take(key: string): Each | undefined {
    const queue = this.#queues.get(key);
    if (queue === undefined) return undefined;
    while (queue.entries[queue.next]?.isUsed === true) queue.next += 1;
    const entry = queue.entries[queue.next];
    if (entry !== undefined) entry.isUsed = true;
    return entry;
  }
}

/** The lines of every tool's result in one order. What holds no result stays the same value. */
function withoutOrder(body: Json): Json {
  return changedAt(
    body,
    toolResultsIn(body).map(({ path }) => path),
    sortLines,
  );
}

/** A value with other values at some places; each list and object on the way is copied once. */
function changedAt(value: Json, places: readonly (readonly string[])[], change: (value: Json) => Json): Json {
  if (places.length === 0) return value;
  if (places.some((place) => place.length === 0)) return change(value);
  const below = Map.groupBy(places, ([name = '']) => name);
  const inner = (each: Json, name: string): Json =>
    changedAt(each, below.get(name)?.map(([, ...rest]) => rest) ?? [], change);
  if (Array.isArray(value)) return value.map((each, index) => inner(each, String(index)));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each, name)]));
}

function sortLines(value: Json): Json {
  if (typeof value === 'string') return value.split('\n').toSorted().join('\n');
  if (Array.isArray(value)) return value.map(sortLines);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, sortLines(each)]))
    : value;
}
