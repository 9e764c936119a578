import { z } from 'zod';
import { OrderRequest } from '../contract/orders-schema.ts';
import { EventRecord } from '../events/event.ts';
import { ReportEnd, ReportHead } from '../ledger/report.ts';
import { RunRecordSchema, runsSchemas } from '../ledger/schemas.ts';
import { WireView } from '../ledger/wire-view.ts';
import { present } from '../json/present.ts';
import { periods } from '../stores/budget-store.ts';
import { version } from '../version.ts';
import { problemCodes } from './problem.ts';
import { QueueState } from './queue.ts';
import { type Parameter, type RouteEntry, routeTable } from './route-table.ts';
import { rights } from './tokens.ts';

const text = z.string();
const RunSummary = runsSchemas['run-summary'];

const amounts = z.object({ usd: z.number(), tokens: z.number() });
const Budget = z.object({
  name: text,
  per: z.enum(periods),
  usd: z.number().optional(),
  tokens: z.number().optional(),
  since: z.number().optional(),
  until: z.number().optional(),
  spent: amounts,
  reserved: amounts,
  runs: z.int(),
  running: z.int(),
  unpriced: z.int(),
});

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
  WireView,
  Advice: z.object({ advice: z.array(text) }),
  Stats: z.object({ rows: z.array(runsSchemas['run-stats']) }),
  Session: z.object({ rights: z.array(z.enum(rights)), ledger: text, version: text }),
  QueueState,
  Budgets: z.object({ budgets: z.array(Budget) }),
  SignIn: z.object({ token: text }),
  OrderRequest,
  Ordered: z.object({ run_id: text }),
  StopRequest: z.object({ reason: text.optional() }),
  Stopped: z.object({ run_ids: z.array(text), refused: text.optional() }),
  ReportHead,
  ReportEnd,
  Accepted: z.object({ accepted_to: z.int() }),
  Problem: z.object({
    error: z.object({ code: z.enum([...problemCodes, 'internal']), message: text }),
    accepted_to: z.int().optional(),
  }),
} as const;

export type SchemaName = keyof typeof schemas;

/** The OpenAPI description, made from the table that the app is made from, and the schemas that it is checked against. */
export function openApi(): object {
  const { schemas: definitions } = z.toJSONSchema(registry(), {
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
  });
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, { answer, ...entry }] of Object.entries<RouteEntry>(routeTable)) {
    if (answer === undefined) continue;
    const [method = '', path = ''] = name.split(' ');
    (paths[path] ??= {})[method] = operation(path, { ...entry, answer });
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Runwire', version, description: 'Agent runs, live and afterwards.' },
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(definitions).map(([name, { $schema: _schema, $id: _id, ...rest }]) => [name, rest]),
      ),
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

const ref = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });

function operation(
  path: string,
  { about, right, parameters = {}, body, answer }: RouteEntry & Required<Pick<RouteEntry, 'answer'>>,
): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: 'The id of a run, its short form, or last',
    schema: { type: 'string' },
  }));
  const { status = 200, about: description, type = 'application/json', schema } = answer;
  return {
    summary: about,
    ...(right === undefined ? { security: [] } : { description: `Needs the right to ${right}.` }),
    parameters: [...inPath, ...Object.entries(parameters).map(parameterOf)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: body.about,
            content: { [body.type]: body.schema === undefined ? {} : { schema: ref(body.schema) } },
          },
        }),
    responses: {
      [status]: { description, content: { [type]: schema === undefined ? {} : { schema: ref(schema) } } },
      default: {
        description: 'What is wrong, and what to try',
        content: { 'application/json': { schema: ref('Problem') } },
      },
    },
  };
}

function parameterOf([name, { about, whole, examples, in: place = 'query' }]: [name: string, Parameter]): object {
  const schema =
    whole === undefined
      ? { type: 'string', ...present({ examples }) }
      : { type: 'integer', minimum: whole[0], maximum: whole[1] };
  return { name, in: place, description: about, schema };
}
