import { askableFilters, groupings } from '../contract/row-filters.ts';
import type { SchemaName } from './openapi.ts';
import type { Right } from './tokens.ts';

/** What a request may say besides its path. */
export interface Parameter {
  readonly about: string;
  /** A number from the first to the second; absent: a word. */
  readonly whole?: readonly [least: number, most: number];
  /** Words that it may be, among others. */
  readonly examples?: readonly string[];
  /** Absent: the query. */
  readonly in?: 'query' | 'header';
}

export interface RouteEntry {
  readonly about: string;
  /** What the caller must be allowed to do; absent: anybody may ask. */
  readonly right?: Right;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly body?: { readonly type: string; readonly about: string; readonly schema?: SchemaName };
  /** Absent: a page or a file for a browser, which is no part of the API. */
  readonly answer?: {
    readonly about: string;
    readonly type?: string;
    readonly status?: number;
    readonly schema?: SchemaName;
  };
}

export const mostRuns = 500;
const mostRecords = 1_000_000;

/** They are read all at once, not by name. */
const filters = Object.fromEntries(
  askableFilters.map(({ query, flag: { choices }, filter: { about = '' } }): [string, Parameter] => [
    query,
    { about, ...(choices === undefined ? {} : { examples: choices }) },
  ]),
) as Readonly<Record<never, Parameter>>;

/** Every address that the server answers, and all that can be asked there: the app and its description are made from this. */
export const routeTable = {
  'get /api/runs': {
    about: 'Runs, newest first',
    right: 'read',
    parameters: {
      ...filters,
      limit: { about: `1 to ${mostRuns}; default: 50`, whole: [1, mostRuns] },
      after: { about: '`next` of the previous page' },
      live: { about: '1: running ones come first' },
      total: { about: '1: add how many there are' },
    },
    answer: { about: 'A page', schema: 'RunPage' },
  },
  'get /api/runs/{id}': {
    about: 'One run with its outcome',
    right: 'read',
    answer: { about: 'The run', schema: 'RunRecord' },
  },
  'get /api/runs/{id}/children': {
    about: 'All runs below it',
    right: 'read',
    answer: { about: 'With their depth', schema: 'RunPage' },
  },
  'get /api/runs/{id}/timeline': {
    about: 'Its tool calls and their times',
    right: 'read',
    answer: { about: 'From its tape', schema: 'Timeline' },
  },
  'get /api/runs/{id}/advice': {
    about: 'What could be done next, in words and flags',
    right: 'read',
    answer: { about: 'Only what is known to work', schema: 'Advice' },
  },
  'get /api/runs/{id}/wire': {
    about: 'Its requests to models, as they passed through the wire',
    right: 'read',
    answer: {
      about: 'Each request: figures, and where it was recorded, what was new in it and what came back',
      schema: 'WireView',
    },
  },
  'get /api/runs/{id}/records': {
    about: 'Its records, from its tape, then live',
    right: 'read',
    parameters: {
      after: { about: 'Records above this sequence', whole: [0, Number.MAX_SAFE_INTEGER] },
      limit: { about: 'At most this many, without waiting for more', whole: [1, mostRecords] },
      follow: { about: '0: only what there is now' },
      cut: {
        about: 'Cut texts longer than this; `cut` in the record shows where, and how many characters are missing',
        whole: [10, Number.MAX_SAFE_INTEGER],
      },
      'Last-Event-ID': { about: 'Like `after`; sent by a browser when it reconnects', in: 'header' },
    },
    answer: {
      about:
        '`records` (a JSON array of EventRecord, its id is the last sequence), `end` ({ outcome }), `behind` ({ after }); or application/x-ndjson, if Accept asks for it',
      type: 'text/event-stream',
    },
  },
  'get /api/runs/{id}/tape': {
    about: 'The whole run as a file',
    right: 'read',
    parameters: { to: { about: 'A dialect from "runwire dialects"; default: runwire' } },
    answer: { about: 'The file; front-end formats as text/event-stream', type: 'application/x-ndjson' },
  },
  'get /api/runs/{id}/diff/{other}': {
    about: 'What differs between two runs',
    right: 'read',
    answer: { about: 'The differences', schema: 'RunDiff' },
  },
  'get /api/stats': {
    about: 'Totals',
    right: 'read',
    parameters: { ...filters, by: { about: `${groupings.join(', ')}, or label:KEY; two: user,week; default: day` } },
    answer: { about: 'A row for each group', schema: 'Stats' },
  },
  'get /api/live': {
    about: 'Every run that begins, changes or ends',
    right: 'read',
    answer: { about: '`run` (a RunSummary); `behind`: read the list again', type: 'text/event-stream' },
  },
  'get /api/runs/{id}/stop': {
    about: 'What would end with it, without stopping it; `refused`: why it cannot be stopped from here',
    right: 'stop',
    answer: { about: 'The runs of its process', schema: 'Stopped' },
  },
  'post /api/runs/{id}/stop': {
    about: 'Stops a run of this machine and this user, as Ctrl-C would',
    right: 'stop',
    body: { type: 'application/json', about: 'Why', schema: 'StopRequest' },
    answer: { about: 'The runs that end with its process', status: 202, schema: 'Stopped' },
  },
  'post /api/runs/{id}/order': {
    about: 'Pauses a run of this machine and this user, lets it go on, or changes its limits',
    right: 'stop',
    body: { type: 'application/json', about: 'What to do', schema: 'OrderRequest' },
    answer: { about: 'The run that was told; it obeys within a second', status: 202, schema: 'Ordered' },
  },
  'post /api/report/{id}': {
    about: 'A part of a run on another machine; may be sent again',
    right: 'report',
    body: {
      type: 'application/x-ndjson',
      about: 'A ReportHead, then EventRecords, then a ReportEnd when the run has ended',
    },
    answer: {
      about: 'How far it was received; 409 with `accepted_to`: send everything after that again',
      schema: 'Accepted',
    },
  },
  'get /api/session': {
    about: 'What this token may do',
    right: 'read',
    answer: { about: 'Its rights', schema: 'Session' },
  },
  'get /api/queue': {
    about: 'The queue of a fleet, and its workers',
    right: 'read',
    answer: { about: '404: there is none', schema: 'QueueState' },
  },
  'get /api/budgets': {
    about: 'The budgets of the ledger, and what is left of them',
    right: 'read',
    answer: { about: 'By name', schema: 'Budgets' },
  },
  'get /healthz': { about: 'Whether the server is healthy', answer: { about: 'ok', type: 'text/plain' } },
  'get /metrics': {
    about: 'Metrics for Prometheus',
    right: 'read',
    answer: { about: 'Text format 0.0.4', type: 'text/plain' },
  },
  'get /openapi.json': { about: 'This description' },
  'get /login': { about: 'Keeps a token as a cookie', parameters: { token: { about: 'The token' } } },
  'post /login': {
    about: 'Keeps a token as a cookie',
    body: { type: 'application/json', about: 'The token', schema: 'SignIn' },
    answer: { about: 'What it may do', schema: 'Session' },
  },
  'get /': { about: 'The page: runs' },
  'get /runs/{id}': { about: 'The page: one run' },
  'get /runs/{id}/tree': { about: 'The page: a run and all below it' },
  'get /compare/{id}/{other}': { about: 'The page: two runs' },
  'get /queue': { about: 'The page: the queue of a fleet' },
  'get /*': { about: 'The files of the page' },
} as const satisfies Record<string, RouteEntry>;

export type RouteName = keyof typeof routeTable;
