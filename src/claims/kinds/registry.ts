import type { Clause } from '../answer/clause.ts';
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
import type { Found, KindReader } from './kind.ts';
import { noErrors } from './no-errors.ts';
import { changeSize, onlyFiles } from './only-files.ts';
import { reads } from './reads.ts';
import { searches } from './searches.ts';
import { servers } from './servers.ts';
import { tests } from './tests.ts';
import { values } from './values.ts';

interface Entry {
  read: KindReader;
  /**
   * A clause that this reader reads has one of these in it. An expression is compiled where it is first used, which takes
   * longer than all else for most answers: a reader that has nothing to read is not asked.
   */
  cues: readonly string[];
  /** Or this is true of it. */
  orIf?: (clause: Clause) => boolean;
}

const words = (text: string): string[] => text.split('|');
const digits = [...'0123456789'];
const hasNumber = ({ numbers }: Clause): boolean => numbers.length > 0;
const linters = words(
  'lint|format|style|static|biome|prettier|ruff|flake8|black|isort|bandit|vet|gofmt|clippy|fmt|cop|standardrb|brakeman|phpcs|php-cs|phpstan|psalm|detekt|spotless|shellcheck|clang|cppcheck|credo|codespell|typos|sqlfluff|luacheck|stylua|knip|vale|finding|offen|violation|unused',
);
const compilers = words(
  'assembl|packag|binary|artifact|typ|tsc|svelte-check|mypy|pyright|dialyzer|sorbet|flow|buil|compil|bundle|docker|package|vite|webpack|rollup|tsup|cargo|make|mvn|gradle|bazel|ninja',
);
/** "It found two": what was run is named before. */
const tellings = words('found|report|show|list|flag|complain|gave|printed|clean|passe');

/** The readers of claims, in the order in which a clause is shown to them: the first that reads one has it. */
const entries: readonly Entry[] = [
  { read: denials, cues: words('permi|allow|authori|granted|denied|refus|declin|forb|reject|block|approv') },
  {
    read: inabilities,
    cues: words(
      "could|cannot|can't|able|fail|did not|didn't|block|reject|refus|declin|abort|stopp|interrupt|prevent|time|hit a|luck|possible",
    ),
  },
  { read: ciStatus, cues: words('ci|pipeline|workflow|actions|status check|pr checks') },
  { read: reproductions, cues: words('reproduc|saw|seen|observed|confirmed|verified') },
  { read: pullRequests, cues: words('request|pr|mr|/pull/') },
  { read: pushes, cues: words('push|remote|origin|github|gitlab') },
  { read: commits, cues: words('commit|amend|hook') },
  { read: branches, cues: words('branch') },
  { read: reverts, cues: words('revert|restor|undone|undid|rolle|took|taken|backed|reset|discarded|back to|before') },
  {
    read: onlyFiles,
    cues: words("clean|uncommitted|no |not|nothing|n't|zero|without|else|only|sole|just|confined|limited|exclusiv"),
  },
  { read: changeSize, cues: digits, orIf: hasNumber },
  {
    read: tests,
    cues: words(
      'test|spec|suite|example|scenario|assertion|check|validation|jest|mocha|playwright|cypress|mvn|rebar3|cucumber|behave|race detector|tox|nox|run|pass|green|ok|succe|fail|red|broken|race',
    ),
    orIf: ({ mark, plain }) => mark !== undefined && /\d ?\/ ?\d/.test(plain),
  },
  {
    read: searches,
    cues: [...digits, ...words("no |none|zero|nothing|not|any|n't|never|thrice|unused|unref|empty")],
    orIf: hasNumber,
  },
  { read: codeChecks, cues: [...linters, ...compilers, ...tellings] },
  { read: noErrors, cues: words('warning|error|conflict|vulnerab|deprecation|exception|stack trace') },
  { read: dependencies, cues: [...digits, ...words('install|upgrad|bump|downgrad|dependenc')] },
  {
    read: servers,
    cues: words('port|localhost|http|/|:|serv|daemon|health|endpoint|container'),
  },
  {
    read: reads,
    cues: words('read|look|inspect|review|examin|stud|skimm|went through|opened|checked|consulted|scanned'),
  },
  {
    read: files,
    cues: words(
      'doc|readme|changelog|change log|release notes|guide|manual|delet|remov|drop|erase|got rid|gone|no longer|exist|both|all|each|them',
    ),
    orIf: ({ paths }) => paths.length > 0,
  },
  {
    read: commands,
    cues: words(
      'ran|run|execut|invok|launch|perform|appl|generat|start|trigger|call|use|deploy|migrat|seed|publish|check|went through|lint|buil|compil|measur|benchmark|timed|profil|stopp|kill|shut|verif|confirm|test|search|count|compar|skip|omit|modif|install|attempt|tried|rebas|merg|cherry|stash|tag|brought|spun|fired|tore|torn|stood',
    ),
  },
  {
    read: values,
    cues: [
      ...digits,
      ...words('print|output|return|report|show|say|said|log|display|give|gave|exit|twice|thrice|half'),
    ],
    orIf: ({ codes }) => codes.length > 0,
  },
];

/** Whether a reader may find something in it: what says no is not looked at further. */
export function mayClaim(clause: Clause): boolean {
  return entries.some((entry) => isFor(entry, clause));
}

/** What the first reader that reads a claim in it says of it. `isSparing`: only those are asked that may; a test asks all of them. */
export function readClause(clause: Clause, isSparing = true): Found | undefined {
  if (clause.plain.length < 3) return undefined;
  for (const entry of entries) {
    const found = isSparing && !isFor(entry, clause) ? undefined : entry.read(clause);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isFor({ cues, orIf }: Entry, clause: Clause): boolean {
  return cues.some((cue) => clause.plain.includes(cue)) || orIf?.(clause) === true;
}
