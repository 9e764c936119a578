import { z } from 'zod';

const ts = z.string();
const tokens = z.number().nonnegative();
const usage = z.looseObject({ inputTokens: tokens, outputTokens: tokens });
const content = { contentType: z.string() };

const Event = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('iteration_start'), iteration: z.int() }),
  z.looseObject({ type: z.literal('iteration_end'), iteration: z.int() }),
  z.looseObject({ type: z.literal('content_start'), ...content }),
  z.looseObject({ type: z.literal('content_update'), ...content, update: z.json() }),
  z.looseObject({ type: z.literal('content_end'), ...content }),
  z.looseObject({ type: z.literal('usage'), inputTokens: tokens, outputTokens: tokens }),
  z.looseObject({ type: z.literal('notice'), noticeType: z.string(), message: z.string() }),
  z.looseObject({ type: z.literal('error'), error: z.looseObject({ message: z.string() }), recoverable: z.boolean() }),
  z.looseObject({ type: z.literal('done'), reason: z.string(), text: z.string() }),
]);

/** One line of `cline --json`, 3.x. */
const Current = z.discriminatedUnion('type', [
  z.looseObject({ ts, type: z.literal('run_start'), providerId: z.string(), modelId: z.string() }),
  z.looseObject({ ts, type: z.literal('agent_event'), event: Event }),
  z.looseObject({ ts, type: z.literal('team_event'), event: z.json() }),
  z.looseObject({ ts, type: z.literal('hook_event'), hookEventName: z.string() }),
  z.looseObject({ ts, type: z.literal('team_restored'), teamName: z.string() }),
  z.looseObject({ ts, type: z.literal('run_abort_requested'), reason: z.string() }),
  z.looseObject({ ts, type: z.literal('run_aborted'), reason: z.string(), message: z.string() }),
  z.looseObject({
    ts,
    type: z.literal('run_result'),
    finishReason: z.string(),
    iterations: z.int(),
    usage,
    text: z.string(),
  }),
  z.looseObject({ ts, type: z.literal('error'), message: z.string() }),
]);

/** One line of 2.x. */
const Legacy = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('say'), say: z.string(), ts: z.number() }),
  z.looseObject({ type: z.literal('ask'), ask: z.string(), ts: z.number() }),
]);

export const Line = z.union([Current, Legacy]);
