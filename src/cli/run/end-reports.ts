import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import type { LedgerRequest } from '../../run/sinks/ledger.ts';
import type { Outlet } from '../../run/sinks/outlet.ts';
import type { Sink } from '../../run/sinks/sink.ts';
import type { Context } from '../context.ts';
import type { Ci } from './ci.ts';
import { type CiName, ciOf, type Documents } from './document-flags.ts';
import type { RunFlags } from './flags.ts';
import type { HtmlDocument } from './html-document.ts';

interface Parts {
  documents: Documents;
  /** stdout may be the log of this CI system. */
  ciName: CiName | undefined;
  ci: Ci | undefined;
}

/** Who is told when a run has ended, besides stdout: documents, the page of the run, and the CI system. */
export class EndReports {
  readonly ciName: CiName | undefined;
  /** Files that were asked for, and are not there. */
  readonly missing: Failure[] = [];
  readonly #documents: Documents;
  readonly #ci: Ci | undefined;
  readonly #context: Context;
  #sinks: readonly Sink[] = [];
  #page: HtmlDocument | undefined;

  private constructor({ documents, ciName, ci }: Parts, context: Context) {
    this.#documents = documents;
    this.ciName = ciName;
    this.#ci = ci;
    this.#context = context;
  }

  static async of({ github, documents }: RunFlags, context: Context): Promise<EndReports> {
    const ciName = ciOf(github, context.env);
    if (ciName === undefined) return new EndReports({ documents, ciName, ci: undefined }, context);
    const { Ci, usualOutcomeFile } = await import('./ci.ts');
    const outcome = documents.outcome ?? usualOutcomeFile(ciName, context);
    return new EndReports({ documents: { ...documents, outcome }, ciName, ci: new Ci(ciName, context) }, context);
  }

  /** stdout has the outcome. */
  get isOnStdout(): boolean {
    return this.#documents.outcome === '-';
  }

  /** stdout has a document instead of the answer. */
  get takesStdout(): boolean {
    return this.isOnStdout || this.#documents.prComment === '-';
  }

  readonly unwritten = (message: string): void => void this.missing.push(new Failure('output', message));

  /** Before the first line of the run. Throws `Failure` when the page cannot be written. */
  async begin(complain: (message: string) => void): Promise<void> {
    const { reportHtml } = this.#documents;
    if (reportHtml === undefined) return;
    const { HtmlDocument } = await import('./html-document.ts');
    this.#page = new HtmlDocument(reportHtml, this.#context, { complain, onUnwritten: this.unwritten });
  }

  /** The page is made from a ledger. */
  ledgerFor(request: LedgerRequest | undefined): LedgerRequest | undefined {
    return this.#page?.ledgerFor(request) ?? request;
  }

  /** Folds the log of the CI system. */
  fold(): void {
    this.#ci?.begin();
  }

  async openSinks(stdout: Outlet): Promise<readonly Sink[]> {
    const sinks = await this.#openDocuments(stdout);
    return this.#ci === undefined ? sinks : [...sinks, this.#ci.sink];
  }

  async #openDocuments(stdout: Outlet): Promise<readonly Sink[]> {
    if (Object.values(this.#documents).every((each) => each === undefined)) return [];
    const { openDocuments } = await import('./documents.ts');
    const opened = await openDocuments(this.#documents, { stdout, onUnwritten: this.unwritten }, this.#context);
    // What goes to stdout waits for it: the outcome comes first, a comment last.
    this.#sinks = opened.slice(this.isOnStdout ? 1 : 0, this.#documents.prComment === '-' ? -1 : undefined);
    return opened;
  }

  async writePage(runId: string, ledger: LedgerRequest | undefined, outcome: RunOutcome): Promise<void> {
    if (ledger !== undefined) await this.#page?.write(runId, ledger, outcome);
  }

  async tellCi(outcome: RunOutcome): Promise<void> {
    const { outcome: file } = this.#documents;
    await this.#ci?.tell(outcome, file === undefined || this.isOnStdout ? undefined : resolve(this.#context.cwd, file));
  }

  /** For a run that is stuck: nothing here may wait. */
  tellNow(outcome: RunOutcome): void {
    for (const sink of this.#sinks) sink.end?.(outcome);
    this.#page?.writeAlone(outcome);
    void this.tellCi(outcome);
  }

  close(): void {
    this.#page?.close();
    this.#ci?.end();
  }
}
