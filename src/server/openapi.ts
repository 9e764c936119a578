import { z } from 'zod';
import { askableFilters, groupings } from '../contract/row-filters.ts';
import { EventRecord } from '../events/event.ts';
import { ReportEnd, ReportHead } from '../ledger/report.ts';
import { RunRecordSchema, runsSchemas } from '../ledger/schemas.ts';
import { version } from '../version.ts';
import { problemCodes } from './problem.ts';
import { QueueState } from './queue.ts';
import { rights } from './tokens.ts';

const text = z.string();
const RunSummary = runsSchemas['run-summary'];

const schemas = {
  RunSummary,
  RunRecord: RunRecordSchema,
  EventRecord,
  RunDiff: runsSchemas['run-diff'],
  StatsRow: runsSchemas['run-stats'],
  RunPage: z.object({ runs: z.array(RunSummary), next: text.optional(), total: z.int().optional() }),
  Timeline: z.object({
    entries: RunRecordSchema.shape.timeline.unwrap(),
    length_ms: z.number().optional(),
    omitted: z.int(),
  }),
  Stats: z.object({ rows: z.array(runsSchemas['run-stats']) }),
  Session: z.object({ rights: z.array(z.enum(rights)), ledger: text, version: text }),
  QueueState,
  StopRequest: z.object({ reason: text.optional() }),
  Stopped: z.object({ run_ids: z.array(text), refused: text.optional() }),
  ReportHead,
  ReportEnd,
  Accepted: z.object({ accepted_to: z.int() }),
  Problem: z.object({ error: z.object({ code: z.enum([...problemCodes, 'internal']), message: text }), accepted_to: z.int().optional() }),
} as const;

type Name = keyof typeof schemas;

interface Parameter {
  name: string;
  about: string;
  schema?: object;
  in?: 'query' | 'header';
}

interface Route {
  about: string;
  right?: (typeof rights)[number];
  query?: readonly Parameter[];
  body?: { type: string; about: string; name?: Name };
  answer: { status?: string; about: string; type?: string; name?: Name };
}

const filters: readonly Parameter[] = askableFilters.map(({ query: name, flag: { choices }, filter: { about = '' } }) => ({
  name,
  about,
  ...(choices === undefined ? {} : { schema: { type: 'string', examples: [...choices] } }),
}));

const stream = (about: string): Route['answer'] => ({ about, type: 'text/event-stream' });

