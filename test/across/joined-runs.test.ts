import { describe, expect, it } from 'vitest';
import { findDialect, readable } from '../../src/dialects/registry.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { type Passed, pass } from '../support/pipeline.ts';
import { loadRecording, scenariosOf } from '../support/recordings.ts';
import { tables } from './expected/index.ts';

/** Runs that end in every way, one after the other; agents have recordings of most of them. */
const pairs = [
  ['plain', 'empty-answer'],
  ['multi-tool', 'denied'],
  ['denied', 'plain'],
  ['denied', 'empty-answer'],
  ['empty-answer', 'plain'],
  ['sigint-tool', 'plain'],
  ['sigint-tool', 'empty-answer'],
  ['sigterm-stream', 'multi-tool'],
  ['error-401', 'plain'],
  ['error-400-context', 'plain'],
  ['disconnect-always', 'plain'],
  ['turn-limit', 'denied'],
] as const;

interface Run {
  scenario: string;
  stdout: string;
  alone: RunOutcome;
}

function runsOf(folder: string, dialect: string): Map<string, Run> {
  const runs = new Map<string, Run>();
  for (const scenario of scenariosOf(folder)) {
    if (!pairs.some((pair) => pair.some((each) => each === scenario))) continue;
    const text = new TextDecoder().decode(loadRecording(folder, scenario).stdout);
    const stdout = text.endsWith('\n') ? text : `${text}\n`;
    if (text !== '')
      runs.set(scenario, { scenario, stdout, alone: pass({ stdout, dialect: findDialect(dialect) }).outcome });
  }
  return runs;
}

const agents = tables.map(({ folder, dialect }) => {
  const runs = runsOf(folder, dialect);
  const joined = pairs.flatMap(([first, second]): [Run, Run][] => {
    const [one, other] = [runs.get(first), runs.get(second)];
    return one === undefined || other === undefined ? [] : [[one, other]];
  });
  return { folder, dialect, runs, joined };
});
const targets = readable
  .filter(({ encoder }) => encoder !== undefined)
  .flatMap(({ id, variants = [] }) => (variants.length === 0 ? [id] : variants.map(({ name }) => `${id}:${name}`)));

const sum = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);

describe.each(agents)('$folder: two runs in one stream', ({ dialect, runs, joined }) => {
  const read = (stdout: string): Passed => pass({ stdout, dialect: findDialect(dialect) });

  it('are judged by the second, and both are on the bill', () => {
    for (const [first, second] of joined) {
      const { outcome } = read(first.stdout + second.stdout);
      const name = `${first.scenario}, ${second.scenario}`;
      expect({ name, class: outcome.verdict.class }).toEqual({ name, class: second.alone.verdict.class });
      expect(outcome.metrics.tokens_used).toBe(sum(first.alone.metrics.tokens_used, second.alone.metrics.tokens_used));
      const cost = sum(first.alone.metrics.cost, second.alone.metrics.cost);
      if (cost !== undefined) expect(outcome.metrics.cost).toBeCloseTo(cost, 9);
      // Events of Dexter name no run: one that was cut off cannot be told from the one that follows.
      if (dialect !== 'dexter' && first.alone.verdict.class !== 'success' && second.alone.verdict.class === 'success')
        expect(outcome.warnings.join()).toMatch(/before/);
    }
  });

  it('are judged alike in whichever dialect they are written, with the same tokens', () => {
    const own = targets.find((target) => target.startsWith(`${dialect}:`));
    for (const [index, [first, second]] of joined.entries()) {
      // Into its own dialect, and into some others: every pair of agents meets every target often enough.
      for (const to of targets.filter((target, at) => target === own || at % joined.length === index)) {
        const name = `${first.scenario}, ${second.scenario} as ${to}`;
        const before = pass({ stdout: first.stdout + second.stdout, dialect: findDialect(dialect) }, to);
        const after = pass({ stdout: before.text, dialect: findDialect(to.split(':')[0] ?? '') }).outcome;
        const isSuccess = before.outcome.verdict.class === 'success';
        expect({ name, isSuccess: after.verdict.class === 'success' }).toEqual({ name, isSuccess });
        if (!before.losses.includes('usage'))
          expect({ name, tokens: after.metrics.tokens_used }).toEqual({
            name,
            tokens: before.outcome.metrics.tokens_used,
          });
      }
    }
  });

  it('are read as one when every line comes twice', () => {
    for (const { scenario, stdout, alone } of runs.values()) {
      const lines = stdout.split('\n').filter((line) => line !== '');
      // One document of many lines is none any more; one of a single line is two.
      if (lines.some((line) => !line.startsWith('{') || !line.endsWith('}'))) continue;
      const { metrics, verdict, tool_calls } = read(lines.map((line) => `${line}\n${line}\n`).join('')).outcome;
      expect({ scenario, class: verdict.class, calls: tool_calls.length }).toEqual({
        scenario,
        class: alone.verdict.class,
        calls: alone.tool_calls.length,
      });
      expect(metrics.tokens_used).toBe(alone.metrics.tokens_used);
    }
  });

  it.skipIf(dialect === 'dexter')('whose lines are mixed are no success without a word when one of them failed', () => {
    for (const [one, other] of joined) {
      if (one.alone.verdict.class === 'success' && other.alone.verdict.class === 'success') continue;
      const own = targets.find((target) => target.startsWith(`${dialect}:`));
      const { outcome, text } = pass({ stdout: mix(one.stdout, other.stdout), dialect: findDialect(dialect) }, own);
      if (outcome.verdict.class !== 'success' && own !== undefined)
        expect(read(text).outcome.verdict.class, `${one.scenario}, ${other.scenario}`).not.toBe('success');
      if (outcome.verdict.class === 'success')
        expect(outcome.warnings, `${one.scenario}, ${other.scenario}`).not.toEqual([]);
    }
  });
});

function mix(one: string, other: string): string {
  const [some, others] = [one.split('\n'), other.split('\n')];
  return some
    .flatMap((line, index) => [line, others[index] ?? ''])
    .concat(others.slice(some.length))
    .filter((line) => line !== '')
    .map((line) => `${line}\n`)
    .join('');
}

it('knows the end of a call that comes twice', () => {
  const { stdout, alone } = runsOf('gemini@0.61.0', 'gemini').get('denied') as Run;
  const lines = stdout.split('\n');
  const { outcome } = pass({
    stdout: lines.flatMap((line) => (line.includes('"tool_result"') ? [line, line] : [line])).join('\n'),
  });
  expect(outcome).toMatchObject({ verdict: { class: 'permission' }, tool_calls: alone.tool_calls });
});
