import { z } from 'zod';
import { scratchpadFolder } from './words.ts';

const args = z.record(z.string(), z.json());
const tokens = z.number().nonnegative();
const TokenUsage = z.looseObject({ inputTokens: tokens, outputTokens: tokens, totalTokens: tokens });

export const ToolRecord = z.looseObject({ name: z.string(), args, result: z.string() });

const response = {
  query: z.string(),
  answer: z.string(),
  tools: z.array(ToolRecord),
  scratchpadFile: z.string().refine((path) => isBelow(scratchpadFolder, path), {
    error: `must be a relative path that starts with ${scratchpadFolder}`,
  }),
  metadata: z.looseObject({
    model: z.string(),
    iterations: z.int().nonnegative(),
    totalTimeMs: z.int().positive(),
    tokenUsage: TokenUsage.optional(),
  }),
};

/** Whether a file is below a folder: no part of its path is empty, leads upwards or ends it early. */
function isBelow(folder: string, path: string): boolean {
  const names = path.slice(folder.length).split('/');
  return (
    path.startsWith(folder) &&
    !path.includes('\0') &&
    !names.some((name) => name === '' || name === '.' || name === '..')
  );
}

/** What `--json` prints. The query is empty only if none was given. */
export const JsonResponse = z
  .discriminatedUnion('status', [
    z.looseObject({ status: z.literal('success'), ...response, error: z.undefined().optional() }),
    z.looseObject({
      status: z.literal('error'),
      ...response,
      error: z.looseObject({ code: z.string(), message: z.string() }),
    }),
  ])
  .refine(({ query, error }) => query !== '' || error?.code === 'NO_QUERY', {
    path: ['query'],
    error: 'must be a non-empty string',
  });

const tool = { tool: z.string(), toolCallId: z.string().optional() };

/** The events of the Agent class. */
const AgentEvent = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('stream_progress'),
    charDelta: z.int().nonnegative(),
    mode: z.enum(['requesting', 'thinking', 'responding', 'tool-input', 'tool-use']),
  }),
  z.looseObject({ type: z.literal('thinking'), message: z.string() }),
  z.looseObject({ type: z.literal('tool_approval'), tool: z.string(), args, approved: z.string() }),
  z.looseObject({ type: z.literal('tool_denied'), ...tool, args }),
  z.looseObject({
    type: z.literal('tool_limit'),
    tool: z.string(),
    warning: z.string().optional(),
    blocked: z.boolean(),
  }),
  z.looseObject({ type: z.literal('tool_start'), ...tool, args }),
  z.looseObject({ type: z.literal('tool_progress'), ...tool, message: z.string() }),
  z.looseObject({ type: z.literal('tool_end'), ...tool, args, result: z.string(), duration: z.number().optional() }),
  z.looseObject({ type: z.literal('tool_error'), ...tool, error: z.string() }),
  z.looseObject({ type: z.literal('microcompact'), cleared: z.number(), tokensSaved: z.number() }),
  z.looseObject({ type: z.literal('memory_flush'), phase: z.enum(['start', 'end']) }),
  z.looseObject({ type: z.literal('memory_recalled'), filesLoaded: z.array(z.string()), tokenCount: z.number() }),
  z.looseObject({ type: z.literal('compaction'), phase: z.enum(['start', 'end']) }),
  z.looseObject({ type: z.literal('context_cleared'), clearedCount: z.number(), keptCount: z.number() }),
  z.looseObject({ type: z.literal('queue_drain'), messageCount: z.int(), mergedText: z.string() }),
  z.looseObject({ type: z.literal('answer_start') }),
  z.looseObject({
    type: z.literal('done'),
    answer: z.string(),
    toolCalls: z.array(z.looseObject({ tool: z.string(), args, result: z.string() })),
    iterations: z.int().nonnegative(),
    totalTime: z.number().nonnegative(),
    tokenUsage: TokenUsage.optional(),
  }),
]);

const timestamp = z.iso.datetime();

/** The log file below `.dexter/scratchpad/`. */
const Scratchpad = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('init'), timestamp, content: z.string() }),
  z.looseObject({ type: z.literal('thinking'), timestamp, content: z.string() }),
  z.looseObject({ type: z.literal('tool_result'), timestamp, toolName: z.string(), args, result: z.json() }),
]);

export const Line = z.union([JsonResponse, AgentEvent, Scratchpad]);
