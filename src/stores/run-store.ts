import type { BudgetStore } from './budget-store.ts';
import type { RunOutcome, ToolCall } from '../outcome/outcome.ts';
import type { Chunks } from './chunks/chunk.ts';

/** A run that has begun has an end to come, or one that nobody saw. */
export type RunStatus = RunOutcome['status'] | 'running';
export type Labels = Readonly<Record<string, string>>;

/** What the ledger keeps of a tool call: never what went in or came out. */
export type ToolCallSummary = Omit<ToolCall, 'inputs' | 'outputs'>;
/** The outcome as it is kept: all of it but the inputs and outputs of tools. */
export type LedgerOutcome = Omit<RunOutcome, 'tool_calls'> & { tool_calls: ToolCallSummary[] };

/** The process that writes a run, so that another one can tell whether it is still there. */
export interface Owner {
  host: string;
  /** Tells two machines of one name apart; absent where the system has no such id, and in what older versions wrote. */
  machine?: string;
  /** Changes when the machine starts again; with it a process number means nothing any more. */
  boot: string;
  pid: number;
  /** When the process began, in the system's own words; process numbers are used again. */
  process_started: string;
}

/** Where a run is in a tree of runs. A run without a parent has neither. */
export interface TreePlace {
  /** The run that started it. */
  parent_run_id?: string;
  /** The top of its tree. */
  root_run_id?: string;
}

export interface NewRun extends TreePlace {
  id: string;
  started_at: number;
  prompt: string;
  agent?: string;
  model?: string;
  cwd?: string;
  /** Who started it. */
  user?: string;
  /** `owner/name` of the repository, or where it has no remote, the name of its folder. */
  repo?: string;
  labels: Labels;
  owner: Owner;
  /** Where its tape is, relative to the tapes folder. */
  tape?: string;
  /** Attempts of this run that other processes began and lost: it is begun again. */
  lost?: readonly Attempt[];
}

/** What a run has used so far, as far as it was told. */
export interface UsedSoFar {
  input_tokens?: number;
  output_tokens?: number;
  cost?: number;
  tool_calls?: number;
}

/** What became known since the last time; every note is also a sign of life. */
export interface Progress extends UsedSoFar {
  at: number;
  last_sequence?: number;
  session_id?: string;
  agent?: string;
  agent_version?: string;
  model?: string;
}

/** One of several tries that a run took; the last one is the run's outcome. */
export interface Attempt {
  number: number;
  status: RunOutcome['status'];
  class: RunOutcome['verdict']['class'];
  session_id?: string;
  started_at?: number;
  duration_ms?: number;
  tokens_used?: number;
  cost?: number;
  /** Why it was tried again. */
  reason?: string;
}

export interface Ending {
  outcome: RunOutcome | LedgerOutcome;
  ended_at: number;
  last_sequence?: number;
  attempts?: readonly Attempt[];
  /** Of the bytes of its tape, by which every change of them is noticed. */
  tape_sha256?: string;
}

/** A finished run that was made elsewhere. */
export interface ImportedRun extends Omit<NewRun, 'owner' | 'prompt'>, Ending {
  /** Who wrote it, where an export tells. */
  owner?: Owner;
  host?: string;
  /** The same content has the same key: what is imported twice is there once. */
  key: string;
}

/** What the runs below one took, each counted once; its own figures are not in them. */
export interface ChildTotals {
  runs: number;
  running: number;
  /** Of the runs that told one; absent: none did. */
  cost?: number;
  cost_known: number;
  input_tokens?: number;
  output_tokens?: number;
}

