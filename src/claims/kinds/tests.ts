import { type Clause, count, numberOf } from '../answer/clause.ts';
import type { Facts, Run } from '../facts/facts.ts';
import { countsOf, type Counts } from './counts.ts';
import { type Decision, decisionsOf, momentOf, type Moment, runsAt } from './deciding.ts';
import { contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { checkIn, isLimited, isOfPart, isOfTools, type Scope, scopeOf } from './scope.ts';
import { talliesIn } from '../runners/summaries.ts';
import { linesAbout } from './part-lines.ts';
import { ofRun } from './why.ts';

const testNouns = String.raw`tests?|specs?|test suites?|suites?|test cases?|test runs?|testsuite|examples|scenarios|assertions|checks|validations?`;
const noun = new RegExp(
  String.raw`\b(?:${testNouns})\b|\b(?:pytest|jest|vitest|mocha|rspec|phpunit|unittest|eunit|ctest|playwright|cypress|(?:go|cargo|npm|yarn|pnpm|bun|deno|swift|dotnet|mix|dart|flutter|make|just|gradle|mvn|node --)\s?test|(?:make|just|task|nox|npm run|yarn|pnpm) check|mvn verify|mvn \w+|rebar3|cucumber|behave|nextest|race detector|tox|nox)\b|\b(?:first|second|third|last|final|initial|previous|next|whole|full|complete|re-?) ?run\b`,
);
const pass =
  /\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|success(?:ful|fully)?|green|happy|satisfied|all good|clean|ok|okay|fine|as expected|through)\b|\b(?:no|zero|0|without(?: any)?) (?:test )?(?:failures?|failed|failing|errors?|regressions? in the tests)\b|\bnone (?:of them )?(?:fail|failed|are failing|is failing)\b|\bno (?:data )?races?\b|\bno (?:tests?|specs?|checks?) (?:fail|failed|fails|are failing|is failing|broke)\b|100 ?%/;
const fail =
  /\bfail(?:s|ed|ing|ures?)?\b|\bred\b|\bbroken?\b|\bbreaks?\b|\bcrash(?:es|ed|ing)?\b|\berror(?:s|ed)? out\b|\bunhappy\b|\bunsuccessful\b|\btrips?\b|\bflaky\b|\bcomplain(?:s|ing)?\b/;
