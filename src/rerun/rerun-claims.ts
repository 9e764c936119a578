import type { PermissionRules } from '../builtin/permissions/rules.ts';
import type { Claim, ClaimEvidence, ClaimKind } from '../claims/claim.ts';
import { type Call, commandOf } from '../claims/facts/call.ts';
import type { Family } from '../claims/facts/checks.ts';
import { Failure, messageOf } from '../failure.ts';
import type { Git } from '../workspace/git.ts';
import { type CommandPlace, type Rerunnable, rerunnableIn } from './command.ts';
import { examine, type Finding, type Seen, type Work } from './examine.ts';
import { failingTests } from './failing-tests.ts';
import type { Lab } from './lab.ts';
import { type TestsChanged, testsChanged } from './tests-changed.ts';
import { tallyOf } from './trial.ts';
import { twoByTwo } from './two-by-two.ts';

export interface RerunAsk {
  claims: readonly Claim[];
  calls: readonly Call[];
  work: Omit<Work, 'prepare'>;
  git: Git;
  place: CommandPlace;
  rules: PermissionRules;
  lab: Lab;
  /** What the run was told, and what it answered. */
  prompt: string;
  answer: string;
}

/** Claims that a command stands behind which can be run again. */
const families: Partial<Record<ClaimKind, Family>> = {
  tests_pass: 'tests',
  tests_fail: 'tests',
  build: 'build',
  lint: 'lint',
  types: 'types',
};

const mostCommands = 6;
const aboutFix =
  /\b(?:fix\w*|bug\w*|regression\w*|broken|fail\w*|error\w*|crash\w*|wrong|incorrect\w*|repair\w*|issue)\b/i;

/** The same claims, with what running their commands again shows beside them. Commands that are only mentioned are never run. */
export async function rerunClaims(ask: RerunAsk): Promise<Claim[]> {
  const { claims, calls, lab, work, git } = ask;
  const findings = new Map<string, Promise<Finding>>();
  const changed = work.base === undefined ? undefined : await testsChanged(git, work.base, work.commit);
  let isToldOfTests = false;
  const result: Claim[] = [];
  for (const claim of claims) {
    const family = families[claim.kind];
    const cited = citedBy(claim, calls) ?? (family === undefined ? undefined : lastOf(ask, family));
    if (cited === undefined || family === undefined || claim.verdict === 'not_checkable') {
      result.push(claim);
      continue;
    }
    const command = rerunnableIn(cited.line, family, ask.place, ask.rules);
    if (typeof command === 'string') {
      result.push(withFacts(claim, [`not run again: ${command}`]));
      continue;
    }
    const key = `${command.folder}\0${command.text}`;
    if (!findings.has(key) && findings.size >= mostCommands) {
      result.push(withFacts(claim, [`not run again: ${mostCommands} other commands were`]));
      continue;
    }
    try {
      const seen = { tally: tallyOf(cited.call.output), before: seenBefore(ask, command, family) };
      const pending = findings.get(key) ?? examine(lab, command, { ...work, prepare: builtBefore(ask, command) }, seen);
      findings.set(key, pending);
      const finding = await pending;
      const about: boolean = claim.kind === 'tests_pass' && !isToldOfTests && finding.effect === 'agrees';
      isToldOfTests ||= about;
      const tests = about ? await ofTests(ask, { command, changed, finding }) : [];
      result.push({ ...withFacts(claim, [...finding.facts, ...tests]), verdict: judged(claim, cited, finding) });
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'cancelled') throw error;
      result.push(withFacts(claim, [`not run again: ${messageOf(error)}`]));
    }
  }
  return result;
}

interface Cited {
  call: Call;
  line: string;
  /** The claim does not name it. */
  isGuess?: true;
}