/** One line of a list. Numbers nobody told are absent, never 0. */
export interface RunSummary extends TreePlace {
  id: string;
  status: RunStatus;
  class?: RunOutcome['verdict']['class'];
  exit_code?: number;
  agent?: string;
  agent_version?: string;
  dialect?: string;
  model?: string;
  session_id?: string;
  cwd?: string;
  host?: string;
  user?: string;
  repo?: string;
  /** The beginning of the prompt, in one line. */
  title: string;
  started_at: number;
  ended_at?: number;
  duration_ms?: number;
  input_tokens?: number;
  output_tokens?: number;
  reasoning_tokens?: number;
  cache_read_tokens?: number;
  cache_write_tokens?: number;
  cost?: number;
  cost_source?: RunOutcome['metrics']['cost_source'];
  turns?: number;
  tool_calls?: number;
  artifacts?: number;
  warnings?: number;
  last_sequence: number;
  heartbeat_at: number;
  tape?: string;
  tape_sha256?: string;
  labels: Labels;
  /** Where it was asked for; absent: no run is below it. */
  children?: ChildTotals;
}

/** As much of a run as is needed to add it up. */
export type RunUsage = Pick<RunSummary, 'id' | 'parent_run_id' | 'root_run_id' | 'status' | 'cost' | 'input_tokens' | 'output_tokens'>;

export interface RunRecord extends RunSummary {
  prompt: string;
  /** Absent while it runs. */
  outcome?: LedgerOutcome;
  attempts: readonly Attempt[];
  owner?: Owner;
  /** Where an imported run came from. */
  key?: string;
}

/** Everything that is named must hold; of several values of one field, any. */
export interface RunFilter {
  status?: readonly RunStatus[];
  class?: readonly string[];
  agent?: readonly string[];
  model?: readonly string[];
  user?: readonly string[];
  host?: readonly string[];
  repo?: readonly string[];
  cwd?: readonly string[];
  session?: readonly string[];
  /** Right below these runs. */
  parent?: readonly string[];
  /** Anywhere below these runs, which are tops of trees. */
  root?: readonly string[];
  /** One run of each tree: its top, or where that is gone, the oldest that is left. */
  top?: boolean;
  /** All of them. */
  labels?: Labels;
  /** Milliseconds; `from` is included, `to` is not. */
  started_from?: number;
  started_to?: number;
  /** Dollars, both included; a run of unknown cost is in no range. */
  cost_min?: number;
  cost_max?: number;
  /** Changed this file: a path, or the last parts of one. */
  file?: readonly string[];
  /** All words of it are in the prompt or the answer; `word*` stands for what begins so. */
  text?: string;
}

export interface PageRequest {
  limit: number;
  /** `next` of the page before. */
  after?: string;
}

/** Newest first. */
export interface Page<Run> {
  runs: Run[];
  /** Absent: that was all. */
  next?: string;
}

export type Grouping =
  | 'all'
  | 'agent'
  | 'model'
  | 'day'
  | 'week'
  | 'month'
  | 'status'
  | 'class'
  | 'user'
  | 'host'
  | 'repo'
  | 'cwd'
  | 'session'
  | 'tool'
  | { label: string };

export interface StatsOptions {
  /** In which days, weeks and months begin, such as `Europe/Zurich`; absent: UTC. */
  timeZone?: string | undefined;
  /** They take a sort of all runs. */
  percentiles?: boolean | undefined;
}

/** Half, nine tenths and 99 of 100 runs took no more. */
interface Percentiles {
  duration_p50?: number;
  duration_p90?: number;
  duration_p99?: number;
  cost_p50?: number;
  cost_p90?: number;
  cost_p99?: number;
}

export interface StatsRow extends Percentiles {
  /** A day is `2026-11-15`, a week `2026-W46`, a month `2026-11`; absent: the runs that have none. */
  group?: string;
  /** The second of two groupings. */
  subgroup?: string;
  runs: number;
  running: number;
  succeeded: number;
  /** Of the runs that told a cost; absent: none did. */
  cost?: number;
  cost_known: number;
  /** Runs that have ended without a known cost: where there are any, `cost` is not all of it. */
  unpriced: number;
  input_tokens?: number;
  output_tokens?: number;
  cache_read_tokens?: number;
  duration_ms?: number;
  duration_known: number;
  longest_ms?: number;
  tool_calls: number;
  first_started_at: number;
  last_started_at: number;
}

