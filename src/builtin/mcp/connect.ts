import type { CallToolResult, ListToolsResult, MCPClient } from '@ai-sdk/mcp';
import { z } from 'zod';
import { Failure } from '../../failure.ts';
import { present } from '../../json/present.ts';
import { version } from '../../version.ts';
import type { StdioTransport } from './stdio.ts';
import type { Tool, ToolResult } from '../tools/tool.ts';
import { clip } from '../tools/clip.ts';
import { portOf, type Reach } from '../tools/reach.ts';
import type { Program } from '../../processes/child.ts';
import { bordered } from '../../processes/confined.ts';
import { cancelled, define, failed } from '../tools/define.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import type { Environment } from '../../words/vocabulary.ts';

const startTime = 30_000;
const callTime = 600_000;
const mostCharacters = 30_000;
const mostTools = 1000;
/** The longest tool name that providers accept. */
const longestName = 64;

const Texts = z.record(z.string(), z.string());
/** `${NAME}` in any string of a server's entry stands for that environment variable. */
export const McpServer = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).optional(),
    env: Texts.optional(),
    cwd: z.string().optional(),
  }),
  z.strictObject({
    type: z.enum(['http', 'sse']).optional(),
    url: z.url({ protocol: /^https?$/ }),
    headers: Texts.optional(),
  }),
]);
export type McpServer = z.infer<typeof McpServer>;

export interface McpOptions {
  cwd: string;
  env: Environment;
  signal: AbortSignal;
  reach?: Reach | undefined;
}

export interface McpConnection {
  tools: Tool[];
  close(): Promise<void>;
}

/** Starts or connects to every server and lists its tools; if one fails, all are closed and a `config` failure is thrown. */
export async function connectMcp(
  servers: Readonly<Record<string, McpServer>>,
  options: McpOptions,
): Promise<McpConnection> {
  const names = Object.keys(servers);
  if (names.length === 0) return { tools: [], close: () => Promise.resolve() };
  const connected = await Promise.allSettled(
    Object.entries(servers).map(([name, server]) => connect(name, server, options)),
  );
  const open = connected.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const close = async (): Promise<void> => void (await Promise.allSettled(open.map((each) => each.client.close())));
  const broken = connected.find((each) => each.status === 'rejected');
  if (broken !== undefined) {
    await close();
    throw broken.reason;
  }
  return { tools: open.flatMap((each) => each.tools), close };
}

interface Connected {
  client: MCPClient;
  tools: Tool[];
}

async function connect(name: string, server: McpServer, options: McpOptions): Promise<Connected> {
  if (!/^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/.test(name)) {
    throw new Failure(
      'config',
      `invalid MCP server name: "${name}"; use letters, digits, - and single _, such as "my-files"`,
    );
  }
  const { createMCPClient, validateJSONRPCMessage } = await import('@ai-sdk/mcp');
  const filled = fill(server, name, options.env);
  let child: StdioTransport | undefined;
  if ('command' in filled) {
    const { StdioTransport } = await import('./stdio.ts');
    const { PATH, HOME } = options.env;
    const env = { ...present({ PATH, HOME }), ...filled.env };
    const command = { command: filled.command, args: filled.args ?? [], cwd: filled.cwd ?? options.cwd, env };
    child = new StdioTransport(within(command, options.reach), (line) => validateJSONRPCMessage(JSON.parse(line)));
  }
  try {
    refuseHost(filled, options.reach);
    const client = await createMCPClient({
      transport: child ?? httpTransport(filled),
      clientName: 'runwire',
      version,
      initializationOptions: { signal: options.signal, timeout: startTime },
      onUncaughtError: () => {},
    });
    try {
      return { client, tools: toolsOf(name, client, await listTools(client, options.signal), child, options.env) };
    } catch (error) {
      await client.close();
      throw error;
    }
  } catch (error) {
    const words = await wordsOf(error, child);
    await child?.close();
    throw new Failure('config', `the MCP server "${name}" did not start: ${words}`, { cause: error });
  }
}

/** A server that is started has the network of commands. */
function within(program: Program, reach: Reach | undefined): Program {
  if (reach === undefined) return program;
  const { border } = reach;
  return bordered({ ...program, env: { ...program.env, ...border.variables } }, border);
}

