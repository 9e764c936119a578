import { AbstractAgent, type Message, runHttpRequest, transformHttpEventStream, verifyEvents } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';
import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from 'ai';
import type { JsonObject } from '../../src/json/json.ts';

/** The objects of a stream of server-sent events, or of lines. */
export function wiresOf(text: string): JsonObject[] {
  return text
    .split('\n')
    .map((line) => (line.startsWith('data: ') ? line.slice(6) : line))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as JsonObject);
}

export interface ReadChat {
  message: UIMessage | undefined;
  chunks: JsonObject[];
  /** Chunks that the schema of `ai` refuses, and what its reader threw. */
  refused: unknown[];
  errors: string[];
}

/** What `useChat` makes of a UI message stream. */
export async function readChat(text: string): Promise<ReadChat> {
  const chunks = wiresOf(text);
  const refused: unknown[] = [];
  const { validate } = uiMessageChunkSchema();
  for (const chunk of chunks) if ((await validate?.(chunk))?.success !== true) refused.push(chunk);
  const errors: string[] = [];
  let message: UIMessage | undefined;
  const messages = readUIMessageStream({
    stream: streamOf(joined(chunks)),
    onError: (error) => void errors.push(error instanceof Error ? error.message : String(error)),
  });
  for await (const each of messages) message = each;
  return { message, chunks, refused, errors };
}

function streamOf<T>(items: Iterable<T>): ReadableStream<T> {
  return new ReadableStream<T>({
    start(controller) {
      for (const item of items) controller.enqueue(item);
      controller.close();
    },
  });
}

/** The reader copies the message with every chunk: pieces of one text are read together. */
function* joined(chunks: readonly JsonObject[]): Iterable<UIMessageChunk> {
  let pieces: string[] = [];
  for (const [index, chunk] of chunks.entries()) {
    const next = chunks[index + 1];
    const isDelta = chunk['type'] === 'text-delta' || chunk['type'] === 'reasoning-delta';
    if (isDelta) pieces.push(String(chunk['delta']));
    if (isDelta && next !== undefined && next['type'] === chunk['type'] && next['id'] === chunk['id']) continue;
    yield (isDelta ? { ...chunk, delta: pieces.join('') } : chunk) as UIMessageChunk;
    pieces = [];
  }
}

const overHttp = (text: string): ReturnType<AbstractAgent['run']> =>
  transformHttpEventStream(
    runHttpRequest(async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } })),
  );

export interface ReadAgent {
  events: JsonObject[];
  /** Events that the schema refuses, and what the client refused their order for. */
  refused: unknown[];
}

/** What a client of AG-UI makes of a stream of server-sent events: the schema of each, and their order. */
export async function readAgent(text: string): Promise<ReadAgent> {
  const events = wiresOf(text);
  const refused: unknown[] = events.filter((event) => !EventSchemas.safeParse(event).success);
  let heard = 0;
  await new Promise<void>((resolve) => {
    verifyEvents()(overHttp(text)).subscribe({
      next: () => void (heard += 1),
      error(error: unknown) {
        refused.push(String(error));
        resolve();
      },
      complete: resolve,
    });
  });
  if (heard !== events.length) refused.push(`${heard} of ${events.length} events arrived`);
  return { events, refused };
}

/** An agent whose stream is there already. */
class Recorded extends AbstractAgent {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  run(): ReturnType<AbstractAgent['run']> {
    return overHttp(this.#text);
  }
}

/** The messages that a client of AG-UI shows. */
export async function shownMessages(text: string): Promise<Message[]> {
  const agent = new Recorded(text);
  await agent.runAgent();
  return agent.messages;
}