const routes: Readonly<Record<string, Route>> = {
  'get /api/runs': {
    about: 'Runs, newest first',
    right: 'read',
    query: [
      ...filters,
      { name: 'limit', about: '1 to 500; default: 50' },
      { name: 'after', about: '`next` of the previous page' },
      { name: 'live', about: '1: running ones come first' },
      { name: 'total', about: '1: add how many there are' },
    ],
    answer: { about: 'A page', name: 'RunPage' },
  },
  'get /api/runs/{id}': { about: 'One run with its outcome', right: 'read', answer: { about: 'The run', name: 'RunRecord' } },
  'get /api/runs/{id}/children': { about: 'All runs below it', right: 'read', answer: { about: 'With their depth', name: 'RunPage' } },
  'get /api/runs/{id}/timeline': {
    about: 'Its tool calls and their times',
    right: 'read',
    answer: { about: 'From its tape', name: 'Timeline' },
  },
  'get /api/runs/{id}/records': {
    about: 'Its records, from its tape, then live',
    right: 'read',
    query: [
      { name: 'after', about: 'Records above this sequence' },
      { name: 'limit', about: 'At most this many, without waiting for more' },
      { name: 'follow', about: '0: only what there is now' },
      { name: 'cut', about: 'Cut texts longer than this; `cut` in the record shows where, and how many characters are missing' },
      { name: 'Last-Event-ID', about: 'Like `after`; sent by a browser when it reconnects', in: 'header' },
    ],
    answer: stream(
      '`records` (a JSON array of EventRecord, its id is the last sequence), `end` ({ outcome }), `behind` ({ after }); or application/x-ndjson, if Accept asks for it',
    ),
  },
  'get /api/runs/{id}/tape': {
    about: 'The whole run as a file',
    right: 'read',
    query: [{ name: 'to', about: 'A dialect from "runwire dialects"; default: runwire' }],
    answer: { about: 'The file; front-end formats as text/event-stream', type: 'application/x-ndjson' },
  },
  'get /api/runs/{id}/diff/{other}': {
    about: 'What differs between two runs',
    right: 'read',
    answer: { about: 'The differences', name: 'RunDiff' },
  },
  'get /api/stats': {
    about: 'Totals',
    right: 'read',
    query: [...filters, { name: 'by', about: `${groupings.join(', ')}, or label:KEY; two: user,week; default: day` }],
    answer: { about: 'A row for each group', name: 'Stats' },
  },
  'get /api/live': {
    about: 'Every run that begins, changes or ends',
    right: 'read',
    answer: stream('`run` (a RunSummary); `behind`: read the list again'),
  },
  'get /api/runs/{id}/stop': {
    about: 'What would end with it, without stopping it; `refused`: why it cannot be stopped from here',
    right: 'stop',
    answer: { about: 'The runs of its process', name: 'Stopped' },
  },
  'post /api/runs/{id}/stop': {
    about: 'Stops a run of this machine and this user, as Ctrl-C would',
    right: 'stop',
    body: { type: 'application/json', about: 'Why', name: 'StopRequest' },
    answer: { status: '202', about: 'The runs that end with its process', name: 'Stopped' },
  },
  'post /api/report/{id}': {
    about: 'A part of a run on another machine; may be sent again',
    right: 'report',
    body: { type: 'application/x-ndjson', about: 'A ReportHead, then EventRecords, then a ReportEnd when the run has ended' },
    answer: { about: 'How far it was received; 409 with `accepted_to`: send everything after that again', name: 'Accepted' },
  },
  'get /api/session': { about: 'What this token may do', right: 'read', answer: { about: 'Its rights', name: 'Session' } },
  'get /api/queue': {
    about: 'The queue of a fleet, and its workers',
    right: 'read',
    answer: { about: '404: there is none', name: 'QueueState' },
  },
  'get /healthz': { about: 'Whether the server is healthy', answer: { about: 'ok', type: 'text/plain' } },
  'get /metrics': { about: 'Metrics for Prometheus', right: 'read', answer: { about: 'Text format 0.0.4', type: 'text/plain' } },
};

/** The OpenAPI description, made from the schemas that the API is checked against. */
export function openApi(): object {
  const { schemas: definitions } = z.toJSONSchema(registry(), { unrepresentable: 'any', uri: (id) => `#/components/schemas/${id}` });
  const paths: Record<string, Record<string, object>> = {};
  for (const [key, route] of Object.entries(routes)) {
    const [method = '', path = ''] = key.split(' ');
    (paths[path] ??= {})[method] = operation(path, route);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Runwire', version, description: 'Agent runs, live and afterwards.' },
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(definitions).map(([name, { $schema: _schema, $id: _id, ...rest }]) => [name, rest])),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'runwire' },
      },
    },
  };
}

function registry() {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) named.add(schema, { id });
  return named;
}

const ref = (name: Name) => ({ $ref: `#/components/schemas/${name}` });

function operation(path: string, { about, right, query = [], body, answer }: Route): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: 'The id of a run, its short form, or last',
    schema: { type: 'string' },
  }));
  const asked = query.map(({ name, about: description, schema = { type: 'string' }, in: place = 'query' }) => ({
    name,
    in: place,
    description,
    schema,
  }));
  const { status = '200', about: description, type = 'application/json', name } = answer;
  return {
    summary: about,
    ...(right === undefined ? { security: [] } : { description: `Needs the right to ${right}.` }),
    parameters: [...inPath, ...asked],
    ...(body === undefined
      ? {}
      : { requestBody: { description: body.about, content: { [body.type]: body.name === undefined ? {} : { schema: ref(body.name) } } } }),
    responses: {
      [status]: { description, content: { [type]: name === undefined ? {} : { schema: ref(name) } } },
      default: { description: 'What is wrong, and what to try', content: { 'application/json': { schema: ref('Problem') } } },
    },
  };
}
