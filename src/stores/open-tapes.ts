import { join } from 'node:path';
import type { Environment } from '../words/vocabulary.ts';
import { stateFolder } from '../files/xdg.ts';
import { openBucket } from '../tapes/chunks/bucket.ts';
import type { Chunks } from '../tapes/chunks/chunk.ts';
import { TapeOutbox } from '../tapes/chunks/tape-outbox.ts';
import { FileTapes } from '../tapes/file-tapes.ts';
import type { LedgerPlace } from './open-store.ts';
import { ledgerName } from './outbox.ts';
import { PlacedTapes } from '../tapes/placed-tapes.ts';
import type { Tapes } from '../tapes/tape.ts';
import type { TapesPlace } from '../tapes/tapes-place.ts';

/** Tape files are beside the ledger's file or in the state folder; tapes kept elsewhere are there until they are delivered. */
export function openTapes(
  ledger: Exclude<LedgerPlace, { kind: 'none' }>,
  env: Environment,
  { place, chunks }: { place: TapesPlace; chunks: () => Promise<Chunks> },
): Tapes {
  const folder = ledger.kind === 'sqlite' ? join(ledger.path, '..') : stateFolder(env);
  return new PlacedTapes({
    kind: place.kind,
    files: new FileTapes(join(folder, 'tapes')),
    outbox: new TapeOutbox(join(folder, 'outbox'), ledgerName(ledger, env)),
    chunks,
    bucket: place.kind === 'bucket' ? openBucket(place, env) : undefined,
    isShared: ledger.kind === 'postgres',
  });
}
