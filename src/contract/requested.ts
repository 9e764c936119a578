import { Failure } from '../failure.ts';
import type { Limits, OwnLimits, RunSpec } from './spec.ts';
import type { Fields, RequestField } from './field.ts';
import { readFallbacks } from './flag-values.ts';
import { limitFields, requestFields, workspaceFields } from './request.ts';

type Given<Value> = Value extends readonly (infer Each)[] ? readonly Each[] : Value;
type Some<Whole> = { [Name in keyof Whole]?: Given<Whole[Name]> | undefined };

/** What was asked for, in the shape of a spec, before defaults fill the rest. */
export interface Requested extends Some<Omit<RunSpec, 'workspace'>> {
  workspace?: Some<NonNullable<RunSpec['workspace']>> | undefined;
}

/** The parts of a spec that hold fields, and what they hold. */
const parts = [
  { fields: requestFields, under: undefined },
  { fields: limitFields, under: 'limits' },
  { fields: workspaceFields, under: 'workspace' },
] as const;

export interface Found {
  name: string;
  field: RequestField<unknown>;
  under: 'limits' | 'workspace' | undefined;
}

/** Everything that can be asked for, in order. */
export const fields: readonly Found[] = parts.flatMap(({ fields: table, under }) =>
  Object.entries<RequestField<unknown>>(table).map(([name, field]) => ({ name, field, under })),
);

/** Puts together what `valueOf` knows of each field. */
function collect(valueOf: (field: Found) => unknown): Requested {
  const request: Record<string, unknown> = {};
  const below = { limits: {} as Record<string, unknown>, workspace: {} as Record<string, unknown> };
  for (const each of fields) {
    const value = valueOf(each);
    if (value !== undefined) (each.under === undefined ? request : below[each.under])[each.name] = value;
  }
  const workspace = Object.keys(below.workspace).length === 0 ? {} : { workspace: below.workspace };
  return { ...request, limits: below.limits, ...workspace };
}

type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** What the flags of a command ask for, except what can only be read by somebody who knows files, variables or the ledger. */
export function readRequest(values: FlagValues): Requested {
  return collect(({ field }) => {
    const given = field.flag === undefined ? undefined : values[field.flag.name];
    const flag = `--${field.flag?.name ?? ''}`;
    // A flag without a value turns its default round.
    if (given === true) return field.default !== true;
    if (typeof given === 'string') return field.read?.(given, flag);
    return Array.isArray(given) ? field.readAll?.(given as readonly string[], flag) : undefined;
  });
}

function inCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The name of a field as an option of the library; undefined: the library has no such option, or its own way to ask for it. */
export function optionOf({ name, field }: Pick<Found, 'name' | 'field'>): string | undefined {
  if (field.option === null) return undefined;
  return field.option ?? inCamelCase(name);
}

/** The limits that the built-in agent does not enforce itself. */
export function watchedLimits(limits: Limits): Omit<Limits, keyof OwnLimits> {
  const table: Fields = limitFields;
  return Object.fromEntries(Object.entries(limits).filter(([name]) => table[name]?.isForAgent !== true));
}

type InCamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<InCamelCase<Rest> & string>}`
  : Name;

/** The others, as options of an agent. */
export function ownLimits(limits: Limits): { [Name in keyof OwnLimits as InCamelCase<Name> & string]: number } {
  const table: Fields = limitFields;
  const own = Object.entries(limits).flatMap(([name, value]) =>
    table[name]?.isForAgent === true && value !== undefined ? [[inCamelCase(name), value] as const] : [],
  );
  return Object.fromEntries(own) as ReturnType<typeof ownLimits>;
}

/** The flag behind a word of `limit.reached`. */
export function flagOfLimit(limit: string): string | undefined {
  const name = Object.values<RequestField<unknown>>(limitFields).find((field) => field.limit === limit)?.flag?.name;
  return name === undefined ? undefined : `--${name}`;
}

/** What the options of the library ask for. */
export function requestOf(options: Readonly<Record<string, unknown>>): Requested {
  const limits = (options['limits'] ?? {}) as Readonly<Record<string, unknown>>;
  return collect((each) => {
    const option = optionOf(each);
    return option === undefined ? undefined : (each.under === 'limits' ? limits : options)[option];
  });
}

/** Paths were typed in some folder; a spec names them so that they mean the same everywhere. */
export function withPaths(request: Requested, resolve: (path: string) => string): Requested {
  const given: Readonly<Record<string, unknown>> = { ...request };
  const paths = Object.entries<RequestField<unknown>>(requestFields).flatMap(([name, { isPath }]) => {
    const value = isPath ? given[name] : undefined;
    if (value === undefined) return [];
    return [[name, Array.isArray(value) ? (value as string[]).map(resolve) : resolve(value as string)] as const];
  });
  return { ...request, ...Object.fromEntries(paths) };
}

/** Every field of a table that has a value, asked for or by default. */
function filledIn(table: Fields, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(table).flatMap(([name, field]) => {
    const value = given[name] ?? field.default;
    return value === undefined ? [] : [[name, copied(value)] as const];
  });
  return Object.fromEntries(entries);
}

/** A spec shares nothing that its caller could change. */
function copied(value: unknown): unknown {
  return Array.isArray(value) ? [...(value as unknown[])] : value;
}

/** `codex,claude`: the agent, and those that it falls back on. */
function agentsOf({ agent, fallback = [] }: Requested): Pick<Requested, 'agent' | 'fallback'> {
  if (agent === undefined || agent.startsWith('acp:') || !agent.includes(',')) return {};
  const [first = '', ...others] = agent.split(',').map((name) => name.trim());
  if (first === '' || others.includes(''))
    throw new Failure('input', `--agent ${agent}: expected names with a comma between them, such as codex,claude`);
  return { agent: first, fallback: [...readFallbacks(others, '--agent'), ...fallback] };
}

export function withDefaults({ workspace, ...given }: Requested): RunSpec {
  const request = { ...given, ...agentsOf(given) };
  const own = workspace?.isolate === undefined ? undefined : filledIn(workspaceFields, workspace);
  const limits = filledIn(limitFields, request.limits ?? {});
  return filledIn(requestFields, { ...request, limits, workspace: own }) as unknown as RunSpec;
}

/** The words of a command line that ask for the same: `--flag=value`. Leaves out what no flag asks for: the command, and the branch that the work is kept on. */
export function wordsOf(spec: Requested, isWanted: (field: RequestField<unknown>) => boolean = () => true): string[] {
  return fields.flatMap(({ name, field, under }) => {
    const { flag } = field;
    const value = ((under === undefined ? spec : (spec[under] ?? {})) as Readonly<Record<string, unknown>>)[name];
    if (flag === undefined || value === undefined || !isWanted(field) || (Array.isArray(value) && value.length === 0))
      return [];
    if (flag.type === 'boolean') return value === (field.default !== true) ? [`--${flag.name}`] : [];
    const written = field.write?.(value) ?? (Array.isArray(value) ? (value as string[]) : String(value));
    return (typeof written === 'string' ? [written] : written).map((word) => `--${flag.name}=${word}`);
  });
}

/** Why this spec cannot be queued: asked by whoever queues it, and again by the worker, since a row may have been written by anyone. */
export function whyNotQueued(spec: RunSpec): string | undefined {
  if (spec.prompt === '' && spec.command === undefined) return 'it has neither a prompt nor a command';
  for (const [name, field] of Object.entries<RequestField<unknown>>(requestFields)) {
    const value = spec[name as keyof RunSpec];
    const why = value === undefined ? undefined : field.whyNotQueued?.(value);
    if (why !== undefined) return why;
  }
  return undefined;
}
