import { commands } from './commands.ts';
import { denials } from './denials.ts';
import { inabilities } from './inabilities.ts';
import { reproductions } from './reproductions.ts';
import { codeChecks } from './code-checks.ts';
import { dependencies } from './dependencies.ts';
import { files } from './files.ts';
import { branches, commits, pushes } from './git.ts';
import { ciStatus, pullRequests } from './hosting.ts';
import { reverts } from './reverts.ts';
import type { KindReader } from './kind.ts';
import { noErrors } from './no-errors.ts';
import { changeSize, onlyFiles } from './only-files.ts';
import { reads } from './reads.ts';
import { searches } from './searches.ts';
import { servers } from './servers.ts';
import { tests } from './tests.ts';
import { values } from './values.ts';

/** The readers of claims, in the order in which a clause is shown to them: the first that reads one has it. */
export const readers: readonly KindReader[] = [
  denials,
  inabilities,
  ciStatus,
  reproductions,
  pullRequests,
  pushes,
  commits,
  branches,
  reverts,
  onlyFiles,
  changeSize,
  tests,
  searches,
  codeChecks,
  noErrors,
  dependencies,
  servers,
  reads,
  files,
  commands,
  values,
];
