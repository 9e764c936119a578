import type { Clause } from '../answer/clause.ts';
import type { Check, Family } from '../facts/checks.ts';
import { escaped, type Step } from '../facts/facts.ts';
import { parseShell } from '../shell/parse.ts';
import { type Program, programOf } from '../shell/programs.ts';
import { checkIn } from './scope.ts';

/** What was run: which of the steps are meant. */
export interface Subject {
  matches(step: Step): boolean;
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
  [/\brebas(?:ed|ing|e)\b/, /^git .*\brebase\b/],
  [/\bmerged\b/, /^git .*\b(?:merge|pull)\b/],
  [/\bcherry-pick/, /^git .*\bcherry-pick\b/],
  [/\bstashed\b/, /^git .*\bstash\b/],
  [/\btagged\b|\ba tag\b/, /^git .*\btag\b/],
  [/\bpublish(?:ed|ing)?\b/, /\b(?:publish|upload|twine)\b/],
  [/\breproduc\w*\b|\brepro\b/, /\brepro/],
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
  [/\bdocker\b|\bcompose\b|\bcontainers?\b|\bimages?\b|\bstack\b/, /\bdocker|podman|compose/],
];

export function subjectOf(clause: Clause): Subject | undefined {
  const { plain, codes } = clause;
  const scripts = clause.paths.filter(
    (path) => /\.(?:sh|py|js|mjs|ts|rb|pl)$/.test(path) && !codes.some((code) => code.includes(path)),
  );
  for (const code of [...codes, ...scripts]) {
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
  const script = /\b([a-z][\w-]{2,40}) script\b/.exec(plain)?.[1];
  if (
    script !== undefined &&
    !/^(?:the|a|an|this|that|shell|bash|python|own|small|new|old|test|build|lint)$/.test(script)
  )
    return {
      matches: (step) =>
        [step.program.name, ...step.program.args].some((arg) => arg.toLowerCase().includes(script.slice(0, 8))),
    };
  const isAllOf = /\b(?:whole|full|entire|complete|all)\b/.test(plain);
  for (const [words, families] of nouns)
    if (words.test(plain))
      return { matches: (step) => isCheckOf(step, families, isAllOf && families[0] === 'tests', plain) };
  const isDry = /\bdry[- ]?run|--dry-run|\bsimulat/.test(plain);
  for (const [words, matches] of others)
    if (words.test(plain))
      return {
        matches: (step) =>
          (isDry || !step.check?.isDry) &&
          matches.test([step.program.name, ...step.program.args].join(' ')) &&
          (!/^(?:cat|grep|rg|sed|ls|head|tail|echo|less|find|git)$/.test(step.program.name) ||
            matches.source.startsWith('^git')),
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

const spokenOf = new Set(
  'then also first again after before with without successfully properly cleanly background once twice could able were have been that this they them from into when because since needs need using which while there here some tool command script program was the and not but for did its'.split(
    ' ',
  ),
);
const alike: readonly (readonly [words: RegExp, arg: RegExp])[] = [
  [/^(?:re)?(?:start|launch|boot)/, /^(?:run|start|serve|dev|up|launch|restart|reload)$/],
  [/^(?:stop|kill|shut)/, /^(?:stop|kill|down|pkill|killall)$/],
];

/** By the words that it shares with a command: "nginx was restarted" and `systemctl restart nginx`. */
export function ofWords(plain: string): Subject | undefined {
  const words = [...new Set([...plain.matchAll(/[a-z][\w-]{2,24}/g)].map(([word]) => word))].filter(
    (word) => !spokenOf.has(word),
  );
  if (words.length < 2) return undefined;
  return {
    matches: ({ program }) => {
      const args = [program.name, ...program.args]
        .flatMap((arg) => arg.toLowerCase().split(/[^\w-]+/))
        .filter((arg) => arg.length > 1);
      const shared = words.filter((word) =>
        args.some(
          (arg) =>
            (arg.length > 2 &&
              (arg === word || (arg.length > 3 && word.startsWith(arg) && word.length - arg.length < 4))) ||
            alike.some(([spoken, real]) => spoken.test(word) && real.test(arg)),
        ),
      );
      return shared.length > 1;
    },
  };
}

/** "They have not been run": what was spoken of last. */
export function ofPronoun({ plain, before }: Clause): Subject | undefined {
  if (
    !/\b(?:they|them|these|those|it)\b (?:have|has|had|were|was|did|do)|\b(?:ran|run|re-?r[au]n|execute|executed|start|started) (?:them|it|these|those|that|this)\b/.test(
      plain,
    )
  )
    return undefined;
  const near = before.slice(-120);
  let last: { at: number; families: readonly Family[] } | undefined;
  for (const [words, families] of nouns)
    for (const { index } of near.matchAll(new RegExp(words.source, 'g')))
      if (last === undefined || index > last.at) last = { at: index, families };
  if (last === undefined) return undefined;
  const { families } = last;
  return { matches: (step) => isCheckOf(step, families, false, '') };
}

/** `| @mono/ui | not run |` below a heading that speaks of tests. */
export function ofRow({ block, plain }: Clause): Subject | undefined {
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
  'sed awk find xargs perl tee jq grep rg curl wget docker kubectl terraform make git npm pnpm yarn pip cargo go pytest jest vitest eslint prettier ruff mypy tsc black flake8 rubocop rspec phpunit gradle mvn ansible helm psql mysql sqlite3 redis-cli node python ruby php java'.split(
    ' ',
  ),
);

/** Dry runs and denials are left to the judge. */
export function ofCode(code: string): Subject | undefined {
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

export function isVoid(step: Step): boolean {
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
