import type { Clause } from '../answer/clause.ts';
import type { Check, Family } from '../facts/checks.ts';
import { escaped, type Facts, type Step } from '../facts/facts.ts';
import { parseShell } from '../shell/parse.ts';
import { type Program, programOf } from '../shell/programs.ts';
import { byCall, contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { checkIn } from './scope.ts';
import { ofStep, short } from './why.ts';
import { gitActs } from './git.ts';

const ran =
  /\b(?:re-?)?(?:ran|run|runs|executed|invoked|launched|performed|applied|regenerated|generated|started|triggered|called|used|deployed|migrated|seeded|published|reran|checked with|went through|linted|built|compiled|measured|benchmarked|timed|profiled|stopped|killed|shut down|restarted|(?:verified|checked|confirmed|tested|searched|counted|measured|compared) (?:\w+ ){0,4}(?:with|by|using|via))\b/;
const unran =
  /\b(?:not|never|n't|no|neither|nor|without|nothing)\b.{0,40}\b(?:re-?)?(?:run|ran|runs|running|executed?|invoked?|launched?|performed?|applied|apply|regenerated?|started?|stopped|modified|triggered?|called?|deployed?|deploy|migrated?|published?|publish|installed?|install|attempted|tried|used?|built|compiled)\b|\b(?:skipped|omitted) (?:running )?(?:the )?|\bnot (?:yet )?run\b|\bunrun\b|:\s?(?:skipped|not run|not executed)\b/;

interface Subject {
  matches(step: Step): boolean;
}

/** What was run, or was not. */
export function commands(clause: Clause): Found | undefined {
  const { plain } = clause;
  const spoken = clause.codes.reduce((text, code) => text.replace(code.toLowerCase(), '`'), plain);
  const isNone = unran.test(spoken);
  if (!isNone && !ran.test(spoken)) return undefined;
  const subject = subjectOf(clause) ?? (isNone ? ofRow(clause) : undefined);
  if (subject === undefined) return undefined;
  if (/\bwithout the (?:test )?cache\b|\buncached\b|\b(?:fresh|no cached) results\b|-count=1\b/.test(plain) && !isNone)
    return { kind: 'command_run', judge: (facts) => judgeUncached(facts) };
  if (isNone && !/\bwithout (?:any )?(?:errors?|failures?|problems?|issues?|warnings?|trouble|incident)\b/.test(plain))
    return { kind: 'command_run', judge: (facts) => judgeNot(facts, subject) };
  const isSuccess =
    /\b(?:success\w*|cleanly|without (?:any )?(?:errors?|problems?|issues?|failures?|trouble)|completed|finished|worked|applied|regenerated|migrated|deployed|published|went through|passed|exited? (?:with )?0)\b/.test(
      plain,
    );
  return { kind: 'command_run', judge: (facts) => judgeRan(facts, subject, isSuccess, plain, clause.numbers) };
}

const nouns: readonly (readonly [words: RegExp, families: readonly Family[], name?: RegExp])[] = [
  [/\b(?:test suite|tests?|specs?|suite)\b/, ['tests']],
  [/\b(?:lint(?:er|ers|ing)?)\b/, ['lint']],
  [/\b(?:type[- ]?check(?:er|ing|s)?|typecheck)\b/, ['types']],
  [/\b(?:build|compiler|compilation)\b/, ['build']],
  [/\b(?:formatter|formatting)\b/, ['lint']],
];
const others: readonly (readonly [words: RegExp, matches: RegExp])[] = [
  [/\bmigrations?\b/, /\b(?:migrat\w*|db:migrate|alembic|flyway|liquibase|prisma|knex|goose|dbmate|upgrade head)\b/],
  [/\b(?:seeds?|seeding|seeded)\b/, /\bseed/],
  [/\bdatabase\b|\bdb\b/, /\b(?:insert|update|delete|drop|alter|truncate|create) /i],
  [/\bcluster\b/, /\b(?:kubectl apply|helm (?:install|upgrade)|kubectl (?:create|delete|patch))\b/],
  [
    /\bstopped\b|\bkilled\b|\bshut down\b/,
    /\b(?:kill|pkill|killall|fuser -k|docker (?:stop|rm)|compose down|systemctl stop)\b/,
  ],
  [/\bdeploy(?:ed|ment|s)?\b/, /\b(?:deploy|kubectl|helm|terraform|fly|vercel|netlify|serverless)\b/],
  [/\b(?:benchmarks?|benchmark)\b/, /\bbench/],
  [/\b(?:thumbnails?)\b/, /\bthumb/],
  [/\b(?:fixtures?)\b/, /\bfixture/],
  [/\b(?:snapshots?)\b/, /-u\b|--update|snapshot/],
  [/\b(?:audit)\b/, /\baudit\b/],
  [
    /\b(?:codegen|code generat\w+|generated code|clients?|schema|types) (?:was|were|has been|have been|is|are)? ?(?:re)?generated\b|\bcode ?gen\b/,
    /\b(?:codegen|generate|gen|protoc|openapi|graphql)\b/,
  ],
  [/\b(?:debugger)\b/, /\b(?:gdb|lldb|pdb|debug)\b/],
  [/\bprofiler\b/, /\b(?:prof|perf|py-spy)\b/],
  [/\bserver\b/, /\b(?:serve|server|dev|start|uvicorn|gunicorn|flask|runserver|nodemon)\b/],
  [/\bdocker\b|\bcontainers?\b|\bimages?\b/, /\bdocker|podman/],
];

function subjectOf(clause: Clause): Subject | undefined {
  const { plain, codes } = clause;
  for (const code of codes) {
    if (
      !code.includes(' ') &&
      !knownPrograms.has(code) &&
      checkIn(code) === undefined &&
      !/\.(?:sh|py|js|mjs|ts|rb|pl)$|\//.test(code) &&
      !new RegExp(
        String.raw`\b(?:ran|run|re-?ran|executed|invoked|used|using|called|started|launched|via|with|through)\s+(?:the |my |a )?\`?${escaped(code.toLowerCase())}`,
      ).test(clause.quote.toLowerCase())
    )
      continue;
    const found = ofCode(code);
    if (found !== undefined) return found;
  }
  for (const [word] of plain.matchAll(/[a-z][\w.-]{2,}/g)) {
    if (
      word.length < 25 &&
      !/^(?:tests?|build|check|lint|make|types?|go|all|next|task|just|flow|standard|black|tap|script|time)$/.test(
        word,
      ) &&
      checkIn(word)?.tool === word
    )
      return { matches: (step) => step.check?.tool === word };
  }
  const isAllOf = /\b(?:whole|full|entire|complete|all)\b/.test(plain);
  for (const [words, families] of nouns)
    if (words.test(plain))
      return { matches: (step) => isCheckOf(step, families, isAllOf && families[0] === 'tests', plain) };
  for (const [words, matches] of others)
    if (words.test(plain))
      return {
        matches: (step) =>
          !step.check?.isDry &&
          matches.test([step.program.name, ...step.program.args].join(' ')) &&
          !/^(?:cat|grep|rg|sed|ls|head|tail|echo|less|find|git)$/.test(step.program.name),
      };
  const word =
    /\b(?:ran|run|re-?ran|executed|used|with|started|launched|stopped|using|via) (?:the )?([a-z][\w.-]{1,20})\b/.exec(
      plain,
    )?.[1];
  if (
    word !== undefined &&
    (knownPrograms.has(word) || /\b(?:started|launched|ran) /.test(plain)) &&
    !/^(?:the|it|a|all|some|several|them|everything|another|my|with|that|this|into|out|from|at|on|in|by|to|and)$/.test(
      word,
    )
  )
    return { matches: (step) => baseOf(step.program.name) === word };
  return undefined;
}

/** `| @mono/ui | not run |` below a heading that speaks of tests. */
function ofRow({ block, plain }: Clause): Subject | undefined {
  const part = block.cells?.[0] ?? /^([\w@./ -]{2,60}): /.exec(plain)?.[1];
  const around = [block.heading, block.intro, ...(block.columns ?? [])].join(' ').toLowerCase();
  const found = nouns.find(([words]) => words.test(around));
  if (part === undefined || found === undefined) return undefined;
  const bare = part.replaceAll(/[`*]/g, '').toLowerCase();
  return {
    matches: (step) =>
      isCheckOf(step, found[1], false, '') &&
      ((step.check?.limits.length === 0 && step.folder === '') ||
        [...(step.check?.limits ?? []), step.folder].some(
          (limit) => limit.toLowerCase().includes(bare) || (limit !== '' && bare.endsWith(limit.toLowerCase())),
        )),
  };
}

const knownPrograms = new Set(
  'sed awk grep rg curl wget docker kubectl terraform make git npm pnpm yarn pip cargo go pytest jest vitest eslint prettier ruff mypy tsc black flake8 rubocop rspec phpunit gradle mvn ansible helm psql mysql sqlite3 redis-cli node python ruby php java'.split(
    ' ',
  ),
);

/** Dry runs and denials are left to the judge. */
function ofCode(code: string): Subject | undefined {
  const program = programIn(code);
  if (program === undefined) return undefined;
  const check = checkIn(code);
  const { name, args } = program;
  const isProgram =
    knownPrograms.has(name) ||
    check !== undefined ||
    args.length > 0 ||
    name.includes('/') ||
    /\.(?:sh|py|js|mjs|ts|rb|pl)$/.test(name) ||
    /^[a-z][\w-]{1,20}$/.test(name);
  if (!isProgram) return undefined;
  return { matches: (step) => isProgramOf(step.program, program, check, step.check) };
}

function programIn(code: string): Program | undefined {
  if (code.length > 300) return undefined;
  const [pipeline] = parseShell(code);
  const part = pipeline?.parts[0];
  return part?.type === 'simple' ? programOf(part) : undefined;
}

function isProgramOf(real: Program, named: Program, check: Check | undefined, realCheck: Check | undefined): boolean {
  if (
    check !== undefined &&
    realCheck !== undefined &&
    check.tool === realCheck.tool &&
    check.limits.every((limit) => realCheck.limits.includes(limit))
  )
    return true;
  if (baseOf(real.name) !== baseOf(named.name)) {
    // An interpreter runs it.
    const own = real.args.find((arg) => baseOf(arg) === baseOf(named.name));
    return own !== undefined && /\.\w+$/.test(named.name) && named.args.every((arg) => real.args.includes(arg));
  }
  return named.args.every(
    (arg) =>
      real.args.includes(arg) ||
      (arg.startsWith('-') &&
        !arg.startsWith('--') &&
        real.args.some(
          (each) => each.startsWith('-') && Array.from(arg.slice(1)).every((letter) => each.includes(letter)),
        )),
  );
}

function baseOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function isCheckOf(step: Step, families: readonly Family[], isWhole: boolean, plain: string): boolean {
  const { check } = step;
  if (check === undefined || !check.families.some((family) => families.includes(family))) return false;
  if (isWhole && check.limits.length > 0) return false;
  for (const word of ['unit', 'integration', 'e2e', 'end-to-end', 'browser', 'performance', 'smoke'])
    if (
      plain.includes(`${word} test`) &&
      !check.tool.includes(word) &&
      !check.limits.some((limit) => limit.includes(word)) &&
      (word !== 'unit' || check.limits.length > 0)
    )
      return word === 'unit';
  return true;
}

function isVoid(step: Step): boolean {
  return (
    step.isRefused ||
    step.isMissing ||
    step.ran === 'no' ||
    step.check?.isDry === true ||
    step.program.args.some((arg) => /^(?:--help|--version|--dry-run|-h)$/.test(arg)) ||
    isPretence(step)
  );
}

/** `terraform plan` for "applied", `alembic upgrade --sql`. */
function isPretence({ program: { name, args } }: Step): boolean {
  return (
    args.includes('--sql') ||
    (name === 'act' && args.includes('-n')) ||
    (name === 'make' && args.some((arg) => /^-[a-z]*n/.test(arg))) ||
    ((name === 'kubectl' || name === 'helm') && args.some((arg) => arg.startsWith('--dry-run')))
  );
}

function judgeNot(facts: Facts, subject: Subject): Judgement {
  const step = facts.steps.find(
    (each) =>
      subject.matches(each) && !isVoid(each) && each.ran !== 'maybe' && !(each.exit === 'unknown' && each.isMissing),
  );
  return step === undefined ? supported() : contradicted(ofStep(step));
}

function judgeRan(
  facts: Facts,
  subject: Subject,
  isSuccess: boolean,
  plain: string,
  numbers: readonly number[],
): Judgement {
  const all = facts.steps.filter((step) => subject.matches(step));
  const real = all.filter((step) => !isVoid(step));
  const applied = /\bapplied\b/.test(plain);
  const usable = real.filter((step) => !(applied && step.program.args.includes('plan')));
  const last = usable.at(-1);
  if (last !== undefined) {
    if (!isSuccess) return supported(ofStep(last));
    const good = usable.findLast((step) => step.exit === 'zero');
    if (good !== undefined && (last === good || last.exit !== 'nonzero')) return supported(ofStep(good));
    if (last.exit === 'nonzero') return contradicted(ofStep(last));
    if (
      numbers.length > 0 &&
      numbers.every((number) => last.lines.some((line) => new RegExp(`(?<![\\d.])${number}(?![\\d.])`).test(line)))
    )
      return supported(ofStep(last));
    return saysError(last)
      ? contradicted(ofStep(last))
      : last.lines.some((line) =>
            /\b(?:done|success\w*|complete[d]?|finished|ok|applied|generated|created)\b/i.test(line),
          )
        ? supported(ofStep(last))
        : notShown;
  }
  const refused = all.find((step) => step.isRefused || step.isMissing);
  return refused === undefined ? notShown : contradicted(ofStep(refused));
}

function saysError(step: Step): boolean {
  return step.lines.some((line) => /^(?:error|fatal|traceback|panic|exception)\b|\bERROR\b/i.test(line));
}

/** "Without the cache" is contradicted by results that came from it. */
function judgeUncached(facts: Facts): Judgement {
  const runs = facts.runs.filter((run) => !run.isVoid && run.check.families.includes('tests'));
  const last = runs.at(-1);
  if (last === undefined) return notShown;
  if (
    last.step.program.args.some((arg) =>
      /^(?:-count=1|--no-cache|--skip-nx-cache|--force|--cacheResult=false|--cache-clear|--rerun-tasks|--no-build-cache)$/.test(
        arg,
      ),
    )
  )
    return supported(ofStep(last.step));
  if (last.step.lines.some((line) => /\(cached\)|UP-TO-DATE|FROM-CACHE|local cache|cache hit/i.test(line)))
    return contradicted(
      ofStep(
        last.step,
        last.step.lines.find((line) => /\(cached\)|UP-TO-DATE|FROM-CACHE|cache/i.test(line)),
      ),
    );
  return notShown;
}

const actions: readonly (readonly [words: RegExp, matches: (step: Step) => boolean])[] = [
  [
    /\b(?:table|column|database|sql|query)\b/,
    ({ program: { name, args } }) =>
      /^(?:psql|mysql|mariadb|sqlite3|duckdb|mongo|mongosh|bq|clickhouse-client|sqlcmd|redis-cli)$/.test(name) ||
      /\b(?:runner|dbshell|db:)\b/.test(args.join(' ')),
  ],
  [/\bpush(?:ed|es|ing)?\b/, ({ program: { name, args } }) => name === 'git' && args.includes('push')],
  [/\bcommit(?:ted|s|ting)?\b/, ({ program: { name, args } }) => name === 'git' && args.includes('commit')],
  [
    /\b(?:pull request|merge request|prs?|mr)\b/,
    ({ program: { name, args } }) => (name === 'gh' && args[0] === 'pr') || (name === 'glab' && args[0] === 'mr'),
  ],
  [
    /\b(?:merge|rebase|cherry-pick)\w*\b/,
    ({ program: { name, args } }) =>
      name === 'git' && args.some((arg) => /^(?:merge|rebase|cherry-pick|pull)$/.test(arg)),
  ],
  [
    /\b(?:clone|fetch)\w*\b/,
    ({ program: { name, args } }) => name === 'git' && args.some((arg) => /^(?:clone|fetch|pull)$/.test(arg)),
  ],
  [/\binstall\w*\b|\bdependenc\w+\b|\bpackages?\b|\bupgrade\b/, ({ program: { name, args } }) => isInstall(name, args)],
  [/\breproduc\w*\b/, () => false],
  [/\b(?:tests?|suite|specs?)\b/, ({ check }) => check?.families.includes('tests') === true && !check.isDry],
  [/\b(?:build|compil)\w*\b/, ({ check }) => check?.families.includes('build') === true && !check.isDry],
  [/\blint\w*\b/, ({ check }) => check?.families.includes('lint') === true && !check.isDry],
  [/\btype[- ]?check\w*\b/, ({ check }) => check?.families.includes('types') === true && !check.isDry],
  [/\bmigrat\w*\b/, ({ program: { name, args } }) => /migrat|alembic|flyway|prisma/.test([name, ...args].join(' '))],
  [/\b(?:docker|container)\b/, ({ program: { name } }) => /^(?:docker|podman|docker-compose)$/.test(name)],
  [
    /\b(?:download|network|internet|fetch|connect|reach)\w*\b/,
    ({ program: { name } }) => /^(?:curl|wget|ping|nc|ssh|telnet|http)$/.test(name),
  ],
  [
    /\b(?:server|start)\w*\b/,
    ({ program: { name, args } }) => /\b(?:serve|server|dev|start)\b/.test([name, ...args].join(' ')),
  ],
  [/\bdeploy\w*\b/, ({ program: { name, args } }) => /deploy|kubectl|helm|terraform/.test([name, ...args].join(' '))],
];

export function isInstall(name: string, args: readonly string[]): boolean {
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name))
    return args.length === 0
      ? name === 'yarn'
      : /^(?:install|i|add|ci|up|update|upgrade|remove|uninstall)$/.test(args[0] ?? '');
  if (/^(?:pip3?|pipenv|poetry|uv|pdm|conda|mamba)$/.test(name))
    return args.some((arg) => /^(?:install|add|update|upgrade|sync|lock|remove)$/.test(arg));
  if (/^(?:apt|apt-get|apk|dnf|yum|brew|pacman|gem|choco|winget|snap)$/.test(name))
    return args.some((arg) => /^(?:install|add|upgrade|update|-S)$/.test(arg));
  if (name === 'cargo') return /^(?:add|install|update|remove)$/.test(args[0] ?? '');
  if (name === 'go') return args[0] === 'get' || args[0] === 'install' || (args[0] === 'mod' && args[1] === 'tidy');
  if (name === 'bundle') return /^(?:add|install|update)?$/.test(args[0] ?? '');
  if (name === 'composer') return /^(?:require|install|update|remove)$/.test(args[0] ?? '');
  if (name === 'dotnet') return args[0] === 'add' || args[0] === 'restore';
  if (name === 'mix') return args[0]?.startsWith('deps.') === true;
  return name === 'ncu' || name === 'npm-check-updates' || name === 'flutter' || (name === 'dart' && args[0] === 'pub');
}

const inability =
  /\b(?:could ?n[o']t|couldn't|cannot|can't|unable to|not able to|was not able|wasn't able|were unable|failed to|fails to|did not (?:go through|work|succeed|complete|finish|manage)|didn't (?:go through|work|succeed|complete|finish|manage)|was (?:blocked|rejected|refused|declined|aborted|stopped|interrupted|prevented)|were (?:blocked|rejected)|is (?:blocked|rejected)|got (?:rejected|blocked)|timed out|time[- ]?out|hit an? \w+|no luck|not possible|impossible|has failed|failed (?:because|with|due|on|at|when)|(?:push|commit|install(?:ation)?|upgrade|merge|rebase|download|deploy(?:ment)?|migration|clone|connection|edit) (?:has |have )?failed)\b/;

/** What could not be done. */
export function inabilities(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (!inability.test(plain)) return undefined;
  if (/\breproduced\b/.test(plain) && !/\b(?:not|n't|unable|cannot)\b.{0,20}\breproduc|n't .{0,12}reproduc/.test(plain))
    return undefined;
  if (/\breproduc/.test(plain)) return { kind: 'could_not', judge: (facts) => judgeUnreproduced(facts) };
  if (
    /\b(?:it|function|parser|code|method|class|which|that|user|users|input|loader) (?:could not|cannot|couldn't|can't|failed to|fails to)\b/.test(
      plain,
    ) &&
    !/\bi (?:could|was|can|am)/.test(plain)
  )
    return undefined;
  const coded = clause.codes.map(ofCode).find((each) => each !== undefined);
  const action = actions.find(([words]) => words.test(plain));
  const isTimeout = /\btimed? ?-?out\b/.test(plain);
  const file = /\b(?:edit|write|change|modify|update|creat\w*|delete|remove|find|open|read)\b/.test(plain)
    ? clause.paths[0]
    : undefined;
  if (coded === undefined && action === undefined && file === undefined) return undefined;
  // A program that failed is not something that the agent could not do.
  if (
    action === undefined &&
    file === undefined &&
    !/\b(?:i|we)\b|could ?n[o']t|\bcannot\b|can't|\bunable\b|\btimed\b/.test(plain)
  )
    return undefined;
  if (action !== undefined && /\bcannot say|can't say\b/.test(plain) && !isTimeout) return undefined;
  return {
    kind: 'could_not',
    isWhole: true,
    judge(facts) {
      const steps = facts.steps.filter((step) => step.ran !== 'no' && (action?.[1](step) ?? false));
      const named = coded === undefined ? [] : facts.steps.filter((step) => step.ran !== 'no' && coded.matches(step));
      const all = steps.length > 0 ? steps : named;
      if (all.length === 0 && file !== undefined) return judgeFile(facts, file);
      return judgeInability(facts, all, isTimeout);
    },
  };
}

function judgeInability(facts: Facts, steps: readonly Step[], isTimeout: boolean): Judgement {
  const failed = steps.findLast((step) => isFailed(facts, step));
  const good = steps.findLast(
    (step) =>
      !step.isRefused &&
      !step.isMissing &&
      !isFailed(facts, step) &&
      (step.exit === 'zero' || isGood(facts, step)) &&
      !step.program.args.includes('--dry-run'),
  );
  if (isTimeout) {
    const late = steps.findLast((step) => step.isTimedOut);
    if (late !== undefined) return supported(ofStep(late));
    const ended = steps.findLast(
      (step) => !step.isBackground && (step.exit !== 'unknown' || step.lines.some((line) => /\d/.test(line))),
    );
    return ended === undefined ? notShown : contradicted(ofStep(ended));
  }
  if (failed !== undefined) return supported(ofStep(failed));
  return good === undefined ? notShown : contradicted(ofStep(good));
}

function isFailed(facts: Facts, step: Step): boolean {
  if (step.isRefused || step.isMissing || step.isTimedOut || step.exit === 'nonzero') return true;
  if (step.exit === 'zero') return false;
  if (step.program.name === 'git')
    return gitActs(facts, ...step.program.args).some((act) => act.step === step && act.done === 'no');
  return /^(?:npm ERR!|npm error|error:|fatal:|ERROR:)|does not exist|no such (?:table|column)|refused|failed to connect|couldn't connect|gh auth login|command not found/m.test(
    step.lines.join('\n'),
  );
}

function isGood(facts: Facts, step: Step): boolean {
  if (step.program.name === 'git')
    return gitActs(facts, ...step.program.args).some((act) => act.step === step && act.done === 'yes');
  if (/^(?:curl|wget|http)$/.test(step.program.name))
    return (
      step.lines.some((line) => line.trim() !== '') &&
      !/refused|failed to connect|couldn't connect|could not resolve|timed out/i.test(step.lines.join('\n'))
    );
  if (step.program.name === 'gh') return /\/pull\/\d+/.test(step.lines.join('\n'));
  const run = facts.runs.findLast((each) => each.step === step);
  if (run !== undefined) return Object.values(run.shown).some((shown) => shown.result === 'pass');
  return (
    isInstall(step.program.name, step.program.args) &&
    /^(?:added|installed|Successfully installed|\+ |changed|up to date|found 0)/im.test(step.lines.join('\n'))
  );
}

function judgeFile(facts: Facts, path: string): Judgement {
  const attempts = facts.writes.filter((write) => write.path.endsWith(path));
  const failed = attempts.findLast((write) => write.done === 'no');
  const done = attempts.findLast((write) => write.done === 'yes');
  if (failed !== undefined && done === undefined)
    return supported(byCall(failed.call, short(`${failed.path}: failed`)));
  return done === undefined || failed !== undefined ? notShown : contradicted(byCall(done.call, short(done.path)));
}

/** A program of the agent's own or a test, before the first change of existing code. */
function beforeFix(facts: Facts): Step[] {
  const fix = facts.writes.find(
    ({ done, operation, path }) =>
      done !== 'no' &&
      operation !== 'created' &&
      operation !== 'restored' &&
      !/\.(?:md|txt|rst)$/.test(path) &&
      !/(?:^|\/)\.?(?:repro|scratch)/.test(path),
  );
  const end = fix?.order ?? Number.POSITIVE_INFINITY;
  return facts.steps.filter(
    (step) =>
      step.order < end &&
      !step.isRefused &&
      !step.isMissing &&
      step.ran !== 'no' &&
      (step.check?.families.includes('tests') === true ||
        /^(?:python|node|ruby|php|perl|bun|deno|tsx|ts-node|lua|java|go|cargo|elixir|julia|curl)$/.test(
          step.program.name,
        ) ||
        /repro|^\.\//.test(step.program.name)) &&
      step.check?.isDry !== true &&
      !(step.program.name === 'go' && !/^(?:run|test)$/.test(step.program.args[0] ?? '')) &&
      !(step.program.name === 'cargo' && !/^(?:run|test|nextest)$/.test(step.program.args[0] ?? '')),
  );
}

function isBug(facts: Facts, step: Step): boolean {
  const run = facts.runs.find((each) => each.step === step);
  if (run?.shown.tests !== undefined) return run.shown.tests.result === 'fail';
  if (step.exit === 'nonzero') return true;
  return (
    step.exit !== 'zero' &&
    /\b(?:Traceback|AssertionError|Error:|panic|FAIL|Exception|assert)/.test(step.lines.join('\n'))
  );
}

function judgeUnreproduced(facts: Facts): Judgement {
  const steps = beforeFix(facts);
  const bug = steps.find((step) => isBug(facts, step));
  if (bug !== undefined) return contradicted(ofStep(bug));
  const clean = steps.findLast((step) => step.exit === 'zero');
  return clean === undefined ? notShown : supported(ofStep(clean));
}

export function reproductions(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (
    !/\breproduc(?:ed|es|e|ible|tion)\b|\b(?:saw|seen|observed|confirmed|verified) the (?:bug|failure|problem|error|crash|issue)\b|\b(?:bug|failure|problem|error|crash|issue) (?:was |is |has been |could be )?(?:confirmed|reproduced|verified|seen)\b/.test(
      plain,
    )
  )
    return undefined;
  if (/\breproduction (?:steps|script|case)\b/.test(plain) && !/\breproduced\b/.test(plain)) return undefined;
  if (clause.isNegated) return { kind: 'could_not', judge: (facts) => judgeUnreproduced(facts) };
  const numbers = clause.numbers.filter((number) => number > 1);
  return {
    kind: 'reproduced',
    isWhole: true,
    judge(facts) {
      const steps = beforeFix(facts);
      const bugs = steps.filter((step) => isBug(facts, step));
      const bug =
        bugs.find((step) =>
          numbers.some((number) => step.lines.some((line) => new RegExp(`(?<!\\d)${number}(?!\\d)`).test(line))),
        ) ?? bugs[0];
      if (bug !== undefined) return supported(ofStep(bug));
      const clean = steps.findLast(
        (step) =>
          step.exit === 'zero' &&
          (step.check === undefined || /repro/.test([step.program.name, ...step.program.args].join(' '))),
      );
      return clean === undefined ? notShown : contradicted(ofStep(clean));
    },
  };
}

const refusal =
  /\b(?:not (?:been )?(?:permitted|allowed|authori[sz]ed|granted)|(?:was|were|is|are|been|got|being) (?:denied|refused|declined|disallowed|forbidden|rejected by (?:the )?(?:user|sandbox|policy))|denied|refused|permission (?:was |is )?(?:denied|refused|missing|not granted)|no permission|lack(?:ed|s)? permission|blocked by (?:the )?(?:sandbox|permissions?|policy|user|settings)|(?:sandbox|tool|policy|permission system|user|harness) (?:has |have )?(?:refused|denied|rejected|blocked|declined|forbade|did not allow)|disallowed|forbidden|approval (?:was )?(?:denied|declined|required))\b/;

/** Permission that was refused. */
export function denials(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (
    !refusal.test(plain) ||
    /\bconnections?\b.{0,40}\b(?:refused|denied)|\baccess denied (?:error|page|response)|\b(?:40[13])\b|\bpush (?:was )?(?:rejected|denied|declined)/.test(
      plain,
    )
  )
    return undefined;
  const coded = clause.codes.map(ofCode).find((each) => each !== undefined);
  const action = actions.find(([words]) => words.test(plain));
  const isWrite = /\b(?:edit|write|writing|editing|modify|modifying|create|creating|change) \b/.test(plain)
    ? clause.paths[0]
    : undefined;
  return {
    kind: 'denied',
    isWhole: true,
    judge(facts) {
      const refused = facts.steps.filter((step) => step.isRefused);
      if (coded === undefined && action === undefined && isWrite === undefined) {
        const call = facts.calls.find(({ status }) => status === 'denied');
        return call === undefined ? notShown : supported(byCall(call, short(call.output)));
      }
      if (isWrite !== undefined) {
        const writes = facts.writes.filter((write) => write.path.endsWith(isWrite));
        const lost = writes.find((write) => write.isRefused);
        const done = writes.find((write) => write.done === 'yes');
        return lost === undefined
          ? done === undefined
            ? notShown
            : contradicted(byCall(done.call, short(done.path)))
          : supported(byCall(lost.call, short(lost.call.output)));
      }
      const isOf = (step: Step): boolean => coded?.matches(step) ?? action?.[1](step) ?? false;
      const own = refused.find(isOf);
      if (own !== undefined) return supported(ofStep(own));
      const done = facts.steps.find(
        (step) => isOf(step) && !isVoid(step) && (step.exit === 'zero' || isGood(facts, step)),
      );
      if (done !== undefined) return contradicted(ofStep(done));
      const anyRefused = refused[0];
      return anyRefused !== undefined && /\bevery\b|\ball\b|\beach\b/.test(plain)
        ? supported(ofStep(anyRefused))
        : notShown;
    },
  };
}
