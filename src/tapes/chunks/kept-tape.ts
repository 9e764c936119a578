import type { EventRecord } from '../../events/event.ts';
import type { Tape, TapeEnd, TapeOptions, TapeWriter } from '../tape.ts';
import { chunkTape, type ChunkTapeOptions } from './chunk-tape.ts';
import { Delivery, type Target } from './delivery.ts';
import type { TapeOutbox } from './tape-outbox.ts';

/** How long the end of a run waits for its tape; the next command delivers what is left. */
const defaultPatienceMs = 2000;

export interface KeptTapeOptions extends ChunkTapeOptions {
  outbox: TapeOutbox;
  targets: () => Target[];
}

/** A tape that is written on this machine and delivered as it grows; it is read from the local file while there is one, otherwise from where it is kept. */
export function keptTape(options: KeptTapeOptions): Tape {
  const { name, tape, outbox } = options;
  const remote = chunkTape(options);
  async function* nearest(read: (each: Pick<Tape, 'read' | 'follow'>) => AsyncGenerator<Uint8Array, TapeEnd>) {
    if (!outbox.has(tape)) return yield* read(remote);
    const lines = read(outbox.local(tape));
    let next;
    try {
      next = await lines.next();
    } catch (error) {
      // It was delivered and removed from here since the check.
      if (outbox.has(tape)) throw error;
      return yield* read(remote);
    }
    if (next.done === true) return next.value;
    yield next.value;
    return yield* lines;
  }
  return {
    name,
    write: (given) => new DeliveredWriter(options, given),
    read: (after) => nearest((each) => each.read(after)),
    follow: (more, after) => nearest((each) => each.follow(more, after)),
    size: async () => (outbox.has(tape) ? await outbox.local(tape).size() : undefined) ?? (await remote.size()),
    async remove() {
      await outbox.remove(tape);
      await remote.remove();
    },
  };
}

/** A record is on the disk of this machine first, like on any tape, and a moment later where the tape is kept. */
class DeliveredWriter implements TapeWriter {
  readonly #options: KeptTapeOptions;
  readonly #patienceMs: number;
  readonly #writer: TapeWriter;
  readonly #deliveries: readonly Delivery[];
  #ended: Promise<void> | undefined;

  constructor(options: KeptTapeOptions, given: TapeOptions) {
    this.#patienceMs = given.patienceMs ?? defaultPatienceMs;
    const { outbox, tape, name, targets } = options;
    this.#options = options;
    outbox.begin(tape, name);
    const local = outbox.local(tape);
    this.#writer = local.write(given);
    this.#deliveries = targets().map((target) => new Delivery(local, target));
  }

  record(record: EventRecord): void {
    this.#writer.record(record);
    for (const delivery of this.#deliveries) delivery.news();
  }

  keep(): void {
    this.#writer.keep?.();
  }

  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    const { outbox, tape, name } = this.#options;
    await this.#writer.end();
    if ((await allDelivered(this.#deliveries, this.#patienceMs)) === undefined) outbox.release(tape, name);
    else await outbox.remove(tape);
  }
}

/**
 * How the tape ended, if all of it was delivered; undefined: some is left. One target after the other: what is in the bucket need not
 * stay in the database.
 */
export async function allDelivered(deliveries: readonly Delivery[], patience: number): Promise<TapeEnd | undefined> {
  const until = performance.now() + patience;
  const ends: (TapeEnd | undefined)[] = [];
  for (const delivery of deliveries) ends.push(await delivery.end(Math.max(0, until - performance.now())));
  return ends.includes(undefined) ? undefined : ends[0];
}
