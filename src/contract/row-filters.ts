import { durationOf } from '../time/duration.ts';
import { exitCodes, Failure } from '../failure.ts';
import type { z } from 'zod';
import type { Kit, Option } from './field.ts';
import { parseLabels } from './labels.ts';
import type { KnownOfRun, SearchedName } from './row.ts';

type FilterKit = Pick<Kit, 'z' | 'labels'>;

const statuses = [
  'running',
  'success',
  'error',
  'cancelled',
  'incomplete',
] as const satisfies readonly KnownOfRun['status'][];
const classes: readonly string[] = Object.keys(exitCodes);

/** What a filter was called where it was given, for messages; a span ends now. */
interface Reading {
  called: string;
  now: number;
}

/** How people ask for a filter. */
interface FilterFlag extends Option {
  readonly type: 'string';
  readonly name: string;
}

/** One way to say which runs. */
export interface RowFilter {
  /** What is known of a run must be one of the values that are given. */
  readonly of?: SearchedName;
  readonly flag?: FilterFlag;
  /** The name in a query, if it is not that of the flag. */
  readonly query?: string;
  /** On the page. */
  readonly title?: string;
  /** An example of what can be typed there; without it, there is another way to choose. */
  readonly hint?: string;
  /** There it comes only from links. */
  readonly isLinked?: true;
  /** For people who read the description of the API. */
  readonly about?: string;
  /** A path is typed relative to the working directory of whoever types it. */
  readonly isPath?: true;
  read?(given: string, reading: Reading): unknown;
  /** The same for a flag that may be repeated. */
  readAll?(given: readonly string[], reading: Reading): unknown;
}

function filter<Schema extends z.ZodType, const Rest extends RowFilter>(
  schema: (kit: FilterKit) => Schema,
  rest: Rest,
): Rest & { readonly schema: (kit: FilterKit) => Schema } {
  return { ...rest, schema };
}

const words = ({ z }: FilterKit) => z.array(z.string());
const number = ({ z }: FilterKit) => z.number();
const classWords = ({ z }: FilterKit): z.ZodType<string[]> => z.array(z.enum(classes));

