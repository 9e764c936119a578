import type { FinishReason } from '../../events/event.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { objectIn } from '../../json/parse.ts';
import { count as amount, filled, isObject, list, object, whole, wordIn } from '../../json/read.ts';
import type { Tokens } from '../../outcome/tokens.ts';
import { present } from '../../json/present.ts';
import type { Reading, ToldError } from './api.ts';

/** The event that a text holds; an empty object where it is not JSON. */
export const eventOf = objectIn;

/** An error as all four APIs write it: an object with a message, in the field `error`. */
export function toldError(body: JsonObject): ToldError | undefined {
  const { error } = body;
  if (error === undefined || error === null || error === false) return undefined;
  const fault = isObject(error) ? error : {};
  const type = [fault.type, fault.status, fault.code].map(filled).filter((word) => word !== undefined);
  const message = filled(fault.message) ?? (typeof error === 'string' ? error : JSON.stringify(error));
  const details = fault.details === undefined ? undefined : JSON.stringify(fault.details);
  return { message, ...present({ type: type.length === 0 ? undefined : type.join(' '), details }) };
}

/** Counts that a later event may repeat: the last one holds. */
export function count(into: Reading, tokens: { [Name in keyof Tokens]?: Tokens[Name] | undefined }): void {
  into.tokens = { ...into.tokens, ...present(tokens) };
}

export function finished(into: Reading, words: Readonly<Record<string, FinishReason>>, raw: string | undefined): void {
  if (raw === undefined) return;
  into.rawFinish = raw;
  into.finish = wordIn(words, raw) ?? 'other';
}

/** The highest of the counts that are given. */
export function most(...values: readonly (Json | undefined)[]): number | undefined {
  const counts = values.map(whole).filter((value) => value !== undefined);
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/** What a provider counted: one that tells more than any could have sold tells nothing. */
export function tokenCount(value: Json | undefined): number | undefined {
  return Number.isInteger(value) ? amount(value) : undefined;
}

/** How many answers are asked for at once: each may be as long as the limit allows. */
export function timesMost(limit: Json | undefined, answers: Json | undefined): number | undefined {
  const each = whole(limit);
  return each === undefined ? undefined : each * Math.max(1, whole(answers) ?? 1);
}

/** The names in a list of tools, less those that the agent runs itself. */
export function hostedIn(tools: Json | undefined, isOwn: (type: string) => boolean): string[] {
  const types = list(tools).flatMap((tool) => filled(object(tool).type) ?? []);
  return [...new Set(types.filter((type) => !isOwn(type)))];
}
