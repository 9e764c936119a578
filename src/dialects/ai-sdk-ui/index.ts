import type { Dialect } from '../dialect.ts';
import { written } from '../kit/written.ts';
import { encoder } from './write/encode.ts';

export const aiSdkUi: Dialect = {
  id: 'ai-sdk-ui',
  about: {
    agent: 'AI SDK UI message stream, what `useChat` reads',
    writes: 'version 1, as server-sent events',
  },
  ...written(encoder),
  variants: [{ name: 'sse', layout: 'sse', farewell: '[DONE]', headers: { 'x-vercel-ai-ui-message-stream': 'v1' } }],
  joins: 'all',
  schema: async () => (await import('./wire.ts')).Chunk,
};
