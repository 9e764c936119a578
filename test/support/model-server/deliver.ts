import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answer.ts';
import { errorOf, streamErrorOf } from './errors.ts';
import type { Format, Frame } from './format.ts';
import type { ModelRequest } from './request.ts';
import type { StatusFault, StreamFault, Turn } from './script.ts';
import { closed, openStream, sendBytes, sendFrames, sendJson, type Pace } from './send.ts';

export interface Delivery {
  format: Format;
  asked: ModelRequest;
  answer: Answer;
  turn: Turn;
  fault: StreamFault | undefined;
  /** Aborted when the client has left or the server closes. */
  signal: AbortSignal;
}

export function deliverError(response: ServerResponse, format: Format, fault: StatusFault, message?: string): void {
  const { body, retryAfter } = fault;
  sendJson(response, fault.status, body ?? format.errorBody(errorOf(fault, message)), {
    ...(retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) }),
    // Seconds are whole numbers in HTTP; OpenAI's own header is finer.
    ...(retryAfter === undefined || Number.isInteger(retryAfter)
      ? {}
      : { 'retry-after-ms': String(Math.round(retryAfter * 1000)) }),
  });
}

/** Breaks the connection once the client had time to read: an error in a web stream drops what was not read yet. */
async function leave(response: ServerResponse): Promise<void> {
  await sleep(50);
  response.destroy();
}

/** Where the fault strikes: before the delta that follows the first `after` deltas, or after the last one. */
function strikeAt(frames: readonly Frame[], after: number): number {
  const deltas = frames.flatMap((frame, index) => (frame.delta === true ? [index] : []));
  return deltas[after] ?? (deltas.at(-1) ?? -1) + 1;
}

async function deliverStream(
  response: ServerResponse,
  { format, asked, answer, fault }: Delivery,
  pace: Pace,
): Promise<void> {
  const frames = format.frames(answer, asked);
  const end = fault === undefined || fault.type === 'empty' ? frames.length : strikeAt(frames, fault.after ?? 0);
  openStream(response);
  await sendFrames(response, frames.slice(0, end), pace);
  switch (fault?.type) {
    case 'disconnect':
      return leave(response);
    case 'stall':
      return closed(response);
    case 'stream-error':
      await sendFrames(response, format.streamError(streamErrorOf(fault)), pace);
      break;
    case 'bad-json':
      await sendFrames(response, [{ data: '{"broken": ' }, ...frames.slice(end)], pace);
      break;
    default:
  }
  response.end();
}

async function deliverWhole(
  response: ServerResponse,
  { format, asked, answer, fault }: Delivery,
  pace: Pace,
): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(format.body(answer, asked)));
  const half = bytes.subarray(0, bytes.length / 2);
  const headers = { 'content-type': 'application/json' };
  switch (fault?.type) {
    // There is no stream for the error to come in.
    case 'stream-error':
      return deliverError(response, format, streamErrorOf(fault));
    case 'bad-json':
      return void response.writeHead(200, headers).end(half);
    case 'cut':
    case 'disconnect':
    case 'stall':
      response.writeHead(200, { ...headers, 'content-length': bytes.length });
      await sendBytes(response, half, pace);
      return fault.type === 'stall' ? closed(response) : leave(response);
    default:
      response.writeHead(200, headers);
      await sendBytes(response, bytes, pace);
      response.end();
  }
}

/** Says an answer as the request wants it, up to the fault if there is one. */
export async function deliverAnswer(response: ServerResponse, delivery: Delivery): Promise<void> {
  const { format, asked, turn, signal } = delivery;
  const pace: Pace = { delayMs: turn.delayMs, writeSize: turn.writeSize, lineEnd: format.lineEnd, signal };
  await (asked.stream ? deliverStream : deliverWhole)(response, delivery, pace);
}
