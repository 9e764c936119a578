import { requestOptions } from '../../contract/flags.ts';
import type { Options, Values } from '../command.ts';

/** What goes to stdout. */
const outputOptions = {
  json: {
    type: 'boolean',
    help: 'Write one JSON response at the end; exit with 0 or 1',
    group: 'Output',
    common: true,
  },
  'output-format': {
    type: 'string',
    value: 'text|json',
    choices: ['text', 'json'],
    help: 'text: the answer (default); json: one event per line, for CI',
    group: 'Output',
    common: true,
  },
  format: {
    type: 'string',
    value: 'json',
    choices: ['json'],
    help: 'Write bus events: sessions, messages, parts, files, permissions',
    group: 'Output',
  },
  'stream-json': {
    type: 'boolean',
    help: 'Write dev-agent events, live and in ASCII, then the final report, indented',
    group: 'Output',
  },
  to: {
    type: 'string',
    short: 't',
    value: 'DIALECT',
    help: 'Write any dialect that "runwire dialects" lists; for dashboards, use runwire: it is lossless, and every line is JSON',
    group: 'Output',
    common: true,
  },
} as const satisfies Options;

/** Documents that are written when a run has ended. */
export const documentOptions = {
  outcome: {
    type: 'string',
    value: 'FILE|-',
    help: 'Write the outcome as JSON at the end, however the run ends; -: to stdout, instead of the answer',
    group: 'Output',
    common: true,
  },
  'report-md': {
    type: 'string',
    value: 'FILE',
    help: 'Write a Markdown report at the end: verdict, cost, files, transcript',
    group: 'CI',
  },
  'report-html': {
    type: 'string',
    value: 'FILE',
    help: 'Write the page of "runwire runs show --html" at the end, complete in one file',
    group: 'CI',
  },
  junit: {
    type: 'string',
    value: 'FILE',
    help: 'Write a JUnit report at the end: a test case for the run, and one for each rule',
    group: 'CI',
  },
  'pr-comment': {
    type: 'string',
    value: 'FILE|-',
    help: 'Write the body of a comment on a pull request at the end: verdict, cost, answer, claims, files; -: to stdout, instead of the answer',
    group: 'CI',
  },
  github: {
    type: 'boolean',
    help: 'Report to GitHub Actions: folded log, annotations, summary, outputs (default: if GITHUB_ACTIONS is true)',
    group: 'CI',
  },
  'no-github': { type: 'boolean', help: 'Do not report to any CI system, including GitLab and Buildkite', group: 'CI' },
} as const satisfies Options;

/** Where a run is kept. */
export const recordingOptions = {
  ledger: {
    type: 'string',
    value: 'FILE|URL|none',
    help: 'Where to record the run: a file, postgres://…, none (default: RUNWIRE_LEDGER, else a local file)',
    group: 'Recording',
  },
  report: {
    type: 'string',
    value: 'URL',
    help: 'Report the run live to a "runwire serve" elsewhere, with the token in RUNWIRE_REPORT_TOKEN (default: RUNWIRE_REPORT)',
    group: 'Recording',
  },
  otel: {
    type: 'string',
    value: 'FILE|URL|none',
    help: 'Send OpenTelemetry spans of the run to a collector, or to a file of OTLP/JSON lines (default: set by the OTEL_* variables)',
    group: 'Recording',
  },
  tapes: {
    type: 'string',
    value: 'PLACE',
    help: 'Where to keep the events, for all machines or only this one: s3://BUCKET/PREFIX, postgres or files (default: RUNWIRE_TAPES, else with the ledger)',
    group: 'Recording',
  },
  'no-tape': {
    type: 'boolean',
    help: 'Keep only the entry of the run in the ledger, not its events',
    group: 'Recording',
  },
} as const satisfies Options;

export const runOptions = {
  ...requestOptions,
  ...outputOptions,
  ...documentOptions,
  ...recordingOptions,
  tape: {
    type: 'string',
    value: 'FILE',
    help: 'Write every event to this file, whatever goes to stdout',
    group: 'Recording',
  },
  'on-end': {
    type: 'string',
    multiple: true,
    value: 'CMD',
    help: 'Run this shell command at the end, with the outcome on its stdin',
    group: 'CI',
  },
  notify: { type: 'string', multiple: true, value: 'CMD', help: 'The same as --on-end; may be repeated', group: 'CI' },
  quiet: { type: 'boolean', short: 'q', help: 'Print only problems on stderr', group: 'Output' },
} as const satisfies Options;

export type RunValues = Values<typeof runOptions>;
