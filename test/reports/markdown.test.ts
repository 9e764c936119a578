import fc from 'fast-check';
import { expect, it } from 'vitest';
import { codeSpan, fenced } from '../../src/reports/markdown.ts';
import { reportMarkdown } from '../../src/reports/report-md.ts';
import { Story } from '../../src/reports/story.ts';
import { Thread } from '../../src/pipeline/thread.ts';

const hostile = fc
  .array(
    fc.constantFrom(
      '`',
      '```',
      '````',
      '\n',
      '\r',
      '<img src=x onerror=1>',
      '</details>',
      '![a](http://x)',
      '@all',
      '# ',
      '|',
      '\u202e',
      '\u001b[2J',
      'a',
    ),
  )
  .map((parts) => parts.join(''));

it('keeps foreign text inside of its fence and its span', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const [open = '', ...rest] = fenced(text).trimEnd().split('\n');
      const ticks = /^`+/.exec(open)?.[0] ?? '';
      expect(rest.at(-1)).toBe(ticks);
      expect(rest.slice(0, -1).some((line) => new RegExp(`^ {0,3}\`{${ticks.length},}\\s*$`).test(line))).toBe(false);
      const span = codeSpan(text);
      expect(span).not.toContain('\n');
      if (span !== '(empty)') {
        const marks = /^`+/.exec(span)?.[0] ?? '';
        const inside = span.slice(marks.length + 1, -marks.length - 1);
        expect(span.endsWith(` ${marks}`)).toBe(true);
        expect(inside.split(/[^`]+/).includes(marks)).toBe(false);
      }
    }),
    { numRuns: 200 },
  );
});

it('stays within its bytes: of a long run the last steps are not shown', () => {
  const story = new Story();
  const thread = new Thread({ newId: () => 't', onRecord: (record) => story.record(record) });
  for (let index = 0; index < 300; index += 1) thread.emit({ type: 'text.completed', text: 'é'.repeat(5000) });
  thread.emit({ type: 'agent.finished', status: 'ok' });
  const outcome = thread.end('runwire');
  const text = reportMarkdown(outcome, story, 100_000);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100_000);
  expect(text).toContain('steps not shown');
  expect(text.endsWith('</details>\n')).toBe(true);
  expect(Buffer.byteLength(reportMarkdown(outcome, story))).toBeLessThan(2_000_000);
});
