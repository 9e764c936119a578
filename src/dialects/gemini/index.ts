import type { Dialect } from '../dialect.ts';
import { detect, detectText } from './detect.ts';
import { decoder } from './read/decode.ts';
import { exitMeaning } from './read/ending.ts';
import { encoder } from './write/encode.ts';
import { toolKinds } from './words.ts';

export const gemini: Dialect = {
  id: 'gemini',
  about: {
    agent: 'Gemini CLI, `gemini --output-format stream-json | json`',
    reads:
      '`stream-json` of 0.11 and later, the `json` document of 0.6 and later and its error document on stderr; session files (`chats/session-*`), by their description',
    writes: '`stream-json`, or `json` as one document',
  },
  detect,
  detectText,
  decoder,
  encoder,
  variants: [
    { name: 'stream-json', layout: 'lines' },
    { name: 'json', layout: 'document' },
  ],
  exitMeaning,
  toolKinds,
  schema: async () => (await import('./wire.ts')).Line,
};
