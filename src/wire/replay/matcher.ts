import { createHash } from 'node:crypto';
import type { Json } from '../../json/json.ts';
import { isObject } from '../../json/read.ts';
import { type Clean, cleanJson } from '../recording/clean.ts';
import type { RecordedAnswer, RecordedExchange } from '../recording/recording.ts';
import { type Departure, differenceOf, distance, leavesOf } from './departure.ts';
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

export interface MatcherOptions {
  rules: ReplayRules;
  clean: Clean;
  /** Where the recorded run worked, and where this one does. */
  recordedIn: Folders;
  folders: Folders;
}

interface Entry {
  exchange: RecordedExchange & { answer: RecordedAnswer };
  target: string;
  isUsed: boolean;
}

/** Entries that may answer the same request, in the order of the recording. */
interface Queue {
  entries: Entry[];
  next: number;
}

/** Among how many answers that are left the one that was meant is looked for. */
const mostCompared = 8;

/**
 * Answers requests from a recording, by what they say and never by their order. Each recorded answer is given once; a request without
 * one gets none, and no guess instead.
 */
export class Matcher {
  readonly #options: MatcherOptions;
  readonly #entries: Entry[];
  readonly #exact = new Map<string, Queue>();
  readonly #loose = new Map<string, Queue>();
  #count = 0;

  constructor(exchanges: readonly RecordedExchange[], options: MatcherOptions) {
    this.#options = options;
    this.#entries = exchanges.filter(isAnswered).map((exchange) => {
      const { method, path } = exchange.request;
      return { exchange, target: `${method} ${path}`, isUsed: false };
    });
    // Of the bodies only hashes are kept: together they are as long as the square of the conversation.
    for (const entry of this.#entries) {
      const body = this.#recorded(entry);
      add(this.#exact, keyOf(entry.target, body), entry);
      add(this.#loose, keyOf(entry.target, withoutOrder(body)), entry);
    }
  }

  /** How many answers the recording has, and how many of them were given. */
  get size(): number {
    return this.#entries.length;
  }

  get given(): number {
    return this.#entries.filter(({ isUsed }) => isUsed).length;
  }

  match({ method, path, body: sent }: NewRequest): Match {
    this.#count += 1;
    const target = `${method} ${this.#options.clean(path)}`;
    const body = normalise(cleanJson(sent, this.#options.clean), this.#options.rules, this.#options.folders);
    const exact = take(this.#exact, keyOf(target, body));
    // What a command writes to its two outputs may arrive in either order.
    const found = exact ?? take(this.#loose, keyOf(target, withoutOrder(body)));
    if (found === undefined) return { departure: this.#departure(target, body) };
    return { answer: found.exchange.answer, recorded: found.exchange.request.number, isLoose: exact === undefined };
  }

  #recorded({ exchange }: Entry): Json {
    return normalise(exchange.request.body, this.#options.rules, this.#options.recordedIn);
  }

  #departure(target: string, body: Json): Departure {
    const leaves = leavesOf(body);
    const left = this.#entries.filter((entry) => !entry.isUsed && entry.target === target).slice(0, mostCompared);
    const nearest = left
      .map((entry) => ({ entry, far: distance(leavesOf(this.#recorded(entry)), leaves) }))
      .toSorted((one, other) => one.far - other.far)[0]?.entry;
    const request = this.#count;
    if (nearest === undefined)
      return { request, recorded: undefined, target, path: '', before: undefined, now: undefined, others: 0 };
    const difference = differenceOf(this.#recorded(nearest), body) ?? {
      path: '',
      before: undefined,
      now: undefined,
      others: 0,
    };
    return { request, recorded: nearest.exchange.request.number, target, ...difference };
  }
}

function isAnswered(exchange: RecordedExchange): exchange is Entry['exchange'] {
  return exchange.answer !== undefined;
}

function keyOf(target: string, body: Json): string {
  return createHash('sha256')
    .update(`${target}\n${JSON.stringify(body)}`)
    .digest('base64');
}

function add(map: Map<string, Queue>, key: string, entry: Entry): void {
  const queue = map.get(key);
  if (queue === undefined) map.set(key, { entries: [entry], next: 0 });
  else queue.entries.push(entry);
}

function take(map: ReadonlyMap<string, Queue>, key: string): Entry | undefined {
  const queue = map.get(key);
  if (queue === undefined) return undefined;
  while (queue.entries[queue.next]?.isUsed === true) queue.next += 1;
  const entry = queue.entries[queue.next];
  if (entry !== undefined) entry.isUsed = true;
  return entry;
}

/** The lines of every tool's result in one order. */
function withoutOrder(body: Json): Json {
  const results = new Set(toolResultsIn(body).map(({ path }) => path.join('.')));
  const walk = (value: Json, path: string): Json => {
    if (results.has(path)) return sortLines(value);
    if (Array.isArray(value)) return value.map((each, index) => walk(each, below(path, String(index))));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, walk(each, below(path, name))]));
  };
  return walk(body, '');
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function sortLines(value: Json): Json {
  if (typeof value === 'string') return value.split('\n').toSorted().join('\n');
  if (Array.isArray(value)) return value.map(sortLines);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, sortLines(each)]))
    : value;
}
