import type { FinishReason } from '../../events/event.ts';
import type { Tokens } from '../../outcome/tokens.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import type { Reply } from '../recording/reply.ts';
import type { ModelApi } from '../../words/vocabulary.ts';

/** What a request asks for, as far as it decides what it may cost and what it is. */
export interface RequestFacts {
  model?: string | undefined;
  /** What stands in its address for a model of Azure's, and decides which one answers. */
  deployment?: string | undefined;
  /** The most tokens that it lets the model answer; unset: it names no limit. */
  maxOutput?: number | undefined;
  /** How many tools it offers to the model. */
  tools: number;
  /** Those of them that the provider itself runs, such as a web search. */
  hostedTools: readonly string[];
  /** It holds something that the model said before. */
  continues: boolean;
}

/** The same with the body itself, without compression; unset: it could not be read. */
export interface BodyFacts extends RequestFacts {
  body?: Buffer;
}

/** What a provider said went wrong, in its own words. */
export interface ToldError {
  type?: string;
  message: string;
  /** More about it, as JSON: Gemini says there how long to wait. */
  details?: string;
}

/** What is known of an answer so far. */
export interface Reading {
  /** The model that answered. */
  model?: string;
  /** Input includes the cache, output includes reasoning; `cost` only where the provider itself names one. */
  tokens: Tokens;
  /** `partial`: counted up to the place where the answer was cut off. */
  usage: 'final' | 'partial' | 'unknown';
  serviceTier?: string;
  finish?: FinishReason;
  rawFinish?: string;
  error?: ToldError;
  /** The answer came to the end that its API prescribes. */
  isWhole: boolean;
  /** What the model said, where that is wanted. */
  reply?: Reply;
}

/** Reads an answer as it passes, and keeps nothing but what a `Reading` holds. */
export interface Meter {
  readonly reading: Reading;
  /** Events without it say nothing that counts; unset for now or for ever: all may. */
  readonly telling?: RegExp | undefined;
  /** One server-sent event; `name` is empty where the server gives it none. */
  event(name: string, data: string): void;
  /** An answer in one piece. */
  body(body: Json): void;
}

/** One of the APIs: where it is found, what a request asks, how an answer is metered, and how it says no. */
export interface Api {
  readonly name: ModelApi;
  /** How the path of a request that a model answers ends. */
  readonly path: RegExp;
  facts(body: JsonObject, path: string): RequestFacts;
  meter(): Meter;
  /** The body of an answer with status 400 that says this. */
  refusal(message: string): JsonObject;
}

export function noReading(): Reading {
  return { tokens: {}, usage: 'unknown', isWhole: false };
}
