import { Failure } from '../failure.ts';
import { ledgerPlace } from '../stores/open-store.ts';
import type { Labels } from '../contract/labels.ts';
import { tapesPlace } from '../tapes/tapes-place.ts';
import type { Environment } from '../words/vocabulary.ts';
import { checkGiven } from './check-given.ts';
import type { RunLedger } from './run-ledger.ts';

export interface LedgerOptions {
  /** A file, or `postgres://…`; default: `RUNWIRE_LEDGER`, else the file in the state folder, as for the command. */
  ledger?: string | undefined;
  /** Where its tapes are: `s3://bucket/prefix`, `postgres` or `files`; default: `RUNWIRE_TAPES`, else with the ledger. */
  tapes?: string | undefined;
  /** Default: the working directory of this process. */
  cwd?: string | undefined;
  /** Default: the environment of this process. */
  env?: Environment | undefined;
}

export interface ListOptions {
  /** Default: 50. */
  limit?: number | undefined;
  /** `next` of the previous page. */
  after?: string | undefined;
}

export interface RecordsOptions {
  /** Records above this sequence. */
  after?: number | undefined;
}

export interface FollowOptions extends RecordsOptions {
  /** Aborting it ends the iteration. */
  signal?: AbortSignal | undefined;
}

export interface OutcomeOptions {
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface LedgerImportOptions {
  /** A dialect; default: detected for each stream. */
  from?: string | undefined;
  /** Added to every run. */
  labels?: Labels | undefined;
  /** Whether secrets are removed (default: true). */
  redact?: boolean | undefined;
  /** Whether the tape of each new run is kept (default: true). */
  tape?: boolean | undefined;
}

/** Opens the ledger of recorded runs. Throws `Failure` if it cannot. A ledger that was never written has no runs, and opening does not create it. */
export async function openLedger(options: LedgerOptions = {}): Promise<RunLedger> {
  const { Options } = await import('./given.ts');
  checkGiven('openLedger()', Options, options);
  const { ledger, tapes, cwd = process.cwd(), env = process.env } = options;
  const place = ledgerPlace(ledger, env, cwd);
  if (place.kind === 'none') throw new Failure('input', 'the ledger is "none", so there are no runs; name one');
  const { RunLedger: Opened } = await import('./run-ledger.ts');
  return Opened.open({ place, tapes: tapesPlace(tapes, env, place), cwd, env });
}
