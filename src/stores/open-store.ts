import { join, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { stateFolder } from '../files/xdg.ts';
import type { Opening } from './no-ledger-yet.ts';
import type { RunStore } from './run-store.ts';
import type { Environment } from '../words/vocabulary.ts';

/** `none`: nothing is recorded. */
export type LedgerPlace = { kind: 'none' } | { kind: 'sqlite'; path: string } | { kind: 'postgres'; url: string };

/** The flag, else `RUNWIRE_LEDGER`, else a file in the state folder. */
export function ledgerPlace(flag: string | undefined, env: Environment, cwd: string): LedgerPlace {
  const named = flag ?? (env['RUNWIRE_LEDGER'] || undefined);
  if (named === undefined) return { kind: 'sqlite', path: join(stateFolder(env), 'ledger.db') };
  if (named === 'none') return { kind: 'none' };
  if (/^postgres(ql)?:\/\//.test(named)) return { kind: 'postgres', url: named };
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//.exec(named)?.[1];
  if (scheme !== undefined)
    throw new Failure('config', `a ledger cannot be at ${scheme}://; expected a file, postgres://… or none`);
  if (named === '') throw new Failure('config', 'the ledger has no name; expected a file, postgres://… or none');
  return { kind: 'sqlite', path: resolve(cwd, named) };
}

/** Loads only the database driver that is needed. */
export async function openStore(place: Exclude<LedgerPlace, { kind: 'none' }>, opening?: Opening): Promise<RunStore> {
  if (place.kind === 'sqlite') return (await withoutWarning(() => import('./sqlite.ts'))).openSqlite(place.path);
  return (await import('./postgres.ts')).openPostgres(place.url, opening);
}

/** Node.js 22 warns that its SQLite is experimental whenever it is loaded; the user can do nothing about it. */
async function withoutWarning<T>(load: () => Promise<T>): Promise<T> {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes('SQLite')) Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return await load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
