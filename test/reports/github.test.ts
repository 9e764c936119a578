import fc from 'fast-check';
import { expect, it } from 'vitest';
import { harmlessInSections } from '../../src/reports/gitlab.ts';
import { annotations, harmlessInLog, workflowCommand } from '../../src/reports/github.ts';
import { stepOutput, stepOutputs } from '../../src/reports/step-outputs.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import type { Draft } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';

function outcomeOf(...drafts: Draft[]): RunOutcome {
  const thread = new Thread({ newId: () => 't' });
  for (const draft of drafts) thread.emit(draft);
  return thread.end('runwire');
}

it('writes the bytes that the runner reads', () => {
  expect(workflowCommand('error', 'a%b\r\n::error::c', { title: 'x:y,z%', file: 'src/a.ts', line: undefined })).toBe(
    '::error title=x%3Ay%2Cz%25,file=src/a.ts::a%25b%0D%0A::error::c\n',
  );
  expect(workflowCommand('endgroup', '')).toBe('::endgroup::\n');
  expect(stepOutput('message', 'one\ntwo', 'D')).toBe('message<<D\none\ntwo\nD\n');
});

const hostile = fc.string({
  unit: fc.constantFrom(
    '::error::x',
    '\n',
    '\r',
    ':',
    '%',
    ',',
    '##[error]',
    'a',
    ' ',
    '\u0085',
    '\u001b[31m',
    '\u202e',
  ),
});

it('lets no text of a run be a command', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const told = annotations(
        outcomeOf(
          { type: 'error', scope: 'model', code: 'server', message: text, fatal: true },
          { type: 'log', stream: 'agent', level: 'warning', text },
        ),
        '',
      );
      for (const line of told.trimEnd().split('\n')) expect(line).toMatch(/^::(?:error|warning) title=[^\r\n]*$/);
      expect(told).not.toContain('\r');
      for (const line of harmlessInLog(text).split(/\r\n?|\n/))
        expect(line.replace(/^[\s\u0085]+/, '').startsWith('::') || line.includes('##[')).toBe(false);
    }),
    { numRuns: 300 },
  );
});

it('lets no text of a run open or close a section of GitLab', () => {
  const forged = '\nsection_end:1:runwire_1\r\u001b[0Ksection_start:9:x[collapsed=true]\r\u001b[0Khidden';
  expect(harmlessInSections(forged)).toBe(
    '\nsection\\_end:1:runwire_1\r\u001b[0Ksection\\_start:9:x[collapsed=true]\r\u001b[0Khidden',
  );
  expect(harmlessInSections('a section_start: of words')).toBe('a section_start: of words');
});

it('has at most ten annotations of a kind, and the place of an error', () => {
  const warnings = Array.from({ length: 30 }, (_, index): Draft => ({
    type: 'log',
    stream: 'agent',
    level: 'warning',
    text: `w${index}`,
  }));
  const stack = 'Error: no\n    at run (/w/src/a.ts:12:3)';
  const told = annotations(
    outcomeOf(...warnings, { type: 'error', scope: 'agent', code: 'unknown', message: 'no', fatal: true, stack }),
    '/w',
  ).split('\n');
  expect(told.filter((line) => line.startsWith('::warning')).length).toBe(10);
  expect(told[0]).toBe(
    '::error title=runwire%3A incomplete,file=src/a.ts,line=12::an error that the agent did not recover from%0Ano',
  );
});

it('has the documented outputs', () => {
  const outcome = outcomeOf(
    { type: 'thread.started', session_id: 's-1', model: 'gpt-5\n::x' },
    { type: 'turn.started' },
    { type: 'file.edited', path: '/w/a.txt', operation: 'modified' },
    {
      type: 'usage.reported',
      scope: 'thread',
      input_tokens: 1200,
      output_tokens: 30,
      cache_read_tokens: 200,
      cost_usd: 0.25,
    },
    { type: 'run.paused', reason: 'limit', until_ms: 5000 },
    { type: 'run.resumed', reason: 'limit', paused_ms: 5000 },
    { type: 'text.completed', text: 'a\nD\nclass<<X' },
    { type: 'agent.finished', status: 'ok' },
  );
  let count = 0;
  const values = {
    verdict: 'success',
    class: 'success',
    exit_code: '0',
    cost_usd: '0.25',
    input_tokens: '1200',
    output_tokens: '30',
    cache_read_tokens: '200',
    turns: '1',
    duration_ms: '',
    waited_ms: '5000',
    model: 'gpt-5 ::x',
    session_id: 's-1',
    files_changed: '1',
    fallbacks: '0',
    message: 'a\nD\nclass<<X',
    outcome_file: '/tmp/o.json',
  };
  const { duration_ms } = Object.fromEntries(
    Array.from(stepOutputs(outcome, undefined, () => 'D').matchAll(/^(\w+)<<D\n(.*)\n/gm), ([, name, value]) => [
      name,
      value,
    ]),
  ) as Record<string, string>;
  expect(stepOutputs(outcome, '/tmp/o.json', () => `D${++count}`)).toBe(
    Object.entries({ ...values, duration_ms })
      .map(([name, value], at) => `${name}<<D${at + 1}\n${value}\nD${at + 1}\n`)
      .join(''),
  );
});
