import { closeInterrupted } from '../../ledger/close-interrupted.ts';
import { pruneTapes } from '../../ledger/prune-tapes.ts';
import { gitLabels, labelsFromEnvironment } from '../../stores/labels.ts';
import { LedgerSink } from './ledger.ts';
import { type LedgerPlace, openStore } from '../../stores/open-store.ts';
import { openTapes } from '../../stores/open-tapes.ts';
import type { Labels } from '../../stores/run-store.ts';
import type { Tapes } from '../../stores/tape.ts';
import type { GitPlace } from '../git.ts';
import type { Environment } from '../../vocabulary.ts';

export interface LedgerRequest {
  place: Exclude<LedgerPlace, { kind: 'none' }>;
  labels: Labels;
  /** Whether the whole run is kept beside its line in the ledger. */
  tape: boolean;
}

interface Known {
  agent: string;
  model: string | undefined;
  cwd: string;
  git: GitPlace;
  env: Environment;
  clock: () => number;
  warn(message: string): void;
}

/** A ledger that does not answer must not keep an exit code from whoever waits for it. */
const patienceMs = 5000;
const tapesKeptMs = 90 * 24 * 3600 * 1000;
const tapesKeptBytes = 4e9;
const pruneEveryMs = 24 * 3600 * 1000;

/** The ledger's part in one run: a sink, and what is to be done when the run is over. */
export class RunLedger {
  readonly sink: LedgerSink;
  readonly #request: LedgerRequest;
  readonly #known: Known;
  readonly #tapes: Tapes;

  constructor(request: LedgerRequest, known: Known) {
    this.#request = request;
    this.#known = known;
    const { agent, model, cwd, git, env, clock, warn } = known;
    this.#tapes = openTapes(request.place, env);
    this.sink = new LedgerSink({
      open: () => openStore(request.place),
      clock,
      warn,
      labels: { ...gitLabels(git), ...labelsFromEnvironment(env), ...request.labels },
      agent,
      cwd,
      ...(model === undefined ? {} : { model }),
      ...(request.tape ? { tapes: this.#tapes } : {}),
    });
  }

  /** The run is recorded; then what others left undone is done. Never throws, never takes long. */
  async close(): Promise<void> {
    await this.sink.closed(patienceMs);
    if (this.sink.isRecorded) await this.#tidy().catch(() => {});
  }

  async #tidy(): Promise<void> {
    const now = this.#known.clock();
    const store = await openStore(this.#request.place);
    try {
      await closeInterrupted(store, { tapes: this.#tapes, now });
      if (!this.#request.tape || !(await this.#tapes.isTidyingDue(now, pruneEveryMs))) return;
      const keep = new Set((await store.open()).flatMap(({ tape }) => tape ?? []));
      await pruneTapes(this.#tapes, { olderThan: now - tapesKeptMs, maxTotalBytes: tapesKeptBytes, keep });
    } finally {
      await store.close();
    }
  }
}
