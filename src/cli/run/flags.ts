import { resolve } from 'node:path';
import { type Passed, readEnvironmentWords } from '../../agents/environment.ts';
import { Failure } from '../../failure.ts';
import type { FailOn } from '../../outcome/verdict.ts';
import { parseLabel } from '../../stores/labels.ts';
import type { Labels } from '../../stores/run-store.ts';
import type { AskedLimits } from '../../run/ask.ts';
import type { Options, Values } from '../command.ts';
import { expectOption } from '../expect/option.ts';
import { failOnOf, failOnOption } from '../fail-on.ts';
import { amount, filled, readCost, readCount, readDuration, readWord } from '../flag-values.ts';
import {
  builtIn,
  type Dirty,
  type Environment,
  dirtyWays,
  type IsolationKind,
  isolations,
  type PermissionMode,
  permissionModes,
  type TokenPrice,
} from '../../vocabulary.ts';
import { withoutPassword } from '../../redact/url-password.ts';

/** Flags of all that works in private copies. */
export const copyOptions = {
  isolate: {
    type: 'string',
    value: ['auto', ...isolations].join('|'),
    choices: ['auto', ...isolations],
    help: 'Work in a private copy of the checkout; its effect is kept as a branch: see "runwire apply" and "runwire drop"',
  },
  dirty: {
    type: 'string',
    value: dirtyWays.join('|'),
    choices: dirtyWays,
    help: 'What a copy does with uncommitted changes (default: refuse)',
  },
  setup: { type: 'string', value: 'CMD', help: 'Run this shell command in each copy before the work' },
  copy: { type: 'string', multiple: true, value: 'FILE', help: 'A file that git does not know and each copy must have; may be repeated' },
} as const satisfies Options;

/** Documents that are written when a run has ended. */
export const documentOptions = {
  outcome: {
    type: 'string',
    value: 'FILE|-',
    help: 'Write the outcome as JSON at the end, however it ends; - is stdout, instead of the answer',
  },
  'report-md': { type: 'string', value: 'FILE', help: 'Write a report in Markdown at the end: verdict, cost, files, transcript' },
  'report-html': {
    type: 'string',
    value: 'FILE',
    help: 'Write the page of "runwire runs show --html" at the end: one file, with all of it',
  },
  junit: { type: 'string', value: 'FILE', help: 'Write a JUnit report at the end: the run is a test case, and each rule' },
  github: {
    type: 'boolean',
    help: 'Tell GitHub Actions: folded log, annotations, summary, outputs (default: where GITHUB_ACTIONS is true)',
  },
  'no-github': { type: 'boolean', help: 'Tell no CI anything, including GitLab and Buildkite' },
} as const satisfies Options;

