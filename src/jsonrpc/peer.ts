import type { Json, JsonObject } from '../json/json.ts';
import { isObject } from '../json/read.ts';
import { messageOf } from '../failure.ts';
import { present } from '../json/present.ts';

export const invalidRequest = -32600;
export const methodNotFound = -32601;
export const invalidParams = -32602;
const internalError = -32603;

/** How many requests of the other side are handled at once; further ones are refused. */
const mostOpen = 256;

/** An error as it is sent to the peer. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

export type RequestId = string | number | null;

export interface Handlers {
  /** Returns the result; throws `RpcError` for an error response. */
  request(method: string, params: JsonObject, id: RequestId): JsonObject | Promise<JsonObject>;
  notification(method: string, params: JsonObject): void;
}

interface Waiting {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

/** One side of JSON-RPC 2.0. Whatever the other side sends, nothing is thrown, and memory is bounded. */
export class Peer {
  readonly #send: (message: JsonObject) => void;
  readonly #handlers: Handlers;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #open = 0;
  #closed: Error | undefined;

  constructor(send: (message: JsonObject) => void, handlers: Handlers) {
    this.#send = (message) => send({ jsonrpc: '2.0', ...message });
    this.#handlers = handlers;
  }

  /** Rejects with `RpcError` if the response is an error, or with the reason of `close` if there is no response. */
  request(method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string, params: JsonObject): void {
    if (this.#closed === undefined) this.#send({ method, params });
  }

  /** No more responses will arrive. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  receive(message: unknown): void {
    if (!isObject(message)) return this.#refuse(null, new RpcError(invalidRequest, 'a message is one object'));
    const { id, method, params } = message;
    if (typeof method === 'string') {
      if (id === undefined) this.#notified(method, isObject(params) ? params : {});
      else if (isId(id)) void this.#answer(id, method, isObject(params) ? params : {});
      else this.#refuse(null, new RpcError(invalidRequest, 'an id is a text or a number'));
      return;
    }
    if ('result' in message || 'error' in message) return this.#settle(message);
    this.#refuse(isId(id) ? id : null, new RpcError(invalidRequest, 'neither a request nor an answer'));
  }

  #notified(method: string, params: JsonObject): void {
    try {
      this.#handlers.notification(method, params);
    } catch {
      // A notification has no response.
    }
  }

  async #answer(id: RequestId, method: string, params: JsonObject): Promise<void> {
    if (this.#open >= mostOpen) return this.#refuse(id, new RpcError(internalError, 'too many requests at once'));
    this.#open += 1;
    try {
      const result = await this.#handlers.request(method, params, id);
      if (this.#closed === undefined) this.#send({ id, result });
    } catch (error) {
      this.#refuse(id, error);
    } finally {
      this.#open -= 1;
    }
  }

  #settle({ id, result, error }: JsonObject): void {
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined) return;
    this.#waiting.delete(id as number);
    if (error === undefined || error === null) return waiting.resolve(isObject(result) ? result : {});
    const { code, message } = isObject(error) ? error : {};
    waiting.reject(
      new RpcError(typeof code === 'number' ? code : internalError, typeof message === 'string' ? message : 'error'),
    );
  }

  #refuse(id: RequestId, error: unknown): void {
    if (this.#closed !== undefined) return;
    const { code, data } = error instanceof RpcError ? error : { code: internalError, data: undefined };
    this.#send({ id, error: { code, message: messageOf(error), ...present({ data }) } });
  }
}

function isId(id: Json | undefined): id is RequestId {
  return id === null || typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
}

/** A line of JSON; undefined: it is not JSON. */
export function parseLine(line: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(line));
  } catch {
    return undefined;
  }
}
