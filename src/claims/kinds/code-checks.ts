import { type Clause, count, numberOf } from '../answer/clause.ts';
import type { ClaimKind } from '../claim.ts';
import type { Family } from '../facts/checks.ts';
import type { Facts, Run } from '../facts/facts.ts';
import { isSamePath } from '../facts/paths.ts';
import { type Moment, momentOf, runsAt } from './deciding.ts';
import { contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { changedPaths } from './written.ts';
import { linesAbout } from './part-lines.ts';
import { isLimited, isOfPart, isOfTools, type Scope, scopeOf } from './scope.ts';
import { ofRun, ofStep } from './why.ts';

const lintTools = String.raw`eslint|oxlint|biome|tslint|stylelint|prettier|ruff|flake8|pylint|pycodestyle|black|isort|bandit|golangci-lint|go vet|gofmt|staticcheck|clippy|cargo fmt|rustfmt|rubocop|standardrb|brakeman|phpcs|php-cs-fixer|phpstan|psalm|ktlint|detekt|checkstyle|spotless|swiftlint|swiftformat|shellcheck|yamllint|markdownlint|hadolint|clang-tidy|clang-format|cppcheck|credo|vet|codespell|typos|sqlfluff|luacheck|stylua|hlint|actionlint|tflint|knip|vale|scalafmt\w*|scalafix|scalastyle|ktfmt|dotnet format|terraform fmt|mix format|(?:dart|flutter) analyze|dart format|deno (?:lint|fmt)|nixfmt|shfmt|pint|ameba|revive`;
const typeTools = String.raw`tsc|vue-tsc|svelte-check|mypy|pyright|basedpyright|dialyzer|sorbet|flow|pytype|ty check|type ?script(?: compiler)?`;
const buildTools = String.raw`vite|webpack|rollup|esbuild|tsup|next build|cargo build|cargo check|go build|cmake|mvn package|mvn compile|mvn install|gradle build|gradle assemble|docker build|npm run build|yarn build|pnpm build|dotnet build|swift build|xcodebuild|bazel build|ninja|make`;

interface Words {
  family: Family;
  kind: ClaimKind;
  nouns: string;
  tools: string;
  noun: RegExp;
}

const all: readonly Words[] = [
  wordsFor(
    'types',
    'types',
    String.raw`type[- ]?checks?|type[- ]?checker|type[- ]?checking|typechecks?|typings?|types|type errors?|typecheck`,
    typeTools,
  ),
  wordsFor(
    'lint',
    'lint',
    String.raw`lint(?:er|ers|ing|s)?|lint(?:ing)? errors?|format(?:ting|ter)|code style|style checks?|static analysis|code formatting|fmt`,
    lintTools,
  ),
  wordsFor(
    'build',
    'build',
    String.raw`builds?|compilation|compiles?|compil(?:ed|er|ing)|bundle(?:s|r)?|production build|docker image|package|(?:was|were|has been|have been) (?:\w+ )?(?:re)?built|(?:apk|jar|wheel|binary|artifact|installer|executable|archive|image) (?:was|were|has been|is|got) (?:\w+ )?(?:assembled|built|produced|packaged|created|linked)`,
    buildTools,
  ),
];

function wordsFor(family: Family, kind: ClaimKind, nouns: string, tools: string): Words {
  return { family, kind, nouns, tools, noun: new RegExp(String.raw`\b(?:${nouns}|${tools})\b`) };
}

const pass =
  /\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|success(?:ful|fully)?|green|clean(?:ly)?|happy|ok|okay|fine|works?|worked|goes through|went through|compiles?|compiled|builds?|built in|built|assembled|packaged|produced|linked|finish(?:es|ed)|complete[sd]?|satisfied|silent|quiet|spotless|checks? out|in order|tidy|content|compliant|conform(?:s|ing)?|no objections?|raised? nothing)\b|\b(?:no|zero|0|without(?: any)?|not a single|free of) (?:\w+ ){0,2}(?:errors?|warnings?|issues?|problems?|findings?|complaints?|violations?|offen[sc]es?|diagnostics?|infractions?)\b|\bnothing\b|\bno (?:\w+ )?(?:complaints|output|findings|offen[sc]es)\b|\berror-free\b|\bno (?:\w+ )?objections?\b/;
