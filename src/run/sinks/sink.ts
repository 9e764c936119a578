import type { EventRecord } from '../../events/event.ts';
import type { RunOutcome, Verdict } from '../../outcome/outcome.ts';
import type { GitFacts } from '../../stores/labels.ts';
import type { Labels } from '../../stores/run-store.ts';
import type { Environment } from '../../vocabulary.ts';

/** Where a run is told. It has a life: records as they happen, the outcome, and time to finish its own work. */
export interface Sink {
  /** It writes records as JSON. */
  readonly writesRecords?: boolean;
  record?(record: EventRecord): void;
  /** An attempt that will be followed by another. */
  attempt?(attempt: EndedAttempt): void;
  /** While it is pending, the sink has more than it can take: the agent's output waits for it, and the agent when that is very much. */
  ready?(): Promise<void> | undefined;
  /** Settles when those who count on what was recorded so far have been told, or could not be. It never rejects. */
  flush?(): Promise<void>;
  /** The last record was told, and this is what the run came to. */
  end?(outcome: RunOutcome): void;
  /** Instead of an end: another process has taken the run over, and what is remembered of it is its own. */
  abandon?(): void;
  /** Settles when nothing is left to do. It never rejects: a sink that fails costs a warning, not the run. */
  close?(): Promise<void>;
}

/** What is remembered of a run beside its records, wherever it is remembered. */
export interface RunFacts {
  id: string;
  startedAt: number;
  /** The run that started this one, and the top of their tree. */
  parent?: { run_id: string; root_run_id: string };
  /** These outweigh what git and the CI tell. */
  labels: Labels;
  agent?: string;
  model?: string;
  cwd: string;
  git: GitFacts;
  env: Environment;
  clock: () => number;
  /** Called once at most. */
  warn: (message: string) => void;
}

/** An attempt that was not the last, and what it took. */
export interface EndedAttempt {
  number: number;
  status: RunOutcome['status'];
  class: Verdict['class'];
  session_id?: string;
  started_at: number;
  duration_ms: number;
  tokens_used?: number;
  cost?: number;
  /** Why it is tried again. */
  reason: string;
}

/** What was opened before something failed has a life to end as well. */
export async function closingOnFailure<Result>(opened: readonly Sink[], open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (error) {
    await Promise.all(opened.map((sink) => sink.close?.()));
    throw error;
  }
}
