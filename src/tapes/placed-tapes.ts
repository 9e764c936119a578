import { hostname } from 'node:os';
import { Failure } from '../failure.ts';
import type { Bucket } from './chunks/bucket.ts';
import { addressOf, type Chunks, readAddress, type TapeId } from './chunks/chunk.ts';
import { bucketTarget, databaseTarget, Delivery, type Target } from './chunks/delivery.ts';
import { GrownChunks } from './chunks/grown-chunks.ts';
import { allDelivered, keptTape } from './chunks/kept-tape.ts';
import type { TapeOutbox } from './chunks/tape-outbox.ts';
import type { GrowingTape, Tape, TapeEntry, Tapes, UndeliveredTape } from './tape.ts';

export interface PlacedTapesOptions {
  /** Where new tapes go; `postgres` may be used alone, or for the index of a bucket. */
  kind: 'files' | 'postgres' | 'bucket';
  files: Tapes;
  outbox: TapeOutbox;
  /** The chunks of the ledger; called again after a failure. */
  chunks: () => Promise<Chunks>;
  bucket: Bucket | undefined;
  /** Whether other machines share the ledger. */
  isShared: boolean;
}

/** Readers of a shared ledger can use its database, so an object may wait; without one, no more than this is lost with a machine. */
const objectEveryMs = { shared: 10_000, alone: 2000 };

/** The tapes of a ledger, wherever each of them is kept: the key in the ledger says where. */
export class PlacedTapes implements Tapes {
  readonly name: string;
  readonly #options: PlacedTapesOptions;

  constructor(options: PlacedTapesOptions) {
    this.#options = options;
    this.name =
      options.kind === 'files'
        ? options.files.name
        : options.kind === 'bucket'
          ? (options.bucket?.place ?? '')
          : 'the ledger';
  }

  create(id: string, startedAt: number, attempt = 1): { key: string; tape: Tape } {
    const { kind, files } = this.#options;
    if (kind === 'files') return files.create(id, startedAt, attempt);
    const tape = { run: id, attempt };
    return { key: addressOf(this.#place, tape), tape: this.#tape(tape, this.#place) };
  }

  grow(id: string, startedAt: number): { key: string; open: () => Promise<GrowingTape> } {
    const { kind, files, chunks } = this.#options;
    if (kind === 'files') return files.grow(id, startedAt);
    const tape = { run: id, attempt: 1 };
    const target = this.#targets(tape, this.#place).at(-1);
    if (target === undefined) throw new Failure('config', `cannot write tapes to ${this.name}`);
    return { key: addressOf(this.#place, tape), open: async () => GrownChunks.open(await chunks(), tape, target) };
  }

  at(key: string): Tape | undefined {
    const found = readAddress(key);
    if (found === undefined) return hasScheme(key) ? undefined : this.#options.files.at(key);
    return this.#isOurs(found.place) ? this.#tape(found.tape, found.place) : undefined;
  }

  whereIs(key: string, host?: string): string {
    const found = readAddress(key);
    if (found === undefined) return this.#options.files.whereIs(hasScheme(key) ? '' : key, host);
    const place = found.place === '' ? 'the ledger' : found.place;
    if (!this.#isOurs(found.place)) return `is in ${place}: name that place with --tapes or RUNWIRE_TAPES`;
    if (this.#options.outbox.has(found.tape))
      return `is not in ${place} yet: it waits here, and the next runwire command delivers it`;
    const pruned = `is not in ${place}: it was pruned, or its run was killed before anything was delivered`;
    // Only where it waits can be seen that it does; a container that is gone has taken it along.
    if (host === hostname()) return `${pruned}, and none of it waits here`;
    return `${pruned}; if it waits on ${host ?? 'another machine'}, a runwire command there delivers it`;
  }

  async *list(): AsyncGenerator<TapeEntry> {
    const { files, chunks } = this.#options;
    yield* files.list();
    const now = Date.now();
    for await (const { place, bytes, ageMs, ...tape } of (await chunks()).list())
      yield { key: addressOf(place, tape), bytes, at: now - ageMs, place: place === '' ? 'postgres' : 'bucket' };
  }

  isTidyingDue(now: number, everyMs: number): Promise<boolean> {
    return this.#options.files.isTidyingDue(now, everyMs);
  }

  steadySince(): Promise<number> {
    return this.#options.files.steadySince();
  }

  async deliver(now: number, patienceMs: number): Promise<UndeliveredTape[]> {
    const { outbox } = this.#options;
    const until = performance.now() + patienceMs;
    const left: UndeliveredTape[] = [];
    for (const { address, tape, local } of outbox.pending(now)) {
      const place = readAddress(address)?.place ?? '';
      if (!this.#isOurs(place)) {
        left.push({ run: tape.run, where: address, why: 'that place is not configured here' });
        continue;
      }
      const deliveries = this.#targets(tape, place).map((target) => new Delivery(local, target));
      const end = await allDelivered(deliveries, Math.max(0, until - performance.now()));
      if (end?.kind === 'broken') outbox.setAside(tape);
      else if (end !== undefined) await outbox.remove(tape);
      // Another command may have delivered it meanwhile.
      else if (outbox.has(tape))
        left.push({
          run: tape.run,
          where: address,
          why: deliveries.find(({ trouble }) => trouble)?.trouble ?? `no answer from ${this.name} yet`,
        });
    }
    return left;
  }

  get #place(): string {
    return this.#options.kind === 'bucket' ? (this.#options.bucket?.place ?? '') : '';
  }

  /** The ledger may be another team's: its rows must not lead to buckets that are not configured here. */
  #isOurs(place: string): boolean {
    return place === '' || place === this.#options.bucket?.place;
  }

  #tape(tape: TapeId, place: string): Tape {
    const { chunks, bucket, outbox } = this.#options;
    return keptTape({
      name: addressOf(place, tape),
      tape,
      chunks,
      bucket,
      outbox,
      targets: () => this.#targets(tape, place),
    });
  }

  #targets(tape: TapeId, place: string): Target[] {
    const { chunks, bucket, isShared } = this.#options;
    const live = databaseTarget(chunks, tape, place);
    if (place === '' || bucket === undefined) return [live];
    const stored = bucketTarget(chunks, tape, bucket, {
      everyMs: isShared ? objectEveryMs.shared : objectEveryMs.alone,
    });
    return isShared ? [live, stored] : [stored];
  }
}

function hasScheme(key: string): boolean {
  return /^[a-z0-9]+:/.test(key);
}