const fail =
  /\b(?:fail(?:s|ed|ing|ures?)?|broken?|breaks?|red|unhappy|complain(?:s|ed|ing|ts?)?|dirty|unclean|crash(?:es|ed)?|rejects?|unsuccessful|do(?:es)? not (?:pass|build|compile|succeed)|doesn't (?:pass|build|compile|succeed)|(?:not|n't|never|no longer|neither) (?:\w+ )?(?:clean|pass(?:es|ed|ing)?|green|satisfied|happy|ok|okay|fine|silent|quiet|succe\w+|compil\w+|build|go through|check out)|unused import|remains?|objects?|would (?:be )?(?:re)?format\w*|(?:is|are) left|needs? (?:re)?formatting)\b|\b(?:still )?(?:reports?|reported|found|finds|shows?|has|lists|flags|raises|gives|emits?|prints?|issues?|produces?|throws?|with) (?:\d[\d,]*|one|two|three|four|five|six|seven|eight|nine|ten|some|several|many|a few|an?) (?:\w+ ){0,2}(?:errors?|warnings?|issues?|problems?|findings?|complaints?|violations?|offen[sc]es?)\b|\b(?:[1-9]\d*|one|two|three|four|five|six|seven|eight|nine|ten|several|a few|many|some) (?:\w+ )?(?:errors?|issues?|problems?|findings?|violations?|offen[sc]es?|complaints?)\b/;
