import type { Dialect } from '../dialect.ts';
import { decoder } from './decode.ts';
import { detect } from './detect.ts';

export const copilot: Dialect = {
  id: 'copilot',
  about: { agent: 'GitHub Copilot CLI, `copilot --output-format json`', reads: "the stream on stdout, and a session's `events.jsonl`" },
  detect,
  decoder,
  schema: async () => (await import('./wire.ts')).Line,
};
