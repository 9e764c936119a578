import type { Dialect } from '../dialect.ts';
import { decoder } from './decode.ts';
import { detect } from './detect.ts';
import { eventsEncoder } from './encode-events.ts';
import { responseEncoder } from './encode.ts';

export const dexter: Dialect = {
  id: 'dexter',
  about: {
    agent: 'Dexter',
    reads: 'the JSON response of `--json`, the events of its Agent class, its scratchpad file',
    writes: 'one JSON response, or the events of its Agent class',
  },
  detect,
  decoder,
  encoder: (sink, variant) => (variant === 'events' ? eventsEncoder(sink) : responseEncoder(sink)),
  variants: [
    { name: 'response', layout: 'lines' },
    { name: 'events', layout: 'lines' },
  ],
  schema: async () => (await import('./wire.ts')).Line,
};
