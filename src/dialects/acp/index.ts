import type { Dialect } from '../dialect.ts';
import { detect } from './detect.ts';
import { decoder, type Side } from './read/decode.ts';
import { encoder } from './write/encode.ts';

export const acp: Dialect = {
  id: 'acp',
  about: {
    agent: 'Agent Client Protocol, any agent that speaks it',
    reads: 'version 1, one JSON-RPC message a line: both directions in one log, or what the agent wrote alone',
    writes: 'both directions, or the messages of the agent alone',
  },
  detect,
  decoder: (sink) => decoder(sink),
  encoder,
  turnIsRun: true,
  variants: [
    { name: 'dialogue', layout: 'lines' },
    { name: 'agent', layout: 'lines' },
  ],
  schema: async () => (await import('./wire.ts')).Message,
};

/** A live dialogue: `writer` returns whose line is being read. */
export function liveAcp(writer: () => Side): Dialect {
  return { ...acp, decoder: (sink) => decoder(sink, writer) };
}
