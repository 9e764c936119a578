import type { Dialect } from '../dialect.ts';
import { decoder } from './read/decode.ts';
import { detect } from './detect.ts';
import { encoder } from './write/encode.ts';
import { toolKinds } from './words.ts';

export const claude: Dialect = {
  id: 'claude',
  about: {
    agent: 'Claude Code, `claude -p --output-format stream-json` or `json`',
    reads: '1.0 to 2.1, lines, the result object, the array of `json --verbose`, partial messages, session files',
    writes: 'the format of 2.1',
  },
  joins: 'turns',
  countsSessions: true,
  detect,
  decoder,
  encoder,
  variants: [
    { name: 'stream-json', layout: 'lines' },
    { name: 'json', layout: 'lines', isOneObject: true },
    { name: 'json-array', layout: 'array' },
    { name: 'partial', layout: 'lines' },
  ],
  toolKinds,
  schema: async () => (await import('./wire.ts')).Line,
};
