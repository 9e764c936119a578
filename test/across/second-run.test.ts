import { describe, expect, it } from 'vitest';
import { findDialect, readable } from '../../src/dialects/registry.ts';
import { jsonl, pass } from '../support/pipeline.ts';
import { loadRecording } from '../support/recordings.ts';
import { handWritten } from '../support/whole-runs.ts';

/** One run of every dialect that ended well: recorded, written by us, or written by hand. */
const wholeRuns: [name: string, stdout: string][] = [
  ...[
    'cline@3.0.65',
    'codex@0.166.0',
    'dexter@1.0.3',
    'gemini@0.61.0',
    'kilo@7.7.7',
    'opencode@1.18.33',
    'opencode-serve@1.18.33',
  ].map(recorded),
  ...[
    'pi@0.73.1',
    'qwen@0.24.4',
    'qwen-partial@0.24.4',
    'continue@1.5.47',
    'gemini-json@0.61.0',
    'qwen-json@0.24.4',
  ].map(recorded),
  ...['claude', 'agent-code', 'agent-code:events', 'dev-agent', 'runwire', 'dexter:events', 'atif'].flatMap(written),
  ...Object.entries(handWritten).map(([name, lines]): [string, string] => [name, jsonl(lines)]),
];

function recorded(folder: string): [string, string] {
  return [folder, new TextDecoder().decode(loadRecording(folder, 'multi-tool').stdout)];
}

function written(to: string): [string, string][] {
  const { id, variants } = findDialect(to.split(':')[0] ?? '');
  if (to.includes(':') && variants?.every(({ name }) => `${id}:${name}` !== to)) return [];
  return [[to, pass({ stdout: recorded('codex@0.166.0')[1], exit: { exit_code: 0, signal: null } }, to).text]];
}

const endOf = (stdout: string): string => (stdout.endsWith('\n') ? stdout : `${stdout}\n`);

it('knows a whole run of every dialect', () => {
  const known = wholeRuns.map(([, stdout]) => pass({ stdout }).outcome.provenance.dialect);
  expect([...new Set(known)].toSorted()).toEqual(readable.map(({ id }) => id).toSorted());
});

describe.each(wholeRuns)('%s', (_name, stdout) => {
  const whole = endOf(stdout);
  const once = pass({ stdout: whole }).outcome;

  it('is a success alone', () => {
    expect(once.verdict).toMatchObject({ class: 'success' });
    expect(once.message).not.toBe('');
    expect(once.provenance.notes.map(({ what }) => what).join()).not.toContain('went on');
  });

  it('is none when half a second run follows', () => {
    for (const half of halvesOf(whole)) {
      const { outcome } = pass({ stdout: whole + half });
      expect(outcome.verdict.class).not.toBe('success');
    }
  });

  it('is one, with a note, when a second whole run follows', () => {
    const { outcome } = pass({ stdout: whole + whole });
    expect(outcome.verdict.class).toBe('success');
    expect(outcome.message).toBe(once.message);
    expect(outcome.provenance.notes.map(({ what }) => what).join()).toContain('continued after finishing');
  });
});

/** Everything before the line that ends it, a little and a lot of it; of a single document, half of its bytes. */
function halvesOf(whole: string): string[] {
  const lines = whole.split('\n').slice(0, -1);
  if (lines.length === 1 || whole.startsWith('{\n')) return [whole.slice(0, whole.length / 2)];
  const early = whole.includes('plugin.added') ? [] : [2];
  return [...early, Math.ceil(lines.length / 2)].map((count) => `${lines.slice(0, count).join('\n')}\n`);
}

describe('two runs whose lines are mixed', () => {
  const codexRun = (thread_id: string, ending: object): object[] => [
    { type: 'thread.started', thread_id },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: `I am ${thread_id}.` } },
    ending,
  ];
  const good = codexRun('a', { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });
  const bad = codexRun('b', { type: 'turn.failed', error: { message: 'unexpected status 401 Unauthorized' } });
  const mix = (one: object[], other: object[]): object[] =>
    one.flatMap((line, index) => [line, ...other.slice(index, index + 1)]);

  it('are never a success without a word about the one that failed', () => {
    const badFirst = pass({ stdout: jsonl(mix(bad, good)) }).outcome;
    expect(badFirst).toMatchObject({
      verdict: { class: 'incomplete' },
      warnings: [expect.stringContaining('401 Unauthorized')],
    });
    expect(badFirst.provenance.notes).toMatchObject([
      { what: 'more than one session in one stream, read as one run' },
      { what: 'it continued after finishing: the last run or turn is judged' },
    ]);
    expect(pass({ stdout: jsonl(mix(good, bad)) }).outcome.verdict).toMatchObject({ class: 'provider', code: 'auth' });
  });

  it('are incomplete when one of them does not end', () => {
    expect(
      pass({ stdout: jsonl([...good.slice(0, 2), ...bad.slice(0, 1), ...good.slice(2), ...bad.slice(1, 3)]) }).outcome
        .verdict,
    ).toMatchObject({
      class: 'incomplete',
    });
  });

  it('says so when the first of two failed', () => {
    const { outcome } = pass({ stdout: jsonl([...bad, ...good]) });
    expect(outcome).toMatchObject({
      message: 'I am a.',
      verdict: { class: 'success' },
      warnings: ['the run before the last one failed: unexpected status 401 Unauthorized'],
    });
  });
});
