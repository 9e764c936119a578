import { decompressed } from '../decompress.ts';
import type { ModelAnswer, ModelRequest } from '../exchange.ts';
import { jsonOrText } from '../../json/parse.ts';
import type { RecordingWriter } from './recording.ts';

/** What is kept of one answer; the rest of a longer one is left out, and a replay stops there as the provider did not. */
const mostKept = 64 * 1024 * 1024;

/** Where the bytes of one answer go besides the agent. */
export interface AnswerTap {
  chunk(chunk: Buffer): void;
  end(answer: ModelAnswer, headers: { type?: string | undefined; encoding?: string | undefined }): Promise<void>;
}

/** Keeps what goes over the wire. */
export class Recorder {
  readonly #writer: RecordingWriter;
  readonly #now: () => number;
  #first: number | undefined;

  constructor(writer: RecordingWriter, now: () => number) {
    this.#writer = writer;
    this.#now = now;
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
      end: async ({ status, ended, firstByteMs, durationMs }, { type = '', encoding }) => {
        const body = await decompressed(Buffer.concat(chunks), encoding, mostKept).catch(() => Buffer.alloc(0));
        this.#writer.answer({
          number,
          status: status ?? null,
          content_type: type,
          ended: size > mostKept ? 'cut_by_provider' : ended,
          first_byte_ms: firstByteMs,
          duration_ms: durationMs,
          body: body.toString(),
        });
      },
    };
  }
}

interface Sent {
  method: string;
  /** Below the route, with its query. */
  path: string;
  body: Buffer;
  encoding: string | undefined;
}
