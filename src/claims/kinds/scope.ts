import type { Clause } from '../answer/clause.ts';
import { type Check, checkOf } from '../facts/checks.ts';
import { type Facts, type Run } from '../facts/facts.ts';
import { isInside, isSamePath } from '../facts/paths.ts';
import { parseShell } from '../shell/parse.ts';
import { programOf } from '../shell/programs.ts';

/** How much of the checks a claim is about. */
export interface Scope {
  /** It says that it is everything. */
  isAll: boolean;
  /** The parts that it names: a module, a folder, a test. */
  parts: readonly string[];
  /** The tool or command that it names. */
  tools: readonly string[];
  command?: Check;
}

const tools =
  /\b(?:pytest|unittest|nose2?|tox|nox|jest|vitest|mocha|ava|jasmine|karma|cypress|playwright|node --test|bun test|deno test|go test|ginkgo|cargo test|nextest|clippy|rspec|minitest|cucumber|behave|phpunit|pest|phpstan|psalm|ctest|bats|prove|eunit|mix test|dart test|flutter test|swift test|dotnet test|maven|mvn|gradle|gradlew|sbt|eslint|oxlint|biome|stylelint|prettier|ruff|flake8|pylint|pycodestyle|black|isort|bandit|golangci-lint|go vet|gofmt|staticcheck|rubocop|standardrb|phpcs|php-cs-fixer|ktlint|detekt|checkstyle|swiftlint|shellcheck|yamllint|markdownlint|hadolint|clang-tidy|clang-format|cppcheck|credo|dialyzer|tsc|vue-tsc|svelte-check|mypy|pyright|basedpyright|flow|sorbet|vite|webpack|rollup|esbuild|tsup|cmake|ninja|xcodebuild|bazel|make|npm test|rubocop|knip|typos|codespell|rustfmt|cargo fmt|cargo build|cargo check|go build|sphinx|mkdocs|hugo|docker build|scalafmt|scalafix|terraform fmt|dotnet format|mix format|dart analyze|flutter analyze|dart format|deno lint|deno fmt|shfmt|terraform)\b/g;

const articles = new Set(
  "all the a an our its their these those both existing remaining other others new newly added full whole entire complete every each any failing passing regression test tests my your relevant following updated related affected of and or no only some most project project's repo repository application app suite local automated various same corresponding respective appropriate first second last final original old current previously latest above now still, no longer none zero one two three four five six seven eight nine ten twelve running run reran ran the-whole this that such specific individual single ran. also of-the packages modules crates workspaces projects services apps libraries files targets production release debug dev development docker clean fresh incremental pre-existing preexisting written rewritten own by with in on for".split(
    ' ',
  ),
);

