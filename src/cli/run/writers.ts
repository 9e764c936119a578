import type { Variant } from '../../dialects/dialect.ts';
import { type Writable, writable } from '../../pipeline/writer.ts';
import type { Format } from './format-flags.ts';

/** One dialect is loaded, not all of them: a run begins with its first line, not with a library. */
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
