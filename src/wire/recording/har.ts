import type { JsonObject } from '../../json/json.ts';
import { version } from '../../version.ts';
import type { RecordedExchange } from './recording.ts';

/** A recording as an HTTP Archive (HAR 1.2), which browsers and proxies open. `startedAt`: when the first request was made. */
export function harOf(exchanges: readonly RecordedExchange[], startedAt: number): JsonObject {
  return {
    log: {
      version: '1.2',
      creator: { name: 'runwire', version },
      entries: exchanges.map((exchange) => entryOf(exchange, startedAt)),
    },
  };
}

function entryOf({ request, answer }: RecordedExchange, startedAt: number): JsonObject {
  const sent = JSON.stringify(request.body);
  const wait = answer?.first_byte_ms ?? answer?.duration_ms ?? 0;
  const time = answer?.duration_ms ?? 0;
  return {
    startedDateTime: new Date(startedAt + request.at_ms).toISOString(),
    time,
    request: {
      method: request.method,
      // The real address is not recorded: a route is a name in the agent's own settings.
      url: `http://${encodeURIComponent(request.route)}.invalid${request.path}`,
      httpVersion: 'HTTP/1.1',
      headers: [{ name: 'content-type', value: 'application/json' }],
      queryString: [...new URLSearchParams(request.path.split('?')[1] ?? '')].map(([name, value]) => ({ name, value })),
      cookies: [],
      headersSize: -1,
      bodySize: Buffer.byteLength(sent),
      postData: { mimeType: 'application/json', text: sent },
    },
    response: {
      // 0 is what browsers write where no answer came.
      status: answer?.status ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      headers: answer === undefined ? [] : [{ name: 'content-type', value: answer.content_type }],
      cookies: [],
      content: {
        size: Buffer.byteLength(answer?.body ?? ''),
        mimeType: answer?.content_type ?? '',
        text: answer?.body ?? '',
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: Buffer.byteLength(answer?.body ?? ''),
      ...(answer === undefined ? { comment: 'no answer was recorded' } : {}),
    },
    cache: {},
    timings: { send: 0, wait, receive: Math.max(0, time - wait) },
  };
}
