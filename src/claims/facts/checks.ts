import type { Program } from '../shell/programs.ts';
import { afterFlags } from '../shell/programs.ts';

/** What a program checks. */
export type Family = 'tests' | 'lint' | 'types' | 'build';

/** A program that checks something, and how much of it. */
export interface Check {
  /** More than one: `mvn verify` builds and tests. */
  families: readonly Family[];
  /** Its name: `pytest`, `eslint`, or the script or target (`npm test`). */
  tool: string;
  /** It only lists, explains or pretends. */
  isDry: boolean;
  /** It writes what it would complain of. */
  isFixing: boolean;
  /** A target of a task runner: what is behind it is not known, and it may be several. */
  isTarget: boolean;
  /** The file that says what it does, which the agent may have written. */
  script?: string;
  /** Names, patterns and paths that it is limited to; empty: all of it. */
  limits: string[];
}

interface Known {
  families: readonly Family[];
  /** Only with one of these first arguments, which are then taken away. */
  verbs?: RegExp;
  /** Flags whose value limits it. */
  by?: readonly string[];
  /** Other flags that take a value. */
  takes?: readonly string[];
  /** Its plain arguments are not what it is limited to. */
  isUnlimited?: boolean;
}

const tests: readonly Family[] = ['tests'];
const lint: readonly Family[] = ['lint'];
const types: readonly Family[] = ['types'];
const build: readonly Family[] = ['build'];

const byName = [
  '-k',
  '-m',
  '-t',
  '-g',
  '-n',
  '--grep',
  '--filter',
  '--name',
  '--testNamePattern',
  '--test-name-pattern',
  '--testPathPattern',
  '--testPathPatterns',
  '--tests',
  '--test',
  '--run',
  '-run',
  '--tag',
  '--tags',
  '--group',
  '--only',
  '--spec',
  '--suite',
  '--testsuite',
  '--match',
  '-e',
  '--project',
  '--lf',
  '--last-failed',
  '--related',
  '--onlyChanged',
  '-o',
  '--changed',
  '--focus',
];
const mostTakes = [
  '-c',
  '--config',
  '--configuration',
  '--reporter',
  '--reporters',
  '-n',
  '--timeout',
  '--workers',
  '-j',
  '--jobs',
  '--maxWorkers',
  '--max-workers',
  '-r',
  '--require',
  '--import',
  '--loader',
  '--color',
  '--tb',
  '--maxfail',
  '-o',
  '-W',
  '-p',
  '--cov',
  '--rootdir',
  '--format',
  '-f',
  '--output',
  '--outputFile',
  '--seed',
  '--retries',
  '--durations',
  '--ignore',
  '--exclude',
  '--ext',
  '--max-warnings',
  '--cache-location',
  '--outDir',
  '--mode',
  '--target',
  '--profile',
  '--log-level',
  '--verbosity',
  '--testTimeout',
  '--coverageDirectory',
  '--junitxml',
  '--pythonwarnings',
  '--select',
  '--parallel',
  '-v:',
  '--logger',
  '--shuffle',
  '--ignore-path',
  '--plugin',
  '--parser',
  '--rulesdir',
];

