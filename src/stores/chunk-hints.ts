import type { Database } from './database.ts';
import type { Watch } from '../tapes/chunks/chunk.ts';

/** One channel for all ledgers of a database; each message begins with the schema. */
export const channel = 'runwire_chunks';
const againMs = 5000;

/** Listens for tapes that grow, on one connection for all readers. Behind a transaction-mode pooler nothing arrives. */
export class Hints {
  readonly #database: Database;
  readonly #listeners = new Map<string, Set<{ onNews: () => void }>>();
  #end: (() => void) | undefined;
  #connecting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isTrusted = false;
  #isClosed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  watch(run: string, onNews: () => void): Watch {
    const listener = { onNews };
    const all = this.#listeners.get(run) ?? new Set();
    this.#listeners.set(run, all.add(listener));
    this.#connect();
    return {
      isTrusted: () => this.#isTrusted,
      close: () => {
        all.delete(listener);
        if (all.size === 0 && this.#listeners.get(run) === all) this.#listeners.delete(run);
        if (this.#listeners.size === 0) this.#disconnect();
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting;
    this.#disconnect();
  }

  #connect(): void {
    if (
      this.#isClosed ||
      this.#end !== undefined ||
      this.#connecting !== undefined ||
      this.#database.listen === undefined
    )
      return;
    this.#connecting = this.#listen(this.#database.listen.bind(this.#database)).finally(() => {
      this.#connecting = undefined;
      if (this.#listeners.size === 0 || this.#isClosed) this.#disconnect();
    });
  }

  async #listen(listen: NonNullable<Database['listen']>): Promise<void> {
    const { prefix } = this.#database;
    const probe = `${prefix}?`;
    try {
      this.#end = await listen(
        channel,
        (word) => {
          this.#isTrusted = true;
          if (word !== probe && word.startsWith(prefix)) this.#tell(word.slice(prefix.length));
        },
        () => this.#lost(),
      );
      // On another connection, like the hints of others: if this one arrives, theirs will too.
      await this.#database.all({ sql: 'select pg_notify(?, ?)', values: [channel, probe] });
    } catch {
      this.#lost();
    }
  }

  #tell(run: string): void {
    for (const { onNews } of this.#listeners.get(run) ?? []) onNews();
  }

  #lost(): void {
    this.#disconnect();
    if (this.#isClosed || this.#listeners.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#connect();
    }, againMs).unref();
  }

  #disconnect(): void {
    this.#isTrusted = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#end?.();
    this.#end = undefined;
  }
}
