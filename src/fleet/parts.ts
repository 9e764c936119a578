import type { Boss } from './boss.ts';
import type { QueueDatabase } from './database.ts';

/** What all work on a queue needs. */
export interface QueueParts {
  database: QueueDatabase;
  boss: Boss;
  /** In front of the names of tables. */
  p: string;
  /** Whoever claims, cancels or releases waits for the others: so that limits are exact. */
  lock: string;
}

/** What PostgreSQL takes for JSON: no NUL, no half of a character. */
export function asJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '\u{fffd}') : part));
}
