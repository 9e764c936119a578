import type { LedgerRequest } from '../run/sinks/ledger.ts';
import type { ReportRequest } from '../run/sinks/report/report.ts';
import type { Limits, RunSpec } from '../contract/spec.ts';
import type { Dirty, Environment, IsolationKind } from '../words/vocabulary.ts';
import type { Base } from '../workspace/base.ts';
import type { PushGround } from '../workspace/push-ground.ts';
import type { Repository } from '../workspace/repository.ts';

/** An agent that may be given work, and the model it works with. */
export interface AgentChoice {
  agent: string;
  model?: string | undefined;
}

/** The settings for all work of an orchestration: resolved once, before the first model call. */
export interface Settings {
  repository: Repository;
  base: Base;
  cwd: string;
  env: Environment;
  /** Values for the agents' processes only. */
  variables: Readonly<Record<string, string>>;
  agents: readonly AgentChoice[];
  isolate: 'auto' | IsolationKind;
  dirty: Dirty;
  setup: string | undefined;
  copy: readonly string[];
  /** Patterns for files that the work must not touch. */
  protect: readonly string[];
  verify: string | undefined;
  verifyTimeoutMs: number;
  publish: 'none' | 'branch' | 'pr';
  remote: string | undefined;
  /** Git's settings and hooks for a push, as they were before any agent worked; unset: nothing is pushed. */
  pushGround: PushGround | undefined;
  dryRun: boolean;
  concurrency: number;
  /** What each agent's run has in common with the others. */
  spec: Pick<
    RunSpec,
    'pass_env' | 'permission_mode' | 'allow' | 'deny' | 'redact' | 'labels' | 'project_name' | 'base_url' | 'price'
  >;
  /** A base URL belongs to the model that it was given with: other agents would send their own keys there. */
  baseUrlFor: 'builtin' | 'everybody';
  limits: Limits;
  /** Removes secrets from text that is published: a branch name, a pull request. */
  clean: (text: string) => string;
  ledger: LedgerRequest | undefined;
  /** A server that every run is reported to. */
  report: ReportRequest | undefined;
  warn: (message: string) => void;
  clock: () => number;
}
