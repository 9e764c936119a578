import type { Clause } from '../answer/clause.ts';
import type { Facts, Step } from '../facts/facts.ts';
import { actions, isFailed, isGood } from './actions.ts';
import { byCall, contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { judgeUnreproduced } from './reproductions.ts';
import { readingsOf } from './reads.ts';
import { ofCode, ofWords } from './subjects.ts';
import { ofStep, short } from './why.ts';

const inability =
  /\b(?:could ?n[o']t|couldn't|cannot|can't|unable to|not able to|was not able|wasn't able|were unable|failed to|fails to|did not (?:go through|apply|start|install|build|compile|work|succeed|complete|finish|manage)|didn't (?:go through|apply|start|install|work|succeed|complete|finish|manage)|was (?:blocked|rejected|refused|declined|aborted|stopped|interrupted|prevented)|were (?:blocked|rejected)|is (?:blocked|rejected)|got (?:rejected|blocked)|timed out|time[- ]?out|hit an? \w+|no luck|not possible|impossible|has failed|failed (?:because|with|due|on|at|when)|(?:push(?:ing)?|commit(?:ting)?|install(?:ation|ing)?|upgrad(?:e|ing)|merg(?:e|ing)|rebas(?:e|ing)|download(?:ing)?|deploy(?:ment|ing)?|migration|migrating|clon(?:e|ing)|connection|connecting|edit(?:ing)?|publishing|start(?:ing)?|writing) (?:\S+ ){0,3}?(?:has |have )?failed)\b/;

/** What could not be done. */
export function inabilities(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (!inability.test(plain)) return undefined;
  if (/\breproduced\b/.test(plain) && !/\b(?:not|n't|unable|cannot)\b.{0,20}\breproduc|n't .{0,12}reproduc/.test(plain))
    return undefined;
  if (/\breproduc/.test(plain)) return { kind: 'could_not', judge: (facts) => judgeUnreproduced(facts) };
  if (
    /\b(?:it|function|parser|code|method|class|which|that|user|users|input|loader) (?:could not|cannot|couldn't|can't|failed to|fails to)\b/.test(
      plain,
    ) &&
    !/\bi (?:could|was|can|am)/.test(plain)
  )
    return undefined;
  const coded = clause.codes.map(ofCode).find((each) => each !== undefined);
  const action = actions.find(([words]) => words.test(plain));
  const isTimeout = /\btimed? ?-?out\b/.test(plain);
  const file =
    /\b(?:edit|write|change|modify|update|creat\w*|delete|remove|find|open|opened|written|edited|changed|found|read)\b/.test(
      plain,
    )
      ? clause.paths[0]
      : undefined;
  const spoken =
    coded === undefined && action === undefined && file === undefined && /\b(?:i|we)\b|\bwas not possible\b/.test(plain)
      ? ofWords(plain)
      : undefined;
  if (spoken !== undefined)
    return {
      kind: 'could_not',
      isWhole: true,
      judge(facts) {
        const steps = facts.steps.filter((step) => step.ran !== 'no' && spoken.matches(step));
        return steps.length === 0
          ? { verdict: 'not_checkable', evidence: [] }
          : judgeInability(facts, steps, isTimeout);
      },
    };
  if (coded === undefined && action === undefined && file === undefined) return undefined;
  // A program that failed is not something that the agent could not do.
  if (
    action === undefined &&
    file === undefined &&
    !/\b(?:i|we)\b|could ?n[o']t|\bcannot\b|can't|\bunable\b|\btimed\b/.test(plain)
  )
    return undefined;
  if (action !== undefined && /\bcannot say|can't say\b/.test(plain) && !isTimeout) return undefined;
  return {
    kind: 'could_not',
    isWhole: true,
    judge(facts) {
      const steps = facts.steps.filter((step) => step.ran !== 'no' && (action?.[1](step) ?? false));
      const named = coded === undefined ? [] : facts.steps.filter((step) => step.ran !== 'no' && coded.matches(step));
      const all = steps.length > 0 ? steps : named;
      if (all.length === 0 && file !== undefined) return judgeFile(facts, file);
      return judgeInability(facts, all, isTimeout);
    },
  };
}

function judgeInability(facts: Facts, steps: readonly Step[], isTimeout: boolean): Judgement {
  const failed = steps.findLast((step) => isFailed(facts, step));
  const good = steps.findLast(
    (step) =>
      !step.isRefused &&
      !step.isMissing &&
      !isFailed(facts, step) &&
      (step.exit === 'zero' || isGood(facts, step)) &&
      !step.program.args.includes('--dry-run'),
  );
  if (isTimeout) {
    const late = steps.findLast((step) => step.isTimedOut);
    if (late !== undefined) return supported(ofStep(late));
    const ended = steps.findLast(
      (step) => !step.isBackground && (step.exit !== 'unknown' || step.lines.some((line) => /\d/.test(line))),
    );
    return ended === undefined ? notShown : contradicted(ofStep(ended));
  }
  if (failed !== undefined) return supported(ofStep(failed));
  return good === undefined ? notShown : contradicted(ofStep(good));
}

function judgeFile(facts: Facts, path: string): Judgement {
  if (!facts.writes.some((write) => write.path.endsWith(path))) {
    const readings = readingsOf(facts, path);
    const lost = readings.find(({ isDone }) => !isDone);
    const read = readings.find(({ isDone }) => isDone);
    if (read !== undefined)
      return lost === undefined ? contradicted(byCall(read.call, short(`read ${path}`))) : notShown;
    if (lost !== undefined) return supported(byCall(lost.call, short(lost.call.output)));
  }
  const attempts = facts.writes.filter((write) => write.path.endsWith(path));
  const failed = attempts.findLast((write) => write.done === 'no');
  const done = attempts.findLast((write) => write.done === 'yes');
  if (failed !== undefined && done === undefined)
    return supported(byCall(failed.call, short(`${failed.path}: failed`)));
  return done === undefined || failed !== undefined ? notShown : contradicted(byCall(done.call, short(done.path)));
}