const known: Record<string, Known> = {
  pytest: {
    families: tests,
    by: ['-k', '-m', '--lf', '--last-failed', '--ff'],
    takes: [
      '-n',
      '-p',
      '-o',
      '-c',
      '-W',
      '--tb',
      '--maxfail',
      '--cov',
      '--cov-report',
      '--durations',
      '--rootdir',
      '--timeout',
      '--junitxml',
      '--ignore',
      '--deselect',
      '--dist',
      '--color',
      '--log-level',
      '--import-mode',
      '-r',
    ],
  },
  'py.test': { families: tests, by: ['-k', '-m'] },
  unittest: { families: tests, by: ['-k'], takes: ['-p', '-t'] },
  nose2: { families: tests },
  nosetests: { families: tests },
  trial: { families: tests },
  tox: { families: tests, by: ['-e'], isUnlimited: true },
  nox: { families: tests, by: ['-s', '-k'], isUnlimited: true },
  jest: { families: tests, by: byName },
  vitest: { families: tests, by: byName },
  mocha: { families: tests, by: ['-g', '--grep', '-f', '--fgrep'] },
  ava: { families: tests, by: ['-m', '--match'] },
  tap: { families: tests },
  tape: { families: tests },
  jasmine: { families: tests, by: ['--filter'] },
  karma: { families: tests, isUnlimited: true },
  qunit: { families: tests, by: ['--filter'] },
  uvu: { families: tests },
  c8: { families: tests },
  nyc: { families: tests },
  cypress: { families: tests, verbs: /^run$/, by: ['--spec', '-s'] },
  playwright: { families: tests, verbs: /^test$/, by: ['-g', '--grep', '--project'] },
  wdio: { families: tests, verbs: /^run$/, by: ['--spec'] },
  'web-test-runner': { families: tests },
  gotestsum: { families: tests, isUnlimited: true },
  ginkgo: { families: tests, by: ['--focus'] },
  rspec: { families: tests, by: ['-e', '--example', '-t', '--tag'] },
  minitest: { families: tests },
  cucumber: { families: tests, by: ['-t', '--tags', '-n', '--name'] },
  'cucumber-js': { families: tests, by: ['-t', '--tags'] },
  behave: { families: tests, by: ['-t', '--tags', '-n'] },
  phpunit: {
    families: tests,
    by: ['--filter', '--group', '--testsuite'],
    takes: ['-c', '--configuration', '--bootstrap'],
  },
  pest: { families: tests, by: ['--filter', '--group'] },
  codecept: { families: tests, verbs: /^run$/ },
  phpspec: { families: tests, verbs: /^run$/ },
  ctest: {
    families: tests,
    by: ['-R', '-L', '-I', '--tests-regex'],
    takes: ['-j', '--test-dir', '-C', '--timeout'],
    isUnlimited: true,
  },
  bats: { families: tests, by: ['-f', '--filter'] },
  shellspec: { families: tests },
  prove: { families: tests, takes: ['-I', '-j'] },
  busted: { families: tests, by: ['-t', '--filter'] },
  robot: { families: tests, by: ['-t', '--test', '-i', '--include', '-s'] },
  newman: { families: tests, verbs: /^run$/ },
  'elm-test': { families: tests },
  'dart-test': { families: tests },
  hardhat: { families: tests, verbs: /^test$/ },
  forge: { families: tests, verbs: /^test$/, by: ['--match-test', '--match-contract', '--mt', '--mc'] },
  act: { families: tests, isUnlimited: true },
  eslint: { families: lint, takes: mostTakes },
  oxlint: { families: lint, takes: mostTakes },
  biome: { families: lint, verbs: /^(?:check|lint|ci|format)$/ },
  standard: { families: lint },
  xo: { families: lint },
  tslint: { families: lint, takes: mostTakes },
  jshint: { families: lint },
  stylelint: { families: lint, takes: mostTakes },
  prettier: { families: lint, takes: mostTakes },
  oxfmt: { families: lint },
  dprint: { families: lint, verbs: /^(?:check|fmt)$/ },
  ruff: { families: lint, verbs: /^(?:check|format|lint)$/, takes: mostTakes },
  flake8: { families: lint, takes: mostTakes },
  pylint: { families: lint, takes: mostTakes },
  pycodestyle: { families: lint, takes: mostTakes },
  pydocstyle: { families: lint },
  pyflakes: { families: lint },
  black: { families: lint, takes: ['-l', '--line-length', '-t'] },
  isort: { families: lint, takes: ['--profile'] },
  autopep8: { families: lint },
  bandit: { families: lint, takes: ['-r', '-c'] },
  vulture: { families: lint },
  codespell: { families: lint },
  typos: { families: lint },
  'golangci-lint': { families: lint, verbs: /^(?:run|fmt)$/ },
  gofmt: { families: lint },
  goimports: { families: lint },
  gofumpt: { families: lint },
  staticcheck: { families: lint },
  revive: { families: lint },
  rustfmt: { families: lint },
  rubocop: { families: lint, takes: mostTakes },
  standardrb: { families: lint },
  brakeman: { families: lint },
  erb_lint: { families: lint },
  erblint: { families: lint },
  reek: { families: lint },
  phpcs: { families: lint, takes: ['--standard'] },
  'php-cs-fixer': { families: lint, verbs: /^(?:fix|check)$/ },
  pint: { families: lint },
  phpmd: { families: lint },
  phpstan: { families: ['lint', 'types'], verbs: /^analy[sz]e$/, takes: mostTakes },
  psalm: { families: ['lint', 'types'] },
  ktlint: { families: lint },
  detekt: { families: lint },
  checkstyle: { families: lint },
  swiftlint: { families: lint, isUnlimited: true },
  swiftformat: { families: lint },
  shellcheck: { families: lint },
  shfmt: { families: lint },
  yamllint: { families: lint },
  markdownlint: { families: lint },
  'markdownlint-cli2': { families: lint },
  vale: { families: lint },
  hadolint: { families: lint },
  tflint: { families: lint },
  actionlint: { families: lint },
  'clang-tidy': { families: lint },
  'clang-format': { families: lint },
  cppcheck: { families: lint },
  cpplint: { families: lint },
  sqlfluff: { families: lint, verbs: /^(?:lint|fix)$/ },
  hlint: { families: lint },
  ormolu: { families: lint },
  stylua: { families: lint },
  luacheck: { families: lint },
  buf: { families: lint, verbs: /^lint$/ },
  knip: { families: lint },
  scalafmt: { families: lint },
  scalafix: { families: lint },
  'pre-commit': { families: lint, verbs: /^run$/, isUnlimited: true },
  lefthook: { families: lint, verbs: /^run$/, isUnlimited: true },
  'lint-staged': { families: lint },
  helm: { families: lint, verbs: /^lint$/ },
  'ansible-lint': { families: lint },
  djlint: { families: lint },
  tsc: { families: types, takes: ['-p', '--project', '-b', '--build', '--outDir', '--target', '--module'] },
  'vue-tsc': { families: types, takes: ['-p', '--project'] },
  'svelte-check': { families: types, takes: ['--tsconfig'] },
  mypy: { families: types, by: [], takes: ['--config-file', '--python-version'] },
  dmypy: { families: types, verbs: /^(?:run|check)$/ },
  pyright: { families: types, takes: ['-p', '--project'] },
  basedpyright: { families: types, takes: ['-p', '--project'] },
  pyre: { families: types },
  pytype: { families: types },
  ty: { families: types, verbs: /^check$/ },
  flow: { families: types, isUnlimited: true },
  srb: { families: types, verbs: /^tc$/ },
  steep: { families: types, verbs: /^check$/ },
  dialyzer: { families: types },
  webpack: { families: build, takes: mostTakes, isUnlimited: true },
  rollup: { families: build, isUnlimited: true },
  esbuild: { families: build, isUnlimited: true },
  tsup: { families: build, isUnlimited: true },
  tsdown: { families: build, isUnlimited: true },
  unbuild: { families: build, isUnlimited: true },
  parcel: { families: build, verbs: /^build$/, isUnlimited: true },
  vite: { families: build, verbs: /^build$/, isUnlimited: true },
  next: { families: build, verbs: /^build$/, isUnlimited: true },
  nuxt: { families: build, verbs: /^(?:build|generate)$/, isUnlimited: true },
  astro: { families: build, verbs: /^build$/, isUnlimited: true },
  gatsby: { families: build, verbs: /^build$/, isUnlimited: true },
  'react-scripts': { families: build, verbs: /^build$/, isUnlimited: true },
  hugo: { families: build, isUnlimited: true },
  jekyll: { families: build, verbs: /^build$/, isUnlimited: true },
  mkdocs: { families: build, verbs: /^build$/, isUnlimited: true },
  'sphinx-build': { families: build, isUnlimited: true },
  ninja: { families: build, isUnlimited: true },
  gcc: { families: build, isUnlimited: true },
  'g++': { families: build, isUnlimited: true },
  cc: { families: build, isUnlimited: true },
  'c++': { families: build, isUnlimited: true },
  clang: { families: build, isUnlimited: true },
  'clang++': { families: build, isUnlimited: true },
  rustc: { families: build, isUnlimited: true },
  javac: { families: build, isUnlimited: true },
  kotlinc: { families: build, isUnlimited: true },
  scalac: { families: build, isUnlimited: true },
  ghc: { families: build, isUnlimited: true },
  swiftc: { families: build, isUnlimited: true },
  msbuild: { families: build, isUnlimited: true },
  latexmk: { families: build, isUnlimited: true },
  pdflatex: { families: build, isUnlimited: true },
  tectonic: { families: build, isUnlimited: true },
  'wasm-pack': { families: build, verbs: /^build$/, isUnlimited: true },
  docker: { families: build, verbs: /^build$/, isUnlimited: true },
  podman: { families: build, verbs: /^build$/, isUnlimited: true },
  protoc: { families: build, isUnlimited: true },
  'electron-builder': { families: build, isUnlimited: true },
  pyinstaller: { families: build, isUnlimited: true },
  build: { families: build, isUnlimited: true },
};