export const runOptions = {
  prompt: { type: 'string', short: 'p', value: 'TEXT', help: 'What to do; else the argument, else stdin (both: the prompt, then stdin)' },
  agent: {
    type: 'string',
    short: 'a',
    value: 'NAME',
    help: 'Who does it: builtin (default), codex, claude, opencode, gemini, qwen, pi, …; see "runwire agents"; acp:COMMAND is any that speaks ACP',
  },
  from: { type: 'string', value: 'DIALECT', help: 'What the COMMAND after -- prints (default: detected)' },
  model: {
    type: 'string',
    short: 'm',
    value: 'PROVIDER/NAME',
    help: 'openai/…, anthropic/…, google/…, azure/…, ollama/…, openai-compatible/…, replay/FILE',
  },
  json: { type: 'boolean', help: 'Write one JSON response at the end; exit with 0 or 1' },
  'output-format': {
    type: 'string',
    value: 'text|json',
    choices: ['text', 'json'],
    help: 'text: the answer (default); json: one event a line, for CI',
  },
  format: { type: 'string', value: 'json', choices: ['json'], help: 'Write bus events: sessions, messages, parts, files, permissions' },
  'stream-json': { type: 'boolean', help: 'Write the events of dev-agent, live and in ASCII, then the final report, indented' },
  to: {
    type: 'string',
    short: 't',
    value: 'DIALECT',
    help: 'Write any dialect of "runwire dialects"; runwire is the lossless one, for dashboards: all its lines parse',
  },
  'max-turns': { type: 'string', value: 'N', help: 'Stop after N calls of the model (exit 6)' },
  'max-cost-usd': { type: 'string', value: 'USD', help: 'Stop when the run has cost this much (exit 5)' },
  'max-tokens': { type: 'string', value: 'N', help: 'Stop when it has used this many tokens, in and out (exit 5)' },
  budget: { type: 'string', value: 'NAME', help: 'Take from this budget of the ledger, as "runwire budget" knows it; none left: exit 5' },
  timeout: { type: 'string', value: 'DURATION', help: 'Stop after 90s, 5m, 1h30m (exit 124)' },
  'idle-timeout': { type: 'string', value: 'DURATION', help: 'Stop when the agent prints nothing for this long (exit 124)' },
  'first-event-timeout': { type: 'string', value: 'DURATION', help: 'Stop when it has said nothing by then (exit 124)' },
  'permission-timeout': {
    type: 'string',
    value: 'DURATION',
    help: 'How long a question that nobody can answer stays open (default: 20s; exit 7)',
  },
  retries: { type: 'string', value: 'N', help: 'Start again, up to N times, when the model fails or the run breaks off' },
  'retry-delay': { type: 'string', value: 'DURATION', help: 'The first wait before that, doubled each time (default: 2s)' },
  'fail-on': failOnOption,
  expect: expectOption,
  'permission-mode': {
    type: 'string',
    value: permissionModes.join('|'),
    choices: permissionModes,
    help: 'What the agent may do without a rule',
  },
  allow: {
    type: 'string',
    multiple: true,
    value: 'RULE',
    help: 'Allow bash(npm test:*), write(src/**), fetch(example.com), …; may be repeated',
  },
  deny: { type: 'string', multiple: true, value: 'RULE', help: 'Deny the same way; outweighs --allow; may be repeated' },
  'add-dir': { type: 'string', multiple: true, value: 'DIR', help: 'Let file tools work in this folder too; may be repeated' },
  cwd: { type: 'string', short: 'C', value: 'DIR', help: 'Work in this folder' },
  ...copyOptions,
  resume: { type: 'string', value: 'ID', help: 'Resume an earlier session' },
  env: {
    type: 'string',
    multiple: true,
    value: 'NAME[=VALUE]',
    help: "Let the agent's process have this variable too (or PREFIX_*, or *); may be repeated",
  },
  'agent-arg': { type: 'string', multiple: true, value: 'ARG', help: "One more word for the agent's own command line; may be repeated" },
  system: { type: 'string', value: 'TEXT', help: "Replace the agent's instructions" },
  'append-system': { type: 'string', value: 'TEXT', help: 'Add to them' },
  'output-schema': { type: 'string', value: 'FILE', help: 'JSON Schema that the answer must fit' },
  'base-url': { type: 'string', value: 'URL', help: 'Where the model is served' },
  price: {
    type: 'string',
    value: 'input=USD,output=USD[,cache_read=USD]',
    help: 'USD per million tokens, where the price table has none',
  },
  tape: { type: 'string', value: 'FILE', help: 'Keep every event in this file, whatever stdout gets' },
  ...documentOptions,
  'record-model': { type: 'string', value: 'FILE', help: 'Keep the conversation with the model, for replay/FILE' },
  ledger: {
    type: 'string',
    value: 'FILE|URL|none',
    help: 'Where the run is remembered: a file, postgres://…, none (default: RUNWIRE_LEDGER, else a local file)',
  },
  report: {
    type: 'string',
    value: 'URL',
    help: 'Tell a "runwire serve" elsewhere about it, live; the token is in RUNWIRE_REPORT_TOKEN (default: RUNWIRE_REPORT)',
  },
  otel: {
    type: 'string',
    value: 'FILE|URL|none',
    help: 'Send its spans to OpenTelemetry: a collector, or a file of OTLP/JSON lines (default: as the OTEL_* variables say)',
  },
  tapes: {
    type: 'string',
    value: 's3://BUCKET/PREFIX|postgres|files',
    help: 'Where its events are kept, for all machines or this one (default: RUNWIRE_TAPES, else with the ledger)',
  },
  label: { type: 'string', multiple: true, value: 'KEY=VALUE', help: 'How to find it there again; may be repeated' },
  'no-tape': { type: 'boolean', help: 'Keep only its line in the ledger, not its events' },
  'on-end': { type: 'string', multiple: true, value: 'CMD', help: 'Run this shell command at the end, with the outcome on its stdin' },
  notify: { type: 'string', multiple: true, value: 'CMD', help: 'The same; may be repeated' },
  parent: { type: 'string', value: 'RUN', help: 'Make it part of this run in the ledger: "runwire runs list --tree" shows it there' },
  'project-name': { type: 'string', value: 'NAME', help: 'Default: the folder of the git repository' },
  'parent-branch-id': { type: 'string', value: 'ID', help: 'Default: the current git branch' },
  quiet: { type: 'boolean', short: 'q', help: 'Say on stderr only what went wrong' },
  'no-redact': { type: 'boolean', help: 'Show secrets instead of replacing them' },
} as const satisfies Options;

