import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../failure.ts';
import { openLedgerAt } from '../../ledger/ledger.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { present } from '../../json/present.ts';
import type { LedgerRequest } from '../../run/sinks/ledger.ts';
import { ledgerOutcome } from '../../stores/ledger-outcome.ts';
import { newRunId } from '../../ids/run-id.ts';
import type { RunRecord } from '../../stores/run-store.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Context } from '../context.ts';
import { htmlReport, loneReport } from '../../ledger/html-report.ts';
import { type OpenFile, openFile } from './documents.ts';

const flag = '--report-html';

/** The page of one run, written when it has ended. It is made from a ledger: the user's, or else a temporary one for this run alone. */
export class HtmlDocument {
  readonly #file: OpenFile;
  readonly #context: Context;
  readonly #complain: (message: string) => void;
  readonly #onUnwritten: (message: string) => void;
  #own: string | undefined;

  /** Throws `Failure` when it cannot be written. */
  constructor(
    name: string,
    context: Context,
    { complain, onUnwritten }: Record<'complain' | 'onUnwritten', (message: string) => void>,
  ) {
    this.#file = openFile(flag, name, context, onUnwritten);
    this.#context = context;
    this.#complain = complain;
    this.#onUnwritten = onUnwritten;
  }

  ledgerFor(wanted: LedgerRequest | undefined): LedgerRequest {
    if (wanted !== undefined) return wanted;
    this.#own = mkdtempSync(join(tmpdir(), 'runwire-report-'));
    return { place: { kind: 'sqlite', path: join(this.#own, 'runs.db') }, keepsTape: true, tapes: { kind: 'files' } };
  }

  /** Everything that is known about the run; whatever cannot be read is left out. */
  async write(runId: string, { place, tapes }: LedgerRequest, outcome: RunOutcome): Promise<void> {
    try {
      const ledger = await openLedgerAt(place, this.#context.env, tapes);
      try {
        const run = await ledger.store.get(runId);
        if (run === undefined) return this.writeAlone(outcome);
        await this.#file.parts(htmlReport(ledger, run, { isKept: this.#own === undefined }));
      } finally {
        await ledger.store.close();
      }
    } catch (error) {
      this.#complain(`${flag}: the ledger cannot be read: ${messageOf(error)}`);
      this.writeAlone(outcome);
    }
  }

  /** Only the outcome, written at once: for when there is no run, or no time to read it again. */
  writeAlone(outcome: RunOutcome): void {
    try {
      this.#file.text(loneReport(recordOf(outcome, this.#context.now())));
    } catch (error) {
      this.#onUnwritten(`${flag}: not written: ${messageOf(error)}`);
    }
  }

  close(): void {
    if (this.#own !== undefined) rmSync(this.#own, { recursive: true, force: true });
  }
}

function recordOf(outcome: RunOutcome, now: number): RunRecord {
  const { metrics, verdict, metadata, provenance, status, artifacts, warnings } = outcome;
  const startedAt = metrics.start_time_ms ?? now;
  return {
    id: newRunId(startedAt),
    status,
    class: verdict.class,
    exit_code: verdict.exit_code,
    title: oneLine(metadata.initial_prompt, 200),
    prompt: metadata.initial_prompt,
    started_at: startedAt,
    ended_at: now,
    duration_ms: now - startedAt,
    artifacts: artifacts.length,
    warnings: warnings.length,
    turns: metrics.turns,
    cost_source: metrics.cost_source,
    last_sequence: 0,
    heartbeat_at: now,
    labels: {},
    attempts: [],
    outcome: ledgerOutcome(outcome),
    ...present({
      agent: provenance.agent,
      model: metrics.model_name,
      cost: metrics.cost,
      cost_is: metrics.cost_is,
      session_id: outcome.session_id || undefined,
    }),
  };
}
