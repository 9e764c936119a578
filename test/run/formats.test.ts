import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JsonResponse } from '../../src/dialects/dexter/wire.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { fold } from '../../src/pipeline/convert.ts';
import { endings, goodRun, lines, runScripted, telling } from './scripted.ts';

const outcomeOf = (text: string): Promise<RunOutcome> => fold([new TextEncoder().encode(text)]);
const formats = ['--json', '--output-format=json', '--format=json', '--stream-json', '--to=runwire'];

describe('every format', () => {
  it.each(formats.flatMap((flag) => endings.map(([name, code, drafts]) => [flag, name, code, drafts] as const)))(
    '%s tells %s',
    async (flag, name, code, drafts) => {
      const { status, stdout } = await runScripted([flag, 'Do it'], telling(...drafts));
      expect(status).toBe(flag === '--json' ? Number(code !== 0) : code);
      const outcome = await outcomeOf(stdout);
      expect({ class: outcome.verdict.class, unknown: outcome.provenance.unknown_lines }).toEqual({ class: name, unknown: 0 });
    },
  );
});