export type RunValues = Values<typeof runOptions>;

/** What goes to stdout: the answer, or the lines of a dialect. */
export interface Format {
  /** As the user asked for it. */
  flag: 'text' | '--json' | '--output-format json' | '--format json' | '--stream-json' | '--to';
  /** What follows `--to`: a dialect, with its variant if one is named. */
  to?: string;
}

/** Where documents about the run are written, as it was typed. */
export interface Documents {
  outcome: string | undefined;
  reportMd: string | undefined;
  reportHtml: string | undefined;
  junit: string | undefined;
}

/** CIs that have a place for what a run comes to. */
export type CiName = 'github' | 'gitlab' | 'buildkite';

/** The flags of a run, checked. */
export interface RunFlags {
  format: Format;
  prompt: string | undefined;
  agent: string;
  dialect: string | undefined;
  model: string | undefined;
  baseUrl: string | undefined;
  price: TokenPrice | undefined;
  system: string | undefined;
  appendSystem: string | undefined;
  outputSchema: string | undefined;
  resume: string | undefined;
  cwd: string | undefined;
  limits: AskedLimits;
  budget: string | undefined;
  retries: number;
  retryDelayMs: number;
  extraEnv: Passed;
  agentArgs: readonly string[];
  onEnd: readonly string[];
  ledger: string | undefined;
  tapes: string | undefined;
  report: string | undefined;
  otel: string | undefined;
  labels: Labels;
  keepsTape: boolean;
  failOn: readonly FailOn[];
  /** Rules, or files of rules, as they were typed. */
  expectWords: readonly string[];
  permissionMode: PermissionMode | undefined;
  allow: readonly string[];
  deny: readonly string[];
  directories: readonly string[];
  tape: string | undefined;
  recordModel: string | undefined;
  documents: Documents;
  /** Unset: as the environment says. */
  github: boolean | undefined;
  /** A run of the ledger, as a person names it. */
  parent: string | undefined;
  isolate: 'auto' | IsolationKind | undefined;
  dirty: Dirty | undefined;
  setup: string | undefined;
  copy: readonly string[];
  projectName: string | undefined;
  parentBranchId: string | undefined;
  quiet: boolean;
  redact: boolean;
}

type FormatFlag = 'json' | 'output-format' | 'format' | 'stream-json' | 'to';