/** Programs whose first argument says what they do. */
const byVerb: Record<
  string,
  readonly (readonly [verb: RegExp, families: readonly Family[], by?: readonly string[], isUnlimited?: boolean])[]
> = {
  go: [
    [/^test$/, tests, ['-run', '--run', '-bench', '-tags']],
    [/^vet$/, lint],
    [/^fmt$/, lint],
    [/^(?:build|install)$/, build],
  ],
  cargo: [
    [
      /^(?:test|t|nextest)$/,
      tests,
      ['-p', '--package', '--test', '--bin', '--example', '--exact', '-E', '--lib', '--doc'],
    ],
    [/^clippy$/, lint],
    [/^fmt$/, lint],
    [/^(?:build|b|check|c)$/, build, ['-p', '--package']],
    [/^(?:miri)$/, tests],
  ],
  mix: [
    [/^test$/, tests, ['--only', '--include', '--exclude']],
    [/^credo$/, lint],
    [/^format$/, lint],
    [/^dialyzer$/, types],
    [/^compile$/, build],
  ],
  bun: [
    [/^test$/, tests, ['-t', '--test-name-pattern', '--filter']],
    [/^build$/, build, [], true],
  ],
  deno: [
    [/^test$/, tests, ['--filter']],
    [/^lint$/, lint],
    [/^fmt$/, lint],
    [/^check$/, types],
    [/^compile$/, build, [], true],
  ],
  dotnet: [
    [/^test$/, tests, ['--filter']],
    [/^format$/, lint],
    [/^(?:build|publish|pack)$/, build, [], true],
  ],
  swift: [
    [/^test$/, tests, ['--filter', '--skip']],
    [/^build$/, build, [], true],
  ],
  dart: [
    [/^test$/, tests, ['-n', '--name', '-t']],
    [/^analyze$/, lint],
    [/^format$/, lint],
    [/^compile$/, build, [], true],
  ],
  flutter: [
    [/^test$/, tests, ['--name', '--plain-name']],
    [/^analyze$/, lint],
    [/^build$/, build, [], true],
  ],
  zig: [
    [/^test$/, tests],
    [/^build$/, build, [], true],
    [/^fmt$/, lint],
  ],
  rebar3: [
    [/^(?:eunit|ct|proper)$/, tests, ['--suite', '--module', '--case', '--app']],
    [/^compile$/, build],
    [/^dialyzer$/, types],
    [/^fmt$/, lint],
  ],
  stack: [
    [/^test$/, tests],
    [/^build$/, build, [], true],
  ],
  cabal: [
    [/^test$/, tests],
    [/^build$/, build, [], true],
    [/^v2-test$/, tests],
  ],
  dune: [
    [/^(?:runtest|test)$/, tests],
    [/^build$/, build, [], true],
  ],
  lein: [
    [/^test$/, tests, [':only']],
    [/^(?:compile|uberjar)$/, build],
    [/^(?:eastwood|kibit|cljfmt)$/, lint],
  ],
  meson: [
    [/^test$/, tests, ['--suite']],
    [/^(?:compile|setup)$/, build, [], true],
  ],
  bazel: [
    [/^test$/, tests],
    [/^build$/, build],
  ],
  bazelisk: [
    [/^test$/, tests],
    [/^build$/, build],
  ],
  buck2: [
    [/^test$/, tests],
    [/^build$/, build],
  ],
  pants: [
    [/^test$/, tests],
    [/^lint$/, lint],
    [/^check$/, types],
  ],
  rails: [
    [/^(?:test|spec)(?::\w+)?$/, tests],
    [/^assets:precompile$/, build, [], true],
  ],
  artisan: [[/^test$/, tests, ['--filter', '--group', '--testsuite']]],
  'manage.py': [
    [/^test$/, tests, ['-k', '--tag']],
    [/^check$/, lint, [], true],
  ],
  node: [
    [/^--test$/, tests, ['--test-name-pattern']],
    [/^--check$/, lint],
  ],
  tsx: [[/^--test$/, tests, ['--test-name-pattern']]],
  'ts-node': [],
  ng: [
    [/^test$/, tests, ['--include'], true],
    [/^lint$/, lint, [], true],
    [/^build$/, build, [], true],
  ],
  nx: [
    [/^(?:test|e2e|affected:test)$/, tests],
    [/^lint$/, lint],
    [/^(?:build|affected:build)$/, build],
    [/^typecheck$/, types],
  ],
  xcodebuild: [
    [/^test$/, tests, ['-only-testing'], true],
    [/^(?:build|archive)$/, build, [], true],
  ],
  cmake: [[/^--build$/, build, [], true]],
  terraform: [
    [/^validate$/, lint, [], true],
    [/^fmt$/, lint],
  ],
  tofu: [
    [/^validate$/, lint, [], true],
    [/^fmt$/, lint],
  ],
  hatch: [
    [/^test$/, tests],
    [/^build$/, build, [], true],
    [/^fmt$/, lint],
  ],
  poetry: [[/^build$/, build, [], true]],
  uv: [[/^build$/, build, [], true]],
  gem: [[/^build$/, build, [], true]],
  nix: [
    [/^build$/, build, [], true],
    [/^flake$/, lint, [], true],
  ],
  composer: [[/^validate$/, lint, [], true]],
  vp: [
    [/^test$/, tests],
    [/^lint$/, lint],
    [/^build$/, build],
  ],
  vue: [],
  elm: [[/^make$/, build, [], true]],
  mint: [[/^test$/, tests]],
  crystal: [
    [/^spec$/, tests],
    [/^build$/, build, [], true],
  ],
  julia: [],
  scons: [],
  wails: [[/^build$/, build, [], true]],
  tauri: [[/^build$/, build, [], true]],
  expo: [],
  sls: [],
};

