export const periods = ['day', 'week', 'month', 'total'] as const;
export type Period = (typeof periods)[number];

/** Dollars and tokens, in and out together. */
export interface Amounts {
  usd?: number;
  tokens?: number;
}

/** What runs of one name may take together; unset: no limit of this kind. */
export interface BudgetLimits extends Amounts {
  name: string;
  /** Days, weeks (from Monday) and months begin at midnight UTC. */
  per: Period;
}

export interface BudgetState extends BudgetLimits {
  /** The period that goes on, by the clock of the ledger; absent: it never ends. */
  since?: number;
  until?: number;
  /** What its runs took, as far as it is known. */
  spent: Required<Amounts>;
  /** What is set aside for those that go on, beyond what they took. */
  reserved: Required<Amounts>;
  runs: number;
  running: number;
  /** Runs that have ended and told no cost. */
  unpriced: number;
}

/** What a run has taken, and the most that one of its steps took. */
export interface Taking {
  spent: Required<Amounts>;
  step: Amounts;
}

/** What a run may take in all; a kind that is not limited is absent. */
export interface Reservation extends Amounts {
  budget: BudgetState;
}

/**
 * Budgets over runs, machines and days. A run counts in the period in which it first reserved: with what is set aside for it
 * while it goes on, and with what it and the runs below it really took when it has ended, however it ended.
 */
export interface BudgetStore {
  /** Makes or changes it; what was spent stays. */
  set(budget: BudgetLimits): Promise<void>;
  /** False: there is none of this name. */
  remove(name: string): Promise<boolean>;
  list(): Promise<BudgetState[]>;
  /** Undefined: there is none of this name. Asked again for the same run, it makes the reservation fit what the run took. */
  reserve(name: string, run: string, taking?: Partial<Taking>): Promise<Reservation | undefined>;
  /** For a run that the ledger will not hear of again: this is what it took. */
  settle(run: string, spent: Required<Amounts>): Promise<void>;
}
