import { z } from 'zod';

const id = z.string();
const toolCallId = z.string();
const toolMetadata = z.record(z.string(), z.json()).optional();
const call = {
  toolCallId,
  toolName: z.string(),
  dynamic: z.literal(true),
  providerExecuted: z.literal(true),
  toolMetadata,
};
const ended = { toolCallId, dynamic: z.literal(true), providerExecuted: z.literal(true), toolMetadata };
const tokens = z.number().nonnegative().optional();

/** The message's metadata at its start and at its end. */
const Metadata = z.looseObject({
  agent: z.string().optional(),
  agentVersion: z.string().optional(),
  model: z.string().optional(),
  sessionId: z.string().optional(),
  runId: z.string().optional(),
  prompt: z.string().optional(),
  totalUsage: z
    .looseObject({
      inputTokens: tokens,
      outputTokens: tokens,
      totalTokens: tokens,
      reasoningTokens: tokens,
      cachedInputTokens: tokens,
      cacheWriteTokens: tokens,
    })
    .optional(),
  costUsd: z.number().nonnegative().optional(),
  costSource: z.enum(['reported', 'computed']).optional(),
  durationMs: z.number().nonnegative().optional(),
  verdict: z.looseObject({ class: z.string(), exitCode: z.int(), reason: z.string().optional() }).optional(),
});

const chunks = [
  z.looseObject({ type: z.literal('start'), messageId: z.string(), messageMetadata: Metadata }),
  z.looseObject({ type: z.literal('start-step') }),
  z.looseObject({ type: z.literal('finish-step') }),
  z.looseObject({ type: z.literal('text-start'), id }),
  z.looseObject({ type: z.literal('text-delta'), id, delta: z.string() }),
  z.looseObject({ type: z.literal('text-end'), id }),
  z.looseObject({ type: z.literal('reasoning-start'), id }),
  z.looseObject({ type: z.literal('reasoning-delta'), id, delta: z.string() }),
  z.looseObject({ type: z.literal('reasoning-end'), id }),
  z.looseObject({ type: z.literal('tool-input-start'), ...call }),
  z.looseObject({ type: z.literal('tool-input-available'), ...call, input: z.json() }),
  z.looseObject({
    type: z.literal('tool-approval-request'),
    approvalId: z.string(),
    toolCallId,
    reason: z.string().optional(),
  }),
  z.looseObject({
    type: z.literal('tool-approval-response'),
    approvalId: z.string(),
    approved: z.boolean(),
    reason: z.string().optional(),
  }),
  z.looseObject({ type: z.literal('tool-output-available'), ...ended, output: z.json() }),
  z.looseObject({ type: z.literal('tool-output-error'), ...ended, errorText: z.string() }),
  z.looseObject({ type: z.literal('tool-output-denied'), toolCallId }),
  z.looseObject({
    type: z.literal('steering-message'),
    id,
    parts: z.array(z.looseObject({ type: z.literal('text'), text: z.string() })),
  }),
  z.looseObject({ type: z.literal('message-metadata'), messageMetadata: Metadata }),
  z.looseObject({ type: z.literal('error'), errorText: z.string() }),
  z.looseObject({ type: z.literal('abort'), reason: z.string().optional() }),
  z.looseObject({
    type: z.literal('finish'),
    finishReason: z.enum(['stop', 'length', 'content-filter', 'error']),
    messageMetadata: Metadata.optional(),
  }),
] as const;

/** An event for which there is no chunk type, in our own form. */
const Data = z.looseObject({
  type: z.string().regex(/^data-[\w-]{1,100}$/),
  data: z.json(),
  transient: z.boolean().optional(),
});

export const Chunk = z.union([...chunks, Data]);
