import type { Problem } from './run-store.ts';

export type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;

/** SQL with `?` for each value; the database puts its own marks there. */
export interface Statement {
  sql: string;
  values: readonly Value[];
}

/** What a role may do beside reading and adding. */
export interface Rights {
  update: boolean;
  delete: boolean;
  /** Write to what budgets are kept in. */
  budgets: boolean;
}

/** The little that SQLite and PostgreSQL are asked for; everything above is the same SQL for both. */
export interface Database {
  readonly name: string;
  readonly kind: 'sqlite' | 'postgres';
  /** Put before the name of every table. */
  readonly prefix: string;
  /** Milliseconds since the epoch by the database's own clock, in its SQL: the same wherever it stands in one statement. */
  readonly now: string;
  readonly rights: Rights;
  all(statement: Statement): Promise<Row[]>;
  /** One transaction. When the first statement changes no row, nothing is done: false. */
  write(statements: readonly Statement[]): Promise<boolean>;
  /** One transaction: a question, and what is written because of the answer. Of those with the same lock, one at a time. */
  decide(lock: string, question: Statement, answer: (rows: Row[]) => readonly Statement[]): Promise<void>;
  /** What the database itself finds wrong with its file or its indexes. */
  problems(): Promise<Problem[]>;
  /** What was deleted is gone from the files, and their space is given back as far as the database can. */
  compact(): Promise<void>;
  /** Hears the words that others say on a channel; answers how to end it. Absent: this database has none. */
  listen?(channel: string, onWord: (word: string) => void, onLost: () => void): Promise<() => void>;
  close(): Promise<void>;
}

/** SQLite numbers its errors, PostgreSQL grades them, and a connection names the call that failed. */
export function isDatabaseError(error: unknown): error is Error {
  return error instanceof Error && ('errcode' in error || 'severity' in error || ('syscall' in error && 'address' in error));
}
