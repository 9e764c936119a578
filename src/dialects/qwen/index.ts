import type { ErrorCode } from '../../events/event.ts';
import type { Dialect } from '../dialect.ts';
import { decoder } from './decode.ts';
import { detect } from './detect.ts';
import { encoder } from './encode.ts';

const exits: Record<number, ErrorCode> = {
  41: 'config',
  42: 'input',
  44: 'config',
  52: 'config',
  53: 'turn_limit',
  54: 'tool',
  55: 'time_limit',
  130: 'cancelled',
};

export const qwen: Dialect = {
  id: 'qwen',
  about: {
    agent: 'Qwen Code, `qwen --output-format stream-json` or `json`',
    reads: '0.3 and later, with and without partial messages; the `{response, stats}` object before, if a Qwen model made it',
    writes: 'the current format',
  },
  detect,
  decoder,
  encoder,
  variants: [
    { name: 'stream-json', layout: 'lines' },
    { name: 'json', layout: 'array' },
    { name: 'partial', layout: 'lines' },
  ],
  exitMeaning: (code) => exits[code],
  schema: async () => (await import('./wire.ts')).Line,
};