/** What a script or target is for, by its name. */
function familiesOfName(name: string): readonly Family[] {
  const found = new Set<Family>();
  const bare = name.toLowerCase();
  if (
    /(?:^|[^a-z])(?:tests?|specs?|e2e|unit|integration|eunit|phpunit|pytest|jest|vitest|rspec|cy|smoke|selftest|tester|coverage|cov)(?:$|[^a-z])|test(?:s|ing)?$|^run_?tests?/.test(
      bare,
    )
  )
    found.add('tests');
  if (
    /(?:^|[^a-z])(?:lint\w*|eslint|fmt|format\w*|style\w*|cs|ruff|flake8|rubocop|prettier|clippy|vet|stan|analy[sz]e|biome|standard|checkstyle\w*|spotless\w*|ktlint\w*|detekt)(?:$|[^a-z])/.test(
      bare,
    )
  )
    found.add('lint');
  if (
    /(?:^|[^a-z])(?:types?|type-?check\w*|tsc|mypy|pyright|check-types|checktypes|dialyzer|sorbet)(?:$|[^a-z])/.test(
      bare,
    )
  )
    found.add('types');
  if (
    /(?:^|[^a-z])(?:build\w*|compile\w*|bundle|dist|assemble\w*|package|release|all|webpack|rollup|tsup|prod\w*|jar|war|classes)(?:$|[^a-z])/.test(
      bare,
    )
  )
    found.add('build');
  return [...found];
}

