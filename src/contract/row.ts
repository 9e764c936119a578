import type { z } from 'zod';
import type { RunOutcome } from '../outcome/outcome.ts';

/** What schemas are made with. It is handed in, so that reading a help text does not load a schema library. */
export interface RowKit {
  z: typeof z;
  outcome: typeof RunOutcome;
}

/** How a value stands in a column with a type. */
export type CellKind = 'text' | 'whole' | 'decimal' | 'time' | 'labels';

/** What of an outcome is in a row. Named, as the types of every field would spell it out. */
interface ReadOutcome extends Pick<
  RunOutcome,
  'status' | 'metrics' | 'verdict' | 'provenance' | 'session_id' | 'artifacts' | 'warnings' | 'claims' | 'omitted'
> {}

/** One thing that is known of a stored run. */
export interface RowField<Schema extends z.ZodType = z.ZodType> {
  readonly schema: (kit: RowKit) => Schema;
  readonly cell: CellKind;
  /** Every run has one; anything else that is not known is absent. */
  readonly isAlways?: true;
  /** The table in which it is read; absent: it is put together from others. */
  readonly table?: 'runs' | 'documents';
  /** The column, if it has another name. */
  readonly column?: string;
  /** `runs` has a copy of it, which is faster to search and to group. */
  readonly isCopied?: true;
  /** Whoever starts the run says it, and what an outcome says does not change it. */
  readonly isGiven?: true;
  /** What an outcome says of it. */
  from?(outcome: ReadOutcome): string | number | undefined;
}

function known<Schema extends z.ZodType, const Rest extends Omit<RowField, 'schema'>>(
  schema: (kit: RowKit) => Schema,
  rest: Rest,
): Rest & { readonly schema: (kit: RowKit) => Schema } {
  return { ...rest, schema };
}

const text = ({ z }: RowKit) => z.string();
const id = ({ z }: RowKit) => z.string().min(1);
const count = ({ z }: RowKit) => z.int().nonnegative();
const amount = ({ z }: RowKit) => z.number().nonnegative();
/** Milliseconds since the epoch. */
const at = ({ z }: RowKit) => z.number();

const own = {
  id: known(id, { table: 'runs', cell: 'text', isAlways: true }),
} as const;

const place = {
  /** The run that started it. A run without a parent has no root either. */
  parent_run_id: known(id, { table: 'runs', cell: 'text' }),
  /** The top of its tree. */
  root_run_id: known(id, { table: 'runs', cell: 'text' }),
} as const;

const end = {
  /** `running`: the run has begun, and its end is yet to come or was not seen. */
  status: known(({ z, outcome }) => z.enum([...outcome.shape.status.options, 'running']), {
    table: 'runs',
    cell: 'text',
    isAlways: true,
    from: ({ status }) => status,
  }),
  class: known(({ outcome }) => outcome.shape.verdict.shape.class, {
    table: 'runs',
    cell: 'text',
    from: ({ verdict }) => verdict.class,
  }),
  exit_code: known(({ z }) => z.int(), { table: 'runs', cell: 'whole', from: ({ verdict }) => verdict.exit_code }),
} as const;

const agent = {
  agent: known(text, { table: 'runs', cell: 'text', from: ({ provenance }) => provenance.agent }),
  agent_version: known(text, { table: 'documents', cell: 'text', from: ({ provenance }) => provenance.version }),
  dialect: known(text, { table: 'documents', cell: 'text', from: ({ provenance }) => provenance.dialect }),
  model: known(text, { table: 'runs', cell: 'text', from: ({ metrics }) => metrics.model_name }),
} as const;

const session = {
  session_id: known(text, { table: 'documents', isCopied: true, cell: 'text', from: (outcome) => outcome.session_id }),
  cwd: known(text, { table: 'documents', isCopied: true, isGiven: true, cell: 'text' }),
} as const;

const machine = {
  host: known(text, { table: 'documents', isCopied: true, isGiven: true, cell: 'text' }),
} as const;

const origin = {
  /** Who started it. */
  user: known(text, { table: 'runs', column: 'username', isGiven: true, cell: 'text' }),
  /** `owner/name` of the repository, or if it has no remote, the name of its folder. */
  repo: known(text, { table: 'runs', isGiven: true, cell: 'text' }),
} as const;

const heading = {
  /** The beginning of the prompt, in one line. */
  title: known(text, { cell: 'text', isAlways: true }),
} as const;

const times = {
  started_at: known(at, { table: 'runs', cell: 'time', isAlways: true }),
  ended_at: known(at, { table: 'runs', cell: 'time' }),
  duration_ms: known(amount, { table: 'runs', cell: 'whole', from: ({ metrics }) => metrics.duration_ms }),
} as const;

