import { z } from 'zod';

const Ms = z.number().nonnegative();
const Span = z.looseObject({ start: Ms, end: Ms.optional() });
const Bag = z.record(z.string(), z.json());

export const Tokens = z.looseObject({
  total: z.number().optional(),
  input: z.number(),
  output: z.number(),
  reasoning: z.number(),
  cache: z.looseObject({ read: z.number(), write: z.number() }),
});

const ToolState = z.discriminatedUnion('status', [
  z.looseObject({ status: z.literal('pending'), input: z.json(), raw: z.string() }),
  z.looseObject({
    status: z.literal('running'),
    input: z.json(),
    title: z.string().optional(),
    metadata: Bag.optional(),
    time: Span,
  }),
  z.looseObject({
    status: z.literal('completed'),
    input: z.json(),
    output: z.string(),
    title: z.string(),
    metadata: Bag,
    time: Span,
    attachments: z.array(z.json()).optional(),
  }),
  z.looseObject({
    status: z.literal('error'),
    input: z.json(),
    error: z.string(),
    metadata: Bag.optional(),
    time: Span,
  }),
]);

const place = { id: z.string(), sessionID: z.string().optional(), messageID: z.string() };

const Text = z.looseObject({
  ...place,
  type: z.literal('text'),
  text: z.string().nullable(),
  synthetic: z.boolean().optional(),
  ignored: z.boolean().optional(),
  time: Span.optional(),
  metadata: Bag.optional(),
});
const Reasoning = z.looseObject({
  ...place,
  type: z.literal('reasoning'),
  text: z.string(),
  metadata: Bag.optional(),
  time: Span.optional(),
});
const Tool = z.looseObject({
  ...place,
  type: z.literal('tool'),
  callID: z.string().optional(),
  partID: z.string().optional(),
  tool: z.string(),
  state: ToolState,
});
const File = z.looseObject({
  ...place,
  type: z.literal('file'),
  mime: z.string(),
  filename: z.string().optional(),
  url: z.string(),
  source: z
    .looseObject({
      type: z.string().optional(),
      path: z.string().optional(),
      text: z.looseObject({ value: z.string(), start: z.number(), end: z.number() }).optional(),
    })
    .optional(),
});
const StepStart = z.looseObject({ ...place, type: z.literal('step-start'), snapshot: z.string().optional() });
const StepFinish = z.looseObject({
  ...place,
  type: z.literal('step-finish'),
  reason: z.string(),
  cost: z.number(),
  tokens: Tokens,
});

/** A part of a message, as both the run stream and the bus show it. */
export const Part = z.discriminatedUnion('type', [
  Text,
  Reasoning,
  Tool,
  File,
  StepStart,
  StepFinish,
  z.looseObject({ ...place, type: z.literal('agent'), name: z.string() }),
  z.looseObject({
    ...place,
    type: z.literal('subtask'),
    prompt: z.string(),
    description: z.string(),
    agent: z.string(),
  }),
  z.looseObject({ ...place, type: z.literal('snapshot'), snapshot: z.string() }),
  z.looseObject({ ...place, type: z.literal('patch'), hash: z.string(), files: z.array(z.string()) }),
  z.looseObject({ ...place, type: z.literal('retry'), attempt: z.int(), error: Bag }),
  z.looseObject({ ...place, type: z.literal('compaction'), auto: z.boolean() }),
]);

export const Fault = z.union([
  z.string(),
  z.looseObject({ name: z.string(), data: Bag }),
  z.looseObject({ name: z.string(), message: z.string() }),
  z.looseObject({ type: z.string(), message: z.string() }),
  z.looseObject({ message: z.string() }),
]);

const envelope = { timestamp: z.number(), sessionID: z.string() };

/** One line of `run --format json`. */
export const RunLine = z.union([
  z.discriminatedUnion('type', [
    z.looseObject({ ...envelope, type: z.literal('step_start'), part: StepStart }),
    z.looseObject({ ...envelope, type: z.literal('text'), part: Text }),
    z.looseObject({ ...envelope, type: z.literal('reasoning'), part: Reasoning }),
    z.looseObject({ ...envelope, type: z.literal('tool_use'), part: Tool }),
    z.looseObject({ ...envelope, type: z.literal('step_finish'), part: StepFinish }),
    z.looseObject({ ...envelope, type: z.literal('error'), error: Fault }),
  ]),
  /** Up to 0.15.13, the last line of a piped run. */
  z.looseObject({ ...envelope, type: z.literal('text'), text: Text.optional(), part: z.undefined().optional() }),
]);