/** One that is elsewhere must be allowed by its name. */
function refuseHost(server: McpServer, reach: Reach | undefined): void {
  const url = 'url' in server ? URL.parse(server.url) : null;
  const refusal = url === null ? undefined : reach?.refuse(url.hostname, portOf(url));
  if (refusal !== undefined) throw new Failure('config', refusal);
}

function httpTransport(server: McpServer): { type: 'http' | 'sse'; url: string; headers: Record<string, string> } {
  if (!('url' in server)) throw new Failure('config', 'an MCP server needs a command or a url');
  return { type: server.type ?? 'http', url: server.url, headers: server.headers ?? {} };
}

function fill<Value>(value: Value, server: string, env: McpOptions['env']): Value {
  const text = JSON.stringify(value).replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_, name: string) => {
    const found = env[name];
    if (found === undefined)
      throw new Failure('config', `the MCP server "${server}" needs the variable ${name}, which is not set`);
    return JSON.stringify(found).slice(1, -1);
  });
  return JSON.parse(text) as Value;
}

async function listTools(client: MCPClient, signal: AbortSignal): Promise<ListToolsResult['tools']> {
  const all: ListToolsResult['tools'] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools({
      ...present({ params: cursor === undefined ? undefined : { cursor } }),
      options: { signal, timeout: startTime },
    });
    // Spreading would put every tool on the stack, and a server may list any number.
    for (const tool of page.tools) all.push(tool);
    cursor = page.nextCursor;
  } while (cursor !== undefined && all.length < mostTools);
  return all.slice(0, mostTools);
}

function toolsOf(
  server: string,
  client: MCPClient,
  listed: ListToolsResult['tools'],
  child: StdioTransport | undefined,
  env: Environment,
): Tool[] {
  const taken = new Set<string>();
  const redact = new Redactor({ values: secretValues(env) });
  return listed.map(({ name, description, inputSchema }) => {
    // Cleaned before anything is put before it or cut off: neither a key after `__` nor half a key is recognised.
    const ours = freeName(`mcp__${server}__${redact.text(name).replaceAll(/[^A-Za-z0-9_-]/g, '_')}`, taken);
    // The server validates the arguments itself; its schema is only shown to the model.
    const { $schema: _, id: __, ...shape } = inputSchema;
    return define<Record<string, unknown>>({
      name: ours,
      kind: 'mcp',
      description: description ?? '',
      input: z.looseObject({}).meta({ ...shape, properties: shape.properties ?? {} }),
      need: () => ({ access: 'execute', subject: ours }),
      async run(args, { signal }) {
        try {
          return resultOf(await client.callTool({ name, arguments: args, options: { signal, timeout: callTime } }));
        } catch (error) {
          return signal.aborted ? cancelled : failed(await wordsOf(error, child));
        }
      },
    });
  });
}

function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted.slice(0, longestName);
  for (let count = 2; taken.has(name); count += 1)
    name = `${wanted.slice(0, longestName - `_${count}`.length)}_${count}`;
  taken.add(name);
  return name;
}

function resultOf(result: CallToolResult): ToolResult {
  const content =
    'content' in result && Array.isArray(result.content)
      ? result.content
      : [{ type: 'text', text: JSON.stringify(result) }];
  const output = clip(content.map(partText).join('\n') || '(no output)', mostCharacters);
  return { status: result.isError === true ? 'error' : 'success', output };
}

const Part = z.union([
  z.object({ type: z.literal('text'), text: z.string() }).transform(({ text }) => text),
  z
    .object({ type: z.literal('resource'), resource: z.object({ text: z.string() }) })
    .transform(({ resource }) => resource.text),
  z
    .object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() })
    .transform(({ type, data, mimeType }) => `[${type}, ${mimeType}, ${Math.floor((data.length * 3) / 4)} bytes]`),
  z.object({ type: z.literal('resource_link'), uri: z.string() }).transform(({ uri }) => `[${uri}]`),
  z.unknown().transform((part) => JSON.stringify(part)),
]);
const partText = (part: unknown): string => Part.parse(part);

async function wordsOf(error: unknown, child: StdioTransport | undefined): Promise<string> {
  const messages: string[] = [];
  for (let cause = error; cause instanceof Error && messages.length < 4; cause = cause.cause) {
    const { message } = cause;
    if (message !== '' && !messages.some((each) => each.includes(message))) messages.push(message);
  }
  return [messages.join(': ') || String(error), ...((await child?.lastWords()) ?? [])].join('; ');
}
