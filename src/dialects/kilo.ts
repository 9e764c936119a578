import type { Dialect } from './dialect.ts';
import { speakerOf } from './shared/opencode/detect.ts';
import { runDecoder } from './shared/opencode/read/run.ts';
import { toolKinds } from './shared/opencode/words.ts';

/** The fork of OpenCode, whose stream of `run` it prints. */
export const kilo: Dialect = {
  id: 'kilo',
  about: { agent: 'Kilo CLI, `kilo run --format json`', reads: '7, the fork of OpenCode' },
  detect(head, stderr) {
    const speaker = speakerOf(head, stderr);
    return speaker?.who === 'kilo' ? speaker.sure : 0;
  },
  decoder: (sink) => runDecoder(sink, 'kilo'),
  hasNoLastWord: true,
  toolKinds,
  schema: async () => (await import('./shared/opencode/wire.ts')).RunLine,
};
