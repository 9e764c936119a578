import type { EventRecord } from '../events/event.ts';
import type { Labels } from '../contract/labels.ts';
import type { GivenOfRun, KnownOfRun, totalledNames } from '../contract/row.ts';
import type { groupings, RunFilter } from '../contract/row-filters.ts';
import type { BudgetStore } from './budget-store.ts';
import type { RunOutcome, ToolCall } from '../outcome/outcome.ts';
import type { Owner } from '../processes/owner.ts';
import type { Chunks } from '../tapes/chunks/chunk.ts';
import type { DamagedRun } from './damaged-run.ts';

export type { RunFilter };

/** `running`: the run has begun, and its end is yet to come or was not seen. */
export type RunStatus = RunOutcome['status'] | 'running';

/** What the ledger keeps of a tool call: never its input or output. */
export type ToolCallSummary = Omit<ToolCall, 'inputs' | 'outputs'>;
/** The outcome as stored: all of it except the inputs and outputs of tools. */
export type LedgerOutcome = Omit<RunOutcome, 'tool_calls'> & { tool_calls: ToolCallSummary[] };

/** Where a run is in a tree of runs. A run without a parent has neither. */
export interface TreePlace {
  /** The run that started it. */
  parent_run_id?: string;
  /** The top of its tree. */
  root_run_id?: string;
}

export interface NewRun extends TreePlace, Omit<GivenOfRun, 'host'> {
  id: string;
  started_at: number;
  prompt: string;
  agent?: string;
  model?: string;
  labels: Labels;
  owner: Owner;
  /** Who reported it from another machine, and alone may continue it; absent: a process that writes to the ledger itself. */
  reporter?: string;
  /** Earlier attempts at this run that other processes began and lost: the run is started again. */
  lost?: readonly Attempt[];
}

/** What a run has used so far, as far as it was reported. */
export interface UsedSoFar {
  input_tokens?: number;
  output_tokens?: number;
  cost?: number;
  tool_calls?: number;
}

/** What has become known since the last note; every note is also a heartbeat. */
export interface Progress extends UsedSoFar {
  at: number;
  last_sequence?: number;
  session_id?: string;
  agent?: string;
  agent_version?: string;
  model?: string;
  /** When the limit resets that it waits for; 0: it waits no more. */
  waits_until?: number;
}

/** One of several attempts at a run; the last one is the run's outcome. */
export interface Attempt {
  number: number;
  status: RunOutcome['status'];
  class: RunOutcome['verdict']['class'];
  session_id?: string;
  started_at?: number;
  duration_ms?: number;
  tokens_used?: number;
  cost?: number;
  /** Why it was retried. */
  reason?: string;
  /** The agent, where another one goes on. */
  agent?: string;
}

export interface Ending {
  outcome: RunOutcome | LedgerOutcome;
  ended_at: number;
  last_sequence?: number;
  attempts?: readonly Attempt[];
  /** The hash of the bytes of its tape, which reveals any change. */
  tape_sha256?: string;
}

/** A finished run from elsewhere. */
export interface ImportedRun extends Omit<NewRun, 'owner' | 'prompt' | 'reporter'>, GivenOfRun, Ending {
  /** The process that wrote it, if an export says so. */
  owner?: Owner;
  /** The same content has the same key, so that a run imported twice is there once. */
  key: string;
  /** Its model calls, by short hashes of what identifies each in whichever file it stands. */
  requests?: readonly string[];
  /** What a run that saw one of them happen knows it by, each with the model call. Not stored with the run. */
  sightings?: ReadonlyMap<string, string>;
  /** Reads its records once more, for its tape. Not stored with the run. */
  records?: (take: (record: EventRecord) => void) => Promise<unknown>;
}

/** Totals of the runs below a run, each counted once; the run's own figures are not included. */
export interface ChildTotals {
  runs: number;
  running: number;
  /** The cost of the runs that reported one; absent: none did. */
  cost?: number;
  cost_known: number;
  /** `at_least`: some of the costs are lower bounds, so the sum is one too. */
  cost_is?: RunOutcome['metrics']['cost_is'];
  input_tokens?: number;
  output_tokens?: number;
}