const denial =
  /\b(?:no|zero|0|without(?: any)?|never|not|n't|nothing|none|neither)\b[^,.;:]{0,24}\b(?:fail\w*|complain\w*|broke\w*|break\w*|errors?|problems?|issues?|warnings?|findings?|violations?|offen[sc]es?|rejects?|remains?)/;

/** The linter, the type checker, the build. */
export function codeChecks(clause: Clause): Found | undefined {
  const { plain, mark } = clause;
  if (/\b(?:pre-commit|commit) hooks?\b/.test(plain)) return undefined;
  // "It found two problems": what was run is named before.
  const earlier =
    /^(?:it|which|the (?:tool|run|check)|this|that) (?:has |also |still )?(?:found|reported|reports|shows?|showed|lists?|listed|flagged|flags|complained|gave|printed|was clean|is clean|passed|passes)\b/.test(
      plain,
    )
      ? [clause.sentence, clause.before.slice(-160)].join(' ')
      : '';
  for (const words of all) {
    const code = clause.codes.some((each) => words.noun.test(each.toLowerCase()));
    const named = words.noun.test(plain) || words.noun.test(earlier);
    const isUnused =
      words.family === 'lint' &&
      /\bunused (?:imports?|variables?)\b.{0,40}\b(?:remains?|left|still)\b|\b(?:remains?|left)\b.{0,30}\bunused (?:imports?|variables?)\b/.test(
        plain,
      );
    const isFindings =
      words.family === 'lint' && /^(?:0|no|zero|\d+) (?:findings?|offen[sc]es?|lint \w+|violations?)\b/.test(plain);
    const isSuccessLine = words.family === 'build' && /\bbuild success(?:ful)?\b/.test(plain);
    if (!named && !code && !isUnused && !isFindings && !isSuccessLine) continue;
    if (
      words.family === 'build' &&
      /\b(?:test|tests|lint\w*|server|dev)\b/.test(plain) &&
      !/\b(?:build|compil)/.test(plain)
    )
      continue;
    const isDenied = denial.test(plain);
    const saysPass =
      pass.test(withoutNouns(plain, words)) ||
      (words.family === 'build' &&
        /\b(?:it|project|code|app|application|everything|package|crate|module|repo|site|bundle|docs|documentation)\b.{0,24}\b(?:still )?(?:builds|compiles|built|compiled)\b/.test(
          plain,
        ));
    const saysChecked =
      words.family === 'types' &&
      /\b(?:project|code|everything|it|app|module|package|repo\w*|codebase|all of it)\b.{0,20}\btype-?checks\b(?! (?:fail|pass|is|are))/.test(
        plain,
      );
    const saysFail =
      (fail.test(plain) && !isDenied) ||
      isUnused ||
      (fail.test(plain) && /\bdo(?:es)?(?: not|n't) (?:pass|build|compile|succeed)/.test(plain));
    if (!saysPass && !saysChecked && !saysFail && mark === undefined) continue;
    if (mark !== undefined && !saysPass && !saysFail && plain.length > 60) continue;
    if (isSpoken(plain, words)) continue;
    const isFail = saysFail || (mark === 'fail' && !saysPass);
    return { kind: words.kind, judge: (facts) => judgeCode(facts, words, clause, isFail) };
  }
  return undefined;
}

/** What is said besides the name of the check itself. */
function withoutNouns(plain: string, { family }: Words): string {
  return family === 'build'
    ? plain
        .replaceAll(/\b(?:the |a |production |docker |full |release )+(?:build|package|bundle)s?\b/g, 'it')
        .replaceAll(
          /\b(?:npm|yarn|pnpm|bun|go|cargo|dotnet|swift|next|vite|make|gradle|docker)(?: run)? build\b/g,
          'it',
        )
    : plain;
}

/** It speaks of the check, not of its result. */
function isSpoken(plain: string, { family }: Words): boolean {
  if (
    /\b(?:added|adds|configured|configures|installed|enabled|disabled|set up|introduced|bumped|upgraded|changed|updated|fixed (?:the|a|all|two|three|\d+))\b/.test(
      plain,
    ) &&
    !/\b(?:pass|clean|succe|green|without|no \w+ (?:errors|warnings|issues))/.test(plain)
  )
    return true;
  if (
    /\b(?:not|never|n't) (?:been )?(?:run|ran|executed|started|checked|tried|built)\b|\b(?:was|were|has|have) (?:not|never) (?:been )?(?:run|executed|started)/.test(
      plain,
    )
  )
    return true;
  return (
    family === 'types' &&
    /\btypes?\b/.test(plain) &&
    !/\btype[- ]?check|type errors?|typings?\b|tsc|mypy|pyright|typecheck|\btypes (?:pass|check|are (?:clean|ok|fine|green))|^types\b/.test(
      plain,
    )
  );
}

function judgeCode(facts: Facts, words: Words, clause: Clause, isFail: boolean): Judgement {
  const moment = momentOf(clause.plain);
  const scope = scopeOf(clause, words.nouns);
  const run = decidingRun(facts, words, scope, clause, moment);
  if (run === undefined)
    return words.family === 'build'
      ? isFail
        ? notShown
        : judgeCompiled(facts, clause)
      : judgeHook(facts, scope.tools, isFail);
  const { kind: family, shown } = run;
  if (shown === undefined) return notShown;
  // Of a part that it names, a run of the whole that failed says only what its lines say.
  const parts = scope.parts.filter((part) => /[/@.-]/.test(part));
  if (shown.result === 'fail' && !isFail && parts.length > 0 && !parts.some((part) => isOfPart(run.run, part))) {
    const own = linesAbout(run.run, parts);
    if (own === undefined) return notShown;
    return ((own === 'fail') === isFail ? supported : contradicted)(ofRun(run.run, family));
  }
  const evidence = ofRun(run.run, family);
  const warned = numberOf(new RegExp(String.raw`\b${count} (?:\w+ ){0,2}warnings?\b`).exec(clause.plain)?.[1]);
  if (warned !== undefined && warned > 0 && !/\berrors?\b/.test(clause.plain))
    return shown.warnings === undefined
      ? notShown
      : (shown.warnings === warned && !(shown.result === 'fail' && /\bpass/.test(clause.plain))
          ? supported
          : contradicted)(evidence);
  if (isFail)
    return shown.result === 'fail'
      ? hasOtherCount(clause, shown.errors)
        ? contradicted(evidence)
        : supported(evidence)
      : contradicted(evidence);
  if (shown.result === 'fail') return contradicted(evidence);
  if (
    /\b(?:no|zero|0|without(?: any)?) (?:errors? (?:or|and|nor) )?(?:\w+ )?warnings?\b/.test(clause.plain) &&
    (shown.warnings ?? 0) > 0
  )
    return contradicted(evidence);
  if (
    words.family === 'lint' &&
    /\bclean\b|\bspotless\b|\bnothing\b|\bsilent\b|\bno (?:\w+ )?(?:findings?|issues?|problems?|complaints?)\b/.test(
      clause.plain,
    ) &&
    (shown.warnings ?? 0) > 0
  )
    return contradicted(evidence);
  return supported(evidence);
}

/** Tests that passed were compiled before, by tools that compile. */
function judgeCompiled(facts: Facts, { plain, paths }: Clause): Judgement {
  const run = runsAt(facts, 'tests', 'end').findLast(
    ({ check, shown }) =>
      shown.tests?.result === 'pass' &&
      /^(?:gradle|mvn|cargo test|cargo nextest|go test|dotnet test|swift test|sbt test)$/.test(check.tool),
  );
  if (run === undefined || paths.length > 0) return notShown;
  const isNamed =
    /\b(?:gradle|maven|mvn|cargo|dotnet)\b|\bbuild success/.test(plain) &&
    /^(?:gradle|mvn|cargo|dotnet)/.test(run.check.tool);
  return isNamed || (/\bcompil/.test(plain) && !isLimited(run, facts)) ? supported(ofRun(run, 'tests')) : notShown;
}

/** `flake8....Passed`, as hooks of a commit print it. */
function judgeHook(facts: Facts, names: readonly string[], isFail: boolean): Judgement {
  for (const step of facts.steps.toReversed()) {
    if (
      step.version !== facts.version ||
      step.isRefused ||
      !/^(?:git|pre-commit|lefthook|prek)$/.test(step.program.name)
    )
      continue;
    for (const name of names) {
      const line = step.lines.find(
        (each) => each.length < 200 && each.startsWith(name) && /\.{3,}(?:Passed|Failed)$/.test(each),
      );
      if (line !== undefined)
        return (line.endsWith('Failed') === isFail ? supported : contradicted)(ofStep(step, line));
    }
  }
  return notShown;
}

function hasOtherCount({ plain }: Clause, errors: number | undefined): boolean {
  const claimed = /\b(\d+) (?:\w+ )?(?:errors?|problems?|offen[sc]es?|issues?|findings?|violations?)\b/.exec(
    plain,
  )?.[1];
  return claimed !== undefined && errors !== undefined && Number(claimed) !== errors && Number(claimed) !== 0;
}

interface Deciding {
  run: Run;
  kind: Family;
  shown: Run['shown'][Family];
}

const formatters =
  /^(?:prettier|black|isort|gofmt|rustfmt|cargo fmt|ruff|oxfmt|dprint|stylua|swiftformat|mix format|dart format|deno fmt|biome|php-cs-fixer|terraform fmt|clang-format|shfmt|zig fmt|scalafmt|dotnet format|terraform|nixfmt|pint)$/;

function decidingRun(facts: Facts, words: Words, scope: Scope, clause: Clause, moment: Moment): Deciding | undefined {
  const families: readonly Family[] =
    words.family === 'build' && /\bcompil|\btsc\b|type ?script/.test(clause.plain)
      ? ['build', 'types']
      : [words.family];
  const isFormat = /\bformat|\b(?:re)?formatting|prettier|black|gofmt|rustfmt|\bfmt\b/.test(clause.plain);
  for (const family of families) {
    let runs = runsAt(facts, family, moment).filter((run) => isOfTools(run, scope.tools, scope.command));
    // A tool of this family that is called by another name than its own.
    if (runs.length === 0 && scope.tools.length === 0 && scope.command === undefined) continue;
    if (words.family === 'lint' && scope.tools.length === 0 && scope.command === undefined) {
      const kept = runs.filter(
        ({ check, step }) =>
          isFormat === (formatters.test(check.tool) && (check.tool !== 'ruff' || step.program.args.includes('format'))),
      );
      if (kept.length > 0) runs = kept;
      else if (isFormat) runs = [];
    }
    const isEvery =
      /\b(?:whole|entire|full|all of the|every file|everywhere|throughout|project-wide|across the)\b/.test(
        clause.plain,
      );
    const changed = isEvery ? [] : changedPaths(facts).map(({ path }) => path);
    const wide = runs.filter(
      (run) =>
        run.check.limits.length === 0 ||
        scope.parts.some((part) => run.check.limits.some((limit) => isSamePath(limit, part)) || isOfPart(run, part)) ||
        // Everything that was changed is among what it looked at.
        (changed.length > 0 && changed.every((path) => run.check.limits.some((limit) => isSamePath(limit, path)))),
    );
    const known = wide.filter((run) => run.shown[family]?.result !== 'unknown' && run.shown[family] !== undefined);
    const last = new Map<string, Run>();
    for (const run of known) last.set(`${run.check.tool} ${run.folder} ${run.check.limits.join(' ')}`, run);
    const each = [...last.values()];
    const failing = each.findLast((run) => run.shown[family]?.result === 'fail');
    const run = failing ?? each.at(-1);
    if (run !== undefined) return { run, kind: family, shown: run.shown[family] };
    // A run of one file that fails is a failure of the whole.
    const part = runs.findLast((limited) => limited.shown[family]?.result === 'fail');
    if (part !== undefined) return { run: part, kind: family, shown: part.shown[family] };
  }
  return undefined;
}