const unpassed =
  /\bneither\b[^.;]{0,60}\b(?:pass(?:es|ed)?|green|succeeds?|clean)\b|\bnot all\b[^.;]{0,40}\b(?:pass(?:es|ed|ing)?|green|succeed)\b|\bnot everything\b[^.;]{0,30}\b(?:pass|green)|\b(?:do|does|did|is|are|was|were|will|has|have)(?: not|n't)(?: yet| currently| all| quite| fully| even)* (?:pass|passing|passed|green|succeed|succeeding|clean|ok)|\b(?:not|never|no longer|none)\b[^,.;]{0,24}\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b|\bnot (?:yet )?(?:passing|green)\b/;
const denial =
  /\b(?:no|zero|0|none|without(?: any)?|not a single|neither)\b[^,.;:]{0,26}\b(?:fail(?:s|ed|ing|ures?)?|broke|broken|red)\b|\b(?:not|n't|never|nothing|no longer)\b[^,.;]{0,12}\bfail/;
/** A test is spoken of, but nothing is said of a run. */
const other =
  /\b(?:add(?:ed|s|ing)?|wr(?:ote|ite|itten|iting)|creat(?:ed|es|ing)|extend(?:ed|s)?|cover(?:s|ed|ing|age)?|remov(?:ed|es)|delet(?:ed|es)|renam(?:ed|es)|refactor(?:ed|s)?|introduc(?:ed|es)|updat(?:ed|es|ing)|adjust(?:ed|s)?|adapt(?:ed|s)?|rewr(?:ote|itten)|fix(?:ed|es|ing)?|new)\b/;

/** Of tests in general, of what makes them fail, of what a command is for. */
const isExplained =
  /\b(?:caus|mak|made|forc|led|lead)\w*\b.{0,40}\b(?:tests?|suite)\b.{0,12}\b(?:fail|pass|break)|^(?:a|an|any|good|such) (?:\w+ )?tests? (?:suite )?(?:that|which|is an?)\b|^(?:good |slow |fast |flaky )?tests (?:that|which|should|are (?:important|useful|nice|good))\b/;

/** The words in the name of a branch, such as `runwire/7kq2/1-a-test-fails-here`, say nothing of a run. */
function withoutBranches(plain: string): string {
  if (!plain.includes('/')) return plain;
  const isBranch = (word: string): boolean => word.includes('/') && word.split('-').length > 2;
  return plain.replaceAll(/[^\s,;:()'"]+/g, (word) => (isBranch(word) ? 'branch' : word));
}

export function tests(clause: Clause): Found | undefined {
  const { mark } = clause;
  const plain = withoutBranches(clause.plain).replaceAll(/\blines? \d+\b/g, 'line');
  const context = clause.block.columns?.join(' ').toLowerCase() ?? '';
  const hasNoun = noun.test(plain) || clause.codes.some((code) => noun.test(code.toLowerCase()));
  const isCounted =
    /\b\d+ ?(?:\/|of) ?\d+ (?:pass|green|ok|succe)|\b\d[\d,]* (?:pass(?:ed|ing)|passes)\b|\b\d[\d,]* of (?:them|those|these) (?:still |now )?(?:pass|fail)|\b\d+ (?:failed|failing|failures?)\b|\b(?:no|zero|one|two|three) (?:test )?failures?\b|\bpass(?:ed|ing)[:=] ?\d+\b/.test(
      plain,
    ) ||
    (mark !== undefined && /(?:^|[\s:(])\d+ ?\/ ?\d+(?![\d/])/.test(plain)) ||
    (/\b(?:one|two|three|four|five|six|seven|eight|nine|ten|all|none|both) of (?:them|those|these) (?:still |now )?(?:pass|fail)/.test(
      plain,
    ) &&
      noun.test(`${clause.before} ${clause.sentence}`));
  const isPackages =
    !hasNoun &&
    /\b(?:packages|modules|crates|workspaces|projects|suites)\b.{0,20}\b(?:pass|green|ok|fail)/.test(plain) &&
    !/\b(?:build|built|compil|install|publish|lint)/.test(plain);
  const isNamed =
    !hasNoun &&
    (clause.codes.some((code) => isTestName(code) || /^[\w@.-]+\/[\w/.-]+$/.test(code)) ||
      bareNames(clause.cased).length > 0) &&
    /(?:^|[,:] ?|\b(?:the|and|test) )\W{0,6}\S{1,80}(?: ?[:=—–→-]{1,2})? (?:now |still |is |are |has |also |currently |was |had |been |all )*(?:pass\w*|fail\w*|green|red|ok|broken|succe\w+)\b/.test(
      plain,
    );
  const isPronoun =
    !hasNoun &&
    /^(?:but |and |so |yet )?(?:it|they|these|those|both|all of them|none of them|each of them) (?:also |still |now |all |both |do |does |did )*(?:not )?(?:fail|pass)(?:s|es|ed)?\b/.test(
      plain,
    ) &&
    /\b(?:tests?|specs?|suite)\b/.test(clause.before.slice(-160));
  const isUnder =
    !hasNoun &&
    /\btests?\b/.test(`${clause.block.heading} ${context} ${clause.block.intro}`.toLowerCase()) &&
    (isCounted || /^(?:all )?(?:pass|green|passing|passed|failing|failed)\b/.test(plain));
  if (!hasNoun && !isCounted && !isUnder && !isPackages && !isNamed && !isPronoun) return undefined;
  if (
    /\b(?:lint|type-?check|format|build|compil)\w*\b/.test(plain) &&
    !/\b(?:tests?|specs?|suites?|checks)\b/.test(plain) &&
    !isCounted
  )
    return undefined;
  if (/\b(?:pre-commit|git|commit) hooks?\b/.test(plain)) return undefined;
  // A command in the clause that is no test: another kind's claim.
  const commands = clause.codes.map(checkIn).filter((each) => each !== undefined);
  if (commands.length > 0 && commands.every(({ families }) => !families.includes('tests'))) return undefined;
  const counts = countsOf(plain);
  if (counts.failed !== undefined && counts.total === counts.failed) delete counts.total;
  if (/\b(?:none|not one|not a single one) (?:of\b.{0,40}\b|has |have )?fail/.test(plain)) counts.failed = 0;
  const excepted = numberOf(
    new RegExp(String.raw`\b(?:except(?: for)?|apart from|other than|all but|but for|save) ${count}\b`).exec(
      plain,
    )?.[1],
  );
  const isExcept =
    excepted === undefined &&
    pass.test(plain) &&
    /\b(?:except|apart from|other than|with the exception of|but not)\b/.test(plain);
  if (excepted !== undefined && excepted > 0) {
    counts.failed = excepted;
    delete counts.passed;
    delete counts.total;
  }
  // "I fixed the failing test" speaks of a change, "all tests pass with the fix" of a run.
  const withoutAdjective = plain
    .replaceAll(
      /\b(?:clean|fresh|green) (?:checkout|clone|tree|install|state|copy|main|master|environment|slate|build folder)\b/g,
      'checkout',
    )
    .replaceAll(
      /\b(?:failing|broken|flaky|failed|passing|red) (?:\w+ )?(?:tests?|specs?|checks?|suite|assertions?|cases?)\b(?! ?[:(])/g,
      'test',
    );
  const hasResult =
    pass.test(withoutAdjective) ||
    fail.test(withoutAdjective) ||
    counts.passed !== undefined ||
    counts.failed !== undefined;
  const isSkips = counts.skipped !== undefined && /skip|ignored|disabled|pending/.test(plain) && hasNoun;
  if (!hasResult && mark === undefined && !isSkips) return undefined;
  if (mark !== undefined && !hasResult && plain.length > 60) return undefined;
  if (other.test(plain) && !pass.test(withoutAdjective) && !fail.test(withoutAdjective)) return undefined;
  if (isExplained.test(plain)) return undefined;
  if (
    /\b(?:cover|exercise|assert|verify|verifies|ensure|check)s?\b.{0,40}\b(?:that|whether|when|fail|error)/.test(
      plain,
    ) &&
    !/\bpass/.test(plain)
  )
    return undefined;
  const isDenied =
    denial.test(plain) &&
    !/\d+ (?:failed|failing|failures?)/.test(plain.replaceAll(/\b0 (?:failed|failing|failures?)/g, ''));
  const failedMore = (counts.failed ?? 0) > 0;
  const saysFail =
    failedMore ||
    isExcept ||
    (unpassed.test(plain) && !/\bnot only\b/.test(plain)) ||
    (fail.test(withoutAdjective) &&
      !isDenied &&
      !(
        pass.test(withoutAdjective) &&
        counts.failed === undefined &&
        !/\bfail(?:s|ed|ing)?\b/.test(withoutAdjective)
      ) &&
      counts.failed !== 0) ||
    mark === 'fail';
  const isPartial = saysFail && counts.passed !== undefined && excepted === undefined;
  if (
    counts.passed === undefined &&
    counts.total !== undefined &&
    !saysFail &&
    !/skipped/.test(plain) &&
    // "64 tests, 0 failures" counts what there is.
    !(counts.failed === 0 && !/\b(?:pass|green|succe|all)/.test(plain))
  )
    counts.passed = counts.total;
  const spoken = scopeOf(clause, testNouns);
  const scope = { ...spoken, parts: [...new Set([...spoken.parts, ...bareNames(clause.cased)])] };
  const own = momentOf(plain);
  const moment =
    own === 'end' && /\b(?:i|we) first ran\b/.test(clause.sentence) && !/\b(?:now|then|afterwards)\b/.test(plain)
      ? 'first'
      : own === 'end'
        ? aroundOf(clause)
        : own;
  const isRace = /\brace detector\b|-race\b|\bdata races?\b/.test(plain);
  const isChecks = /\bchecks\b/.test(plain) && !/\btests?\b/.test(plain);
  if (isChecks || isPackages) for (const name of ['passed', 'total', 'failed'] as const) delete counts[name];
  const kind = saysFail && !isPartial ? 'tests_fail' : 'tests_pass';
  const names = namesIn(clause);
  const past = {
    isPast:
      /\b(?:failed|broke|were (?:red|failing|broken)|was (?:red|failing|broken)|had failed)\b/.test(plain) &&
      !/\b(?:now|still|currently|remain\w*)\b/.test(plain),
    isStaged: /\b(?:with|after|when|while|during|then|at that point|in between|at one point)\b/.test(clause.sentence),
  };
  return {
    kind,
    judge(facts) {
      const decisions = isRace
        ? decisionsOf(facts, 'tests', { isAll: false, parts: [], tools: [] }, moment, false).filter(({ run }) =>
            run.step.program.args.includes('-race'),
          )
        : decisionsOf(facts, 'tests', scope, moment, false);
      if (isChecks) return judgeChecks(facts, saysFail, moment);
      if (isExcept) {
        const judged = judgeFail({ decisions, counts: {}, scope, names, moment, ...past, facts });
        return judged.verdict === 'contradicted' ? notShown : judged;
      }
      const judged = saysFail
        ? judgeFail({ decisions, counts, scope, names, moment, ...past, facts })
        : judgePass({ decisions, counts, scope, plain });
      const meant =
        judged.verdict !== 'supported' &&
        moment === 'end' &&
        (judged.verdict === 'contradicted' || scope.parts.length > 0)
          ? runOf(facts, counts, scope, saysFail)
          : undefined;
      return meant === undefined ? judged : supported(ofRun(meant, 'tests'));
    },
  };
}

/** What the sentence, its list or its heading says of the time: `Before: 3 failed, 118 passed`. */
function aroundOf({ plain, sentence, block }: Clause): Moment {
  if (/\b(?:now|after(?:wards)?|then|finally|still|at the end|currently)\b/.test(plain)) return 'end';
  const lead = /^(?:before(?: (?:the|my|this) \w+)?|initially|originally|at first|baseline)\b[^:,]{0,30}[:,]/;
  if (lead.test(sentence)) return momentOf(`before: ${plain}`);
  const above = [block.heading, block.intro].join(' ').toLowerCase();
  return /^\W{0,4}(?:before|baseline|initial)\b/.test(above.trim()) && !/\bafter\b/.test(above) ? 'before' : 'end';
}

/** The names of tests that a claim gives: `test_head`, `TestBurst`. */
function namesIn({ codes, cased }: Clause): string[] {
  return [...new Set([...codes.filter(isTestName), ...bareNames(cased)])];
}

/** `TestEvict`, `test_head`, `InvoiceTest` without backticks. */
function bareNames(cased: string): string[] {
  return [
    ...cased.matchAll(/(?<![\w/.`-])(?:Test[A-Z]\w+|test_\w+|[A-Z][a-z]\w*(?:Tests?|Spec|IT))(?![\w/-]|\.\w)/g),
  ].map(([name]) => name);
}

function isTestName(code: string): boolean {
  return (
    /^(?:test[_A-Z]\w*|Test\w+|\w+_test|\w+[._:#]+test\w*|[A-Z]\w*(?:Tests?|Specs?|IT)|it |should )(?:\(\))?/.test(
      code,
    ) && !/\.\w{1,4}$/.test(code)
  );
}

interface Case {
  decisions: readonly Decision[];
  counts: Counts;
  scope: Scope;
}

function judgePass({ decisions, counts, scope, plain }: Case & { plain: string }): Judgement {
  const whole = decisions.filter(({ isPart }) => !isPart);
  const parts = decisions.filter(({ isPart }) => isPart);
  const failing = whole.filter(({ result }) => result === 'fail');
  const isEvery =
    scope.isAll ||
    counts.passed === undefined ||
    counts.failed === 0 ||
    (counts.total !== undefined && counts.total === counts.passed);
  for (const decision of failing) {
    const { run, isMore } = decision;
    const tally = run.shown.tests?.tally;
    if (isMore && scope.parts.length > 0) {
      const own = linesAbout(run, scope.parts);
      if (own === 'fail') return contradicted(ofRun(run, 'tests'));
      return own === 'pass' ? supported(ofRun(run, 'tests')) : notShown;
    }
    // A partial result: so many passed, whatever the others did.
    if (!isEvery && tally?.passed !== undefined) {
      if (tally.passed === counts.passed && isAgreed(counts, run) !== false) return supported(ofRun(run, 'tests'));
      return contradicted(ofRun(run, 'tests'));
    }
    if (!isEvery && (counts.passed === undefined || tally?.passed === undefined)) return notShown;
    if (parts.some((part) => part.result === 'pass' && part.run.order > run.order)) return notShown;
    return contradicted(ofRun(run, 'tests'));
  }
  if (whole.length > 0) {
    const partly =
      scope.parts.length > 0 && hasNumbers(counts)
        ? whole.find(({ run, isMore }) => isMore && isOtherOfPart(counts, run, scope.parts))
        : undefined;
    if (partly !== undefined) return contradicted(ofRun(partly.run, 'tests'));
    const agreed = whole.filter(({ run, isMore }) => isMore || isAgreed(counts, run) !== false);
    if (
      parts.some(({ result, run }) => result === 'fail' && run.order > Math.max(...whole.map((each) => each.run.order)))
    ) {
      const part = parts.find(({ result }) => result === 'fail');
      if (part !== undefined && (scope.isAll || counts.passed === undefined))
        return contradicted(ofRun(part.run, 'tests'));
    }
    const [first] = agreed;
    if (first !== undefined && (whole.length === agreed.length || hasNumbers(counts)))
      return supported(ofRun(first.run, 'tests'));
    if (
      whole.length > 1 &&
      isSum(
        counts,
        whole.map(({ run }) => run),
      )
    )
      return supported(...whole.slice(0, 3).map(({ run }) => ofRun(run, 'tests')));
    const wrong = whole.find(({ run, isMore }) => !isMore && isAgreed(counts, run) === false);
    if (wrong !== undefined && whole.length === 1)
      return wholeNumbersOf(wrong.run) ? contradicted(ofRun(wrong.run, 'tests')) : notShown;
    return notShown;
  }
  const skips = parts.find(({ run }) => (run.shown.tests?.tally?.skipped ?? 0) > 0);
  if (counts.skipped === 0 && skips !== undefined && scope.parts.length === 0)
    return contradicted(ofRun(skips.run, 'tests'));
  // It says that it is all of so many, and that is how many this run had.
  const short = parts.find(
    ({ run: { shown } }) =>
      counts.passed !== undefined &&
      counts.passed === counts.total &&
      shown.tests?.tally?.total === counts.total &&
      shown.tests?.tally?.passed !== undefined &&
      shown.tests.tally.passed < counts.passed,
  );
  if (short !== undefined && parts.length === 1) return contradicted(ofRun(short.run, 'tests'));
  const lost = parts.find(({ result }) => result === 'fail');
  if (lost !== undefined && scope.parts.length === 0 && isEvery && !hasOtherNumber(counts, lost.run))
    return contradicted(ofRun(lost.run, 'tests'));
  if (lost !== undefined && !isEvery) {
    const same = parts.find(
      ({ run }) => isAgreed(counts, run) === true && run.shown.tests?.tally?.passed === counts.passed,
    );
    return same === undefined ? notShown : supported(ofRun(same.run, 'tests'));
  }
  if (lost !== undefined) return scope.parts.length === 0 ? contradicted(ofRun(lost.run, 'tests')) : notShown;
  // The claim does not say that it is everything, and gives the numbers of a limited run.
  const same = parts.find(
    ({ run }) =>
      counts.passed !== undefined && run.shown.tests?.tally?.passed === counts.passed && isAgreed(counts, run) === true,
  );
  if (same !== undefined && !/\b(?:all|every|entire|whole|full|complete)\b(?! \d)/.test(plain))
    return supported(ofRun(same.run, 'tests'));
  return notShown;
}

/** Of a part that the run of the whole sums up in a line of its own, other numbers are known. */
function isOtherOfPart(counts: Counts, run: Run, parts: readonly string[]): boolean {
  const lines = run.step.lines.filter(
    (line) => line.length < 500 && parts.some((part) => line.toLowerCase().includes(part.toLowerCase())),
  );
  const [tally, more] = talliesIn(lines);
  return (
    tally?.passed !== undefined && more === undefined && counts.passed !== undefined && tally.passed !== counts.passed
  );
}

function hasNumbers(counts: Counts): boolean {
  return counts.passed !== undefined || counts.failed !== undefined || counts.total !== undefined;
}

/** The claim's number is not that of this limited run: it is about another. */
function hasOtherNumber(counts: Counts, run: Run): boolean {
  const total = run.shown.tests?.tally?.total;
  return counts.passed !== undefined && total !== undefined && counts.passed !== total;
}

/** The run's own numbers are all there. */
function wholeNumbersOf(run: Run): boolean {
  return run.shown.tests?.tally?.passed !== undefined || run.shown.tests?.tally?.total !== undefined;
}

/** A run of the end state whose numbers are just these, and that ended so: it is what the claim speaks of. */
function runOf(facts: Facts, counts: Counts, scope: Scope, saysFail: boolean): Run | undefined {
  if (scope.isAll || (counts.passed ?? 0) + (counts.failed ?? 0) === 0) return undefined;
  const groupOf = ({ check, folder }: Run): string => [check.tool, folder, ...check.limits].join(' ');
  return runsAt(facts, 'tests', 'end').find(
    (run, at, all) =>
      // A later run of the same decides instead.
      !all.slice(at + 1).some((later) => groupOf(later) === groupOf(run)) &&
      run.shown.tests?.result === (saysFail ? 'fail' : 'pass') &&
      isAgreed(counts, run) === true &&
      (saysFail ? run.shown.tests.tally?.failed === counts.failed : run.shown.tests.tally?.passed === counts.passed) &&
      isOfTools(run, scope.tools, undefined) &&
      (scope.parts.length === 0 || scope.parts.some((part) => isOfPart(run, part))),
  );
}

/** True: the numbers are those of the run; undefined: the run tells none. */
function isAgreed(counts: Counts, run: Run): boolean | undefined {
  const tally = run.shown.tests?.tally;
  if (tally === undefined) return undefined;
  let known: boolean | undefined;
  for (const name of ['passed', 'failed', 'skipped'] as const) {
    const claimed = counts[name];
    const real =
      tally[name] ??
      (name === 'skipped' && tally.passed !== undefined && tally.total !== undefined && tally.passed === tally.total
        ? 0
        : undefined);
    if (claimed === undefined || real === undefined) continue;
    // What a runner excludes it may count or not.
    const isExcluded =
      name === 'passed' && claimed === tally.total && tally.failed === 0 && /\bexcluded\b/.test(tally.line);
    if (claimed === real || isExcluded || (name === 'passed' && tally.suites === claimed && counts.total === undefined))
      known ??= true;
    else return false;
  }
  if (counts.total !== undefined && counts.total !== counts.passed && tally.total !== undefined) {
    if (
      counts.total !== tally.total &&
      counts.total !== tally.suites &&
      counts.total !== tally.total - (tally.skipped ?? 0)
    )
      return false;
    known ??= true;
  }
  return known;
}

function isSum(counts: Counts, runs: readonly Run[]): boolean {
  const sum = runs.reduce((all, run) => all + (run.shown.tests?.tally?.passed ?? 0), 0);
  return counts.passed !== undefined && sum === counts.passed;
}

function judgeFail({
  decisions,
  counts,
  names,
  moment,
  facts,
  isPast,
  isStaged,
}: Case & {
  names: readonly string[];
  moment: Moment;
  facts: Facts;
  /** "failed", which may be said of a run that is not the last; `isStaged`: it says of which. */
  isPast: boolean;
  isStaged: boolean;
}): Judgement {
  const failing = decisions.filter(({ result }) => result === 'fail');
  const passing = decisions.filter(({ result, isPart }) => result === 'pass' && !isPart);
  for (const { run } of failing) {
    const tally = run.shown.tests?.tally;
    const isSame = isAgreed(counts, run);
    const text = run.step.call === run.call ? run.step.lines.join('\n') : run.call.output;
    if (
      isSame === false &&
      counts.failed !== undefined &&
      tally?.failed !== undefined &&
      counts.failed !== tally.failed
    ) {
      if (decisions.length === 1) return contradicted(ofRun(run, 'tests'));
      continue;
    }
    if (isSame === false) {
      if (decisions.length === 1 && wholeNumbersOf(run)) return contradicted(ofRun(run, 'tests'));
      continue;
    }
    if (names.length > 0 && !names.some((name) => text.includes(name))) continue;
    return supported(ofRun(run, 'tests'));
  }
  if (failing.length > 0) return notShown;
  const [first] = passing;
  if (moment === 'end' && first !== undefined && (counts.failed ?? 0) > 0 && isPast) {
    const earlier = facts.runs.findLast(
      (run) => run.order < first.run.order && run.shown.tests?.result === 'fail' && isAgreed(counts, run) === true,
    );
    if (earlier !== undefined) return isStaged ? supported(ofRun(earlier, 'tests')) : notShown;
  }
  // At another moment only the runs of that moment speak.
  if (first !== undefined && !(moment !== 'end' && passing.length > 1)) return contradicted(ofRun(first.run, 'tests'));
  return notShown;
}

/** "All checks pass": the last run of each checker. */
function judgeChecks(facts: Facts, saysFail: boolean, moment: Moment): Judgement {
  const last = new Map<string, { run: Run; family: 'tests' | 'lint' | 'types' | 'build'; result: string }>();
  for (const family of ['tests', 'lint', 'types', 'build'] as const)
    for (const run of runsAt(facts, family, moment)) {
      const result = run.shown[family]?.result ?? 'unknown';
      if (result !== 'unknown' && isOfTools(run, [], undefined))
        last.set(`${family} ${run.check.tool} ${run.folder} ${run.check.limits.join(' ')}`, { run, family, result });
    }
  const all = [...last.values()];
  const failing = all.find(({ result }) => result === 'fail');
  const whole = all.filter(({ run }) => !isLimited(run, facts) || run.check.families[0] !== 'tests');
  if (failing !== undefined) return (saysFail ? supported : contradicted)(ofRun(failing.run, failing.family));
  const first = whole.at(-1);
  if (first === undefined) return notShown;
  return (saysFail ? contradicted : supported)(ofRun(first.run, first.family));
}
