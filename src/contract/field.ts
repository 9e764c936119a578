import type { z } from 'zod';
import type { EventOf } from '../events/event.ts';
import type { Rule } from '../expect/rule.ts';

/** What schemas are made with. It is handed in, so that reading a help text does not load a schema library. */
export interface Kit {
  z: typeof z;
  Rule: typeof Rule;
  labels: z.ZodType<Record<string, string>>;
}

/** The headings of a long help text, in the order in which they are shown. */
export const flagGroups = [
  'What to do',
  'Queue',
  'Agent and model',
  'Output',
  'Limits',
  'Permissions',
  'Workspace',
  'Recording',
  'CI',
  'More',
] as const;
type FlagGroup = (typeof flagGroups)[number];

/** One flag: what `parseArgs` needs, and what the help, the man page and the completion say about it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder in the help: `--from DIALECT`. */
  readonly value?: string;
  /** Words the shell may complete. */
  readonly choices?: readonly string[];
  /** What it means without a value, for a flag that takes one of its `choices`. */
  readonly bare?: string;
  readonly help: string;
  readonly group?: FlagGroup;
  /** Shown on the first screen of a long help text. */
  readonly common?: true;
}

/** The commands besides `run` that take flags of a run: `crew` stands for `race` and `orchestrate`. */
export type Taker = 'acp' | 'enqueue' | 'crew';

/** The flag that asks for a field. */
interface RequestFlag extends Option {
  readonly name: string;
  readonly also: readonly Taker[];
  /** Where another command means it a little differently. */
  readonly wording?: { readonly [Name in Taker]?: { readonly help: string; readonly value?: string } };
}

/** What a run has used so far of what its limits are about. */
export interface Used {
  turns: number;
  cost: number;
  tokens: number;
  active_ms: number;
}

export interface Change {
  readonly title: string;
  readonly hint: string;
  readonly kind: 'count' | 'amount' | 'duration';
}

/** One thing that can be asked of a run. */
export interface RequestField<Value> {
  /** One sentence or two, for people who read the types of the library. */
  readonly about?: string;
  /** What a spec holds if nothing is asked for; a field without it may be absent. */
  readonly default?: Value extends readonly (infer Each)[] ? readonly Each[] : Value;
  /** The option of the library, if it is not the name in camel case; null: none, the library has a way of its own. */
  readonly option?: string | null;
  readonly flag?: RequestFlag;
  /** The value of a flag as it was typed. Without it, somebody who knows the command's place reads it. */
  read?(given: string, flag: string): Value | undefined;
  /** The same for a flag that may be repeated. */
  readAll?(given: readonly string[], flag: string): Value;
  /** A value as the words that its flag takes, if these are not the value itself. */
  write?(value: Value): string | readonly string[];
  /** A path is typed relative to the working directory of whoever types it. */
  readonly isPath?: true;
  /** What `limit.reached` calls it. */
  readonly limit?: EventOf<'limit.reached'>['limit'];
  /** Whoever does the work gets it; the rest is the business of the run around it. */
  readonly isForAgent?: true;
  /** What a run uses up of it, so that its next start has the rest. */
  readonly uses?: keyof Used;
  /** It can be changed while the run is going on: what the page calls it, and what can be typed there. */
  readonly change?: Change;
  /** In a crew each agent has it for itself. */
  readonly isForEach?: true;
  /** Why a queue may not hold this value; without it, a queue may hold any. */
  whyNotQueued?(value: Value): string | undefined;
}

export function field<Schema extends z.ZodType, const Rest extends RequestField<z.infer<Schema>>>(
  schema: (kit: Kit) => Schema,
  rest: Rest,
): Rest & { readonly schema: (kit: Kit) => Schema } {
  return { ...rest, schema };
}

/** Fields by their names in a spec. */
export type Fields = Readonly<Record<string, RequestField<unknown> & { readonly schema: (kit: Kit) => z.ZodType }>>;
