import { systemCode } from '../failure.ts';
import type { Problem } from './run-store.ts';

export type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;

/** SQL with `?` for each value; the database substitutes its own placeholders. */
export interface Statement {
  sql: string;
  values: readonly Value[];
  /** In a transaction of several: how many rows it has to change, or none of them changes any and `Contested` is thrown. */
  changes?: number;
}

/** Others have meanwhile written what a transaction was to write. */
export class Contested extends Error {}

/** What a role may do besides reading and adding. */
export interface Rights {
  update: boolean;
  delete: boolean;
  /** Write to the tables of budgets. */
  budgets: boolean;
}

/** The few operations that differ between SQLite and PostgreSQL; everything above uses the same SQL for both. */
export interface Database {
  readonly name: string;
  readonly kind: 'sqlite' | 'postgres';
  /** The prefix of every table name. */
  readonly prefix: string;
  /** Milliseconds since the epoch by the database's own clock, in its SQL: the same value throughout one statement. */
  readonly now: string;
  readonly rights: Rights;
  all(statement: Statement): Promise<Row[]>;
  /** One transaction. If the first statement changes no row, nothing is done: false. */
  write(statements: readonly Statement[]): Promise<boolean>;
  /** One transaction: a query, and what is written depending on its result. Those with the same lock run one at a time. */
  decide(lock: string, question: Statement, answer: (rows: Row[]) => readonly Statement[]): Promise<void>;
  /** What the database itself finds wrong with its file or its indexes. */
  problems(): Promise<Problem[]>;
  /** Erases deleted data from the files, and frees their space as far as the database can. */
  compact(): Promise<void>;
  /** Gives back the room that finished transactions take beside the tables. Absent: they take none. */
  makeRoom?(): Promise<void>;
  /** Listens to messages on a channel; returns how to stop. Absent: this database has no channels. */
  listen?(channel: string, onWord: (word: string) => void, onLost: () => void): Promise<() => void>;
  close(): Promise<void>;
}

/** SQLite numbers its errors, PostgreSQL grades them, and a connection names the call that failed. */
export function isDatabaseError(error: unknown): error is Error {
  return (
    error instanceof Error && ('errcode' in error || 'severity' in error || ('syscall' in error && 'address' in error))
  );
}

/** The disk of the database is full: SQLITE_FULL, and PostgreSQL's disk_full. */
export function isOutOfRoom(error: unknown): boolean {
  return systemCode(error) === '53100' || (isDatabaseError(error) && 'errcode' in error && error.errcode === 13);
}

/** PostgreSQL: there is no such table, or the role may not read it. */
export function isWithheld(error: unknown): boolean {
  return ['42P01', '42501'].includes(systemCode(error) ?? '');
}
