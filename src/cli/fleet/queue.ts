import { Failure } from '../../failure.ts';
import { ledgerPlace, type LedgerPlace } from '../../stores/open-store.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Options } from '../command.ts';
import type { Context } from '../context.ts';
import { findRuns } from '../../fleet/find-jobs.ts';
import type { Queue } from '../../fleet/queue.ts';

/** The flag of every command that works on the queue. */
export const queueOption = {
  ledger: {
    type: 'string',
    value: 'URL',
    help: 'PostgreSQL database of the queue and its ledger, postgres://… (default: RUNWIRE_LEDGER)',
    group: 'Queue',
  },
} as const satisfies Options;

export type QueuePlace = Extract<LedgerPlace, { kind: 'postgres' }>;

/** A queue needs a server that all machines can reach. */
export function queuePlace(ledger: string | undefined, context: Context): QueuePlace {
  const place = ledgerPlace(ledger, context.env, context.cwd);
  if (place.kind !== 'postgres')
    throw new Failure(
      'config',
      'the queue needs PostgreSQL: name the server with --ledger postgres://user@host/database, or in RUNWIRE_LEDGER',
    );
  return place;
}

export async function useQueue<Result>(
  ledger: string | undefined,
  context: Context,
  use: (queue: Queue, place: QueuePlace) => Promise<Result>,
): Promise<Result> {
  const place = queuePlace(ledger, context);
  const { openQueue } = await import('../../fleet/queue.ts');
  const queue = await openQueue(place.url);
  try {
    return await use(queue, place);
  } finally {
    await queue.close();
  }
}

/** The queued run that a person means; undefined: there is none. */
export async function queuedRun(queue: Queue, word: string): Promise<string | undefined> {
  const [run, ...others] = await findRuns(queue, word);
  if (others.length > 0)
    throw new Failure(
      'input',
      `ambiguous id "${oneLine(word, 60)}": it may be ${[run ?? '', ...others].map(shortRunId).join(', ')}; give more of it`,
    );
  return run;
}
