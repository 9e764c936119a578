import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';

export const copilot: Dialect = {
  id: 'copilot',
  about: { agent: 'GitHub Copilot CLI, `copilot --output-format json`', reads: "the stream on stdout, and a session's `events.jsonl`" },
  detect,
  decoder,
  schema: async () => (await import('./wire.ts')).Line,
};
