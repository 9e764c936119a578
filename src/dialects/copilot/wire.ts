import { z } from 'zod';

/** Every event in its envelope; about 140 kinds of `data`, of which the decoder reads some thirty. */
const Event = z.looseObject({
  type: z.string().regex(/^(?!result$)/),
  data: z.record(z.string(), z.json()),
  id: z.string(),
  parentId: z.string().nullable(),
  timestamp: z.string(),
});

const Result = z.looseObject({ type: z.literal('result'), sessionId: z.string(), exitCode: z.int() });

/** One line of `copilot --output-format json`. */
export const Line = z.union([Event, Result]);
