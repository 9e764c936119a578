import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../json/json.ts';
import { isObject, list, object, string } from '../../json/read.ts';
import { cleanJson } from '../recording/clean.ts';
import type { RecordedExchange } from '../recording/recording.ts';
import { distance, leavesOf } from './departure.ts';
import {
  type AnsweredExchange,
  type Answers,
  departureFrom,
  isAnswered,
  type Match,
  type MatcherOptions,
  type NewRequest,
} from './matcher.ts';
import { normalise } from './normalise.ts';

/** One thing that was said, by the user, the model, or a tool. */
type Said = readonly ['user' | 'model' | 'call' | 'result', text: string];

interface Entry {
  exchange: AnsweredExchange;
  target: string;
  isUsed: boolean;
}

/** A recorded request, and the one of another version that it was found to stand for; both normalised. */
export type Pairing = (recorded: { number: number; body: Json }, now: Json) => void;

/** Where the four APIs have the conversation. */
const conversations = ['messages', 'input', 'contents'] as const;
/** Among how many answers that are left the one that was meant is looked for. */
const mostCompared = 8;

/**
 * Answers the requests of another version of an agent: what the user and the model said decides, and instructions, tools, settings and
 * results of tools may be others. `onPair` is told each pair, which says how the version differs.
 */
export class ConversationMatcher implements Answers {
  readonly #options: MatcherOptions;
  readonly #onPair: Pairing;
  readonly #entries: Entry[];
  /** By all that was said, and by what the model said. */
  readonly #whole = new Map<string, Entry[]>();
  readonly #byModel = new Map<string, Entry[]>();
  readonly #normal = new WeakMap<object, Json>();
  #count = 0;
  #given = 0;

  constructor(exchanges: readonly RecordedExchange[], options: MatcherOptions, onPair: Pairing) {
    this.#options = options;
    this.#onPair = onPair;
    this.#entries = exchanges.filter(isAnswered).map((exchange) => {
      const { method, path } = exchange.request;
      return { exchange, target: `${method} ${path}`, isUsed: false };
    });
    for (const entry of this.#entries) {
      const [whole, byModel] = keysOf(entry.target, this.#recorded(entry));
      for (const [map, key] of [
        [this.#whole, whole],
        [this.#byModel, byModel],
      ] as const)
        if (map.get(key)?.push(entry) === undefined) map.set(key, [entry]);
    }
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
    const body = normalise(cleanJson(sent, clean), rules, folders);
    const [whole, byModel] = keysOf(target, body);
    const found = this.#nearest(this.#whole.get(whole), body) ?? this.#nearest(this.#byModel.get(byModel), body);
    if (found === undefined) {
      const left = this.#entries.filter((entry) => !entry.isUsed && entry.target === target).slice(0, mostCompared);
      const recorded = left.map((entry) => ({ number: entry.exchange.request.number, body: this.#recorded(entry) }));
      return { departure: departureFrom({ request: this.#count, target, body }, recorded) };
    }
    found.isUsed = true;
    this.#given += 1;
    const { number } = found.exchange.request;
    this.#onPair({ number, body: this.#recorded(found) }, body);
    return { answer: found.exchange.answer, recorded: number, isLoose: false };
  }

  /** A message that is sent again with every request is looked at once. */
  #recorded({ exchange }: Entry): Json {
    const { rules, recordedIn } = this.#options;
    const { body } = exchange.request;
    const { sort = [], drop = [] } = rules;
    const top = object(body);
    const talk = conversations.filter((name) => Array.isArray(top[name]) && ![...sort, ...drop].includes(name));
    const rest = Object.entries(top).filter(([name]) => !talk.some((each) => each === name));
    if (!isObject(body) || talk.length === 0) return normalise(body, rules, recordedIn);
    return {
      ...object(normalise(Object.fromEntries(rest), rules, recordedIn)),
      ...Object.fromEntries(talk.map((name) => [name, list(top[name]).map((each) => this.#element(name, each))])),
    };
  }

  #element(name: string, value: Json): Json {
    const { rules, recordedIn } = this.#options;
    const known = typeof value === 'object' && value !== null ? this.#normal.get(value) : undefined;
    if (known !== undefined) return known;
    const made = normalise(value, rules, recordedIn, [name, '*']);
    if (typeof value === 'object' && value !== null) this.#normal.set(value, made);
    return made;
  }

  /** Of those that are left, and say the same. */
  #nearest(entries: readonly Entry[] | undefined, body: Json): Entry | undefined {
    const left = (entries ?? []).filter(({ isUsed }) => !isUsed).slice(0, mostCompared);
    if (left.length < 2) return left[0];
    const leaves = leavesOf(body);
    return left
      .map((entry) => ({ entry, far: distance(leavesOf(this.#recorded(entry)), leaves) }))
      .toSorted((one, other) => one.far - other.far)[0]?.entry;
  }
}

function keysOf(target: string, body: Json): [whole: string, byModel: string] {
  const statements = saidIn(body);
  // A title or the like is asked for without tools.
  const offers = list(object(body).tools).length > 0 ? 'with tools' : 'without tools';
  return [statements, statements.filter(([who]) => who !== 'user')].map((each) =>
    createHash('sha256')
      .update(`${target}\n${offers}\n${JSON.stringify(each)}`)
      .digest('base64'),
  ) as [string, string];
}

/** What was said in the body of a request, whichever API it is for, without instructions and what tools printed. */
export function saidIn(body: Json): Said[] {
  const top = object(body);
  const { input } = top;
  const statements = [
    ...(typeof input === 'string'
      ? [['user', input] as const]
      : list(input).flatMap((each) => inResponses(object(each)))),
    ...list(top.messages).flatMap((each) => inMessages(object(each))),
    ...list(top.contents).flatMap((each) => inGemini(object(each))),
  ];
  return statements.map(([who, text]) => [who, text.trim()] as const).filter(([, text]) => text !== '');
}

function inResponses({ type, role, content, call_id: id }: JsonObject): Said[] {
  const kind = string(type) ?? 'message';
  if (kind === 'message') return bySpeaker(role, textsOf(content));
  const call = string(id);
  if (call === undefined) return [];
  return [[kind.endsWith('_output') ? 'result' : 'call', call]];
}

/** Chat Completions and Messages. */
function inMessages({ role, content, tool_calls: calls, tool_call_id: id }: JsonObject): Said[] {
  if (role === 'tool') return [['result', string(id) ?? '']];
  const blocks = list(content).map(object);
  return [
    ...bySpeaker(role, textsOf(content)),
    ...blocks.flatMap(({ type, id: call, tool_use_id: of }): Said[] =>
      type === 'tool_use'
        ? [['call', string(call) ?? '']]
        : type === 'tool_result'
          ? [['result', string(of) ?? '']]
          : [],
    ),
    ...list(calls).map((call): Said => ['call', string(object(call).id) ?? '']),
  ];
}

function inGemini({ role, parts }: JsonObject): Said[] {
  return list(parts)
    .map(object)
    .flatMap(({ text, thought, functionCall, functionResponse }): Said[] => {
      if (isObject(functionCall)) return [['call', string(functionCall.name) ?? '']];
      if (isObject(functionResponse)) return [['result', string(functionResponse.name) ?? '']];
      return thought === true ? [] : bySpeaker(role, string(text) ?? '');
    });
}

function bySpeaker(role: Json | undefined, text: string): Said[] {
  if (role === 'assistant' || role === 'model') return [['model', text]];
  return role === 'user' || role === undefined ? [['user', text]] : [];
}

function textsOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => string(object(part).text) ?? '')
    .join('\n');
}
