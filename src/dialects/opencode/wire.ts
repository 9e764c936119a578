import { z } from 'zod';
import { Fault, Part, RunLine, Tokens } from '../shared/opencode/wire.ts';

const Ms = z.number().nonnegative();
const Bag = z.record(z.string(), z.json());

const Session = z.looseObject({
  id: z.string(),
  projectID: z.string(),
  directory: z.string(),
  parentID: z.string().optional(),
  title: z.string(),
  version: z.string(),
  time: z.looseObject({ created: Ms, updated: Ms }),
  summary: z.looseObject({ additions: z.number(), deletions: z.number(), files: z.number() }).optional(),
  share: z.looseObject({ url: z.string() }).optional(),
});

const Status = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('idle') }),
  z.looseObject({ type: z.literal('busy') }),
  z.looseObject({ type: z.literal('retry'), attempt: z.int(), message: z.string(), next: z.number() }),
]);

const Span = z.looseObject({ start: Ms, end: Ms.optional() });

const Diff = z.looseObject({
  file: z.string().optional(),
  before: z.string().optional(),
  after: z.string().optional(),
  additions: z.number().optional(),
  deletions: z.number().optional(),
});

const Message = z.discriminatedUnion('role', [
  z.looseObject({
    id: z.string(),
    sessionID: z.string(),
    role: z.literal('assistant'),
    time: z.looseObject({ created: Ms, completed: Ms.optional() }),
    parentID: z.string().optional(),
    modelID: z.string(),
    providerID: z.string(),
    mode: z.string().optional(),
    path: z.looseObject({ cwd: z.string(), root: z.string() }).optional(),
    cost: z.number(),
    tokens: Tokens,
    finish: z.string().optional(),
    error: Fault.optional(),
  }),
  z.looseObject({
    id: z.string(),
    sessionID: z.string(),
    role: z.literal('user'),
    time: z.looseObject({ created: Ms }),
    agent: z.string().optional(),
    model: z.looseObject({ providerID: z.string(), modelID: z.string() }).optional(),
    system: z.string().optional(),
    tools: z.record(z.string(), z.boolean()).optional(),
    summary: z
      .looseObject({ title: z.string().optional(), body: z.string().optional(), diffs: z.array(Diff) })
      .optional(),
  }),
]);

/** The properties of the events that say something about a run, by their type. */
export const known = {
  'session.created': z.looseObject({ info: Session }),
  'session.updated': z.looseObject({ info: Session }),
  'session.status': z.looseObject({ sessionID: z.string(), status: Status }),
  'session.idle': z.looseObject({ sessionID: z.string() }),
  'session.error': z.looseObject({ sessionID: z.string().optional(), error: Fault.optional() }),
  'message.updated': z.looseObject({ info: Message }),
  'message.part.updated': z.looseObject({ part: Part, delta: z.string().optional() }),
  'message.part.delta': z.looseObject({
    messageID: z.string(),
    partID: z.string(),
    field: z.string(),
    delta: z.string(),
  }),
  'file.edited': z.union([
    z.looseObject({ path: z.string(), diff: Diff.optional() }),
    z.looseObject({ file: z.string() }),
  ]),
  'file.watcher.updated': z.looseObject({ file: z.string(), event: z.enum(['add', 'change', 'unlink']) }),
  'command.executed': z.union([
    z.looseObject({
      command: z.string(),
      exitCode: z.int(),
      stdout: z.string(),
      stderr: z.string(),
      time: Span.optional(),
    }),
    z.looseObject({ name: z.string(), arguments: z.string() }),
  ]),
  'permission.updated': z.looseObject({
    id: z.string(),
    type: z.string(),
    pattern: z.union([z.string(), z.array(z.string())]).optional(),
    sessionID: z.string(),
    messageID: z.string(),
    callID: z.string().optional(),
    title: z.string(),
    metadata: Bag,
    time: z.looseObject({ created: Ms }),
  }),
  'permission.asked': z.looseObject({
    id: z.string(),
    sessionID: z.string(),
    permission: z.string(),
    patterns: z.array(z.string()),
  }),
  'permission.replied': z.union([
    z.looseObject({ sessionID: z.string(), permissionID: z.string(), response: z.string() }),
    z.looseObject({ sessionID: z.string(), requestID: z.string(), reply: z.string() }),
  ]),
};

const envelope = { id: z.string().optional() };
const BusEvent = z.union(
  Object.entries(known).map(([type, properties]) => z.looseObject({ ...envelope, type: z.literal(type), properties })),
);

/** Events of the server that say nothing about a run. */
const OtherEvent = z.looseObject({
  ...envelope,
  type: z
    .string()
    .regex(/^[a-z-]+(?:\.[a-z0-9-]+)+$/)
    .refine((type) => !(type in known)),
  properties: Bag,
});
const NativeEvent = z.looseObject({
  id: z.string(),
  type: z.string(),
  created: z.union([z.number(), z.string()]),
  data: Bag,
});
const Wrapped = z.looseObject({ directory: z.string().optional(), payload: z.union([BusEvent, OtherEvent]) });

/** One line of the run stream, or one event of the bus. */
export const Line = z.union([RunLine, BusEvent, OtherEvent, NativeEvent, Wrapped]);