const mixedName =
  /(?:^|[:\-_.])(?:ci|check|checks|verify|validate|validation|precommit|pre-commit|prepush|pre-push|preflight|qa|all|everything|full)(?:$|[:\-_.])/i;
const allFamilies: readonly Family[] = ['tests', 'lint', 'types', 'build'];

/** Flags with which a program says something of itself, or only pretends. */
const dryFlags =
  /^(?:--version|-V|--help|-h|--collect-only|--co|--list-tests|--listTests|--list|-list|--dry-run|--dryrun|--just-print|--sql|--fixtures|--markers|--print-config|--show-config|--showConfig|--init|--list-rules|--env-info|--setup-plan|--setup-only|--list-suites|--list-groups|-N|--show-only|--show-files|--show-settings|--listFiles|--listFilesOnly|--print-labels)$/;
const fixFlags =
  /^(?:--fix|--write|-w|--fix-only|--unsafe-fixes|-a|-A|--autocorrect|--autocorrect-all|--auto-correct|-i|--in-place|--apply|--apply-unsafe)$/;
const fixers = new Set(['black', 'isort', 'autopep8', 'rustfmt', 'stylua', 'swiftformat', 'pint', 'php-cs-fixer']);
const checkFlags =
  /^(?:--check|--check-only|--diff|-l|-d|--list-different|--dry-run|--verify-no-changes|--check-formatted|--verify|-c|--test|--lint|--set-exit-if-changed|-n|--dry)$/;

const packageManagers = new Set(['npm', 'pnpm', 'yarn', 'bun', 'npm-run', 'deno']);
const taskRunners: Record<string, string> = {
  make: 'Makefile',
  gmake: 'Makefile',
  just: 'justfile',
  task: 'Taskfile.yml',
  rake: 'Rakefile',
  invoke: 'tasks.py',
  inv: 'tasks.py',
  composer: 'composer.json',
  mage: 'magefile.go',
  poe: 'pyproject.toml',
  pdm: 'pyproject.toml',
  hatch: 'pyproject.toml',
  grunt: 'Gruntfile.js',
  gulp: 'gulpfile.js',
  ant: 'build.xml',
  turbo: 'turbo.json',
  lerna: 'package.json',
  moon: 'moon.yml',
  wireit: 'package.json',
  ninja: '',
  earthly: 'Earthfile',
  mise: 'mise.toml',
  devbox: 'devbox.json',
  sbt: 'build.sbt',
  doit: 'dodo.py',
  fastlane: 'Fastfile',
  bb: 'bb.edn',
  paver: 'pavement.py',
};

/** What a program checks; undefined: nothing that is known. */
export function checkOf(program: Program): Check | undefined {
  const { name, args } = program;
  if (packageManagers.has(name)) return ofPackageScript(name, args) ?? ofVerb(name, args);
  if (name === 'mvn' || name === 'mvnw' || name === 'mvnd') return ofMaven(args);
  if (name === 'gradle' || name === 'gradlew') return ofGradle(args);
  if (Object.hasOwn(taskRunners, name) && !(Object.hasOwn(byVerb, name) && ofVerb(name, args) !== undefined))
    return ofTarget(name, args);
  const direct = ofVerb(name, args);
  if (direct !== undefined) return direct;
  if (Object.hasOwn(known, name)) return ofKnown(name, args, known[name] as Known);
  return ofScript(program);
}

function check(families: readonly Family[], tool: string, args: readonly string[], rest: Partial<Check> = {}): Check {
  return {
    families,
    tool,
    isDry: args.some((arg) => dryFlags.test(arg)),
    isFixing: false,
    isTarget: false,
    limits: [],
    ...rest,
  };
}

function ofKnown(
  name: string,
  args: readonly string[],
  { families, verbs, by, takes, isUnlimited }: Known,
): Check | undefined {
  let rest = args;
  if (verbs !== undefined) {
    const at = args.findIndex((arg) => !arg.startsWith('-'));
    if (at === -1 || !verbs.test(args[at] ?? ''))
      return args.some((arg) => dryFlags.test(arg)) ? check(families, name, args, { isDry: true }) : undefined;
    rest = args.filter((_, index) => index !== at);
  }
  const isFormatter =
    fixers.has(name) || (name === 'ruff' && args.includes('format')) || (name === 'gofmt' && args.includes('-w'));
  const isChecking = args.some((arg) => checkFlags.test(arg));
  const isFixing =
    families[0] === 'lint' &&
    ((isFormatter && !isChecking) ||
      (args.some((arg) => fixFlags.test(arg)) && !(name === 'gofmt' && !args.includes('-w'))));
  const isDry =
    args.some(
      (arg) =>
        dryFlags.test(arg) &&
        !(families[0] === 'lint' && /^(?:--dry-run|--list|-l)$/.test(arg)) &&
        !(arg === '-V' && families[0] === 'tests' && name === 'ctest') &&
        !(arg === '-h'),
    ) ||
    (name === 'act' && args.includes('-n')) ||
    args.includes('-h');
  const list =
    name === 'unittest' && rest[0] === 'discover'
      ? []
      : limitsIn(rest, by ?? byName, takes ?? mostTakes, isUnlimited === true);
  const whole = families[0] === 'tests' ? wholeOfTests : wholeOfCode;
  return check(families, name, args, {
    isDry,
    isFixing: isFixing && !isDry,
    limits: list.filter((each) => !whole.test(each)),
  });
}

