import type { Variant } from '../../dialects/dialect.ts';
import { type Writable, writable } from '../../pipeline/writer.ts';
import type { Format } from './format-flags.ts';

/** Loads only the dialect that is needed, so that the first line of a run comes sooner. */
export async function loadWriter(format: Format): Promise<[dialect: Writable, variant: Variant] | undefined> {
  switch (format.flag) {
    case 'text':
      return undefined;
    case '--json':
      return writable((await import('../../dialects/dexter/index.ts')).dexter);
    case '--output-format json':
      return writable((await import('../../dialects/agent-code/index.ts')).agentCode);
    case '--format json':
      return writable((await import('../../dialects/opencode/index.ts')).opencode);
    case '--stream-json':
      return writable((await import('../../dialects/dev-agent/index.ts')).devAgent);
    case '--to': {
      const { dialect, variant } = (await import('../../dialects/registry.ts')).findWriter(format.to ?? '');
      return [dialect, variant];
    }
  }
}
