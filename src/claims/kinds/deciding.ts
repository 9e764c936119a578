import type { Family } from '../facts/checks.ts';
import type { Facts, Run } from '../facts/facts.ts';
import { isLimited, isOfPart, isOfTools, type Scope } from './scope.ts';

/** At the end, before the first change, or with the change stashed away. */
export type Moment = 'end' | 'before' | 'without' | 'first';

export function momentOf(plain: string): Moment {
  // "120 pass now, up from 119 before my change"
  if (/\bnow\b.{1,60}\bbefore\b|\bup from\b|\bdown from\b|\bafter(?:wards)?\b.{1,60}\bbefore\b/.test(plain))
    return 'end';
  if (
    /\bwithout (?:the|my|this|that|our|these|any) (?:change|fix|patch|edit|commit|modification)s?\b|\bwith (?:my|the|our) (?:changes?|fix|patch|edits?) (?:stashed|reverted|removed|undone)|\bon a clean (?:checkout|tree|main|master)|\b(?:stashed|stashing)\b|\bohne (?:die|meine) änderung|\bsans (?:ma|la|mes|cette) (?:modification|correction)/.test(
      plain,
    )
  )
    return 'without';
  if (
    /\b(?:on )?(?:the |my )?(?:very )?first (?:test )?(?:run|attempt|try|time)\b|\b(?:i|we) first ran\b|\bat first\b|\bran .{0,30} first\b/.test(
      plain,
    )
  )
    return 'first';
  if (
    /\b(?:before (?:the|my|this|that|any|making|i|these|our|it|fixing|changing|editing|touching)|before(?=\W{0,3}$|\s?[:(,])|when (?:i|we) (?:started|began|arrived|took over)|beforehand|initially|originally|at the (?:start|beginning|outset)|to begin with|prior to|pre-?existing|already (?:failed|failing|failing before|broken)|were failing|was failing|used to|previously|on (?:main|master)\b(?=.*\bbefore)|zuvor|vorher|vor (?:der|meiner) änderung|anfangs|zu beginn|avant|au départ|initialement|之前|修改前|最初|変更前|修正前)\b/.test(
      plain,
    ) ||
    /之前|修改前|改动前|変更前|修正前|当初/.test(plain)
  )
    return 'before';
  return 'end';
}

/** The runs of a family that speak for that moment, oldest first. */
export function runsAt(facts: Facts, family: Family, moment: Moment): Run[] {
  const all = facts.runs.filter((run) => !run.isVoid && run.shown[family] !== undefined && !run.isOwn);
  if (moment === 'first') return all.slice(0, 1);
  if (moment === 'end') return all.filter(({ version, isStashed }) => version === facts.version && !isStashed);
  const stashed = all.filter(({ isStashed }) => isStashed);
  if (moment === 'without') return stashed.length > 0 ? stashed : all.filter(({ version }) => version === 0);
  const first = all.filter(({ version }) => version === 0);
  return first.length > 0 ? first : stashed;
}

/** What the runs of one scope come to. */
export interface Decision {
  result: 'pass' | 'fail' | 'unknown';
  run: Run;
  /** It speaks for less than the claim: only a failure of it counts. */
  isPart: boolean;
  /** It speaks for more: its numbers are not those of the part. */
  isMore: boolean;
}

/** The runs that decide about a claim of that scope: one for each tool, the last that saw it. */
export function decisionsOf(facts: Facts, family: Family, scope: Scope, moment: Moment, isLoose: boolean): Decision[] {
  const runs = runsAt(facts, family, moment).filter(
    (run) => isOfTools(run, scope.tools, scope.command) && run.shown[family]?.result !== 'unknown',
  );
  const wanted = scope.parts.length > 0 ? scope.parts : (scope.command?.limits ?? []);
  const limitedTo = (run: Run): boolean => isLimited(run, facts);
  if (wanted.length > 0 || (scope.command !== undefined && scope.command.limits.length > 0)) {
    const own = runs.filter((run) => limitedTo(run) && wanted.some((part) => isOfPart(run, part)));
    const whole = runs.filter((run) => !limitedTo(run));
    const isExact = scope.command !== undefined && scope.command.limits.length > 0 && own.length > 0;
    const last = (isExact ? own : [...own, ...whole]).toSorted((a, b) => a.order - b.order).at(-1);
    if (last === undefined) return [];
    return [decided(last, family, { isPart: false, isMore: limitedTo(last) === false })];
  }
  // A linter is often given the folder that it is meant for.
  const whole = runs.filter((run) => !limitedTo(run));
  const limited = runs.filter((run) => limitedTo(run));
  const lastOf = (list: readonly Run[]): Run[] => {
    const last = new Map<string, Run>();
    for (const run of list) last.set(`${groupOf(run)} ${isLoose ? run.folder : ''}`, run);
    return [...last.values()];
  };
  const decisions = lastOf(whole).map((run) => decided(run, family, { isPart: false, isMore: false }));
  const parts = new Map<string, Run>();
  for (const run of limited) parts.set([groupOf(run), run.folder, ...run.check.limits].join(' '), run);
  const newest = Math.max(-1, ...whole.map(({ order }) => order));
  for (const run of parts.values()) {
    // What a later whole run saw again is decided by that.
    if (run.order < newest && whole.some((each) => each.order > run.order && groupOf(each) === groupOf(run))) continue;
    decisions.push(decided(run, family, { isPart: true, isMore: false }));
  }
  return decisions;
}

function decided(run: Run, family: Family, rest: Pick<Decision, 'isPart' | 'isMore'>): Decision {
  return { result: run.shown[family]?.result ?? 'unknown', run, ...rest };
}

/** Runs of one tool replace each other; two suites do not. */
function groupOf(run: Run): string {
  const { tool } = run.check;
  const tally = run.shown.tests?.tally?.tool ?? '';
  return tally === '' ? tool : tally;
}
