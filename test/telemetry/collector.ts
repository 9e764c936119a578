import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { atFileEnd } from '../support/at-file-end.ts';
import { spansIn, type SpanJson } from './spans-of.ts';

export interface Collector {
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders; body: string }[];
  spans(): SpanJson[];
  /** What it answers from now on. */
  answers: { status: number; body?: string; headers?: Record<string, string> }[];
}

/** A collector of OTLP/HTTP that keeps what it is sent. */
export async function collector(): Promise<Collector> {
  const told: Collector = {
    url: '',
    requests: [],
    answers: [],
    spans: () => told.requests.flatMap(({ body }) => spansIn(body)),
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const { status, body = '{}', headers = {} } = told.answers.shift() ?? { status: 200 };
      const bytes = Buffer.concat(chunks);
      const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
      if (status === 200) told.requests.push({ path: request.url ?? '', headers: request.headers, body: text });
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  atFileEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  told.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return told;
}
