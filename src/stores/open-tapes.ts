import { join } from 'node:path';
import type { Environment } from '../vocabulary.ts';
import { stateFolder } from '../xdg.ts';
import { FileTapes } from './file-tapes.ts';
import type { LedgerPlace } from './open-store.ts';
import type { Tapes } from './tape.ts';

/** Files on this machine, beside the ledger's file or in the state folder. */
export function openTapes(place: LedgerPlace, env: Environment): Tapes {
  return new FileTapes(place.kind === 'sqlite' ? join(place.path, '..', 'tapes') : join(stateFolder(env), 'tapes'));
}
