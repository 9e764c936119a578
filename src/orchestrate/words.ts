import { claimInWords, contradictedOf } from '../claims/in-words.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { present } from '../json/present.ts';
import type { Changes } from '../workspace/changes.ts';
import { safeEnd } from '../redact/safe-cut.ts';
import type { Branch } from './crew.ts';
import { wordsOfFacts } from './facts.ts';
import type { Verification } from './verifier.ts';

const mostMessage = 4000;
const mostFiles = 50;
const mostContradicted = 10;
const mostLastCall = 300;
const mostLastWords = 1000;

/** What the brain learns about a branch: compact, and only facts. */
export function reportOf(branch: Branch): string {
  const { id, parentId, commit, agent, model, outcome, changes, facts, verification, problem } = branch;
  const files = changes?.changes ?? [];
  const contradictions = contradictedOf(outcome?.claims).map((claim) => claimInWords(claim));
  return JSON.stringify(
    {
      branch_id: id,
      parent_branch_id: parentId,
      ...present({
        commit,
        agent,
        model,
        problem,
        status: outcome?.verdict.class,
        why: whyOf(outcome),
        message: outcome === undefined ? undefined : cut(outcome.message, mostMessage),
        cost_usd: outcome?.metrics.cost,
        tokens: outcome?.metrics.tokens_used,
        duration_ms: outcome?.metrics.duration_ms,
        diff_stat:
          changes === undefined
            ? undefined
            : { files: files.length, additions: changes.additions, deletions: changes.deletions },
        files:
          files.length === 0
            ? undefined
            : files.slice(0, mostFiles).map(({ path, operation }) => `${operation} ${path}`),
        contradicted: contradictions.length === 0 ? undefined : contradictions.slice(0, mostContradicted),
        beside: facts === undefined ? undefined : wordsOfFacts(facts) || undefined,
        verify:
          verification === undefined
            ? undefined
            : { ...verification, output: verification.result === 'passed' ? undefined : verification.output },
      }),
    },
    null,
    1,
  );
}

/** What the brain learns while the agent of a branch still works. */
export function stateOf({ id, parentId, agent, model, run, progress }: Branch): string {
  const { last_call, last_words, ...counts } = progress?.state ?? {};
  return JSON.stringify(
    {
      branch_id: id,
      parent_branch_id: parentId,
      status: run === undefined && progress !== undefined ? 'waiting' : 'running',
      ...present({
        agent,
        model,
        run_id: run?.id,
        ...counts,
        last_call: last_call === undefined ? undefined : cut(last_call, mostLastCall),
        last_words: last_words === undefined ? undefined : cut(last_words, mostLastWords),
      }),
    },
    null,
    1,
  );
}

/** The error message itself, where there is one. */
function whyOf(outcome: RunOutcome | undefined): string | undefined {
  if (outcome === undefined || outcome.status === 'success') return undefined;
  return outcome.error_details?.message ?? outcome.verdict.evidence[0]?.detail;
}

/** The same in one line, for the stream and for people. */
export function summaryOf({ agent, outcome, changes, facts, verification, problem }: Branch): string {
  const why = problem === undefined ? whyOf(outcome) : undefined;
  const parts = [
    ...(agent === undefined ? [] : [agent]),
    outcome === undefined ? (problem ?? 'done') : outcome.verdict.class,
    ...(why === undefined ? [] : [cut(why, 200)]),
    ...(changes === undefined ? [] : [wordsOfChanges(changes)]),
    ...(verification === undefined
      ? []
      : [`verify ${verification.result}${verification.base === 'failed' ? ' (the base is red)' : ''}`]),
    ...remarksOf({ ...present({ outcome, facts }) }),
    ...(outcome !== undefined && problem !== undefined ? [problem] : []),
  ];
  return parts.join(', ');
}

/** What puts the work in context: what was done to tests and protected files, and what its answer claims against the facts. */
export function remarksOf({ outcome, facts }: Pick<Branch, 'outcome' | 'facts'>): string[] {
  const [first, ...more] = contradictedOf(outcome?.claims);
  return [
    ...(facts === undefined || wordsOfFacts(facts) === '' ? [] : [wordsOfFacts(facts)]),
    ...(first === undefined
      ? []
      : [`contradicted: ${cut(claimInWords(first), 300)}${more.length === 0 ? '' : ` and ${more.length} more`}`]),
  ];
}

export function wordsOfChanges({ changes, additions, deletions }: Changes): string {
  if (changes.length === 0) return 'no changes';
  return `${changes.length} ${changes.length === 1 ? 'file' : 'files'} +${additions} -${deletions}`;
}

/** Whether the work exists and its agent succeeded; verification is reported separately. */
export function isGood({ outcome, commit, problem }: Branch): boolean {
  return commit !== undefined && problem === undefined && (outcome === undefined || outcome.status === 'success');
}

export function isVerified({ verification }: { verification?: Pick<Verification, 'result'> }): boolean {
  return verification?.result === 'passed' || verification?.result === 'flaky';
}

export function doesNotPass({ id, verification }: Branch, command: string): string {
  const word = verification === undefined ? 'it was not verified' : verification.result;
  return `${id} does not pass ${JSON.stringify(command)}: ${word}`;
}

export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const shown = text.slice(0, safeEnd(text, most)).toWellFormed();
  return `${shown} [… ${text.length - shown.length} characters more]`;
}