/** All given fields must match; of several values of one field, any. In the order of the help. */
export const rowFilters = {
  status: filter(({ z }) => z.array(z.enum(statuses)), {
    of: 'status',
    flag: {
      name: 'status',
      type: 'string',
      short: 's',
      multiple: true,
      value: 'STATUS',
      choices: statuses,
      help: `${statuses.join(', ')}; several: a,b`,
    },
    title: 'State',
    about: 'Several: a,b',
    readAll: (given, { called }) => readWords(given).map((word) => oneOf(called, word, statuses)),
  }),
  class: filter(classWords, {
    of: 'class',
    flag: {
      name: 'class',
      type: 'string',
      multiple: true,
      value: 'CLASS',
      choices: classes,
      help: 'Verdict class: success, tool, provider, …',
    },
    title: 'Verdict',
    about: 'Verdict class; several: a,b',
    readAll: (given, { called }) => readWords(given).map((word) => oneOf(called, word, classes)),
  }),
  agent: filter(words, {
    of: 'agent',
    flag: { name: 'agent', type: 'string', short: 'a', multiple: true, value: 'NAME', help: 'Agent: claude, codex, …' },
    title: 'Agent',
    about: 'Agent',
    readAll: readWords,
  }),
  model: filter(words, {
    of: 'model',
    flag: { name: 'model', type: 'string', short: 'm', multiple: true, value: 'NAME', help: 'Model' },
    title: 'Model',
    about: 'Model',
    readAll: readWords,
  }),
  user: filter(words, {
    of: 'user',
    flag: { name: 'user', type: 'string', multiple: true, value: 'NAME', help: 'Started by this user' },
    title: 'User',
    hint: 'kim',
    about: 'Started by this user',
    readAll: readWords,
  }),
  host: filter(words, {
    of: 'host',
    flag: { name: 'host', type: 'string', multiple: true, value: 'NAME', help: 'Ran on this machine' },
    title: 'Host',
    hint: 'laptop',
    about: 'On this machine',
    readAll: readWords,
  }),
  repo: filter(words, {
    of: 'repo',
    flag: {
      name: 'repo',
      type: 'string',
      multiple: true,
      value: 'OWNER/NAME',
      help: 'Repository, as named in its remote',
    },
    title: 'Repository',
    hint: 'shop',
    about: 'Repository, as named by its remote: owner/name',
    readAll: readWords,
  }),
  cwd: filter(words, {
    of: 'cwd',
    flag: { name: 'cwd', type: 'string', multiple: true, value: 'DIR', help: 'Ran in this folder' },
    title: 'Folder',
    isLinked: true,
    about: 'In this folder',
    isPath: true,
    // One path each, since a path may contain a comma.
    readAll: (given) => given,
  }),
  session: filter(words, {
    of: 'session_id',
    flag: { name: 'session', type: 'string', multiple: true, value: 'ID', help: "The agent's session id" },
    title: 'Session',
    isLinked: true,
    about: "The agent's session",
    readAll: readWords,
  }),
  /** Right below these runs. */
  parent: filter(words, {
    of: 'parent_run_id',
    flag: { name: 'parent', type: 'string', multiple: true, value: 'ID', help: 'Started by this run' },
    title: 'Started by',
    isLinked: true,
    about: 'Started by this run',
    readAll: readWords,
  }),
  /** Anywhere below these runs, which are tops of trees. */
  root: filter(words, {
    of: 'root_run_id',
    flag: {
      name: 'root',
      type: 'string',
      multiple: true,
      value: 'ID',
      help: 'Anywhere in the tree below this top-level run',
    },
    title: 'In the tree of',
    isLinked: true,
    about: 'Anywhere below this run',
    readAll: readWords,
  }),
  /** One run of each tree: its top, or if that was removed, the oldest that is left. */
  top: filter(({ z }) => z.boolean(), {}),
  /** All of them must match. */
  labels: filter(({ labels }) => labels, {
    flag: {
      name: 'label',
      type: 'string',
      short: 'l',
      multiple: true,
      value: 'KEY=VALUE',
      help: 'Has this label; if repeated, all of them',
    },
    title: 'Label',
    hint: 'git.branch=main',
    about: 'KEY=VALUE; if repeated, all must match',
    readAll: (given) => parseLabels(given),
  }),
  /** Milliseconds; `from` is included, `to` is not. */
  started_from: filter(number, {
    flag: {
      name: 'since',
      type: 'string',
      value: 'WHEN',
      help: 'Started in the last 2h, 3d, 1w, or since 2026-11-15 or 2026-11-15T10:00Z',
    },
    title: 'Started',
    about: 'A duration such as 2h, or a date',
    read: readTime,
  }),
  started_to: filter(number, {
    flag: { name: 'until', type: 'string', value: 'WHEN', help: 'Started before this time' },
    title: 'Started before',
    isLinked: true,
    about: 'The same',
    read: readTime,
  }),
  /** Dollars, both included; a run of unknown cost is in no range. */
  cost_min: filter(number, {
    flag: { name: 'min-cost', type: 'string', value: 'USD', help: 'Cost at least this much' },
    title: 'Cost from $',
    hint: '0.50',
    about: 'USD',
    read: readCost,
  }),
  cost_max: filter(number, {
    flag: { name: 'max-cost', type: 'string', value: 'USD', help: 'Cost at most this much' },
    title: 'Cost to $',
    hint: '5',
    about: 'USD',
    read: readCost,
  }),
  /** The run changed this file: a path, or the last parts of one. */
  file: filter(words, {
    flag: {
      name: 'file',
      type: 'string',
      multiple: true,
      value: 'PATH',
      help: 'Changed this file: a path, or the end of one, such as src/index.ts',
    },
    title: 'Touched file',
    hint: 'src/app.ts',
    about: 'Runs that changed this file: a path, or the end of one',
    // One path each, as above.
    readAll: (given) => given.map((path) => path.replace(/^\.\//, '')),
  }),
  /** All its words must be in the prompt or the answer; `word*` matches by prefix. */
  text: filter(({ z }) => z.string(), {
    flag: {
      name: 'text',
      type: 'string',
      value: 'WORDS',
      help: 'Has all these words in the prompt or the answer; word* matches a prefix',
    },
    query: 'search',
    title: 'Search prompts and answers',
    about: 'Words that must all be in the prompt or the answer; word* is a prefix',
    read: (given) => given,
  }),
} as const;

/** What runs can be grouped by, besides a label: times, tools, or a filter's values. */
export const groupings = [
  'agent',
  'model',
  'hour',
  'day',
  'week',
  'month',
  'user',
  'host',
  'repo',
  'cwd',
  'session',
  'tool',
  'status',
  'class',
  'all',
] as const;

type Filters = typeof rowFilters;
type AnyFilter = RowFilter & { readonly schema: (kit: FilterKit) => z.ZodType };
type FlagOf<Filter> = Filter extends { readonly flag: infer Flag extends FilterFlag } ? Flag : never;
type Given<Value> = Value extends object ? Readonly<Value> : Value;

/** All given fields must match; of several values of one field, any. */
export type RunFilter = { [Name in keyof Filters]?: Given<z.infer<ReturnType<Filters[Name]['schema']>>> };

type ValueFilter = {
  [Name in keyof Filters]: Filters[Name] extends { readonly of: infer Of } ? { name: Name; of: Of } : never;
}[keyof Filters];

/** The filters by which something that is known of a run has one of some values. */
export const valueFilters = Object.entries<AnyFilter>(rowFilters).flatMap(([name, { of }]) =>
  of === undefined ? [] : [{ name, of }],
) as ValueFilter[];

/** The flags of every command that takes many runs, by name. */
type FilterOptions = { [Name in keyof Filters as FlagOf<Filters[Name]>['name']]: FlagOf<Filters[Name]> };

type WithUnderscore<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}_${Rest}` : Name;
type QueryOf<Filter> = Filter extends { readonly query: infer Query } ? Query : WithUnderscore<FlagOf<Filter>['name']>;

/** The names of filters in the query of a request. */
export type FilterQuery = { [Name in keyof Filters]: QueryOf<Filters[Name]> }[keyof Filters];

/** A filter that people can ask for. */
export interface AskableFilter {
  /** In a `RunFilter`. */
  name: string;
  filter: RowFilter;
  flag: FilterFlag;
  /** In the query of a request. */
  query: FilterQuery;
}

export const askableFilters: readonly AskableFilter[] = Object.entries<AnyFilter>(rowFilters).flatMap(([name, each]) =>
  each.flag === undefined
    ? []
    : [
        {
          name,
          filter: each,
          flag: each.flag,
          query: (each.query ?? each.flag.name.replaceAll('-', '_')) as FilterQuery,
        },
      ],
);

export const filterOptions = Object.fromEntries(
  askableFilters.map(({ flag: { name, ...flag } }) => [name, flag]),
) as FilterOptions;

/** The filter that is asked for, in flags or in a query. Throws `Failure` with what is wrong and what is expected. */
export function filterOf(
  given: (filter: AskableFilter) => string | readonly string[] | undefined,
  called: (filter: AskableFilter) => string,
  now: number,
): RunFilter {
  const read = askableFilters.flatMap((each) => {
    const value = given(each);
    if (value === undefined) return [];
    const { filter: how, name } = each;
    const reading = { called: called(each), now };
    return [[name, typeof value === 'string' ? how.read?.(value, reading) : how.readAll?.(value, reading)] as const];
  });
  return Object.fromEntries(read) as RunFilter;
}

type FilterShape = { [Name in keyof Filters]: z.ZodOptional<ReturnType<Filters[Name]['schema']>> };

export function filterShape(kit: FilterKit): FilterShape {
  return Object.fromEntries(
    Object.entries<AnyFilter>(rowFilters).map(([name, { schema }]) => [name, schema(kit).optional()]),
  ) as FilterShape;
}

function readWords(given: readonly string[]): string[] {
  return given.flatMap((text) => text.split(',')).map((word) => word.trim());
}

function oneOf<Word extends string>(called: string, word: string, all: readonly Word[]): Word {
  const found = all.find((each) => each === word);
  if (found === undefined) throw new Failure('input', `${called} ${word}: expected one of ${all.join(', ')}`);
  return found;
}

/** `2h`, `1d12h` → milliseconds. */
export function readSpan(called: string, text: string): number {
  const ms = durationOf(text);
  if (ms === undefined) throw new Failure('input', `${called} ${text}: expected a span such as 30m, 2h, 3d or 1w`);
  return ms;
}

/** A span before now, or a date: a day begins at midnight UTC, as in the statistics. */
function readTime(text: string, { called, now }: Reading): number {
  if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const at = Date.parse(text);
    if (!Number.isNaN(at)) return at;
  } else if (/^[\d.]+[smhdw]/.test(text)) return now - readSpan(called, text);
  throw new Failure(
    'input',
    `${called} ${text}: expected a span such as 2h or 3d, or a date such as 2026-11-15 or 2026-11-15T10:00Z`,
  );
}

function readCost(text: string, { called }: Reading): number {
  if (!/^(?:\d+|\d*\.\d+)$/.test(text)) throw new Failure('input', `${called} ${text}: expected dollars, such as 0.50`);
  return Number(text);
}
