import { z } from 'zod';

const content = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('toolRequest'), id: z.string(), toolCall: z.looseObject({ status: z.string() }) }),
  z.looseObject({ type: z.literal('frontendToolRequest'), id: z.string(), toolCall: z.looseObject({ status: z.string() }) }),
  z.looseObject({ type: z.literal('toolResponse'), id: z.string(), toolResult: z.looseObject({ status: z.string() }) }),
  z.looseObject({ type: z.literal('thinking'), thinking: z.string() }),
  z.looseObject({ type: z.literal('reasoning'), text: z.string() }),
  z.looseObject({ type: z.literal('redactedThinking'), data: z.string() }),
  z.looseObject({ type: z.literal('systemNotification'), notificationType: z.string(), msg: z.string() }),
  z.looseObject({ type: z.literal('toolConfirmationRequest'), id: z.string(), toolName: z.string() }),
  z.looseObject({ type: z.literal('actionRequired'), data: z.looseObject({}) }),
]);
const Message = z.looseObject({
  id: z.string().nullable().optional(),
  role: z.enum(['user', 'assistant']),
  created: z.number(),
  content: z.array(content),
});
const tokens = z.int().nonnegative().nullable();

const Stream = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message'), message: Message }),
  z.looseObject({ type: z.literal('notification'), extension_id: z.string() }),
  z.looseObject({ type: z.literal('error'), error: z.string() }),
  z.looseObject({ type: z.literal('complete'), total_tokens: tokens }),
]);

const Document = z.looseObject({ messages: z.array(Message), metadata: z.looseObject({ total_tokens: tokens, status: z.string() }) });

/** One line of stream-json, or the document of `json`. */
export const Line = z.union([Stream, Document]);