/** Paths that stand for everything. */
const wholeOfTests =
  /^(?:\.|\.\/|\.\/\.\.\.|\.\.\.|(?:\.\/)?(?:tests?|specs?|__tests__|t|src|lib|features)\/?|run|watch|\/\/\.\.\.|discover|all|(?:\.\/)?(?:tests?|specs?|src)?\/?\*\*?\/.*)$/;
const wholeOfCode = /^(?:[^.*]*|\.|\.\/.*|[^*]*\/|.*\*.*|\/\/\.\.\.)$/;

function limitsIn(
  args: readonly string[],
  by: readonly string[],
  takes: readonly string[],
  isUnlimited: boolean,
): string[] {
  const limits: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const [flag = '', value] = arg.startsWith('-') ? splitFlag(arg) : [''];
    if (arg === '--') continue;
    if (flag === '') {
      if (!isUnlimited) limits.push(arg);
    } else if (by.includes(flag)) {
      if (value !== undefined) limits.push(value);
      else if (
        /^--?(?:lf|last-failed|ff|lib|doc|exact|onlyChanged|changed|o)$/.test(flag) ||
        args[at + 1] === undefined
      )
        limits.push(flag);
      else limits.push(args[++at] ?? '');
    } else if (value === undefined && takes.includes(flag)) at += 1;
  }
  return limits.filter((each) => each !== '');
}

function splitFlag(arg: string): [string, string?] {
  const at = arg.indexOf('=');
  return at === -1 ? [arg] : [arg.slice(0, at), arg.slice(at + 1)];
}

function ofVerb(name: string, args: readonly string[]): Check | undefined {
  const list = Object.hasOwn(byVerb, name) ? byVerb[name] : undefined;
  if (list === undefined) return undefined;
  const at = args.findIndex(
    (arg) =>
      !arg.startsWith('+') && (!arg.startsWith('-') || arg === '--test' || arg === '--build' || arg === '--check'),
  );
  const verb = args[at] ?? '';
  const found = list.find(([pattern]) => pattern.test(verb));
  if (found === undefined) return undefined;
  const [, found1, by = [], isUnlimited = false] = found;
  // The tests are only compiled.
  const isCompiling = args.includes('--no-run') || (args.includes('-c') && name === 'go');
  const families = isCompiling && found1 === tests ? build : found1;
  let rest = args.filter((_, index) => index !== at);
  if (name === 'cargo' && verb === 'nextest') rest = rest.filter((arg) => arg !== 'run');
  if (name === 'xcodebuild') rest = [];
  const limits = limitsIn(
    rest,
    [...by, ...(name === 'go' || name === 'cargo' ? [] : [])],
    [
      ...mostTakes,
      '-o',
      '-count',
      '-timeout',
      '-C',
      '--features',
      '--manifest-path',
      '--target-dir',
      '-parallel',
      '-coverprofile',
      '-bench',
      '--color',
      '-j',
    ],
    isUnlimited,
  );
  const isFormat = /^(?:fmt|format)$/.test(verb);
  const isChecking = args.some((arg) => checkFlags.test(arg) || arg === '-check');
  const isNodeFile = name === 'node' && families === tests;
  const whole = families === tests ? wholeOfTests : wholeOfCode;
  return check(families, `${name} ${verb}`, args, {
    isDry:
      args.some((arg) => dryFlags.test(arg) && !(isFormat && /^--(?:dry-run|list)$/.test(arg))) ||
      (verb === 'test' && args.includes('-list')),
    isFixing: (isFormat && !isChecking) || (families === lint && args.includes('--fix')),
    limits: (isNodeFile ? limits.filter((each) => !/\*/.test(each)) : limits).filter((each) => !whole.test(each)),
  });
}

