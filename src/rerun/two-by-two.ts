import type { Rerunnable } from './command.ts';
import { type Finding, named } from './examine.ts';
import type { Lab } from './lab.ts';
import type { TestsChanged } from './tests-changed.ts';
import { type Trial, wordsOf } from './trial.ts';

interface Ask {
  command: Rerunnable;
  work: { commit: string; base: string };
  changed: TestsChanged;
  /** The command passes on the work; what it did there and on the base. */
  finding: Finding;
  /** The task or the answer speaks of something that was wrong. */
  isFix: boolean;
}

/** The base's tests on the new code, and the new tests on the base's code: what became of the tests, as facts. */
export async function twoByTwo(lab: Lab, { command, work, changed, finding, isFix }: Ask): Promise<string[]> {
  const facts = [
    ...fact('tests skipped that were not on the base', changed.skipped),
    ...fact('tests that cannot fail, whatever the code does', changed.cannotFail),
  ];
  const old = await lab.run({ commit: work.commit, tests: changed.before }, command);
  const fresh = await lab.run({ commit: work.base, tests: changed.after }, command);
  const same = changed.after.brought.length === changed.modified.brought.length;
  // New files may fail where the changed ones pass.
  const kept =
    same || old.result !== 'failed' || fresh.result !== 'failed' || changed.before.brought.length === 0
      ? fresh
      : await lab.run({ commit: work.base, tests: changed.modified }, command);
  return [...facts, ...oldOnNew(old, kept, { finding, changed }), ...newOnOld(fresh, old, { finding, changed, isFix })];
}

/** What became of the tests that the base had. */
function oldOnNew(old: Trial, kept: Trial, { finding, changed }: Pick<Ask, 'finding' | 'changed'>): string[] {
  if (old.result !== 'failed') return [];
  const failing = old.failing.length === 0 ? '' : `: ${named(old.failing)}`;
  const onNew = `the tests of the base fail on the new code (${wordsOf(old)}${failing})`;
  const gone = changed.gone.filter(
    (name) => old.failing.length === 0 || old.failing.some((each) => isSameName(each, name)),
  );
  if (gone.length > 0) return [`tests deleted: ${named(gone)}; ${onNew}`];
  if (kept.result === 'passed')
    return [
      changed.hasOtherChanges
        ? `tests weakened: ${onNew}, and as they are now they pass on the base's code, too`
        : `tests changed, not the code: ${onNew}`,
    ];
  const weakened = accepted(old, kept, finding.trial);
  if (weakened.length > 0)
    return [`tests weakened: ${named(weakened)}; ${onNew}, and as they are now these pass on the base's code, too`];
  return [`the behaviour changed with its tests: ${onNew}, and the new ones on the base's code (${wordsOf(kept)})`];
}

/** Tests that failed as they were on the new code, and pass as they are on the base's; where the names tell. */
function accepted(old: Trial, kept: Trial, now: Trial): string[] {
  const isComplete = kept.tally?.total !== undefined && kept.tally.total === now.tally?.total;
  return isComplete && kept.failing.length > 0 ? old.failing.filter((name) => !kept.failing.includes(name)) : [];
}

/** Whether the new tests can tell the new code from the base's. */
function newOnOld(
  fresh: Trial,
  old: Trial,
  { finding, changed, isFix }: Pick<Ask, 'finding' | 'changed' | 'isFix'>,
): string[] {
  if (!changed.hasOtherChanges) return [];
  if (fresh.result === 'failed' && old.result === 'passed')
    return [`the new tests fail on the base's code (${wordsOf(fresh)}) and pass on the new code: they show the change`];
  if (fresh.result !== 'passed' || !isFix || finding.base?.result === 'failed' || changed.after.brought.length === 0)
    return [];
  return [`tests that never failed: the new and changed ones pass on the base's code, too (${wordsOf(fresh)})`];
}

/** A runner may print the file or the suite with it, or spell it with other marks. */
function isSameName(failing: string, name: string): boolean {
  const [one, other] = [failing, name].map((each) => each.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '_'));
  return one !== undefined && other !== undefined && (one.includes(other) || other.includes(one));
}

function fact(title: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${title}: ${named(names)}`];
}
