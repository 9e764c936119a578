export * from './portable.ts';
export { run } from './run/library.ts';
export type { RunOptions } from './run/library.ts';
export type { Limits } from './contract/run-options.ts';
export type { Run } from './run/handle.ts';
export type { RunSpec } from './contract/spec.ts';
export { openLedger } from './ledger/library.ts';
export type {
  OutcomeOptions,
  LedgerImportOptions,
  LedgerOptions,
  FollowOptions,
  ListOptions,
  RecordsOptions,
} from './ledger/library.ts';
export type { RunLedger as Ledger } from './ledger/run-ledger.ts';
export type { RunDiff } from './ledger/diff.ts';
export type { Imported } from './ledger/import.ts';
export type { Stats } from './ledger/stats.ts';
export type { Timeline, TimelineEntry } from './ledger/timeline.ts';
export type { TreeRow } from './ledger/tree.ts';
export type { Finding, Verified } from './ledger/verify.ts';
export type { LedgerOutcome, Page, RunFilter, RunRecord, RunSummary, StatsOptions } from './stores/run-store.ts';
export type { Labels } from './contract/labels.ts';
