import type { Boss } from './boss.ts';
import type { QueueDatabase } from './database.ts';

/** What all queue operations need. */
export interface QueueParts {
  database: QueueDatabase;
  boss: Boss;
  /** The prefix of table names. */
  p: string;
  /** Claims with limits, cancellations and releases wait for each other, so that limits are exact. */
  lock: string;
  /** Claims without limits wait only for those. */
  sharedLock: string;
}

export function locksOf(schema: string): Pick<QueueParts, 'lock' | 'sharedLock'> {
  const name = `(hashtext('runwire:claim'), hashtext('${schema}'))`;
  return { lock: `select pg_advisory_xact_lock${name}`, sharedLock: `select pg_advisory_xact_lock_shared${name}` };
}

/** JSON that PostgreSQL accepts: no NUL, no lone surrogate. */
export function asJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '\u{fffd}') : part));
}
