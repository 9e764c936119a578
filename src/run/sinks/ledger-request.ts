import { ledgerPlace } from '../../stores/open-store.ts';
import { tapesPlace } from '../../tapes/tapes-place.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { LedgerRequest } from './ledger.ts';

interface Named {
  /** A file, `postgres://…` or `none`; unset: as set in the environment. */
  ledger: string | undefined;
  tapes: string | undefined;
  keepsTape: boolean;
}

/** Where runs are recorded, from how a person names it; undefined: nowhere. Throws `Failure` when there can be no such place. */
export function ledgerRequest(
  { ledger, tapes: named, keepsTape }: Named,
  env: Environment,
  cwd: string,
): LedgerRequest | undefined {
  const place = ledgerPlace(ledger, env, cwd);
  const tapes = tapesPlace(named, env, place);
  return place.kind === 'none' ? undefined : { place, keepsTape, tapes };
}
