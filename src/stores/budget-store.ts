export const periods = ['day', 'week', 'month', 'total'] as const;
export type Period = (typeof periods)[number];

/** Dollars, and input and output tokens together. */
export interface Amounts {
  usd?: number;
  tokens?: number;
}

/** What the runs of one budget may spend together; unset: no limit of this kind. */
export interface BudgetLimits extends Amounts {
  name: string;
  /** Days, weeks (from Monday) and months begin at midnight UTC. */
  per: Period;
}

export interface BudgetState extends BudgetLimits {
  /** The current period, by the ledger's clock; absent: it never ends. */
  since?: number;
  until?: number;
  /** What its runs spent, as far as it is known. */
  spent: Required<Amounts>;
  /** What is reserved for running ones, beyond what they spent. */
  reserved: Required<Amounts>;
  runs: number;
  running: number;
  /** Runs that have ended without reporting a cost. */
  unpriced: number;
}

/** What a run has spent, and the most that one of its steps took. */
export interface Taking {
  spent: Required<Amounts>;
  step: Amounts;
  /** All of `step` or nothing of it: a request to a model that has half of what it needs does not go out. */
  isWhole?: true;
}

/** What a run may spend in total; a kind without a limit is absent. */
export interface Reservation extends Amounts {
  budget: BudgetState;
}

/**
 * Budgets over runs, machines and days. A run counts in the period of its first reservation: with what is reserved for it
 * while it runs, and with what it and the runs below it really spent once it has ended, however it ended.
 */
export interface BudgetStore {
  /** Creates or changes it; what was spent stays. */
  set(budget: BudgetLimits): Promise<void>;
  /** False: there is no budget of this name. */
  remove(name: string): Promise<boolean>;
  list(): Promise<BudgetState[]>;
  /** Undefined: there is no budget of this name. A further call for the same run adjusts the reservation to what the run spent. */
  reserve(name: string, run: string, taking?: Partial<Taking>): Promise<Reservation | undefined>;
  /** Records what a run spent that will not report to the ledger again. */
  settle(run: string, spent: Required<Amounts>): Promise<void>;
}
