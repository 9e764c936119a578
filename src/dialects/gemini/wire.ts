import { z } from 'zod';

const tokens = z.number().nonnegative();
/** Absent only in what we write from a log without times. */
const timestamp = z.iso.datetime().optional();

const streamTokens = {
  total_tokens: tokens,
  input_tokens: tokens,
  output_tokens: tokens,
  cached: tokens.optional(),
  input: tokens.optional(),
};

/** One line of `--output-format stream-json`. */
const StreamLine = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('init'), timestamp, session_id: z.string(), model: z.string() }),
  z.looseObject({
    type: z.literal('message'),
    timestamp,
    role: z.enum(['user', 'assistant']),
    content: z.string(),
    delta: z.boolean().optional(),
  }),
  z.looseObject({
    type: z.literal('tool_use'),
    timestamp,
    tool_name: z.string(),
    tool_id: z.string(),
    parameters: z.json(),
  }),
  z.looseObject({
    type: z.literal('tool_result'),
    timestamp,
    tool_id: z.string(),
    status: z.enum(['success', 'error']),
    output: z.string().optional(),
    error: z.looseObject({ type: z.string(), message: z.string().optional() }).optional(),
  }),
  z.looseObject({ type: z.literal('error'), timestamp, severity: z.enum(['warning', 'error']), message: z.string() }),
  z.looseObject({
    type: z.literal('result'),
    timestamp,
    status: z.enum(['success', 'error']),
    error: z.looseObject({ type: z.string(), message: z.string() }).optional(),
    stats: z
      .looseObject({
        ...streamTokens,
        duration_ms: z.number().nonnegative(),
        tool_calls: z.int().nonnegative(),
        models: z.record(z.string(), z.looseObject(streamTokens)).optional(),
      })
      .optional(),
  }),
]);

const decisions = z.looseObject({ accept: tokens, reject: tokens, modify: tokens, auto_accept: tokens.optional() });

/** The object of `--output-format json`; with `error` alone it is the document on stderr. */
const Document = z
  .looseObject({
    session_id: z.string().optional(),
    response: z.string().optional(),
    stats: z
      .looseObject({
        models: z.record(
          z.string(),
          z.looseObject({
            api: z.looseObject({ totalRequests: tokens, totalErrors: tokens, totalLatencyMs: tokens }),
            tokens: z.looseObject({
              prompt: tokens,
              candidates: tokens,
              total: tokens,
              cached: tokens,
              thoughts: tokens,
              tool: tokens,
            }),
          }),
        ),
        tools: z.looseObject({
          totalCalls: tokens,
          totalSuccess: tokens,
          totalFail: tokens,
          byName: z.record(
            z.string(),
            z.looseObject({ count: tokens, success: tokens, fail: tokens, durationMs: tokens, decisions }),
          ),
        }),
        files: z.looseObject({ totalLinesAdded: z.number(), totalLinesRemoved: z.number() }).optional(),
      })
      .optional(),
    error: z
      .looseObject({ type: z.string(), message: z.string(), code: z.union([z.string(), z.number()]).optional() })
      .optional(),
    warnings: z.array(z.string()).optional(),
  })
  .refine(
    (document) => document.response !== undefined || document.error !== undefined,
    'neither a response nor an error',
  );

export const Line = z.union([StreamLine, Document]);
