import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../json/json.ts';
import { list, object } from '../../json/read.ts';
import type { RecordedExchange } from './recording.ts';

/** Where the four APIs have the conversation. */
const conversations = ['messages', 'input', 'contents'] as const;

/** What a request says that the one before it, to the same model and path, did not. */
export interface News {
  /** Of the conversation: what was added at its end, or all of it where it is another one. */
  messages: Json[];
  /** Other fields that are new or changed, such as `tools`. */
  changed: string[];
}

/** What is new in each request, in their order. A conversation that goes on is compared with the longest one that it continues. */
export function newsIn(exchanges: readonly RecordedExchange[]): News[] {
  const last = new Map<string, JsonObject>();
  return exchanges.map(({ request: { method, path, body } }) => {
    const key = `${method} ${path}`;
    const now = object(body);
    const before = last.get(key) ?? {};
    const isTalk = (name: string): boolean => conversations.some((each) => each === name);
    const messages = conversations.flatMap((name) => added(list(before[name]), listOrText(now[name])));
    const changed = Object.keys(now).filter((name) => !isTalk(name) && !isDeepStrictEqual(now[name], before[name]));
    // A question beside the work does not interrupt it.
    const isBeside = last.has(key) && !continues(before, now) && talkOf(now).length < talkOf(before).length;
    if (!isBeside) last.set(key, now);
    return { messages, changed };
  });
}

const talkOf = (body: JsonObject): readonly Json[] => conversations.flatMap((name) => listOrText(body[name]));

const continues = (before: JsonObject, now: JsonObject): boolean =>
  isDeepStrictEqual(talkOf(before)[0], talkOf(now)[0]);

function listOrText(value: Json | undefined): readonly Json[] {
  return typeof value === 'string' ? [value] : list(value);
}

function added(before: readonly Json[], now: readonly Json[]): Json[] {
  let same = 0;
  while (same < now.length && same < before.length && isDeepStrictEqual(before[same], now[same])) same += 1;
  return now.slice(same);
}
