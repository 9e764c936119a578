import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder } from './read/decode.ts';
import { encoder } from './write/encode.ts';
import { toolKinds } from '../shared/opencode/words.ts';

export const opencode: Dialect = {
  id: 'opencode',
  about: {
    agent: 'OpenCode, `opencode run --format json` and the events of `opencode serve`',
    reads:
      'the run stream of 0.11.3 and later with version 2, the bus of version 1 and 2, old and new; the document of `opencode export`, by its description',
    writes: 'the bus events of version 1.0',
  },
  joins: 'turns',
  detect,
  decoder,
  encoder,
  hasNoLastWord: true,
  variants: [{ name: 'bus', layout: 'lines' }],
  toolKinds,
  schema: async () => (await import('./wire.ts')).Line,
};
