import type { Answer, AnswerCall } from './answer.ts';
import type { FormatId, ModelRequest } from './request.ts';
import type { ErrorKind, Usage } from './script.ts';

/** One server-sent event; `delta` marks those that carry a piece of the answer. */
export interface Frame {
  data: object | string;
  event?: string;
  delta?: true;
}

export interface ProviderError {
  status: number;
  kind: ErrorKind;
  message: string;
  retryAfter?: number;
}

/** What the address says beside the body. */
export interface Address {
  path: string;
  model?: string;
  stream?: boolean;
}

/** A provider's wire format: requests in, answers and errors out. */
export interface Format {
  id: FormatId;
  /** What follows the server's address in a base URL. */
  basePath: string;
  callPrefix: string;
  lineEnd: '\n' | '\r\n';
  decode(body: unknown, address: Address): ModelRequest;
  /** The whole stream of an answer, to its last event. */
  frames(answer: Answer, request: ModelRequest): Frame[];
  /** The answer in one piece. */
  body(answer: Answer, request: ModelRequest): object;
  /** Whether a call can be said in this format; absent: every call can. */
  canSay?(call: AnswerCall): boolean;
  errorBody(error: ProviderError): object;
  /** An error after the stream has begun. */
  streamError(error: ProviderError): Frame[];
  modelList(names: readonly string[]): object;
  model(name: string): object;
  tokenCount(tokens: number): object;
}

/** A fixed moment, so that the same script gives the same bytes: 2026-01-01. */
export const created = 1_767_225_600;

export const uncached = ({ input, cached, cacheWrite = 0 }: Usage): number => input - cached - cacheWrite;
