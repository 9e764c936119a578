import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { spawn } from 'node:child_process';

/** A small MCP server, by the specification alone: `node mcp-server.ts stdio|http|sse [how]`. */
interface Message {
  id?: number | string;
  method: string;
  params?: { name?: string; arguments?: Record<string, unknown>; protocolVersion?: string; cursor?: string };
}

const [, , kind = 'stdio', how = 'well'] = process.argv;
const text = (value: string, isError = false): object => ({ content: [{ type: 'text', text: value }], isError });

const tools = [
  {
    name: 'add',
    description: 'Adds two numbers.',
    inputSchema: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { a: { type: 'number' }, b: { $ref: '#/$defs/number' } },
      required: ['a', 'b'],
      $defs: { number: { type: 'number', description: 'The other.' } },
    },
  },
  { name: 'env', inputSchema: { type: 'object' } },
  { name: 'odd.name/with spaces', description: 'Odd.', inputSchema: { type: 'object' } },
  { name: 'odd_name_with_spaces', description: 'Not odd.', inputSchema: { type: 'object' } },
];
const more = [
  { name: 'fail', inputSchema: { type: 'object' } },
  { name: 'parts', inputSchema: { type: 'object' } },
  { name: 'wait', inputSchema: { type: 'object' } },
  { name: 'crash', inputSchema: { type: 'object' } },
  ...(how.startsWith('tool=') ? [{ name: how.slice('tool='.length), inputSchema: { type: 'object' } }] : []),
];

function answer({ method, params = {} }: Message): object | undefined | Error {
  if (method === 'initialize') {
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'small', version: '1' },
    };
  }
  if (method === 'tools/list') return params.cursor === 'more' ? { tools: more } : { tools, nextCursor: 'more' };
  if (method !== 'tools/call') return new Error(`no method ${method}`);
  const { a, b } = params.arguments ?? {};
  switch (params.name) {
    case 'add':
      return typeof a === 'number' && typeof b === 'number' ? text(String(a + b)) : new Error('a and b are numbers');
    case 'env':
      return text(
        JSON.stringify({
          env: Object.keys(process.env).toSorted(),
          greeting: process.env.GREETING,
          cwd: process.cwd(),
        }),
      );
    case 'fail':
      return text('it did not work', true);
    case 'parts':
      return {
        content: [
          { type: 'text', text: 'see' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
          { type: 'resource_link', uri: 'file:///b', name: 'b' },
        ],
      };
    case 'wait':
      return undefined;
    case 'crash':
      process.stderr.write('the server is unwell\n');
      setTimeout(() => process.exit(9), 20);
      return undefined;
    default:
      return text(`called ${params.name}`);
  }
}

function reply(message: Message): object | undefined {
  if (message.id === undefined) return undefined;
  const result = answer(message);
  if (result === undefined) return undefined;
  const head = { jsonrpc: '2.0', id: message.id };
  return result instanceof Error ? { ...head, error: { code: -32601, message: result.message } } : { ...head, result };
}

function stdio(): void {
  if (how === 'dies') {
    process.stderr.write('cannot find my database\n');
    process.exit(3);
  }
  if (how.startsWith('pids=')) {
    const inner = spawn('sleep', ['60'], { stdio: 'inherit' });
    appendFileSync(how.slice('pids='.length), `${process.pid}\n${inner.pid}\n`);
    process.on('SIGTERM', () => {});
  }
  process.stdout.write('a banner on stdout\n');
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const out = reply(JSON.parse(line) as Message);
      if (out !== undefined) process.stdout.write(`${JSON.stringify(out)}\n`);
    }
  });
}

/** Streamable HTTP answers a POST with its reply; the older SSE kind sends it down a stream that a GET opened. */
function http(): void {
  let stream: { write(text: string): unknown } | undefined;
  const server = createServer((request, response) => {
    if (request.headers.authorization !== 'Bearer open') return void response.writeHead(401).end('who are you?');
    if (request.method === 'GET') {
      if (kind !== 'sse') return void response.writeHead(405).end();
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      stream.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    if (request.method === 'DELETE') return void response.writeHead(200).end();
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => void (body += chunk));
    request.on('end', () => {
      const out = reply(JSON.parse(body) as Message);
      if (kind === 'sse') {
        response.writeHead(202).end();
        if (out !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify(out)}\n\n`);
      } else if (out === undefined) response.writeHead(202).end();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(out));
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address !== null && typeof address === 'object') process.stdout.write(`${address.port}\n`);
  });
}

if (kind === 'stdio') stdio();
else http();
