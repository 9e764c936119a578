import type { Options, Values } from '../command.ts';
import { expectOption } from '../expect/option.ts';
import { failOnOption } from '../fail-on.ts';
import { dirtyWays, isolations, permissionModes } from '../../vocabulary.ts';

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