/** Only one format at a time. */
export function readFormat(values: Pick<RunValues, FormatFlag>): Format {
  const chosen: Format[] = [];
  if (values.json === true) chosen.push({ flag: '--json' });
  if (values['output-format'] !== undefined) chosen.push(outputFormat(values['output-format']));
  if (values.format !== undefined) {
    if (values.format.toLowerCase() !== 'json') throw new Failure('input', `unknown format: ${values.format} (expected json)`);
    chosen.push({ flag: '--format json' });
  }
  if (values['stream-json'] === true) chosen.push({ flag: '--stream-json' });
  if (values.to !== undefined) chosen.push({ flag: '--to', to: values.to });
  const [format, other] = chosen;
  if (format !== undefined && other !== undefined)
    throw new Failure(
      'input',
      `one format at a time: ${chosen.map(({ flag }) => (flag === 'text' ? '--output-format text' : flag)).join(' and ')}`,
    );
  return format ?? { flag: 'text' };
}

function outputFormat(text: string): Format {
  switch (text.toLowerCase()) {
    case 'text':
      return { flag: 'text' };
    case 'json':
      return { flag: '--output-format json' };
    default:
      throw new Failure('input', `unknown output format: ${text} (expected text or json)`);
  }
}

/** The prompt of the command line; several words without quotes are one prompt. */
function readWords(values: RunValues, operands: readonly string[]): string | undefined {
  if (values.prompt !== undefined && operands.length > 0)
    throw new Failure('input', `two prompts: --prompt and ${JSON.stringify(operands.join(' '))}; give one`);
  return values.prompt ?? (operands.length === 0 ? undefined : operands.join(' '));
}

/** Throws `Failure` with what is wrong and an example of what is right. */
export function readFlags(values: RunValues, operands: readonly string[]): RunFlags {
  return {
    format: readFormat(values),
    prompt: readWords(values, operands),
    agent: filled('--agent', values.agent, 'codex') ?? builtIn,
    dialect: filled('--from', values.from, 'codex'),
    model: filled('--model', values.model, 'anthropic/claude-sonnet-4-5'),
    baseUrl: readUrl(values['base-url']),
    price: readPrice(values.price),
    system: values.system,
    appendSystem: values['append-system'],
    outputSchema: filled('--output-schema', values['output-schema'], 'answer.schema.json'),
    resume: filled('--resume', values.resume, 'the session id of an earlier run'),
    cwd: filled('--cwd', values.cwd, './project'),
    limits: {
      maxTurns: readCount('--max-turns', values['max-turns'], 20),
      maxCostUsd: readCost(values['max-cost-usd']),
      maxTokens: readCount('--max-tokens', values['max-tokens'], 200_000),
      timeoutMs: readDuration('--timeout', values.timeout),
      idleTimeoutMs: readDuration('--idle-timeout', values['idle-timeout']),
      firstEventTimeoutMs: readDuration('--first-event-timeout', values['first-event-timeout']),
      permissionTimeoutMs: readDuration('--permission-timeout', values['permission-timeout']),
    },
    budget: filled('--budget', values.budget, 'team-a'),
    retries: readRetries(values.retries),
    retryDelayMs: readDuration('--retry-delay', values['retry-delay']) ?? 2000,
    extraEnv: readEnvironmentWords(values.env ?? []),
    agentArgs: values['agent-arg'] ?? [],
    ledger: values.ledger,
    tapes: values.tapes,
    report: values.report,
    otel: filled('--otel', values.otel, 'spans.jsonl'),
    labels: Object.fromEntries((values.label ?? []).map((each) => parseLabel(each))),
    keepsTape: values['no-tape'] !== true,
    onEnd: [...(values['on-end'] ?? []), ...(values.notify ?? [])],
    failOn: failOnOf(values['fail-on']).failOn ?? [],
    expectWords: values.expect ?? [],
    permissionMode: readWord('--permission-mode', values['permission-mode'], permissionModes),
    allow: values.allow ?? [],
    deny: values.deny ?? [],
    directories: values['add-dir'] ?? [],
    tape: filled('--tape', values.tape, 'run.tape'),
    documents: readDocuments(values),
    github: readGithub(values),
    recordModel: filled('--record-model', values['record-model'], 'model.jsonl'),
    parent: filled('--parent', values.parent, 'last, or the id of a run'),
    ...readCopy(asked(values)),
    projectName: values['project-name'],
    parentBranchId: values['parent-branch-id'],
    quiet: values.quiet === true,
    redact: values['no-redact'] !== true,
  };
}

