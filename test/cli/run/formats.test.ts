import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { fold } from '../../../src/pipeline/convert.ts';
import { endings, goodRun, runScripted, telling } from './scripted.ts';

const outcomeOf = (text: string): Promise<RunOutcome> => fold([new TextEncoder().encode(text)]);
const formats = ['--json', '--output-format=json', '--format=json', '--stream-json', '--to=runwire'];

describe('every format', () => {
  it.each(formats.flatMap((flag) => endings.map(([name, code, drafts]) => [flag, name, code, drafts] as const)))(
    '%s tells %s',
    async (flag, name, code, drafts) => {
      const { status, stdout } = await runScripted([flag, 'Do it'], telling(...drafts));
      expect(status).toBe(flag === '--json' ? Number(code !== 0) : code);
      const outcome = await outcomeOf(stdout);
      expect({ class: outcome.verdict.class, unknown: outcome.provenance.unknown_lines }).toEqual({
        class: name,
        unknown: 0,
      });
    },
  );
});

it('every format tells the same answer, tools and totals', async () => {
  const told = await Promise.all(
    formats.map(async (flag) => {
      const { message, tool_calls, metrics } = await outcomeOf(
        (await runScripted([flag, 'Do it'], telling(...goodRun))).stdout,
      );
      return {
        message,
        tools: tool_calls.map(({ name }) => name).toSorted(),
        tokens: [metrics.input_tokens, metrics.output_tokens],
        turns: metrics.turns,
      };
    }),
  );
  expect(told).toEqual(
    formats.map(() => ({ message: 'All done ✓', tools: ['read', 'write'], tokens: [2100, 50], turns: 2 })),
  );
});
