import type { Options, Values } from '../command.ts';
import { expectOption } from '../expect/option.ts';
import { failOnOption } from '../fail-on.ts';
import { dirtyWays, isolations, permissionModes } from '../../vocabulary.ts';

/** Flags of every command that works in private copies. */
export const copyOptions = {
  isolate: {
    type: 'string',
    value: ['auto', ...isolations].join('|'),
    choices: ['auto', ...isolations],
    help: 'Work in a private copy of the checkout and keep the changes as a branch; see "runwire apply" and "runwire drop"',
  },
  dirty: {
    type: 'string',
    value: dirtyWays.join('|'),
    choices: dirtyWays,
    help: 'What a copy does with uncommitted changes (default: refuse)',
  },
  setup: { type: 'string', value: 'CMD', help: 'Run this shell command in each copy before the work' },
  copy: { type: 'string', multiple: true, value: 'FILE', help: 'Put this file, which git does not track, into each copy; may be repeated' },
} as const satisfies Options;

/** Documents that are written when a run has ended. */
export const documentOptions = {
  outcome: {
    type: 'string',
    value: 'FILE|-',
    help: 'Write the outcome as JSON at the end, however the run ends; -: to stdout, instead of the answer',
  },
  'report-md': { type: 'string', value: 'FILE', help: 'Write a Markdown report at the end: verdict, cost, files, transcript' },
  'report-html': {
    type: 'string',
    value: 'FILE',
    help: 'Write the page of "runwire runs show --html" at the end, complete in one file',
  },
  junit: { type: 'string', value: 'FILE', help: 'Write a JUnit report at the end: a test case for the run, and one for each rule' },
  github: {
    type: 'boolean',
    help: 'Report to GitHub Actions: folded log, annotations, summary, outputs (default: if GITHUB_ACTIONS is true)',
  },
  'no-github': { type: 'boolean', help: 'Do not report to any CI system, including GitLab and Buildkite' },
} as const satisfies Options;

