import { describe, expect, it } from 'vitest';
import { continueCli } from '../../src/dialects/continue.ts';
import { expected } from '../across/expected/continue.ts';
import { detected, exited, only, readLines, signalled, type Wire } from '../support/lines.ts';
import { loadRecording } from '../support/recordings.ts';

const Line = await continueCli.schema();
const wrapped = (response: string): Wire => ({ response, status: 'success', note: 'Response was not valid JSON' });
const note = (status: string, message: string): Wire => ({ status, message });

it('reads the wrapped answer', () => {
  const read = readLines([note('info', 'Loading'), note('warning', 'Slow'), wrapped('Hello.')], { exit: exited(0) });
  expect(read.outcome).toMatchObject({
    message: 'Hello.',
    warnings: ['Slow'],
    verdict: { class: 'success' },
    provenance: { agent: 'continue' },
  });
  expect(only(read, 'log')).toHaveLength(2);
});

it("takes the model's own JSON as the answer when it is named, on one line or many", () => {
  const answer = { files: ['a', 'b'], ok: true };
  const whole = readLines([answer], { dialect: continueCli, exit: exited(0) });
  const indented = readLines([], {
    dialect: continueCli,
    exit: exited(0),
    cut: `${JSON.stringify(answer, null, 2)}\n`,
  });
  for (const read of [whole, indented])
    expect(read.outcome).toMatchObject({ message: JSON.stringify(answer), verdict: { class: 'success' } });
});

it('takes the last value as the answer', () => {
  expect(readLines([{ a: 1 }, { b: 2 }], { dialect: continueCli }).outcome.message).toBe('{"b":2}');
});

describe('the end', () => {
  it.each<[string, Wire[], Parameters<typeof readLines>[1], string, string]>([
    [
      'an error on stderr',
      [],
      { stderr: '{"status":"error","message":"401 Incorrect API key"}\n', exit: exited(1) },
      'provider',
      'continue',
    ],
    [
      'an error after other words',
      [],
      { stderr: 'x\n{"status":"error","message":"Premature close"}\n', exit: exited(1) },
      'provider',
      'continue',
    ],
    [
      'an error on stdout',
      [note('error', 'Config file is an invalid config')],
      { exit: exited(1) },
      'config',
      'continue',
    ],
    [
      'an answer, then an error',
      [wrapped('Hi.')],
      { stderr: '{"status":"error","message":"500 x"}\n', exit: exited(1) },
      'provider',
      'continue',
    ],
    [
      'no prompt',
      [],
      {
        stderr:
          'Error: A prompt is required when using the -p/--print flag, unless --prompt is provided.\n\n  cn -p "x"\n',
        exit: exited(1),
      },
      'input',
      'continue',
    ],
    ['notes alone', [note('info', 'Loading')], { exit: exited(0) }, 'incomplete', 'continue'],
    ['an answer, exit 1', [wrapped('Hi.')], { exit: exited(1) }, 'incomplete', 'continue'],
    ['an empty answer', [wrapped('')], { exit: exited(0) }, 'incomplete', 'continue'],
    ['a cut answer', [], { cut: '{"response":"Hel', exit: exited(0) }, 'incomplete', 'continue'],
    ['silence, exit 0', [], { exit: exited(0) }, 'incomplete', 'unknown'],
    ['silence, exit 130', [], { exit: exited(130) }, 'cancelled', 'unknown'],
    ['silence, killed', [], { exit: signalled('SIGKILL') }, 'incomplete', 'unknown'],
    ['silence, out of time', [], { exit: { ...signalled('SIGKILL'), timedOut: true } }, 'time_limit', 'unknown'],
  ])('%s', (_, lines, rest, want, dialect) => {
    const { outcome } = readLines(lines, rest);
    expect({ class: outcome.verdict.class, dialect: outcome.provenance.dialect }).toEqual({ class: want, dialect });
  });
});

describe('detection is modest', () => {
  it.each<[string, Wire[], string | undefined]>([
    ['the wrapped answer', [wrapped('x')], 'continue'],
    ['a note', [note('info', 'x')], 'continue'],
    ['an answer of the model', [{ answer: 42 }], undefined],
    ['one field more', [{ ...wrapped('x'), extra: 1 }], undefined],
    ['another status', [{ ...wrapped('x'), status: 'done' }], undefined],
    ['a note with a payload', [{ ...note('info', 'x'), files: [] }], undefined],
    ["another agent's line", [{ type: 'progress' }, note('info', 'x')], undefined],
  ])('%s', (_, lines, want) => {
    expect(detected(lines)).toBe(want);
  });
});

it('has a schema that every recorded object fits', async () => {
  for (const scenario of Object.keys(expected.classes)) {
    const text = new TextDecoder().decode(loadRecording(expected.folder, scenario).stdout);
    if (text.endsWith('\n')) expect(Line.safeParse(JSON.parse(text)).error).toBeUndefined();
  }
  expect(Line.safeParse('text').success).toBe(false);
});

it('does not say that there were no calls, which are never told', () => {
  const { metrics } = readLines([wrapped('Done.')]).outcome;
  expect(metrics).not.toHaveProperty('tool_calls_count');
  expect(metrics).not.toHaveProperty('api_calls_count');
});
