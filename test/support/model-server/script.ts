import { z } from 'zod';
import type { ModelRequest } from './request.ts';

const count = z.int().nonnegative();

/** Tokens as Runwire counts them: input includes what was read from and written to the cache, output includes reasoning. */
const Usage = z
  .strictObject({
    input: count,
    cached: count.default(0),
    cacheWrite: count.optional(),
    output: count,
    reasoning: count.default(0),
  })
  .refine((usage) => usage.cached + (usage.cacheWrite ?? 0) <= usage.input, 'cached and cacheWrite are parts of input')
  .refine((usage) => usage.reasoning <= usage.output, 'reasoning is a part of output');
export type Usage = z.infer<typeof Usage>;

/** A call: `args` as an object, `rawArgs` as the very text of the arguments (broken JSON too), `input` for a free-text tool. */
const Call = z
  .strictObject({
    name: z.string().min(1),
    args: z.record(z.string(), z.json()).optional(),
    rawArgs: z.string().optional(),
    input: z.string().optional(),
  })
  .refine(
    (call) => [call.args, call.rawArgs, call.input].filter((each) => each !== undefined).length <= 1,
    'a call has one of args, rawArgs and input',
  );

const errorKinds = [
  'bad_key',
  'context_length',
  'forbidden',
  'invalid_request',
  'not_found',
  'overloaded',
  'quota',
  'rate_limit',
  'server_error',
] as const;
export type ErrorKind = (typeof errorKinds)[number];

/** `times`: how often the fault strikes before the turn is answered; absent: always. */
const StatusFault = z.strictObject({
  status: z.int().min(400).max(599),
  /** What the error says; absent: what the status usually means (400 means that the context is too long). */
  kind: z.enum(errorKinds).optional(),
  body: z.union([z.string(), z.record(z.string(), z.json())]).optional(),
  /** Seconds. */
  retryAfter: z.number().nonnegative().optional(),
  times: z.int().positive().optional(),
});

/**
 * `disconnect` breaks the connection, `cut` ends the stream politely but without its closing events, `stall` says nothing more,
 * `empty` answers nothing at all, `after`: how many deltas come first.
 */
const StreamFault = z.strictObject({
  type: z.enum(['disconnect', 'cut', 'stream-error', 'stall', 'empty', 'bad-json']),
  /** What a `stream-error` says; absent: overloaded. */
  kind: z.enum(errorKinds).optional(),
  after: count.optional(),
  times: z.int().positive().optional(),
});
const Fault = z.union([StatusFault, StreamFault]);
export type StatusFault = z.infer<typeof StatusFault>;
export type StreamFault = z.infer<typeof StreamFault>;
export type Fault = z.infer<typeof Fault>;

const finishes = ['stop', 'tool', 'length', 'refusal', 'content_filter'] as const;
export type Finish = (typeof finishes)[number];

export const Turn = z.strictObject({
  /** The model that answers; absent: the one that was asked. */
  model: z.string().optional(),
  text: z.string().optional(),
  reasoning: z.string().optional(),
  calls: z.array(Call).optional(),
  usage: Usage.optional(),
  /** Characters of one delta. */
  chunkSize: z.int().positive().optional(),
  /** Bytes of one write to the network: 1 splits every UTF-8 character. */
  writeSize: z.int().positive().optional(),
  /** Wait before each delta. */
  delayMs: count.optional(),
  finish: z.enum(finishes).optional(),
  fault: Fault.optional(),
});
export type Turn = z.infer<typeof Turn>;
export type TurnInput = z.input<typeof Turn>;

const settings = {
  /** Names for the model lists. */
  models: z.array(z.string()).optional(),
  /** The key a client must send. */
  requireKey: z.string().min(1).optional(),
  /** Which turn a request gets: by the answers its own history holds, or one after the other as they are answered. */
  select: z.enum(['history', 'sequential']).optional(),
  /** Requests that offer no tools and have a system prompt of at most `maxSystem` characters get this text and use up no turn. */
  side: z.strictObject({ text: z.string(), maxSystem: count.default(4000) }).optional(),
  port: z.int().min(0).max(65_535).optional(),
};
/** A script as a JSON file holds it. */
export const Script = z.strictObject({ turns: z.array(Turn), ...settings });
export type Script = z.infer<typeof Script>;
export const Settings = z.strictObject(settings);
export type Settings = z.infer<typeof Settings>;

/** A turn, or a function that makes it of the decoded request. */
type TurnSource = TurnInput | ((request: ModelRequest, index: number) => TurnInput | Promise<TurnInput>);
export interface ScriptInput extends Omit<z.input<typeof Script>, 'turns'> {
  /** Turn by turn, or one function for every request. */
  turns: readonly TurnSource[] | ((request: ModelRequest, index: number) => TurnInput | Promise<TurnInput>);
}

/** Parses, or throws one line that says what is wrong and where. */
export function parseScript<Schema extends z.ZodType>(schema: Schema, input: unknown, what: string): z.infer<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = result.error.issues.map(
    (issue) => `${issue.path.length > 0 ? `${issue.path.join('.')}: ` : ''}${issue.message}`,
  );
  throw new Error(`${what}: ${issues.join('; ')}`);
}
