// A model that answers as fast as it is read: as many events as the request asks for, or as many megabytes.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Asked {
  events?: number;
  megabytes?: number;
}

const usage = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 };
const event = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'bench', object: 'chat.completion.chunk', model: 'bench', choices: [{ index: 0, delta }], ...more })}\n\n`;
const word = event({ content: 'a few words of an answer ' });
const large = event({ content: 'x'.repeat(64 * 1024) });

async function answer(response: ServerResponse, { events = 1, megabytes = 0 }: Asked): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const [text, count] = megabytes > 0 ? [large, Math.ceil((megabytes * 1e6) / large.length)] : [word, events];
  for (let sent = 0; sent < count; sent++) if (!response.write(text)) await once(response, 'drain');
  response.end(`${event({}, { usage })}data: [DONE]\n\n`);
}

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => void (body += chunk));
  request.on('end', () => void answer(response, (JSON.parse(body) as { metadata: Asked }).metadata));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