/** Filled during a run and at its end, and empty when it is started again. */
export const usedFields = {
  input_tokens: known(amount, { table: 'runs', cell: 'whole', from: ({ metrics }) => metrics.input_tokens }),
  output_tokens: known(amount, { table: 'runs', cell: 'whole', from: ({ metrics }) => metrics.output_tokens }),
  reasoning_tokens: known(amount, { table: 'runs', cell: 'whole', from: ({ metrics }) => metrics.reasoning_tokens }),
  cache_read_tokens: known(amount, { table: 'runs', cell: 'whole', from: ({ metrics }) => metrics.cache_read_tokens }),
  cache_write_tokens: known(amount, {
    table: 'runs',
    cell: 'whole',
    from: ({ metrics }) => metrics.cache_write_tokens,
  }),
  cost: known(amount, { table: 'runs', cell: 'decimal', from: ({ metrics }) => metrics.cost }),
  cost_source: known(({ outcome }) => outcome.shape.metrics.shape.cost_source, {
    table: 'runs',
    cell: 'text',
    from: ({ metrics }) => metrics.cost_source,
  }),
  /** `at_least`: the cost is a lower bound. */
  cost_is: known(({ outcome }) => outcome.shape.metrics.shape.cost_is, {
    table: 'runs',
    cell: 'text',
    from: ({ metrics }) => metrics.cost_is,
  }),
  turns: known(count, { table: 'runs', cell: 'whole', from: ({ metrics }) => metrics.turns }),
  tool_calls: known(count, { table: 'runs', cell: 'whole', from: ({ metrics }) => metrics.tool_calls_count }),
  artifacts: known(count, {
    table: 'runs',
    cell: 'whole',
    from: ({ artifacts, omitted }) => artifacts.length + (omitted?.artifacts ?? 0),
  }),
  warnings: known(count, {
    table: 'runs',
    cell: 'whole',
    from: ({ warnings, omitted }) => warnings.length + (omitted?.warnings ?? 0),
  }),
  /** What the answer claims that a run can show. Absent: nothing, or whoever recorded the run did not look. */
  claims_checked: known(count, {
    table: 'runs',
    cell: 'whole',
    from: ({ claims, omitted }) => (claims === undefined ? undefined : claims.length + (omitted?.claims ?? 0)),
  }),
  /** Those of them that what happened refutes; an outcome lists them before others. */
  claims_contradicted: known(count, {
    table: 'runs',
    cell: 'whole',
    from: ({ claims }) => claims?.filter(({ verdict }) => verdict === 'contradicted').length,
  }),
} as const;

const waiting = {
  /** A running run that waits for a limit: when that resets. */
  waits_until: known(at, { table: 'runs', cell: 'time', from: () => undefined }),
} as const;

const writing = {
  last_sequence: known(count, { table: 'runs', cell: 'whole', isAlways: true }),
  heartbeat_at: known(at, { table: 'runs', cell: 'time', isAlways: true }),
} as const;

const recording = {
  /** Where its tape is, relative to the tapes folder. */
  tape: known(text, { table: 'documents', isGiven: true, cell: 'text' }),
  tape_sha256: known(text, { table: 'documents', cell: 'text' }),
} as const;

const marks = {
  labels: known(({ z }) => z.record(z.string(), z.string()), { cell: 'labels', isAlways: true }),
} as const;

type Rows = Readonly<Record<string, RowField>>;

/** Everything that is known, as the schema lists it. These three have the parts in their own order, so that no format changes with another. */
export const rowFields = {
  ...own,
  ...place,
  ...end,
  ...agent,
  ...session,
  ...machine,
  ...origin,
  ...heading,
  ...times,
  ...usedFields,
  ...waiting,
  ...writing,
  ...recording,
  ...marks,
} as const satisfies Rows;

/** What has a column of its own in CSV and Parquet: all but how the run is being written and where its tape is. */
export const cellFields = {
  ...own,
  ...end,
  ...agent,
  ...session,
  ...machine,
  ...origin,
  ...place,
  ...times,
  ...usedFields,
  ...heading,
  ...marks,
} as const satisfies Rows;

/** What is stored in a column, as it is read; JSON has the same order, with what is in `runs` first. */
export const storedFields = {
  ...own,
  ...place,
  ...end,
  ...agent,
  ...times,
  ...usedFields,
  ...waiting,
  ...writing,
  ...origin,
  ...session,
  ...recording,
  ...machine,
} as const satisfies Rows;

/** What is added up over runs. */
export const totalledNames = [
  'id',
  'parent_run_id',
  'root_run_id',
  'status',
  'cost',
  'cost_is',
  'input_tokens',
  'output_tokens',
] as const satisfies readonly SearchedName[];

type Value<Field> = Field extends { readonly schema: (kit: RowKit) => infer Schema extends z.ZodType }
  ? z.infer<Schema>
  : never;

type Always<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly isAlways: true } ? Name : never;
}[keyof Table];

/** A run, with the fields that are known. */
type RowOf<Table> = { [Name in keyof Pick<Table, Always<Table>>]: Value<Table[Name]> } & {
  [Name in keyof Omit<Table, Always<Table>>]?: Value<Table[Name]>;
};

export type KnownOfRun = RowOf<typeof rowFields>;

/** What `runs` has a column for, so that runs can be found by it. */
export type SearchedName = {
  [Name in keyof typeof rowFields]: (typeof rowFields)[Name] extends
    | { readonly table: 'runs' }
    | { readonly isCopied: true }
    ? Name
    : never;
}[keyof typeof rowFields];

type Given<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly isGiven: true } ? Name : never;
}[keyof Table];

/** What whoever starts a run says of it. */
export type GivenOfRun = Pick<KnownOfRun, Given<typeof rowFields>>;

/** That part of what is known. */
export function givenOf(run: { [Name in keyof GivenOfRun]?: GivenOfRun[Name] | undefined }): GivenOfRun {
  const all: Readonly<Record<string, string | undefined>> = run;
  return Object.fromEntries(givenNames.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}

const givenNames = Object.entries<RowField>(rowFields).flatMap(([name, { isGiven }]) => (isGiven ? [name] : []));

/** The shape of an object with these fields. */
type ShapeOf<Table> = {
  [Name in keyof Table]: Table[Name] extends { readonly schema: (kit: RowKit) => infer Schema extends z.ZodType }
    ? Table[Name] extends { readonly isAlways: true }
      ? Schema
      : z.ZodOptional<Schema>
    : never;
};

export function rowShape(kit: RowKit): ShapeOf<typeof rowFields> {
  const shape = Object.entries<RowField>(rowFields).map(([name, { schema, isAlways }]) => {
    const one = schema(kit);
    return [name, isAlways ? one : one.optional()];
  });
  return Object.fromEntries(shape) as ShapeOf<typeof rowFields>;
}
