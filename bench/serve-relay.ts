// The least that can be done: lines come in by POST and go out as server-sent events, at once, to whoever watches.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const viewers = new Map<string, Set<ServerResponse>>();
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const run = (request.url ?? '').slice(1);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': relay\n\n');
    viewers.set(run, (viewers.get(run) ?? new Set()).add(response));
    return;
  }
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
  request.on('end', () => {
    for (const line of text.split('\n')) {
      const [run = '', at = ''] = line.split(' ', 2);
      for (const viewer of viewers.get(run) ?? []) viewer.write(`data: ${at}\n\n`);
    }
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