function ofPackageScript(name: string, args: readonly string[]): Check | undefined {
  const limits: string[] = [];
  const words: string[] = [];
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') break;
    if (/^(?:-w|--workspace|--filter|-F|--scope|--prefix|-C|--dir|--cwd)$/.test(arg)) limits.push(args[++at] ?? '');
    else if (/^(?:--workspace|--filter|--scope|--prefix|--dir|--cwd)=/.test(arg))
      limits.push(arg.slice(arg.indexOf('=') + 1));
    else if (!arg.startsWith('-')) words.push(arg);
    else if (dryFlags.test(arg)) return undefined;
    if (words.length > 0 && words[0] !== 'run' && words[0] !== 'run-script' && words[0] !== 'workspace') break;
    if (words.length > 1 && words[0] !== 'workspace') break;
    if (words.length > 2) break;
  }
  if (words[0] === 'workspace' && words[1] !== undefined) {
    limits.push(words[1]);
    words.splice(0, 2);
  }
  let [script] = words;
  if (script === 'run' || script === 'run-script') script = words[1];
  if (script === undefined) return undefined;
  if (name === 'npm' && script === 't') script = 'test';
  if ((name === 'bun' || name === 'deno') && words[0] !== 'run') return undefined;
  if (name === 'npm' && words[0] !== 'run' && words[0] !== 'run-script' && !/^(?:t|test|tst)$/.test(words[0] ?? ''))
    return undefined;
  const rest = args.slice(at + 1).filter((arg) => arg !== '--');
  const tool = Object.hasOwn(known, script) ? known[script] : undefined;
  if (tool !== undefined && words[0] !== 'run') {
    const own = ofKnown(script, rest, tool);
    return own === undefined ? undefined : { ...own, limits: [...limits, ...own.limits] };
  }
  const named = familiesOfName(script);
  const isMixed = named.length === 0 && mixedName.test(script);
  if (named.length === 0 && !isMixed) return undefined;
  const isRecursive = args.some((arg) => /^(?:-r|--recursive|--workspaces|-ws)$/.test(arg));
  return {
    families: isMixed ? allFamilies : named,
    tool: script === 'test' ? `${name} test` : `${name} run ${script}`,
    isDry: rest.some((arg) => dryFlags.test(arg)),
    isFixing:
      /fix|write|^format$|^fmt$/.test(script) ||
      rest.some((arg) => fixFlags.test(arg) && arg !== '-w' && arg !== '-i' && arg !== '-a'),
    isTarget: true,
    script: 'package.json',
    limits: [
      ...(isRecursive ? [] : limits),
      ...limitsIn(rest, byName, mostTakes, false).filter((each) => !wholeOfTests.test(each)),
      ...partOfName(script),
    ],
  };
}

/** `test:unit` is a part of the tests. */
function partOfName(script: string): string[] {
  const part = /^(?:tests?|specs?)[:\-_.]([\w-]+)$/.exec(script)?.[1] ?? /^([\w-]+)[:\-_.]tests?$/.exec(script)?.[1];
  return part === undefined || /^(?:all|ci|run|once|coverage|cov|full|nowatch|no-watch|silent|fast|watch)$/.test(part)
    ? []
    : [part];
}

function ofTarget(name: string, args: readonly string[]): Check | undefined {
  const isMake = name === 'make' || name === 'gmake' || name === 'ninja';
  const takes = [
    '-C',
    '-f',
    '-j',
    '--directory',
    '--file',
    '-s',
    '-e',
    '-p',
    '--justfile',
    '-d',
    '--working-directory',
    '--filter',
    '-F',
  ];
  const isDry =
    args.some((arg) => dryFlags.test(arg) || (isMake && /^-[a-z]*n[a-z]*$/.test(arg))) ||
    (name === 'just' && args.includes('-n'));
  const folder = isMake ? args[args.indexOf('-C') + 1] : undefined;
  const bare = afterFlags(args, takes);
  const targets = bare.filter((arg) => !arg.startsWith('-') && !/^\w+=/.test(arg) && arg !== 'run');
  const script = taskRunners[name] ?? '';
  const limits = args.includes('-C') && folder !== undefined && folder !== '.' ? [folder] : [];
  for (const [at, arg] of args.entries()) {
    const part =
      /^--(?:filter|scope|projects?)=(.+)$/.exec(arg)?.[1] ??
      (/^(?:--filter|-F|--scope)$/.test(arg) ? args[at + 1] : undefined);
    if (part !== undefined && /^(?:turbo|lerna|moon)$/.test(name)) limits.push(part);
  }
  if (targets.length === 0)
    return isMake || name === 'ant' || name === 'rake'
      ? {
          families: name === 'rake' ? tests : build,
          tool: name,
          isDry,
          isFixing: false,
          isTarget: true,
          script,
          limits,
        }
      : undefined;
  const families = new Set<Family>();
  for (const target of targets) {
    const named = familiesOfName(target);
    const mixed = mixedName.test(target);
    for (const family of named.length > 0 ? named : mixed ? allFamilies : []) families.add(family);
    limits.push(...partOfName(target));
  }
  if (families.size === 0) return undefined;
  const isFixing = targets.some((target) => /^(?:fmt|format|fix)$|:fix$|-fix$/.test(target));
  return {
    families: [...families],
    tool: `${name} ${targets.join(' ')}`,
    isDry,
    isFixing,
    isTarget: true,
    script,
    limits,
  };
}

