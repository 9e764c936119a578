import type { RunOutcome } from '../outcome/outcome.ts';
import { statusOf } from '../outcome/document.ts';
import { unmetEvidence, unmetOf } from '../outcome/verdict.ts';
import { exitCodes } from '../failure.ts';
import type { Expectation } from './rule.ts';

/** A stored run, judged by new rules, which replace those that it was run with. */
export function judgedBy(expectations: readonly Expectation[], outcome: RunOutcome): RunOutcome {
  const { verdict } = outcome;
  const wasSuccess = verdict.class === 'success' || verdict.class === 'expectation';
  const unmet = unmetOf(expectations);
  if (!wasSuccess) return { ...outcome, expectations: [...expectations] };
  const name = unmet === undefined ? 'success' : 'expectation';
  const rest = verdict.evidence.slice(1).filter(({ signal }) => signal !== 'expectation');
  return {
    ...outcome,
    status: statusOf(name),
    expectations: [...expectations],
    verdict: {
      class: name,
      exit_code: exitCodes[name],
      ...(unmet === undefined ? {} : { code: 'expectation' as const }),
      evidence: [
        { signal: 'verdict', detail: unmet ?? 'the agent finished, and nothing contradicts it' },
        ...rest,
        ...unmetEvidence(expectations),
      ],
    },
  };
}

/** A run that ended as a rule expects is fine, even if that end is not a success. */
export function checkCode({ verdict, expectations = [] }: RunOutcome): number {
  if (expectations.some(({ passed }) => !passed))
    return verdict.class === 'success' ? exitCodes.expectation : failing(verdict.exit_code, expectations);
  return expectations.some(({ rule }) => rule.startsWith('ends ')) ? 0 : verdict.exit_code;
}

function failing(code: number, expectations: readonly Expectation[]): number {
  return expectations.some(({ rule }) => rule.startsWith('ends ')) ? exitCodes.expectation : code;
}