/** One line of a list. Unknown numbers are absent, never 0. */
export interface RunSummary extends KnownOfRun {
  labels: Labels;
  /** Present on request; absent: no run is below it. */
  children?: ChildTotals;
}

/** The part of a run that is needed for totals. */
export type RunUsage = Pick<RunSummary, (typeof totalledNames)[number]>;

export interface RunRecord extends RunSummary {
  prompt: string;
  /** Absent while it runs. */
  outcome?: LedgerOutcome;
  attempts: readonly Attempt[];
  owner?: Owner;
  /** Who reported it; absent: a process that writes to the ledger itself, or an import. */
  reporter?: string;
  /** Where an imported run came from. */
  key?: string;
}

export interface PageRequest {
  limit: number;
  /** `next` of the previous page. */
  after?: string;
}

/** Newest first. */
export interface Page<Run> {
  runs: Run[];
  /** Absent: this is the last page. */
  next?: string;
}

export type Grouping = (typeof groupings)[number] | { label: string };

export interface StatsOptions {
  /** The time zone of days, weeks and months, such as `Europe/Zurich`; absent: UTC. */
  timeZone?: string | undefined;
  /** They require sorting all runs. */
  percentiles?: boolean | undefined;
}

/** The value that 50, 90 and 99 percent of the runs do not exceed. */
interface Percentiles {
  duration_p50?: number;
  duration_p90?: number;
  duration_p99?: number;
  cost_p50?: number;
  cost_p90?: number;
  cost_p99?: number;
}

/** What the runs of a class come to; those without a class are runs that have not ended. Runs that never started do not count. */
export interface Totals {
  class?: string;
  runs: number;
  running: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cost: number;
  /** How many have a known cost. */
  cost_known: number;
}

export interface StatsRow extends Percentiles {
  /** A day is `2026-11-15`, a week `2026-W46`, a month `2026-11`; absent: the runs that have none. */
  group?: string;
  /** The second of two groupings. */
  subgroup?: string;
  runs: number;
  running: number;
  succeeded: number;
  /** The cost of the runs that reported one; absent: none did. */
  cost?: number;
  cost_known: number;
  /** Runs that have ended without a known cost: if there are any, `cost` is incomplete. */
  unpriced: number;
  /** Runs whose cost is a lower bound: if there are any, so is `cost`. */
  cost_at_least: number;
  input_tokens?: number;
  output_tokens?: number;
  cache_read_tokens?: number;
  duration_ms?: number;
  duration_known: number;
  longest_ms?: number;
  /** Runs whose answers claim something that was checked, what they claim, and how much of it what happened contradicts. */
  claims_known: number;
  claims_checked?: number;
  claims_contradicted?: number;
  tool_calls: number;
  first_started_at: number;
  last_started_at: number;
}

/** A run whose end was not seen, the process that should be writing it, and what is known about it. */
export interface OpenRun extends UsedSoFar {
  id: string;
  owner: Owner;
  heartbeat_at: number;
  /** How long ago it last reported, by the database's clock: the clocks of two machines may be hours apart. */
  silent_ms: number;
  /** When the limit resets that it waits for. */
  waits_until?: number;
  /** When another process closed it without having seen its end. */
  presumed_at?: number;
  agent?: string;
  agent_version?: string;
  model?: string;
  session_id?: string;
  started_at: number;
  last_sequence: number;
  prompt: string;
  tape?: string;
  /** The hash of a tape that was read to its end. */
  tape_sha256?: string;
}

export interface Problem {
  /** A run's id, or the part of the ledger. */
  where: string;
  what: string;
}

