import { stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closeInterrupted } from '../../ledger/close-interrupted.ts';
import { gitLabels, labelsFromEnvironment } from '../../stores/labels.ts';
import { LedgerSink as Inner } from './ledger.ts';
import type { EventRecord } from '../../events/event.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import type { EndedAttempt, Sink } from './sink.ts';
import { type LedgerPlace, openStore, tapesFolder } from '../../stores/open-store.ts';
import type { Labels } from '../../stores/run-store.ts';
import { pruneTapes } from '../../stores/tape-pruning.ts';
import type { GitPlace } from '../git.ts';
import type { Environment } from '../../vocabulary.ts';

export interface LedgerRequest {
  place: Exclude<LedgerPlace, { kind: 'none' }>;
  /** Whether the whole run is kept beside its line in the ledger. */
  keepsTape: boolean;
}

interface LedgerSinkOptions extends LedgerRequest {
  id: string;
  startedAt: number;
  parent?: { run_id: string; root_run_id: string };
  labels: Labels;
  agent: string;
  model?: string;
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
export class LedgerSink implements Sink {
  readonly tape = undefined;
  readonly sink: Inner;
  readonly #request: LedgerSinkOptions;
  readonly #known: LedgerSinkOptions;

  constructor(request: LedgerSinkOptions) {
    this.#request = request;
    this.#known = request;
    const { agent, model, cwd, git, env, clock, warn } = request;
    this.sink = new Inner({
      open: () => openStore(request.place),
      clock,
      warn,
      labels: { ...gitLabels(git), ...labelsFromEnvironment(env), ...request.labels },
      agent,
      cwd,
      ...(model === undefined ? {} : { model }),
      ...(request.keepsTape ? { tapes: { folder: this.#tapes } } : {}),
    });
  }

  record(record: EventRecord): void {
    this.sink.record(record);
  }

  attempt(attempt: EndedAttempt): void {
    this.sink.attempt(attempt);
  }

  end(outcome: RunOutcome): void {
    this.sink.end(outcome);
  }

  /** The run is recorded; then what others left undone is done. Never throws, never takes long. */
  async close(): Promise<void> {
    await this.sink.closed(patienceMs);
    if (this.sink.isRecorded) await this.#tidy().catch(() => {});
  }

  get #tapes(): string {
    return tapesFolder(this.#request.place, this.#known.env);
  }

  async #tidy(): Promise<void> {
    const now = this.#known.clock();
    const store = await openStore(this.#request.place);
    try {
      await closeInterrupted(store, { tapesFolder: this.#tapes, now });
      if (!this.#request.keepsTape || !(await isDue(join(this.#tapes, '.pruned'), now))) return;
      const keep = new Set((await store.open()).flatMap(({ tape }) => tape ?? []));
      await pruneTapes(this.#tapes, { olderThan: now - tapesKeptMs, maxTotalBytes: tapesKeptBytes, keep });
    } finally {
      await store.close();
    }
  }
}

/** Once a day is enough; the time of an empty file remembers when. */
async function isDue(path: string, now: number): Promise<boolean> {
  const last = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  if (now - last < pruneEveryMs) return false;
  await writeFile(path, '', { mode: 0o600 });
  await utimes(path, now / 1000, now / 1000);
  return true;
}