/** What the words before and behind `tests` limit them to. */
export function scopeOf(clause: Clause, nouns: string): Scope {
  const { codes } = clause;
  // The words of a command are no words of the sentence.
  const plain = codes
    .filter((code) => code.includes(' '))
    .reduce((text, code) => text.replace(code.toLowerCase(), '`'), clause.plain)
    .replaceAll(tools, '`');
  const parts = new Set<string>();
  let command: Check | undefined;
  for (const code of codes) {
    // A test file is what is run, not what runs it.
    const isFile = !code.includes(' ') && !code.startsWith('./') && /\.(?!sh$|bash$)\w{1,5}$/.test(code);
    const check = isFile ? undefined : checkIn(code);
    if (check !== undefined) command = check;
    else if (/^[\w./:@*#-]+(?:\(\))?$/.test(code) && !/^\d+(?:\/\d+)?$/.test(code) && !isSummary(code))
      parts.add(code.replace(/\(\)$/, ''));
  }
  for (const path of clause.paths) if (!codes.some((code) => code.includes(path))) parts.add(path);
  const label =
    clause.block.kind === 'row' ? (clause.block.cells?.[0] ?? '') : (/^([^\s:]{3,60}): /.exec(clause.plain)?.[1] ?? '');
  const name = label.replaceAll(/[`*]/g, '');
  if (/^[@\w.-]+\/[\w./-]+$|^@?\w+-[\w-]+$|^[a-z]\w{0,40}(?:\.[a-z]\w{0,40}){1,6}$/i.test(name) && !isTool(name))
    parts.add(name);
  const before = new RegExp(String.raw`(?:^|\s)([a-z][\w./-]{1,40}) (?:unit |integration )?(?:${nouns})\b`, 'g');
  for (const [, word = ''] of plain.matchAll(before))
    if (
      !articles.has(word) &&
      !isTool(word) &&
      !/^(?:\d|pass|fail|green|red|add|creat|writ|updat|fix|chang|run|re-?r[au]n|execut|were|was|are|is|has|have|had|when|while|if|that|and|but|where|after|before)/.test(
        word,
      )
    )
      parts.add(word);
  const behind = new RegExp(
    String.raw`\b(?:${nouns}) (?:of|for|in|under|inside|from|covering|on) (?:the |my |our |its )?([\w./@:-]{2,60})(?: (module|package|folder|crate|app|service|library|component|directory|workspace|project))?`,
    'g',
  );
  for (const [, word = ''] of plain.matchAll(behind))
    if (
      !articles.has(word) &&
      !/^(?:project|repo|repository|application|codebase|whole|entire|total|all|python|node|ci|chrome|main|isolation|question|\d+)/.test(
        word,
      )
    )
      parts.add(word.replace(/[.:]$/, ''));
  // "12 tests pass in frontend"
  for (const [, word = ''] of plain.matchAll(
    /\b(?:pass(?:ed|es)?|fail(?:ed|s)?|green|red|clean) (?:in|for|under|inside) (?:the )?([\w@][\w./@-]{2,40})(?: (?:package|module|folder|crate|app|service|workspace|project|directory))?(?=\W*$|,)/g,
  ))
    if (
      !articles.has(word) &&
      !/^(?:\d|total|all|full|about|under|less|isolation|every|each|both|ci\b|general|particular|parallel|project|repo|both|seconds?|minutes?)/.test(
        word,
      )
    )
      parts.add(word.replace(/[.:]$/, ''));
  const named = [...clause.plain.matchAll(tools)].map(([tool]) => tool);
  const isAll = /\b(?:all|every|each|entire|whole|full|complete|everything|100 ?%)\b/.test(plain);
  return { isAll, parts: [...parts].slice(0, 10), tools: named, ...(command === undefined ? {} : { command }) };
}

function isSummary(code: string): boolean {
  return /^(?:pass(?:ed|ing)?|ok|green|failed|main|master|clean|0|true|yes)$/i.test(code);
}

function isTool(word: string): boolean {
  tools.lastIndex = 0;
  return [...word.matchAll(tools)].some(([tool]) => tool === word);
}

/** The check that a piece of code runs, if it is a command. */
export function checkIn(code: string): Check | undefined {
  if (code.length > 300) return undefined;
  for (const pipeline of parseShell(code))
    for (const part of pipeline.parts) {
      const program = part.type === 'simple' ? programOf(part) : undefined;
      const check = program === undefined ? undefined : checkOf(program);
      if (check !== undefined && (code.includes(' ') || check.limits.length === 0)) return check;
    }
  return undefined;
}

/** Where the run looked: all that limits it, as one text. */
function reachOf(run: Run): string {
  return [...run.check.limits, run.folder, run.check.isTarget ? run.check.tool : ''].join(' ').toLowerCase();
}

/** The run is limited to a part of the project. */
export function isLimited(run: Run, facts: Facts): boolean {
  return run.check.limits.length > 0 || !isRoot(run.folder, facts);
}

function isRoot(folder: string, facts: Facts): boolean {
  if (folder === '' || folder === '.' || /^(?:\$|"|~\/?$|-$)/.test(folder)) return true;
  if (facts.cwd !== '' && (folder === facts.cwd || facts.cwd.startsWith(`${folder}/`))) return true;
  if (!folder.startsWith('/')) return false;
  if (facts.cwd !== '') return false;
  // Where the run began is not known: a folder that every command goes to is the root.
  const folders = new Set(facts.steps.map((step) => step.folder).filter((each) => each.startsWith('/')));
  return [...folders].every((each) => each === folder || each.startsWith(`${folder}/`));
}

/** Whether a run that is limited is limited to that part. */
export function isOfPart(run: Run, part: string): boolean {
  const reach = reachOf(run);
  const bare = part.toLowerCase().replace(/\/$/, '');
  if (run.check.limits.some((limit) => isSamePath(limit, part) || isInside(limit, part) || isInside(part, limit)))
    return true;
  return (
    reach.split(/[^\p{L}\p{N}]+/u).some((word) => word !== '' && stem(word) === stem(bare)) ||
    (bare.length > 3 && reach.includes(bare))
  );
}

function stem(word: string): string {
  return word.replace(/(?:ies|es|s|_?tests?|\.\w{1,4})$/, '').replace(/y$/, '');
}

/** Whether the run is of the tool that the claim names. */
export function isOfTools(run: Run, names: readonly string[], command: Check | undefined): boolean {
  if (command !== undefined) return isSameTool(run, command.tool);
  return names.length === 0 || names.some((name) => isSameTool(run, name));
}

function isSameTool(run: Run, name: string): boolean {
  const tool = run.check.tool;
  const tally = run.shown.tests?.tally?.tool ?? '';
  const bare = alias(name);
  return (
    alias(tool) === bare ||
    tally === name ||
    tool.split(' ').includes(name) ||
    tool.endsWith(` ${name}`) ||
    (run.check.isTarget &&
      run.shown.tests?.tally === undefined &&
      run.shown.lint === undefined &&
      alias(tool).startsWith(bare)) ||
    run.step.program.args.some(
      (arg) => arg === name || (/^(?:gradle|mvn|sbt\b.*)$/.test(tool) && arg.toLowerCase().includes(bare)),
    ) ||
    // A target prints what it starts: `ruff check .`, `> eslint src`.
    (run.check.isTarget && run.step.lines.slice(0, 400).some((line) => startsWithTool(line, name)))
  );
}

function startsWithTool(line: string, name: string): boolean {
  const bare = line.slice(0, 200).replace(/^(?:[$>+»]\s?|\s{1,4})(?:npx |pnpm exec |yarn run )?/, '');
  return bare.startsWith(name) && /^(?:\s[^\s:]|$)/.test(bare.slice(name.length, name.length + 2));
}

function alias(name: string): string {
  if (/^(?:mvnw?|mvnd|maven)$/.test(name)) return 'maven';
  if (/^gradlew?$/.test(name)) return 'gradle';
  if (/^(?:npm|yarn|pnpm|bun) (?:run )?test$/.test(name)) return 'npm test';
  if (name === 'node --test' || name === 'node:test') return 'node:test';
  if (/^(?:cargo )?clippy$/.test(name)) return 'cargo clippy';
  if (/^(?:cargo )?nextest$/.test(name)) return 'cargo nextest';
  if (/^(?:rebar3 )?eunit$/.test(name)) return 'rebar3 eunit';
  if (/^(?:mix )?credo$/.test(name)) return 'mix credo';
  return name.replace(/ run /, ' ');
}