/** Where runs are stored. Every write is one transaction: done or not done, never half. */
export interface RunStore {
  /** Its name in messages, without a password. */
  readonly name: string;
  /** Tapes that are stored in chunks in the same database. */
  readonly chunks: Chunks;
  /** A run that others reported as below this one before it was known here is none of its tree, and is taken out of it. */
  begin(run: NewRun): Promise<void>;
  /** Does nothing if another process has started the run again since. */
  note(id: string, progress: Progress, owner?: Owner): Promise<void>;
  /** The end of a run, from its own writer; replaces an end that others recorded meanwhile. As with `note`, a writer that no longer owns the run changes nothing. */
  finish(id: string, ending: Ending, owner?: Owner): Promise<void>;
  /** Runs without an end, oldest first. */
  open(): Promise<OpenRun[]>;
  /** Runs of this host that others closed without having seen their tapes, the oldest first. */
  presumed(host: string): Promise<OpenRun[]>;
  /**
   * Closes a run of another process; false if its writer or another closer was faster. `presumed`: its end was not seen,
   * and a machine that has its tape can still report it.
   */
  closeInterrupted(run: OpenRun, ending: Ending, presumed?: boolean): Promise<boolean>;
  list(filter: RunFilter, page: PageRequest): Promise<Page<RunSummary>>;
  count(filter: RunFilter): Promise<number>;
  get(id: string): Promise<RunRecord | undefined>;
  /** Which of these runs are there. */
  present(ids: readonly string[]): Promise<Set<string>>;
  /** The runs of one agent session, oldest first. */
  ofSession(session: string): Promise<RunSummary[]>;
  /** Of these model calls, those that are known, each with the run that has it. */
  ownersOf(requests: readonly string[]): Promise<Map<string, string>>;
  /** Model calls of an existing run; those that another run has stay there. */
  addRequests(id: string, requests: readonly string[]): Promise<void>;
  /** Hands model calls of a run over to another one, with an end of the first that does not count them; none: it has no other calls, and is forgotten. */
  handOver(from: string, to: string, requests: readonly string[], ending: Ending | undefined): Promise<void>;
  /** The model calls that this run has. */
  requestsOf(id: string): Promise<string[]>;
  /** Adds labels to an existing run; a label that it already has stays as it is. */
  addLabels(id: string, labels: Labels): Promise<void>;
  /** All runs below these tops of trees, oldest first. */
  below(roots: readonly string[]): Promise<RunSummary[]>;
  /** The same, for totals. */
  usageBelow(roots: readonly string[]): Promise<RunUsage[]>;
  /** The ids that a user may mean by a full id, or by the beginning of a short one; at most ten. */
  find(idOrShort: string): Promise<string[]>;
  /**
   * Days, weeks and months are in order of time, the rest by number of runs. A run that never started, because of a typo in a flag or an
   * agent's name, does not count.
   */
  stats(grouping: Grouping | readonly Grouping[], filter: RunFilter, options?: StatsOptions): Promise<StatsRow[]>;
  /** Newest first, with outcomes, a page in memory at a time. Without `onDamaged`, a run that cannot be read throws `DamagedRun`. */
  export(filter: RunFilter, onDamaged?: (damage: DamagedRun) => void): AsyncIterable<RunRecord>;
  /** The totals of all runs by class, which are kept and not counted. Absent: this ledger has none yet, or does not show them to this role. */
  totals(): Promise<Totals[] | undefined>;
  /** Nothing was done if its key is known (`same`), or if another run has one of its model calls (`contested`). */
  put(run: ImportedRun): Promise<'added' | 'same' | 'contested'>;
  /** Removes the runs that match the filter, and returns the tapes that are left to remove. Runs that have not ended stay. */
  prune(filter: RunFilter): Promise<{ runs: number; tapes: string[] }>;
  /** Erases what is left of pruned runs from the database, and frees its space. */
  compact(): Promise<void>;
  /** Removes one run. */
  remove(id: string): Promise<void>;
  /** Limits on what runs may spend together. */
  readonly budgets: BudgetStore;
  verify(): Promise<Problem[]>;
  /** How many runs ended under a version that did not seal them: changes to them cannot be seen. */
  unsealed(): Promise<number>;
  close(): Promise<void>;
}