/** The last call that the claim's evidence names and that is a command. */
function citedBy({ evidence }: Claim, calls: readonly Call[]): Cited | undefined {
  const sequences = new Set(evidence.map(({ sequence }) => sequence));
  const call = calls.findLast((each) => sequences.has(each.sequence) && commandOf(each) !== undefined);
  const line = call === undefined ? undefined : commandOf(call);
  // What did not run is only a mention.
  return call === undefined || line === undefined || call.status === 'denied' ? undefined : { call, line };
}

/** Where no call is cited: the last one that ran such a command. What it shows is said, and nothing is judged by it. */
function lastOf({ calls, place, rules }: RerunAsk, family: Family): Cited | undefined {
  for (const call of calls.toReversed()) {
    const line = call.status === 'denied' ? undefined : commandOf(call);
    if (line !== undefined && typeof rerunnableIn(line, family, place, rules) === 'object')
      return { call, line, isGuess: true };
  }
  return undefined;
}

/** What the same command printed before the first change. */
function seenBefore({ calls, place, rules }: RerunAsk, command: Rerunnable, family: Family): Seen['before'] {
  for (const call of calls) {
    if (call.edits.length > 0) return undefined;
    const line = commandOf(call);
    const same = line === undefined ? undefined : rerunnableIn(line, family, place, rules);
    if (typeof same === 'object' && same.text === command.text && same.folder === command.folder) {
      const found = { tally: tallyOf(call.output), failing: failingTests(call.output) };
      if (found.tally !== undefined || found.failing.length > 0) return found;
    }
  }
  return undefined;
}

const mostBuilds = 3;

/** What the agent built in the same folder, and how. */
function builtBefore({ calls, place, rules }: RerunAsk, { folder, text }: Rerunnable): Rerunnable[] {
  const found = new Map<string, Rerunnable>();
  for (const call of calls) {
    const line = call.status === 'success' && (call.exitCode ?? 0) === 0 ? commandOf(call) : undefined;
    const build = line === undefined ? undefined : rerunnableIn(line, 'build', place, rules);
    if (typeof build === 'object' && build.folder === folder && build.text !== text) found.set(build.text, build);
  }
  return [...found.values()].slice(-mostBuilds);
}

async function ofTests(
  { lab, work, prompt, answer }: RerunAsk,
  { command, changed, finding }: { command: Rerunnable; changed: TestsChanged | undefined; finding: Finding },
): Promise<string[]> {
  const { base } = work;
  if (changed === undefined || base === undefined || finding.base?.result === 'unclear') return [];
  const isFix = aboutFix.test(prompt) || aboutFix.test(answer);
  return twoByTwo(lab, { command, work: { commit: work.commit, base }, changed, finding, isFix });
}

function withFacts(claim: Claim, facts: readonly string[]): Claim {
  return { ...claim, evidence: [...claim.evidence, ...facts.map((why): ClaimEvidence => ({ grade: 'rerun', why }))] };
}

/** A claim that something fails is not judged anew: it may be about another time. */
function judged(claim: Claim, { call, isGuess }: Cited, finding: Finding): Claim['verdict'] {
  const { kind, verdict, quote } = claim;
  const seen = tallyOf(call.output);
  const hasFailed =
    seen?.isPass === false || (call.exitCode !== undefined && call.exitCode !== 0) || call.status === 'error';
  // That a failing call supports it means that it claims the failure.
  if (isGuess || kind === 'tests_fail' || (verdict === 'supported' && hasFailed)) return verdict;
  const numbers = quote.match(/\d+/g)?.map(Number) ?? [];
  const counts = new Set([finding.trial.tally?.passed, finding.trial.tally?.total]);
  const fits = numbers.length === 0 || numbers.some((number) => counts.has(number));
  if (finding.effect === 'refutes' && verdict !== 'contradicted') return 'contradicted';
  if (finding.effect === 'short' && verdict === 'supported' && !fits) return 'contradicted';
  // It failed when the agent ran it, and does not in a fresh copy: that is no fact against the work.
  if (finding.effect === 'agrees' && verdict === 'contradicted' && hasFailed && fits) return 'not_shown';
  return verdict;
}
