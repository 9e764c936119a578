import { z } from 'zod';
import { customPrefix, protocolVersion } from './words.ts';

const id = z.string();
const tokens = z.int().nonnegative().optional();
const base = { timestamp: z.int().optional(), metadata: z.record(z.string(), z.json()).optional() };
const attributed = { ...base, subagentRunId: id.optional() };

const TokenUsage = z.looseObject({
  model: z.string().optional(),
  inputTokens: tokens,
  outputTokens: tokens,
  totalTokens: tokens,
  reasoningTokens: tokens,
  cachedInputTokens: tokens,
  cacheWriteInputTokens: tokens,
});
const usage = z.array(TokenUsage).optional();

const Outcome = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('success') }),
  z.looseObject({ type: z.literal('cancelled') }),
  z.looseObject({
    type: z.literal('interrupt'),
    interrupts: z
      .array(z.looseObject({ id, reason: z.string(), message: z.string().optional(), toolCallId: id.optional() }))
      .min(1),
  }),
]);

/** One of the events that we write. */
export const Event = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('RUN_STARTED'),
    ...base,
    threadId: id,
    runId: id,
    protocolVersion: z.literal(protocolVersion),
    parentRunId: id.optional(),
  }),
  z.looseObject({ type: z.literal('STEP_STARTED'), ...base, stepName: z.string() }),
  z.looseObject({ type: z.literal('STEP_FINISHED'), ...base, stepName: z.string() }),
  z.looseObject({
    type: z.literal('TEXT_MESSAGE_START'),
    ...attributed,
    messageId: id,
    role: z.enum(['assistant', 'user']),
  }),
  z.looseObject({ type: z.literal('TEXT_MESSAGE_CONTENT'), ...attributed, messageId: id, delta: z.string() }),
  z.looseObject({ type: z.literal('TEXT_MESSAGE_END'), ...attributed, messageId: id }),
  z.looseObject({ type: z.literal('REASONING_START'), ...attributed, messageId: id }),
  z.looseObject({
    type: z.literal('REASONING_MESSAGE_START'),
    ...attributed,
    messageId: id,
    role: z.literal('reasoning'),
  }),
  z.looseObject({ type: z.literal('REASONING_MESSAGE_CONTENT'), ...attributed, messageId: id, delta: z.string() }),
  z.looseObject({ type: z.literal('REASONING_MESSAGE_END'), ...attributed, messageId: id }),
  z.looseObject({ type: z.literal('REASONING_END'), ...attributed, messageId: id }),
  z.looseObject({
    type: z.literal('TOOL_CALL_START'),
    ...attributed,
    toolCallId: id,
    toolCallName: z.string(),
    parentMessageId: id.optional(),
  }),
  z.looseObject({ type: z.literal('TOOL_CALL_ARGS'), ...attributed, toolCallId: id, delta: z.string() }),
  z.looseObject({ type: z.literal('TOOL_CALL_END'), ...attributed, toolCallId: id }),
  z.looseObject({
    type: z.literal('TOOL_CALL_RESULT'),
    ...attributed,
    messageId: id,
    toolCallId: id,
    content: z.string(),
    role: z.literal('tool'),
  }),
  z.looseObject({
    type: z.literal('SUBAGENT_STARTED'),
    ...base,
    subagentRunId: id,
    name: z.string(),
    parentToolCallId: id.optional(),
  }),
  z.looseObject({ type: z.literal('SUBAGENT_FINISHED'), ...base, subagentRunId: id }),
  z.looseObject({ type: z.literal('SUBAGENT_ERROR'), ...base, subagentRunId: id, message: z.string() }),
  z.looseObject({ type: z.literal('CUSTOM'), ...base, name: z.string().startsWith(customPrefix), value: z.json() }),
  z.looseObject({ type: z.literal('RAW'), ...base, event: z.json(), source: z.string() }),
  z.looseObject({
    type: z.literal('RUN_FINISHED'),
    ...base,
    threadId: id,
    runId: id,
    result: z.json().optional(),
    outcome: Outcome,
    usage,
  }),
  z.looseObject({ type: z.literal('RUN_ERROR'), ...base, message: z.string(), code: z.string().optional(), usage }),
]);
