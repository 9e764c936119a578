export interface Candidate {
  value: string;
  about?: string;
}

/** `paths`: what else may stand there; shells complete paths themselves. */
export interface Answer {
  candidates: readonly Candidate[];
  paths: 'files' | 'folders' | 'none';
}

export const nothing: Answer = { candidates: [], paths: 'none' };

export function candidates(words: readonly (string | Candidate)[]): Answer {
  return { ...nothing, candidates: words.map((word) => (typeof word === 'string' ? { value: word } : word)) };
}

/** Words that are looked up only when they are needed. */
export interface Values {
  agents(): Promise<Answer>;
  /** Providers first, then the models of the typed provider; `withProvider` false: model names as in the ledger. */
  models(current: string, withProvider: boolean): Promise<Answer>;
  dialects(areWritten: boolean, andText: boolean): Answer;
  schemas(): Promise<Answer>;
  runs(): Promise<Answer>;
  sessions(): Promise<Answer>;
  budgets(): Promise<Answer>;
}
