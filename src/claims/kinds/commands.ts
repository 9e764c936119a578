import type { Clause } from '../answer/clause.ts';
import type { Facts, Step } from '../facts/facts.ts';
import { contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { isVoid, ofPronoun, ofRow, ofWords, type Subject, subjectOf } from './subjects.ts';
import { ofStep } from './why.ts';

const ran =
  /\b(?:re-?)?(?:ran|run|runs|executed|invoked|launched|performed|applied|regenerated|generated|started|triggered|called|used|deployed|migrated|seeded|published|reran|checked with|went through|linted|built|compiled|measured|benchmarked|timed|profiled|stopped|killed|shut down|restarted|rebased|merged|cherry-picked|stashed|tagged|(?:brought|spun|fired|stood|torn|tore) (?:up|down)|(?:brought|spun|fired|stood|tore) (?:it|them|the \S+(?: \S+)?) (?:up|down)|(?:verified|checked|confirmed|tested|searched|counted|measured|compared) (?:\w+ ){0,4}(?:with|by|using|via))\b/;
const unran =
  /\b(?:not|never|n't|no|neither|nor|without|nothing)\b.{0,40}\b(?:re-?)?(?:run|ran|runs|running|executed?|invoked?|launched?|performed?|applied|apply|regenerated?|started?|stopped|modified|triggered?|called?|deployed?|deploy|migrated?|published?|publish|installed?|install|attempted|tried|used?|built|compiled)\b|\b(?:skipped|omitted) (?:running )?(?:the )?|\bnot (?:yet )?run\b|\bunrun\b|:\s?(?:skipped|not run|not executed)\b/;

const passive =
  /\b(?:was|were|has been|have been) (?:\w+ )?(?:re)?(?:started|stopped|launched|deployed|applied|executed|published|killed|built|generated|packaged|compiled|run)\b|\b(?:with|via|using|through) [a-z]/;

/** What was run, or was not. */
export function commands(clause: Clause): Found | undefined {
  const { plain } = clause;
  const spoken = clause.codes.reduce((text, code) => text.replace(code.toLowerCase(), '`'), plain);
  const isNone = unran.test(spoken);
  if (!isNone && !ran.test(spoken)) return undefined;
  const subject =
    subjectOf(clause) ??
    (isNone ? ofRow(clause) : undefined) ??
    ofPronoun(clause) ??
    (passive.test(plain) ? ofWords(plain) : undefined);
  if (subject === undefined) return undefined;
  if (/\bwithout the (?:test )?cache\b|\buncached\b|\b(?:fresh|no cached) results\b|-count=1\b/.test(plain) && !isNone)
    return { kind: 'command_run', judge: (facts) => judgeUncached(facts) };
  if (isNone && !/\bwithout (?:any )?(?:errors?|failures?|problems?|issues?|warnings?|trouble|incident)\b/.test(plain))
    return {
      kind: 'command_run',
      judge: (facts) =>
        judgeNot(facts, subject, {
          isLater: /\bsince\b|\bafter(?:wards)?\b|\bagain\b|\bre-?(?:run|ran|build|built)\b/.test(plain),
          isAgain: /\bagain\b|\bre-?(?:run|ran|build|built)\b/.test(plain),
        }),
    };
  const isSuccess =
    /\b(?:success\w*|cleanly|without (?:any )?(?:errors?|problems?|issues?|failures?|trouble)|completed|finished|worked|applied|regenerated|migrated|deployed|published|went through|passed|exited? (?:with )?0)\b/.test(
      plain,
    );
  return { kind: 'command_run', judge: (facts) => judgeRan(facts, subject, isSuccess, plain, clause.numbers) };
}

/** `isLater`: not since the last change. `isAgain`: not more than once since then. */
function judgeNot(
  facts: Facts,
  subject: Subject,
  { isLater, isAgain }: { isLater: boolean; isAgain: boolean },
): Judgement {
  const done = facts.steps.filter(
    (each) =>
      subject.matches(each) && !isVoid(each) && each.ran !== 'maybe' && !(each.exit === 'unknown' && each.isMissing),
  );
  const later = done.filter((step) => !isLater || step.version === facts.version);
  const step = isAgain && later.length === done.length ? later[1] : later[0];
  return step === undefined ? supported() : contradicted(ofStep(step));
}

function judgeRan(
  facts: Facts,
  subject: Subject,
  isSuccess: boolean,
  plain: string,
  numbers: readonly number[],
): Judgement {
  const all = facts.steps.filter((step) => subject.matches(step));
  // It says itself that it was only a rehearsal.
  const isDry = /\bdry[- ]?runs?\b|--dry-run|\bsimulat\w+|\bcollect-only\b|\brehears\w+/.test(plain);
  const real = all.filter((step) => (isDry ? !step.isRefused && !step.isMissing && step.ran !== 'no' : !isVoid(step)));
  const applied = /\bapplied\b/.test(plain);
  const usable = real.filter((step) => !(applied && step.program.args.includes('plan')));
  const last = usable.at(-1);
  if (last !== undefined) {
    if (!isSuccess) return supported(ofStep(last));
    const good = usable.findLast((step) => step.exit === 'zero');
    if (good !== undefined && (last === good || last.exit !== 'nonzero')) return supported(ofStep(good));
    if (last.exit === 'nonzero') return contradicted(ofStep(last));
    if (
      numbers.length > 0 &&
      numbers.every((number) => last.lines.some((line) => new RegExp(`(?<![\\d.])${number}(?![\\d.])`).test(line)))
    )
      return supported(ofStep(last));
    return saysError(last)
      ? contradicted(ofStep(last))
      : last.lines.some((line) =>
            /\b(?:done|success\w*|complete[d]?|finished|ok|applied|generated|created)\b/i.test(line),
          )
        ? supported(ofStep(last))
        : notShown;
  }
  const refused = all.find((step) => step.isRefused || step.isMissing);
  return refused === undefined ? notShown : contradicted(ofStep(refused));
}

function saysError(step: Step): boolean {
  return step.lines.some((line) => /^(?:error|fatal|traceback|panic|exception)\b|\bERROR\b/i.test(line));
}

/** "Without the cache" is contradicted by results that came from it. */
function judgeUncached(facts: Facts): Judgement {
  const runs = facts.runs.filter((run) => !run.isVoid && run.check.families.includes('tests'));
  const last = runs.at(-1);
  if (last === undefined) return notShown;
  if (
    last.step.program.args.some((arg) =>
      /^(?:-count=1|--no-cache|--skip-nx-cache|--force|--cacheResult=false|--cache-clear|--rerun-tasks|--no-build-cache)$/.test(
        arg,
      ),
    )
  )
    return supported(ofStep(last.step));
  if (last.step.lines.some((line) => /\(cached\)|UP-TO-DATE|FROM-CACHE|local cache|cache hit/i.test(line)))
    return contradicted(
      ofStep(
        last.step,
        last.step.lines.find((line) => /\(cached\)|UP-TO-DATE|FROM-CACHE|cache/i.test(line)),
      ),
    );
  return notShown;
}
