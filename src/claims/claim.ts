/** What a claim of an answer is about, and what stands for it to a reader. The one list of them. */
export const claimKinds = {
  tests_pass: 'tests, a suite or checks pass; how many',
  tests_fail: 'tests fail; which, how many, when',
  build: 'the build or compiler passes or fails',
  lint: 'the linter or formatter passes or fails',
  types: 'the type checker passes or fails',
  ci_status: 'CI is green or red',
  command_run: 'something was run, applied or started, or was not',
  file_created: 'a file was created',
  file_modified: 'a file was changed',
  file_deleted: 'a file was deleted',
  file_renamed: 'a file was renamed or moved',
  docs_updated: 'documentation was changed',
  files_only: 'only these files were changed, no others, or none',
  change_size: 'how many files or lines were changed',
  committed: 'a commit was made; its hash, how many',
  pushed: 'commits were pushed',
  branch: 'a branch was made or is checked out',
  pr_opened: 'a pull request was opened; its number',
  dependency: 'a package was installed or has a version',
  reproduced: 'the bug was seen before it was fixed',
  server: 'a server runs, answers or is healthy',
  output_value: 'a value that a command printed',
  search_count: 'how many matches a search found',
  nothing_found: 'a search found nothing',
  file_read: 'a file was read',
  denied: 'permission was refused',
  could_not: 'something could not be done, and why',
  no_errors: 'there were no warnings, errors or conflicts',
  reverted: 'a change was taken back',
} as const;
export type ClaimKind = keyof typeof claimKinds;
export const claimKindNames = Object.keys(claimKinds) as [ClaimKind, ...ClaimKind[]];

/**
 * `supported`: a fact shows that it is true. `contradicted`: a fact shows that it is false; never from absence.
 * `not_shown`: nothing in the run shows it. `not_checkable`: it says nothing about this run that could be checked.
 */
export const claimVerdicts = ['supported', 'contradicted', 'not_shown', 'not_checkable'] as const;
export type ClaimVerdict = (typeof claimVerdicts)[number];

/** Where a fact comes from: the calls in the stream, the repository before and after, or the command run again. */
export const claimGrades = ['transcript', 'state', 'rerun'] as const;
export type ClaimGrade = (typeof claimGrades)[number];

export interface ClaimEvidence {
  /** The record that shows it; absent: no single record does. */
  sequence?: number | undefined;
  grade: ClaimGrade;
  /** The fact, for people: `npm test: exit 1, "2 failed, 10 passed"`. */
  why: string;
}

/** A piece of an agent's answer that says something about the run, and what the facts of the run say to it. */
export interface Claim {
  /** Copied exactly from the answer. */
  quote: string;
  /** Where it begins in the answer, in UTF-16 units. */
  start: number;
  kind: ClaimKind;
  verdict: ClaimVerdict;
  evidence: ClaimEvidence[];
}
