import { once } from 'node:events';
import type { Transform } from 'node:stream';
import type { Json } from '../json/json.ts';
import { object } from '../json/read.ts';
import type { Api, Meter, Reading } from './apis/api.ts';
import { ReplyFold } from './recording/reply.ts';
import { eventOf } from './apis/words.ts';
import { decompressor } from './decompress.ts';
import { EventReader } from './event-reader.ts';

/** A longer answer in one piece is passed on and not read: nobody knows then what it used. */
const longestBody = 16 * 1024 * 1024;
/** The most that a compressed answer may become. */
const mostDecompressed = 256 * 1024 * 1024;

/** Reads along while an answer passes; it never changes, holds or delays a byte of it. */
export class AnswerMeter {
  readonly #meter: Meter;
  readonly #reply: ReplyFold | undefined;
  readonly #events: EventReader | undefined;
  #body: Buffer[] | undefined;
  #size = 0;
  readonly #compressed: Transform | undefined;
  #isUnreadable = false;

  /** `keepsReply`: what the model says is wanted too. */
  constructor(
    api: Api,
    { type = '', encoding }: { type?: string | undefined; encoding?: string | undefined },
    keepsReply = false,
  ) {
    this.#meter = api.meter();
    this.#reply = keepsReply ? new ReplyFold() : undefined;
    const isStream = /^\s*text\/event-stream\b/i.test(type);
    this.#events = isStream
      ? new EventReader((name, data) => this.#event(name, data), {
          telling: () => (keepsReply ? undefined : this.#meter.telling),
        })
      : undefined;
    this.#body = isStream ? undefined : [];
    this.#compressed = this.#open(encoding);
  }

  /** While the returned promise is pending, no more should be pushed. */
  push(chunk: Buffer): Promise<void> | undefined {
    const through = this.#compressed;
    if (this.#isUnreadable) return undefined;
    if (through === undefined) {
      this.#read(chunk);
      return undefined;
    }
    let isFull = false;
    const taken = new Promise<void>((resolve) => {
      isFull = !through.write(chunk, () => resolve());
    });
    return isFull ? taken : undefined;
  }

  /** `isCut`: the answer did not come to its end. */
  async end(isCut: boolean): Promise<Reading> {
    const through = this.#compressed;
    if (through !== undefined) {
      through.end();
      await closed(through);
    }
    if (!isCut) this.#events?.end();
    if (this.#body !== undefined && !isCut) this.#readBody(Buffer.concat(this.#body));
    this.#body = undefined;
    const { reading } = this.#meter;
    return this.#reply === undefined ? reading : { ...reading, reply: this.#reply.reply };
  }

  #event(name: string, data: string): void {
    this.#meter.event(name, data);
    this.#reply?.take(eventOf(data));
  }

  #open(encoding: string | undefined): Transform | undefined {
    try {
      const through = decompressor(encoding);
      through?.on('data', (chunk: Buffer) => this.#read(chunk));
      // What was read up to the damage counts.
      through?.on('error', () => this.#giveUp());
      return through;
    } catch {
      this.#isUnreadable = true;
      return undefined;
    }
  }

  #read(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#compressed !== undefined && this.#size > mostDecompressed) return this.#giveUp();
    this.#events?.push(chunk);
    if (this.#body === undefined) return;
    if (this.#size <= longestBody) this.#body.push(chunk);
    else this.#body = undefined;
  }

  #giveUp(): void {
    this.#isUnreadable = true;
    this.#compressed?.destroy();
  }

  #readBody(bytes: Buffer): void {
    try {
      const body = JSON.parse(bytes.toString('utf8')) as Json;
      this.#meter.body(body);
      for (const each of Array.isArray(body) ? body : [body]) this.#reply?.take(object(each));
    } catch {
      // Not JSON: nothing is known of it.
    }
  }
}

async function closed(stream: Transform): Promise<void> {
  if (!stream.closed) await once(stream, 'close').catch(() => {});
}
