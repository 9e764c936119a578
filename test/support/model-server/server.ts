import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ZodError } from 'zod';
import { answerOf, estimateTokens } from './answer.ts';
import { deliverAnswer, deliverError } from './deliver.ts';
import type { FormatId, ModelRequest } from './request.ts';
import { formats, keyOf, routeOf, type Route } from './routes.ts';
import { parseScript, Settings, Turn, type ScriptInput } from './script.ts';
import { closed, sendJson } from './send.ts';
import { servedAnswer, servedRequest, type ServedLog, type ServedRequest } from './served.ts';
import { turnByHistory, turnBySequence } from './turns.ts';

/** A request as it came, keys and all. */
interface SeenRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface ModelServer {
  url: string;
  /** The base URL a client of that format wants, its version included. */
  baseUrl(format: FormatId): string;
  served: ServedLog;
  requests: SeenRequest[];
  /** Resolves when no request is under way. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export async function startModelServer(input: ScriptInput): Promise<ModelServer> {
  const { turns: sources, ...rest } = input;
  const settings = parseScript(Settings, rest, 'script');
  if (typeof sources !== 'function')
    for (const [index, source] of sources.entries())
      if (typeof source !== 'function') parseScript(Turn, source, `turn ${index}`);

  const served: ServedLog = { note: 'what the model server answered, in order', toolsOffered: [], requests: [] };
  const requests: SeenRequest[] = [];
  const strikes = new Map<number, number>();
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();

  async function turnAt(index: number, asked: ModelRequest): Promise<Turn | undefined> {
    const source = typeof sources === 'function' ? sources : sources[index];
    if (source === undefined) return undefined;
    return parseScript(Turn, typeof source === 'function' ? await source(asked, index) : source, `turn ${index}`);
  }

  /** The fault of a turn, unless it struck often enough. */
  function faultOf({ fault }: Turn, index: number): Turn['fault'] {
    const struck = strikes.get(index) ?? 0;
    if (fault === undefined || struck >= (fault.times ?? Infinity)) return undefined;
    strikes.set(index, struck + 1);
    return fault;
  }

  /** Watches the response, so that the log tells whether the answer arrived. */
  function watch(response: ServerResponse, record: ServedRequest, complete: boolean): AbortSignal {
    const left = new AbortController();
    response.once('close', () => {
      left.abort();
      if (response.writableFinished) {
        if (complete) record.done = true;
      } else if (complete || (record.fault !== undefined && 'type' in record.fault && record.fault.type === 'stall'))
        record.aborted = true;
    });
    return AbortSignal.any([left.signal, closing.signal]);
  }

  async function answerRequest(
    response: ServerResponse,
    { format, address }: Route & { to: 'answer' },
    { url, seen }: { url: URL; seen: SeenRequest },
  ): Promise<void> {
    let asked: ModelRequest;
    try {
      asked = format.decode(JSON.parse(seen.body), address);
      if (format.id === 'gemini' && asked.stream && url.searchParams.get('alt') !== 'sse')
        throw new Error('only alt=sse is served');
    } catch (error) {
      const message =
        error instanceof ZodError
          ? error.issues.map(({ path, message: text }) => `${path.join('.')}: ${text}`).join('; ')
          : String(error);
      return deliverError(response, format, { status: 400, kind: 'invalid_request' }, message);
    }
    const number = served.requests.length + 1;
    const record = servedRequest(number, asked, seen.headers);
    const before = [...served.requests];
    served.requests.push(record);
    served.toolsOffered.push(...asked.tools.filter((name) => !served.toolsOffered.includes(name)));

    if (settings.requireKey !== undefined && keyOf(url, seen.headers) !== settings.requireKey) {
      record.fault = { type: 'bad-key' };
      return deliverError(response, format, { status: format.id === 'gemini' ? 400 : 401, kind: 'bad_key' });
    }

    const naming = { request: number, model: asked.model, body: seen.body, callPrefix: format.callPrefix };
    if (settings.side !== undefined && asked.tools.length === 0 && asked.system.length <= settings.side.maxSystem) {
      const turn: Turn = { text: settings.side.text };
      const answer = answerOf(turn, naming);
      record.side = true;
      record.answer = servedAnswer(answer, format);
      return deliverAnswer(response, {
        format,
        asked,
        answer,
        turn,
        fault: undefined,
        signal: watch(response, record, true),
      });
    }

    const index = settings.select === 'sequential' ? turnBySequence(before) : turnByHistory(asked, before);
    record.turn = index;
    const turn = await turnAt(index, asked);
    if (turn === undefined) {
      record.fault = { type: 'script-exhausted' };
      return deliverError(
        response,
        format,
        { status: 400, kind: 'invalid_request' },
        `the script has no turn ${index}`,
      );
    }
    const fault = faultOf(turn, index);
    if (fault !== undefined) record.fault = fault;
    if (fault !== undefined && 'status' in fault) return deliverError(response, format, fault);
    const silent: Turn = { usage: turn.usage, finish: 'stop' };
    const answer = answerOf(fault?.type === 'empty' ? silent : turn, naming);
    record.answer = servedAnswer(answer, format);
    const signal = watch(response, record, fault === undefined || fault.type === 'empty');
    return deliverAnswer(response, { format, asked, answer, turn, fault, signal });
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const headers = headersOf(incoming);
    const method = incoming.method ?? 'GET';
    const seen: SeenRequest = { method, path: url.pathname + url.search, headers, body: await bodyOf(incoming) };
    requests.push(seen);
    const route = routeOf(method, url, headers);
    const names = settings.models ?? ['scripted'];
    switch (route?.to) {
      case 'answer':
        return answerRequest(response, route, { url, seen });
      case 'tokens':
        return sendJson(response, 200, route.format.tokenCount(estimateTokens(seen.body)));
      case 'models':
        return sendJson(
          response,
          200,
          route.name === undefined ? route.format.modelList(names) : route.format.model(route.name),
        );
      case undefined:
        return deliverError(
          response,
          formats.chat,
          { status: 404, kind: 'not_found' },
          `nothing is served at ${method} ${url.pathname}`,
        );
    }
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const end = closed(response);
    try {
      await handle(incoming, response);
    } catch (error) {
      // A client that leaves, or a server that closes, in the middle of an answer ends it here; a script's own mistake is told.
      if (!response.headersSent && !response.destroyed)
        deliverError(response, formats.chat, { status: 500 }, String(error));
      else response.destroy();
    }
    await end;
  }

  const server = createServer((incoming, response) => {
    const run = serve(incoming, response).finally(() => underWay.delete(run));
    underWay.add(run);
  });
  server.listen(settings.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    baseUrl: (format) => url + formats[format].basePath,
    served,
    requests,
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
    async close() {
      closing.abort();
      const ended = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await ended;
      await Promise.all(underWay);
    },
  };
}
