import { openLedgerAt } from '../../../src/ledger/ledger.ts';
import { createApp } from '../../../src/server/app.ts';
import { namesOf } from '../../../src/server/names.ts';

export interface RunOfApi {
  cost?: number | undefined;
  cost_is?: string | undefined;
}

/** What the page asks the server for: all runs of a ledger. */
export async function runsOfApi(path: string): Promise<RunOfApi[]> {
  const ledger = await openLedgerAt({ kind: 'sqlite', path }, {});
  try {
    const app = createApp({
      ledger,
      names: namesOf({ host: '127.0.0.1', port: () => 80, allowedOrigins: [] }),
      tokens: undefined,
      assets: new Map(),
      now: Date.now,
      timing: { stallMs: 1000, leaveMs: 1000, keepAliveMs: 1000 },
      warn: (message) => {
        throw new Error(message);
      },
    });
    const answer = await app.request('/api/runs', { headers: { host: '127.0.0.1' } }, {});
    return ((await answer.json()) as { runs: RunOfApi[] }).runs.map(({ cost, cost_is }) => ({ cost, cost_is }));
  } finally {
    await ledger.store.close();
  }
}
