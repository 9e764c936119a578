import type { Boss } from './boss.ts';
import type { QueueDatabase } from './database.ts';

/** What all work on a queue needs. */
export interface QueueParts {
  database: QueueDatabase;
  boss: Boss;
  /** In front of the names of tables. */
  p: string;
  /** Whoever claims what is limited, cancels or releases waits for the others: so that limits are exact. */
  lock: string;
  /** Whoever claims what is not limited waits for those alone. */
  sharedLock: string;
}

export function locksOf(schema: string): Pick<QueueParts, 'lock' | 'sharedLock'> {
  const name = `(hashtext('runwire:claim'), hashtext('${schema}'))`;
  return { lock: `select pg_advisory_xact_lock${name}`, sharedLock: `select pg_advisory_xact_lock_shared${name}` };
}

/** What PostgreSQL takes for JSON: no NUL, no half of a character. */
export function asJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '\u{fffd}') : part));
}