/** A run whose end was not seen, who should be writing it, and what is known of it. */
export interface OpenRun extends UsedSoFar {
  id: string;
  owner: Owner;
  heartbeat_at: number;
  /** How long ago it was last heard of, by the clock of the database: those of two machines may be hours apart. */
  silent_ms: number;
  /** When others closed it without having seen its end. */
  presumed_at?: number;
  agent?: string;
  agent_version?: string;
  model?: string;
  session_id?: string;
  started_at: number;
  last_sequence: number;
  prompt: string;
  tape?: string;
  /** Of a tape that was read to its end. */
  tape_sha256?: string;
}

export interface Problem {
  /** A run's id, or the part of the ledger. */
  where: string;
  what: string;
}

/** Where runs are remembered. What is written is written in one transaction: done or not done, never half. */
export interface RunStore {
  /** How to call it in a message; without a password. */
  readonly name: string;
  /** Tapes that are kept in pieces, in the same database. */
  readonly chunks: Chunks;
  begin(run: NewRun): Promise<void>;
  /** Nothing is done where another process has begun the run again since. */
  note(id: string, progress: Progress, owner?: Owner): Promise<void>;
  /** The writer's own end of its run; replaces what others closed meanwhile. As with `note`, a writer that no longer owns the run changes nothing. */
  finish(id: string, ending: Ending, owner?: Owner): Promise<void>;
  /** Runs without an end, the oldest first. */
  open(): Promise<OpenRun[]>;
  /** Runs of this host that others closed without having seen their tapes, the oldest first. */
  presumed(host: string): Promise<OpenRun[]>;
  /**
   * For the runs of others: false when its writer or another closer was faster. `presumed`: nothing was seen of its end,
   * and whoever has its tape can still tell.
   */
  closeInterrupted(run: OpenRun, ending: Ending, presumed?: boolean): Promise<boolean>;
  list(filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>>;
  count(filter: RunFilter): Promise<number>;
  get(id: string): Promise<RunRecord | undefined>;
  /** The runs of one session of an agent, the oldest first. */
  ofSession(session: string): Promise<RunSummary[]>;
  /** More labels for a run that is there; a label that it has stays as it is. */
  addLabels(id: string, labels: Labels): Promise<void>;
  /** All runs below these tops of trees, the oldest first. */
  below(roots: readonly string[]): Promise<RunSummary[]>;
  /** The same, to be added up. */
  usageBelow(roots: readonly string[]): Promise<RunUsage[]>;
  /** The ids that a person may mean by a whole id, or by the beginning of a short one; at most ten. */
  find(idOrShort: string): Promise<string[]>;
  /**
   * Days, weeks and months are in order of time, the rest by number of runs. What never started, for a typo in a flag or an
   * agent's name, is no run.
   */
  stats(grouping: Grouping | readonly Grouping[], filter: RunFilter, options?: StatsOptions): Promise<StatsRow[]>;
  /** Newest first, with outcomes, a page in memory at a time. */
  export(filter: RunFilter): AsyncIterable<RunRecord>;
  /** `same`: its key is known, and nothing was done. */
  put(run: ImportedRun): Promise<'added' | 'same'>;
  /** Takes away what the filter names, and tells whose tapes are left to remove. Runs that have not ended stay. */
  prune(filter: RunFilter): Promise<{ runs: number; tapes: string[] }>;
  /** Takes the traces of what was pruned out of the database, and gives its space back. */
  compact(): Promise<void>;
  /** Takes one run away. */
  remove(id: string): Promise<void>;
  /** What runs may take together. */
  readonly budgets: BudgetStore;
  verify(): Promise<Problem[]>;
  close(): Promise<void>;
}
