import type { Variant } from '../dialects/dialect.ts';
import { type Writable, Writer } from '../pipeline/writer.ts';
import type { RunSummary } from '../stores/run-store.ts';
import type { Tape } from '../tapes/tape.ts';
import type { Ledger } from './ledger.ts';
import { runRecords } from './tail.ts';
import { recordsIn } from './tape-check.ts';

/** The whole tape of a run so far, converted to a dialect, piece by piece. */
export async function* tapeText(
  ledger: Ledger,
  run: RunSummary,
  tape: Tape,
  { dialect, variant }: { dialect: Writable; variant: Variant },
): AsyncGenerator<string, void> {
  const writer = new Writer(dialect, variant);
  const records = runRecords(ledger, run, tape);
  try {
    for (;;) {
      const next = await records.next();
      if (next.done === true) {
        if (next.value !== undefined) writer.end(next.value);
        if (writer.size > 0) yield writer.take();
        return;
      }
      for (const record of recordsIn(next.value)) writer.record(record);
      if (writer.size > 0) yield writer.take();
    }
  } finally {
    await records.return(undefined);
  }
}
