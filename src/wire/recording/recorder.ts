import type { IncomingHttpHeaders } from 'node:http';
import { decompressed } from '../decompress.ts';
import type { ModelAnswer, ModelRequest } from '../exchange.ts';
import { jsonOrText } from '../../json/parse.ts';
import type { RecordingWriter } from './recording.ts';
import type { FileState } from '../../files/file-state.ts';

/** What is kept of one answer; the rest of a longer one is left out, and a replay stops there as the provider did not. */
const mostKept = 64 * 1024 * 1024;

/** Where the bytes of one answer go besides the agent. */
export interface AnswerTap {
  chunk(chunk: Buffer): void;
  end(answer: ModelAnswer, headers: IncomingHttpHeaders): Promise<void>;
}

/** Keeps what goes over the wire. */
export class Recorder {
  readonly #open: () => RecordingWriter;
  #opened: RecordingWriter | undefined;
  readonly #now: () => number;
  #first: number | undefined;

  /** `open`: called with the first request, when it is known where the agent works. */
  constructor(open: () => RecordingWriter, now: () => number) {
    this.#open = open;
    this.#now = now;
  }

  get #writer(): RecordingWriter {
    return (this.#opened ??= this.#open());
  }

  /** What the work has come to; without a request there is no recording. */
  files(files: readonly FileState[]): void {
    this.#opened?.files(files);
  }

  async request({ number, api, route }: ModelRequest, { method, path, body, encoding }: Sent): Promise<AnswerTap> {
    const at = this.#now();
    this.#first ??= at;
    const text = (await decompressed(body, encoding, mostKept).catch(() => Buffer.alloc(0))).toString();
    this.#writer.request({ number, at_ms: at - this.#first, api, route, method, path, body: jsonOrText(text) });
    return this.#tap(number);
  }

  #tap(number: number): AnswerTap {
    const chunks: Buffer[] = [];
    let size = 0;
    return {
      chunk(chunk) {
        size += chunk.length;
        if (size <= mostKept) chunks.push(chunk);
      },
      end: async ({ status, ended, firstByteMs, durationMs }, headers) => {
        const { 'content-type': type = '', 'content-encoding': encoding } = headers;
        const body = await decompressed(Buffer.concat(chunks), encoding, mostKept).catch(() => Buffer.alloc(0));
        this.#writer.answer({
          number,
          status: status ?? null,
          content_type: type,
          retry: retryIn(headers),
          ended: size > mostKept ? 'cut_by_provider' : ended,
          first_byte_ms: firstByteMs,
          duration_ms: durationMs,
          body: body.toString(),
        });
      },
    };
  }
}

/** By these an agent decides whether it asks again, and when. */
const ofRetry = ['retry-after', 'retry-after-ms', 'x-should-retry'];

function retryIn(headers: IncomingHttpHeaders): Record<string, string> | undefined {
  const found = ofRetry.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return found.length === 0 ? undefined : (Object.fromEntries(found) as Record<string, string>);
}

interface Sent {
  method: string;
  /** Below the route, with its query. */
  path: string;
  body: Buffer;
  encoding: string | undefined;
}
