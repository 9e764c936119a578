import type { RunOutcome } from '../outcome/outcome.ts';
import type { Expectation } from './rule.ts';

type Compared = Pick<RunOutcome, 'verdict' | 'tool_calls' | 'artifacts' | 'metrics'>;

/** What one run must have in common with another: how it ended, its tools, its files, and roughly what it used. */
export function compareWith(base: Compared, outcome: Compared, factor: number): Expectation[] {
  return [
    same('ends as before', base.verdict.class, outcome.verdict.class),
    same('same tools as before', toolsOf(base), toolsOf(outcome)),
    same('same files as before', filesOf(base), filesOf(outcome)),
    within('turns', base.metrics.turns, outcome.metrics.turns, factor),
    within('dollars', base.metrics.cost, outcome.metrics.cost, factor),
  ].filter((each) => each !== undefined);
}

function same(rule: string, before: string, now: string): Expectation {
  return {
    rule,
    passed: before === now,
    detail: before === now ? now || 'none' : `before: ${before || 'none'}; now: ${now || 'none'}`,
  };
}

/** How often a tool is called is a matter of chance; which tools are called is less so. */
function toolsOf({ tool_calls: calls }: Compared): string {
  return [...new Set(calls.map(({ name }) => name))].toSorted().join(', ');
}

function filesOf({ artifacts }: Compared): string {
  return artifacts
    .map(({ path, operation }) => `${operation} ${path}`)
    .toSorted()
    .join(', ');
}

/** What was not known before cannot be compared. */
function within(
  of: string,
  before: number | undefined,
  now: number | undefined,
  factor: number,
): Expectation | undefined {
  if (before === undefined) return undefined;
  const rule = `at most ${factor} times the ${of} of before`;
  if (now === undefined) return { rule, passed: false, detail: `before: ${before}; now: unknown` };
  return { rule, passed: now <= before * factor, detail: `before: ${before}; now: ${now}` };
}
