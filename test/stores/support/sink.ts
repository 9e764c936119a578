import { join } from 'node:path';
import { LedgerSink, type LedgerSinkOptions } from '../../../src/run/sinks/ledger.ts';
import { newRunId } from '../../../src/ids/run-id.ts';

export type SinkOptions = Partial<LedgerSinkOptions> & Pick<LedgerSinkOptions, 'warn'> & { folder: string };

/** The sink of one run, as a run makes it, with its tapes in a folder; what it tells goes to `open` where that is given. */
export function ledgerSink({ folder, ...options }: SinkOptions): LedgerSink {
  const startedAt = Date.now();
  const place = { kind: 'sqlite', path: join(folder, 'ledger.db') } as const;
  const known = { cwd: '/', git: {}, env: {}, labels: {}, clock: Date.now, progressMs: 1 };
  return new LedgerSink({ id: newRunId(startedAt), startedAt, place, keepsTape: true, ...known, ...options });
}
