import type { Metrics } from './metrics.ts';
import type { Viewer, Viewers } from './viewers.ts';

/** A message of a stream of server-sent events. */
export interface Message {
  event: string;
  id?: number;
  /** JSON, which has no line breaks. */
  data: string;
  /** The same, one JSON value per line. */
  lines?: readonly string[];
  /** How many events of a run are in it. */
  count?: number;
}

export interface StreamOptions {
  /** How a message is written. */
  encode: (message: Message) => string;
  /** The last message for a viewer that stops reading; absent: its stream ends with an error, not as if it were complete. */
  behind?: () => Message;
  /** What to send while there is no message; absent: nothing. */
  keepAlive?: string;
  /** The request's signal: a client that leaves before the response never opens the stream, and so never cancels it. */
  signal: AbortSignal;
  metrics: Metrics;
  viewers: Viewers;
  timing: StreamTiming;
}

export interface StreamTiming {
  /** A viewer that reads nothing for this long has fallen behind. */
  stallMs: number;
  /** A viewer that does not even read that it fell behind is disconnected after this long. */
  leaveMs: number;
  keepAliveMs: number;
}

export const defaultTiming: StreamTiming = { stallMs: 10_000, leaveMs: 20_000, keepAliveMs: 15_000 };

export function sseText({ event, id, data }: Message): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

/** Starts the messages; the signal is aborted when the viewer has left, even while the generator waits for news. */
export type Messages = (left: AbortSignal) => AsyncGenerator<readonly Message[], void>;

const encoder = new TextEncoder();

/**
 * Sends messages as they are read: the next one is made when the last one is on its way, so a slow viewer costs one message
 * of memory and delays no other viewer. A viewer that reads nothing is told that it fell behind, and disconnected. It counts
 * as a viewer until it has read that, or is gone.
 */
export function streamOf(begin: Messages, options: StreamOptions): ReadableStream<Uint8Array> {
  const { encode, behind, keepAlive, signal, metrics, viewers, timing } = options;
  const left = new AbortController();
  const messages = begin(left.signal);
  let stall: NodeJS.Timeout | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isOver = false;
  let isBehind = false;
  /** The bytes that were taken last: they may still be on their way to the network. */
  let taken = 0;
  let waiting = 0;
  let disconnect = (): void => {};
  const viewer: Viewer = { drop: () => disconnect() };
  viewers.enter();
  /** Nothing more is read for this viewer. */
  function stop(): void {
    clearTimeout(stall);
    clearInterval(idle);
    left.abort();
    void messages.return().catch(() => {});
  }
  function over(): void {
    if (isOver) return;
    isOver = true;
    stop();
    signal.removeEventListener('abort', over);
    viewers.leave(viewer);
  }
  if (signal.aborted) over();
  else signal.addEventListener('abort', over);
  function send(controller: ReadableStreamDefaultController<Uint8Array>, text: string): void {
    const bytes = encoder.encode(text);
    waiting += bytes.length;
    controller.enqueue(bytes);
    viewers.waits(viewer, taken + waiting);
  }
  function expectTaking(controller: ReadableStreamDefaultController<Uint8Array>): void {
    stall = setTimeout(() => {
      if (isOver) return;
      metrics.behind += 1;
      if (behind === undefined) return disconnect();
      isBehind = true;
      stop();
      send(controller, encode(behind()));
      stall = setTimeout(disconnect, timing.leaveMs);
    }, timing.stallMs);
  }
  return new ReadableStream<Uint8Array>({
    start(controller) {
      disconnect = () => {
        if (isOver) return;
        over();
        controller.error(new Error('the viewer reads nothing'));
      };
      if (keepAlive === undefined || isOver) return;
      // The first byte tells the viewer that it is connected.
      send(controller, keepAlive);
      expectTaking(controller);
      idle = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(keepAlive));
      }, timing.keepAliveMs);
    },
    async pull(controller) {
      clearTimeout(stall);
      viewers.taken(viewer);
      [taken, waiting] = [waiting, 0];
      if (isBehind) {
        over();
        controller.close();
        return;
      }
      try {
        const next = await messages.next();
        if (isOver) return;
        if (next.done === true) {
          over();
          controller.close();
          return;
        }
        for (const { count = 0 } of next.value) metrics.eventsSent += count;
        send(controller, next.value.map(encode).join(''));
        expectTaking(controller);
      } catch (error) {
        over();
        controller.error(error);
      }
    },
    cancel: over,
  });
}