type DocumentValues = Values<typeof documentOptions>;

/** Whether any document is asked for. */
export function wantsDocuments(values: DocumentValues, env: Environment): boolean {
  const { outcome, 'report-md': reportMd, 'report-html': reportHtml, junit } = values;
  return [outcome, reportMd, reportHtml, junit, ciOf(readGithub(values), env)].some((each) => each !== undefined);
}

export function readGithub(values: DocumentValues): boolean | undefined {
  return values['no-github'] === true ? false : values.github;
}

/** The CI that is told of the run. */
export function ciOf(github: boolean | undefined, env: Environment): CiName | undefined {
  if (github !== undefined) return github ? 'github' : undefined;
  if (env['GITHUB_ACTIONS'] === 'true') return 'github';
  if (env['GITLAB_CI'] === 'true') return 'gitlab';
  return env['BUILDKITE'] === 'true' ? 'buildkite' : undefined;
}

export function readDocuments(values: DocumentValues & Pick<RunValues, FormatFlag>): Documents {
  const outcome = filled('--outcome', values.outcome, 'outcome.json');
  const { flag } = readFormat(values);
  if (outcome === '-' && flag !== 'text') throw new Failure('input', `--outcome -: stdout has ${flag} already; name a file`);
  const documents = {
    outcome,
    reportMd: filled('--report-md', values['report-md'], 'report.md'),
    reportHtml: filled('--report-html', values['report-html'], 'report.html'),
    junit: filled('--junit', values.junit, 'junit.xml'),
  };
  const names = Object.values(documents).flatMap((name) =>
    name === undefined || name === '-' || name.startsWith('/dev/') ? [] : [resolve(name)],
  );
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Failure('input', `${twice}: two documents cannot be the same file`);
  return documents;
}

function readRetries(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,3}$/.test(text)) throw new Failure('input', `--retries ${text}: expected a number from 0 to 999, such as 2`);
  return Number(text);
}

function readPrice(text: string | undefined): RunFlags['price'] {
  if (text === undefined) return undefined;
  const wrong = (why: string): Failure =>
    new Failure('input', `--price ${text}: ${why}; expected USD per million tokens, such as input=3,output=15,cache_read=0.3`);
  const given = new Map<string, number>();
  for (const part of text.split(',')) {
    const [name = '', value = '', ...more] = part.split('=');
    const usd = amount(value);
    if (!['input', 'output', 'cache_read'].includes(name)) throw wrong(`"${part}" is not input, output or cache_read`);
    if (usd === undefined || more.length > 0) throw wrong(`"${part}" is not an amount`);
    if (given.has(name)) throw wrong(`${name} twice`);
    given.set(name, usd);
  }
  const [input, output, cacheRead] = ['input', 'output', 'cache_read'].map((name) => given.get(name));
  if (input === undefined || output === undefined) throw wrong(`${input === undefined ? 'input' : 'output'} is missing`);
  return { input, output, ...(cacheRead === undefined ? {} : { cacheRead }) };
}

function readUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new Failure('input', `--base-url ${withoutPassword(text)}: expected a URL such as http://localhost:11434/v1`);
  return text;
}

/** A run works in the checkout itself unless it is asked for a copy. */
function asked(values: RunValues): RunValues {
  const given = (['dirty', 'setup', 'copy'] as const).filter((name) => values[name] !== undefined).map((name) => `--${name}`);
  if (values.isolate === undefined && given.length > 0)
    throw new Failure('input', `${given.join(', ')}: only for a private copy; add --isolate auto`);
  return values;
}

/** What every command that makes copies reads the same way. */
function readCopy(values: Values<typeof copyOptions>): Pick<RunFlags, 'isolate' | 'dirty' | 'setup' | 'copy'> {
  return {
    isolate: readWord('--isolate', values.isolate, ['auto', ...isolations]),
    dirty: readWord('--dirty', values.dirty, dirtyWays),
    setup: filled('--setup', values.setup, '"npm ci"'),
    copy: values.copy ?? [],
  };
}
