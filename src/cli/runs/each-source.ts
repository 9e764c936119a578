import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { findRun, namedRun } from '../../ledger/find.ts';
import { tapeOf } from '../../ledger/run-tape.ts';
import { streamOf } from '../../tapes/tape.ts';
import type { Context } from '../context.ts';
import { type Source, sourcesOf } from '../streams.ts';
import { type LedgerFlags, useLedger } from './ledger.ts';

/** The named files, or stdin if there are none, and the tapes of runs named by their ids; an existing file takes precedence over a run. */
export async function eachSource(
  operands: readonly string[],
  flags: LedgerFlags,
  context: Context,
  read: (source: Source) => Promise<void>,
): Promise<void> {
  if (operands.length === 0) for (const source of sourcesOf([], context)) await read(source);
  for (const word of operands) {
    const isRun = mayBeRun(word, context) && (await readTape(word, flags, context, read));
    if (!isRun) for (const source of sourcesOf([word], context)) await read(source);
  }
}

function mayBeRun(word: string, { cwd }: Context): boolean {
  return /^[0-9a-z]{1,26}$/.test(word) && !existsSync(resolve(cwd, word));
}

/** False: there is no such run, so a file was meant. */
function readTape(
  word: string,
  flags: LedgerFlags,
  context: Context,
  read: (source: Source) => Promise<void>,
): Promise<boolean> {
  return useLedger(
    flags,
    context,
    async ({ store, tapes }) => {
      if ((await findRun(store, word)).kind === 'none') return false;
      const found = await tapeOf(tapes, await namedRun(store, word));
      if ('missing' in found) throw new Failure('input', found.missing);
      await read({ name: word, bytes: streamOf(found.tape) });
      return true;
    },
    async () => false,
  );
}
