import { commands, denials, inabilities, reproductions } from './commands.ts';
import { codeChecks } from './code-checks.ts';
import { dependencies } from './dependencies.ts';
import { files } from './files.ts';
import { branches, ciStatus, commits, pullRequests, pushes, reverts } from './git.ts';
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
