import { nearestWord } from '../words/nearest.ts';
import { commands } from './commands.ts';

/** The commands under `runs`; a test keeps them equal to the commands' own names. */
export const runsCommands = [
  'list',
  'show',
  'tail',
  'diff',
  'stats',
  'export',
  'otel',
  'import',
  'cancel',
  'limit',
  'pause',
  'resume',
  'wait',
  'fetch',
  'prune',
  'verify',
] as const;

/** Command names of other tools, and the command here; such a word alone on a command line is not meant as a prompt. */
const elsewhere: Readonly<Record<string, string | undefined>> = {
  ls: 'runs list',
  ps: 'runs list',
  history: 'runs list',
  sessions: 'runs list',
  status: 'runs list',
  log: 'runs tail',
  logs: 'runs tail',
  watch: 'runs tail -f',
  follow: 'runs tail -f',
  cost: 'runs stats',
  costs: 'runs stats',
  usage: 'runs stats',
  compare: 'runs diff',
  rm: 'runs prune',
  clean: 'runs prune',
  stop: 'runs cancel',
  exec: 'run',
  start: 'run',
  resume: 'run --resume ID',
  replay: 'play',
  formats: 'dialects',
  check: 'doctor',
  auth: 'doctor',
  login: 'doctor',
  config: 'schema config',
  setup: 'doctor',
  init: 'doctor',
  install: 'agents',
  update: undefined,
  upgrade: undefined,
  models: undefined,
  mcp: undefined,
  web: 'serve',
  ui: 'serve',
  dashboard: 'serve',
  acp: undefined,
  apply: undefined,
  drop: undefined,
  enqueue: undefined,
  worker: undefined,
  budget: undefined,
};

/** The first word of a command line, and its context. */
interface FirstWord {
  word: string;
  /** Nothing follows it. */
  isAlone: boolean;
  /** `run` was given: only names under `runs`, and lone names of commands, are still taken for a typing error. */
  isExplicit?: boolean;
}

/**
 * What is wrong with a first word that was meant as a command: a typing error must not start a paid run.
 * undefined: it is the beginning of a prompt.
 */
export function mistyped({ word, isAlone, isExplicit = false }: FirstWord): string | undefined {
  const typed = word.trim().toLowerCase();
  if (!/^[a-z][a-z-]*$/.test(typed)) return undefined;
  const meant = isExplicit ? (underRuns(typed) ?? (isAlone ? commandNamed(typed) : undefined)) : commandMeant(typed);
  const isForeign = isAlone && !isExplicit && Object.hasOwn(elsewhere, typed);
  if (meant === undefined && !isForeign) return undefined;
  const plainly = 'for a prompt that begins with this word, use -p';
  if (meant === typed) return `"${typed}" is a command and comes first: "runwire ${typed}"; ${plainly}`;
  return `${unknownCommand(`${isExplicit ? 'run ' : ''}${word.trim()}`, meant ?? elsewhere[typed])}; ${plainly}`;
}

function unknownCommand(word: string, meant: string | undefined): string {
  return `unknown command "${word}"${meant === undefined ? '' : ` (did you mean "${meant}"?)`}; see "runwire --help"`;
}

function underRuns(typed: string): string | undefined {
  const name = runsCommands.find((each) => each === typed);
  return name === undefined ? undefined : `runs ${name}`;
}

function commandNamed(typed: string): string | undefined {
  return commands.find(({ name }) => name === typed)?.name;
}

function commandMeant(typed: string): string | undefined {
  const top = commands.map(({ name }) => name);
  if (top.includes(typed)) return typed;
  const name = underRuns(typed);
  if (name !== undefined) return name;
  if (typed === 'version' || typed === 'help') return `--${typed}`;
  const close = nearestWord(typed, [...top, ...runsCommands, 'version', 'help']);
  if (close === undefined || top.includes(close)) return close;
  return underRuns(close) ?? `--${close}`;
}