function ofMaven(args: readonly string[]): Check | undefined {
  const goals = args.filter((arg) => !arg.startsWith('-'));
  const skips = args.some((arg) => /^-D(?:skipTests|maven\.test\.skip|skipITs)(?:=true)?$/.test(arg));
  const families = new Set<Family>();
  for (const goal of goals) {
    if (/^(?:test|verify|integration-test|surefire:test|failsafe:\S*)$/.test(goal)) families.add('tests');
    if (/^(?:package|install|deploy)$/.test(goal)) families.add('tests').add('build');
    if (/^(?:compile|test-compile|process-classes)$/.test(goal)) families.add('build');
    if (/^(?:verify)$/.test(goal)) families.add('build');
    if (/checkstyle|spotless:check|pmd|spotbugs|ktlint|detekt/.test(goal)) families.add('lint');
  }
  if (skips) families.delete('tests');
  if (families.size === 0) return args.some((arg) => dryFlags.test(arg)) ? check(build, 'mvn', args) : undefined;
  const limits = args.flatMap((arg, at) => {
    const named = /^-D(?:test|it\.test)=(.+)$/.exec(arg)?.[1];
    if (named !== undefined) return [named];
    return (arg === '-pl' || arg === '--projects') && args[at + 1] !== undefined ? [args[at + 1] ?? ''] : [];
  });
  return check([...families], 'mvn', args, {
    limits,
    isDry: args.some((arg) => /^(?:--version|-v|--help|-h)$/.test(arg)),
  });
}

function ofGradle(args: readonly string[]): Check | undefined {
  const families = new Set<Family>();
  const limits: string[] = [];
  for (const [at, arg] of args.entries()) {
    if (args[at - 1] === '-x' || args[at - 1] === '--exclude-task') continue;
    if (args[at - 1] === '--tests') limits.push(arg);
    const task = arg.slice(arg.lastIndexOf(':') + 1);
    if (arg.startsWith('-') || args[at - 1] === '--tests') continue;
    const module = arg.includes(':') ? arg.slice(0, arg.lastIndexOf(':')) : '';
    const own = new Set<Family>();
    if (/^(?:test|check|build|\w*Test|\w*UnitTest|\w*Tests)$/.test(task)) own.add('tests');
    if (/^(?:build|assemble\w*|compile\w*|classes|jar|bootJar|shadowJar|bundle\w*)$/.test(task)) own.add('build');
    if (/lint|ktlint|detekt|checkstyle|spotlessCheck|pmd|spotbugs/i.test(task)) own.add('lint');
    if (own.size > 0 && module !== '') limits.push(module.replace(/^:/, ''));
    for (const each of own) families.add(each);
  }
  const skips = args.some((arg, at) => (arg === '-x' || arg === '--exclude-task') && /test$/i.test(args[at + 1] ?? ''));
  if (skips) families.delete('tests');
  if (families.size === 0) return args.some((arg) => dryFlags.test(arg)) ? check(build, 'gradle', args) : undefined;
  return check([...families], 'gradle', args, {
    limits,
    isDry: args.some((arg) => dryFlags.test(arg) || arg === '-m'),
  });
}

/** A program of the repository, or a test file that an interpreter runs. */
function ofScript({ name, args }: Program): Check | undefined {
  const interpreters =
    /^(?:python|node|ruby|php|perl|lua|tsx|ts-node|bun|deno|Rscript|julia|elixir|java|bash|sh|zsh|swift|crystal|racket|guile)$/;
  if (interpreters.test(name)) {
    const file = args.find((arg) => !arg.startsWith('-') && arg !== 'run');
    if (file === undefined || /[\s(;]/.test(file)) return undefined;
    const base = file.slice(file.lastIndexOf('/') + 1);
    if (name === 'python' && base === 'setup.py' && args.includes('test')) return check(tests, 'setup.py', args);
    if (name === 'python' && base === 'setup.py' && args.some((arg) => /^(?:build|sdist|bdist)/.test(arg)))
      return check(build, 'setup.py', args);
    if (base === 'manage.py' || base === 'artisan' || base === 'rails')
      return ofVerb(base, args.slice(args.indexOf(file) + 1));
    if (base === 'phpunit' || base === 'pest')
      return ofKnown(base, args.slice(args.indexOf(file) + 1), known[base] as Known);
    const families = familiesOfName(base.replace(/\.\w+$/, ''));
    if (!families.includes('tests') && !/^(?:verify|check|validate|ci)\b/.test(base)) return undefined;
    const isSuite =
      /^(?:run_?|all_?)?(?:all_?)?tests?(?:_?(?:all|runner|suite))?\.\w+$|^runtests|^selftest|^verify|^ci|^check/.test(
        base,
      );
    return check(tests, file, args, { isTarget: true, script: file, limits: isSuite ? [] : [file] });
  }
  if (!name.includes('/')) return undefined;
  const base = name.slice(name.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
  const named = familiesOfName(base);
  const isMixed = named.length === 0 && (mixedName.test(base) || /^(?:verify|check|validate|ci|selftest)/.test(base));
  if (named.length === 0 && !isMixed) return undefined;
  return check(isMixed ? allFamilies : named, name, args, {
    isTarget: true,
    script: name,
    limits: args.filter((arg) => !arg.startsWith('-')),
  });
}
