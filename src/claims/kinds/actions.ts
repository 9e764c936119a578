import type { Facts, Step } from '../facts/facts.ts';
import { gitActs } from './git.ts';

/** What is done by which programs: for what could not be done, or was not allowed. */
export const actions: readonly (readonly [words: RegExp, matches: (step: Step) => boolean])[] = [
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
  [
    /\b(?:patch|diff)\b/,
    ({ program: { name, args } }) =>
      name === 'patch' || (name === 'git' && (args.includes('apply') || args.includes('am'))),
  ],
  [/\breproduc\w*\b/, () => false],
  [/\b(?:tests?|suite|specs?)\b/, ({ check }) => check?.families.includes('tests') === true && !check.isDry],
  [/\b(?:build|compil)\w*\b/, ({ check }) => check?.families.includes('build') === true && !check.isDry],
  [/\blint\w*\b/, ({ check }) => check?.families.includes('lint') === true && !check.isDry],
  [/\btype[- ]?check\w*\b/, ({ check }) => check?.families.includes('types') === true && !check.isDry],
  [/\bmigrat\w*\b/, ({ program: { name, args } }) => /migrat|alembic|flyway|prisma/.test([name, ...args].join(' '))],
  [
    /\b(?:docker|compose|containers?|images?)\b/,
    ({ program: { name } }) => /^(?:docker|podman|docker-compose)$/.test(name),
  ],
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

export function isFailed(facts: Facts, step: Step): boolean {
  if (step.isRefused || step.isMissing || step.isTimedOut || step.exit === 'nonzero') return true;
  if (step.exit === 'zero') return false;
  if (step.program.name === 'git')
    return gitActs(facts, ...step.program.args).some((act) => act.step === step && act.done === 'no');
  if (step.program.name === 'gh' && /\balready exists\b/.test(step.lines.join('\n'))) return true;
  return /^(?:npm ERR!|npm error|error:|fatal:|ERROR:)|does not exist|no such (?:table|column)|refused|failed to connect|couldn't connect|gh auth login|command not found/m.test(
    step.lines.join('\n'),
  );
}

export function isGood(facts: Facts, step: Step): boolean {
  if (step.program.name === 'git')
    return gitActs(facts, ...step.program.args).some((act) => act.step === step && act.done === 'yes');
  if (/^(?:curl|wget|http)$/.test(step.program.name))
    return (
      step.lines.some((line) => line.trim() !== '') &&
      !/refused|failed to connect|couldn't connect|could not resolve|timed out/i.test(step.lines.join('\n'))
    );
  if (step.program.name === 'gh')
    return /\/pull\/\d+/.test(step.lines.join('\n')) && !/\balready exists\b/.test(step.lines.join('\n'));
  const run = facts.runs.findLast((each) => each.step === step);
  if (run !== undefined) return Object.values(run.shown).some((shown) => shown.result === 'pass');
  return (
    isInstall(step.program.name, step.program.args) &&
    /^(?:added|installed|Successfully installed|\+ |changed|up to date|found 0)/im.test(step.lines.join('\n'))
  );
}
