import type { Database, Row, Statement, Value } from './database.ts';
import type { Chunk, ChunkedTape, Chunks, TapeId, Watch } from '../tapes/chunks/chunk.ts';
import { channel, Hints } from './chunk-hints.ts';

const clocks = {
  sqlite: "cast(unixepoch('subsec') * 1000 as integer)",
  postgres: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
};

/** The chunks of a ledger, in its database. */
export class SqlChunks implements Chunks {
  readonly #database: Database;
  readonly #table: string;
  readonly #hints: Hints;

  constructor(database: Database) {
    this.#database = database;
    this.#table = `${database.prefix}run_chunk`;
    this.#hints = new Hints(database);
  }

  async add(tape: TapeId, place: string, chunk: Chunk): Promise<void> {
    const insert = this.#insert(tape, place, chunk);
    if (this.#database.kind === 'sqlite') await this.#database.write([insert]);
    // One statement: a chunk and its hint take a single round trip.
    else
      await this.#database.all({
        sql: `with added as (${insert.sql} returning run) select pg_notify(?, ? || run) from added`,
        values: [...insert.values, channel, this.#database.prefix],
      });
  }

  async stored(tape: TapeId, place: string, { body: _body, ...chunk }: Chunk): Promise<void> {
    await this.add(tape, place, chunk);
    try {
      await this.#database.write([
        {
          sql: `delete from ${this.#table} where run = ? and attempt = ? and seq_to <= ? and here = 1 and ends = 0`,
          values: [tape.run, tape.attempt, chunk.to],
        },
      ]);
    } catch {
      // A role may be allowed to add but not to delete: then they are stored twice, and read once.
    }
  }

  async after({ run, attempt }: TapeId, sequence: number, limit: number): Promise<Chunk[]> {
    const rows = await this.#database.all({
      sql: `select seq_from, seq_to, sha256, bytes, ends, body from ${this.#table}
        where run = ? and attempt = ? and seq_to > ? order by seq_to, seq_from limit ?`,
      values: [run, attempt, sequence, limit],
    });
    return rows.map(chunkOf);
  }

  async last({ run, attempt }: TapeId, inBucket: boolean): Promise<number> {
    const [row] = await this.#database.all({
      sql: `select max(seq_to) as last from ${this.#table} where run = ? and attempt = ? and ends = 0${inBucket ? ' and here = 0' : ''}`,
      values: [run, attempt],
    });
    return Number(row?.['last'] ?? 0);
  }

  async size({ run, attempt }: TapeId): Promise<number | undefined> {
    const [row] = await this.#database.all({
      sql: `select sum(bytes) as bytes from ${this.#table} where run = ? and attempt = ?`,
      values: [run, attempt],
    });
    const bytes = row?.['bytes'];
    return bytes === null || bytes === undefined ? undefined : Number(bytes);
  }

  async hashes({ run, attempt }: TapeId): Promise<string[]> {
    const rows = await this.#database.all({
      sql: `select distinct sha256 from ${this.#table} where run = ? and attempt = ? and here = 0`,
      values: [run, attempt],
    });
    return rows.map(({ sha256 }) => String(sha256));
  }

  async remove({ run, attempt }: TapeId): Promise<void> {
    await this.#database.write([
      { sql: `delete from ${this.#table} where run = ? and attempt = ?`, values: [run, attempt] },
    ]);
  }

  /** By the database's clock, so that a wrong clock on one machine makes nothing look old. */
  async *list(): AsyncGenerator<ChunkedTape> {
    const rows = await this.#database.all({
      sql: `select run, attempt, place, sum(bytes) as bytes, ${clocks[this.#database.kind]} - max(at) as age
        from ${this.#table} group by run, attempt, place order by run, attempt`,
      values: [],
    });
    for (const { run, attempt, place, bytes, age } of rows)
      yield {
        run: String(run),
        attempt: Number(attempt),
        place: String(place),
        bytes: Number(bytes),
        ageMs: Number(age),
      };
  }

  watch({ run }: TapeId, onNews: () => void): Watch {
    return this.#hints.watch(run, onNews);
  }

  close(): Promise<void> {
    return this.#hints.close();
  }

  #insert({ run, attempt }: TapeId, place: string, { from, to, sha256, bytes, ends, body }: Chunk): Statement {
    const columns: Record<string, Value> = {
      run,
      attempt,
      seq_from: from,
      seq_to: to,
      place,
      sha256,
      bytes,
      ends: Number(ends),
      // An object and a body of the same records are two rows, so that either can exist without the other.
      here: Number(body !== undefined),
      body: body ?? null,
    };
    const names = Object.keys(columns);
    return {
      sql: `insert into ${this.#table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) on conflict do nothing`,
      values: Object.values(columns),
    };
  }
}

/** Rows are written only by this file; their bodies are checked by the reader. */
function chunkOf({ seq_from, seq_to, sha256, bytes, ends, body }: Row): Chunk {
  return {
    from: Number(seq_from),
    to: Number(seq_to),
    sha256: String(sha256),
    bytes: Number(bytes),
    ends: Number(ends) === 1,
    ...(body instanceof Uint8Array ? { body } : {}),
  };
}