export const runOptions = {
  prompt: { type: 'string', short: 'p', value: 'TEXT', help: 'What to do (default: the argument, or stdin); text on stdin is appended' },
  agent: {
    type: 'string',
    short: 'a',
    value: 'NAME',
    help: 'The agent: builtin (default), codex, claude, opencode, gemini, qwen, pi, …; see "runwire agents"; acp:COMMAND is any command that speaks ACP',
  },
  from: { type: 'string', value: 'DIALECT', help: 'The dialect that the COMMAND after -- prints (default: detected)' },
  model: {
    type: 'string',
    short: 'm',
    value: 'PROVIDER/NAME',
    help: 'The model: openai/…, anthropic/…, google/…, azure/…, ollama/…, openai-compatible/…, replay/FILE',
  },
  json: { type: 'boolean', help: 'Write one JSON response at the end; exit with 0 or 1' },
  'output-format': {
    type: 'string',
    value: 'text|json',
    choices: ['text', 'json'],
    help: 'text: the answer (default); json: one event per line, for CI',
  },
  format: { type: 'string', value: 'json', choices: ['json'], help: 'Write bus events: sessions, messages, parts, files, permissions' },
  'stream-json': { type: 'boolean', help: 'Write dev-agent events, live and in ASCII, then the final report, indented' },
  to: {
    type: 'string',
    short: 't',
    value: 'DIALECT',
    help: 'Write any dialect that "runwire dialects" lists; for dashboards, use runwire: it is lossless, and every line is JSON',
  },
  'max-turns': { type: 'string', value: 'N', help: 'Stop after N model calls (exit 6)' },
  'max-cost-usd': { type: 'string', value: 'USD', help: 'Stop when the run has cost this much (exit 5)' },
  'max-tokens': { type: 'string', value: 'N', help: 'Stop when the run has used this many tokens, input and output (exit 5)' },
  budget: {
    type: 'string',
    value: 'NAME',
    help: 'Spend from this budget of the ledger, see "runwire budget"; exit 5 when nothing is left',
  },
  timeout: { type: 'string', value: 'DURATION', help: 'Stop after this long: 90s, 5m, 1h30m (exit 124)' },
  'idle-timeout': { type: 'string', value: 'DURATION', help: 'Stop when the agent prints nothing for this long (exit 124)' },
  'first-event-timeout': { type: 'string', value: 'DURATION', help: 'Stop when no event has arrived by then (exit 124)' },
  'permission-timeout': {
    type: 'string',
    value: 'DURATION',
    help: 'How long a permission question that nobody can answer stays open (default: 20s; exit 7)',
  },
  retries: { type: 'string', value: 'N', help: 'Retry up to N times when the model fails or the run breaks off' },
  'retry-delay': {
    type: 'string',
    value: 'DURATION',
    help: 'Wait this long before the first retry, and twice as long each time after (default: 2s)',
  },
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
  deny: { type: 'string', multiple: true, value: 'RULE', help: 'Deny with the same syntax; overrides --allow; may be repeated' },
  'add-dir': { type: 'string', multiple: true, value: 'DIR', help: 'Let file tools work in this folder too; may be repeated' },
  cwd: { type: 'string', short: 'C', value: 'DIR', help: 'Work in this folder' },
  ...copyOptions,
  resume: { type: 'string', value: 'ID', help: 'Resume an earlier session' },
  env: {
    type: 'string',
    multiple: true,
    value: 'NAME[=VALUE]',
    help: "Also pass this environment variable to the agent's process (or PREFIX_*, or *); may be repeated",
  },
  'agent-arg': { type: 'string', multiple: true, value: 'ARG', help: "Add this argument to the agent's own command line; may be repeated" },
  system: { type: 'string', value: 'TEXT', help: "Replace the agent's instructions" },
  'append-system': { type: 'string', value: 'TEXT', help: "Add to the agent's instructions" },
  'output-schema': { type: 'string', value: 'FILE', help: 'JSON Schema that the answer must match' },
  'base-url': { type: 'string', value: 'URL', help: 'Where the model is served' },
  price: {
    type: 'string',
    value: 'input=USD,output=USD[,…]',
    help: 'USD per million tokens, for a model that is not in the price table; also cache_read, cache_write, cache_write_1h',
  },
  tape: { type: 'string', value: 'FILE', help: 'Write every event to this file, whatever goes to stdout' },
  ...documentOptions,
  'record-model': { type: 'string', value: 'FILE', help: 'Record the conversation with the model, for replay/FILE' },
  ledger: {
    type: 'string',
    value: 'FILE|URL|none',
    help: 'Where to record the run: a file, postgres://…, none (default: RUNWIRE_LEDGER, else a local file)',
  },
  report: {
    type: 'string',
    value: 'URL',
    help: 'Report the run live to a "runwire serve" elsewhere, with the token in RUNWIRE_REPORT_TOKEN (default: RUNWIRE_REPORT)',
  },
  otel: {
    type: 'string',
    value: 'FILE|URL|none',
    help: 'Send OpenTelemetry spans of the run to a collector, or to a file of OTLP/JSON lines (default: set by the OTEL_* variables)',
  },
  tapes: {
    type: 'string',
    value: 's3://BUCKET/PREFIX|postgres|files',
    help: 'Where to keep the events, for all machines or only this one (default: RUNWIRE_TAPES, else with the ledger)',
  },
  label: { type: 'string', multiple: true, value: 'KEY=VALUE', help: 'Label the run, to find it in the ledger; may be repeated' },
  'no-tape': { type: 'boolean', help: 'Keep only the entry of the run in the ledger, not its events' },
  'on-end': { type: 'string', multiple: true, value: 'CMD', help: 'Run this shell command at the end, with the outcome on its stdin' },
  notify: { type: 'string', multiple: true, value: 'CMD', help: 'The same as --on-end; may be repeated' },
  parent: {
    type: 'string',
    value: 'RUN',
    help: 'Record this run in the ledger as a child of RUN; "runwire runs list --tree" shows it there',
  },
  'project-name': { type: 'string', value: 'NAME', help: 'Name of the project (default: the folder of the git repository)' },
  'parent-branch-id': { type: 'string', value: 'ID', help: 'Id of the parent branch (default: the current git branch)' },
  quiet: { type: 'boolean', short: 'q', help: 'Print only problems on stderr' },
  'no-redact': { type: 'boolean', help: 'Show secrets instead of replacing them' },
} as const satisfies Options;

export type RunValues = Values<typeof runOptions>;
