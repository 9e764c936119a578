import type { EventRecord } from '../../events/event.ts';
import type { RunOutcome, Verdict } from '../../outcome/outcome.ts';
import type { GitFacts } from '../../stores/labels.ts';
import type { Labels } from '../../contract/labels.ts';
import type { Environment } from '../../words/vocabulary.ts';

/** A receiver of a run's events: it gets the records as they happen, then the outcome, then time to finish its own work. */
export interface Sink {
  /** It writes records as JSON. */
  readonly writesRecords?: boolean;
  record?(record: EventRecord): void;
  /** An attempt that will be followed by another. */
  attempt?(attempt: EndedAttempt): void;
  /** Everything recorded so far survives a kill of this process when it returns. A sink that has this receives each record before those that have not. */
  keep?(): void;
  /** It shows records to others, and calls this each time before it does: given once, before the first record. */
  showAfter?(keep: () => void): void;
  /** While it is pending, the sink has more than it can take: the agent's output waits, and so does the agent if much piles up. */
  ready?(): Promise<void> | undefined;
  /** Settles when everything recorded so far has been passed on, or could not be. It never rejects. */
  flush?(): Promise<void>;
  /** The last record was delivered, and this is the outcome. */
  end?(outcome: RunOutcome): void;
  /** Instead of `end`: another process has taken the run over, and is the one to record it. */
  abandon?(): void;
  /** Settles when nothing is left to do. It never rejects: a failing sink costs a warning, not the run. */
  close?(): Promise<void>;
}

/** What is stored about a run besides its records, wherever it is stored. */
export interface RunFacts {
  id: string;
  startedAt: number;
  /** The run that started this one, and the top of their tree. */
  parent?: { run_id: string; root_run_id: string };
  /** These override the labels from git and the CI. */
  labels: Labels;
  agent?: string;
  model?: string;
  cwd: string;
  git: GitFacts;
  env: Environment;
  clock: () => number;
  /** Called once at most for each thing that can fail. */
  warn: (message: string) => void;
}

/** An attempt that was not the last, and what it used. */
export interface EndedAttempt {
  number: number;
  status: RunOutcome['status'];
  class: Verdict['class'];
  session_id?: string;
  started_at: number;
  duration_ms: number;
  tokens_used?: number;
  cost?: number;
  /** Why it is retried. */
  reason: string;
  /** The agent, where another one goes on. */
  agent?: string;
}

/** Sinks that were opened before something failed have to be closed as well. */
export async function closingOnFailure<Result>(opened: readonly Sink[], open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    await Promise.all(opened.map((sink) => sink.close?.()));
    throw error;
  }
}
