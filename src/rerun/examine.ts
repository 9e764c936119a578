import type { Tally } from '../claims/runners/tally.ts';
import type { Rerunnable } from './command.ts';
import type { Lab } from './lab.ts';
import { type Trial, wordsOf, wordsOfTally } from './trial.ts';

/** The work whose commands are run again. */
export interface Work {
  /** Where it ended, and where it began. */
  commit: string;
  base: string | undefined;
  /** What the agent ran itself to build it. */
  prepare: readonly Rerunnable[];
  /** It changed what it depends on, which a fresh copy does not have by itself. */
  changedDependencies: boolean;
}

/** What the agent's own calls of the command showed. */
export interface Seen {
  /** Of the call that is cited. */
  tally: Tally | undefined;
  /** Of a call before the first change, if there was one. */
  before: { tally: Tally | undefined; failing: readonly string[] } | undefined;
}

/**
 * `agrees`: it passes in a fresh copy. `refutes`: it fails there, twice, and it is not the copy's fault. `short`: it passes, and fewer tests
 * ran than in the agent's own call. `flaky`: both on the same commit. `unclear`: nothing can be said.
 */
export interface Finding {
  effect: 'agrees' | 'refutes' | 'short' | 'flaky' | 'unclear';
  facts: string[];
  trial: Trial;
  base: Trial | undefined;
}

const freshly = 'run again in a fresh copy of its commit';

/** Runs a command again on the work and on its base, and says what that shows about a claim that it passes. */
export async function examine(lab: Lab, command: Rerunnable, work: Work, seen: Seen): Promise<Finding> {
  const { commit } = work;
  const first = await lab.run({ commit }, command);
  const { outside } = command;
  const where = outside === undefined ? '' : ` (the agent ran it in ${outside}, which is not in the repository)`;
  const is = (trial: Trial): string => `${command.shown} ${wordsOf(trial)}`;
  const end = (effect: Finding['effect'], base: Trial | undefined, fact: string): Finding => ({
    effect,
    facts: [fact],
    trial: first,
    base,
  });
  const isAsSeen = (trial: Trial): boolean => trial.result === 'passed' && !isShort(trial.tally, seen.tally);
  if (isAsSeen(first)) {
    const base = await onBase(lab, command, work);
    return end('agrees', base, `${freshly}: ${is(first)}${where}${besides(base)}`);
  }
  const flaky = (second: Trial): Finding =>
    end('flaky', undefined, `flaky: in two fresh copies of the same commit, ${is(first)} and then ${wordsOf(second)}`);
  if (first.lack === 'time') return end('unclear', undefined, `${freshly}, ${is(first)}${where}`);
  if (first.result !== 'unclear') {
    const second = await lab.run({ commit }, command, 2);
    if (second.result !== first.result && second.result !== 'unclear') return flaky(second);
    if (isAsSeen(second)) return flaky(second);
  }
  // What a fresh copy lacks is no fault of the work.
  for (const has of ['home', 'whole'] as const) {
    const trial = await lab.run({ commit, has }, command);
    if (!isAsSeen(trial)) continue;
    const base = await onBase(lab, command, work);
    const isStale = has === 'whole' && first.result === 'failed' && base?.result === 'passed';
    if (isStale) break;
    const lacking = base?.result === 'passed' ? `, and its base passes without` : '';
    return end('agrees', base, `${freshly}: ${is(trial)}, only with ${extras[has]}${lacking}${where}`);
  }
  if (first.result === 'unclear') return end('unclear', undefined, `${freshly}, ${is(first)}${where}`);
  const twice = `${freshly}, twice: ${is(first)}`;
  if (first.result === 'passed')
    return end(
      'short',
      undefined,
      `${twice}, where the agent saw ${seen.tally === undefined ? 'more' : wordsOfTally(seen.tally)}${where}`,
    );
  const prepared = work.prepare.length === 0 ? undefined : await lab.run({ commit }, after(work.prepare, command));
  if (prepared !== undefined && isAsSeen(prepared))
    return end(
      'agrees',
      undefined,
      `${freshly}: ${is(prepared)}, after ${work.prepare.map(({ shown }) => shown).join(' and ')}${where}`,
    );
  const base = await onBase(lab, command, work);
  const both = `${twice}${where}${besides(base)}`;
  if (work.changedDependencies && !lab.hasSetup)
    return end(
      'unclear',
      base,
      `${both}; its dependencies changed, and a fresh copy may lack them: --setup installs them`,
    );
  if (base === undefined) return end('unclear', base, both);
  if (base.result === 'passed') return end('refutes', base, both);
  const fresh = first.failing.filter((name) => !base.failing.includes(name));
  if (base.result === 'failed' && base.failing.length > 0 && fresh.length > 0)
    return end('refutes', base, `${both}, but not with ${named(fresh)}`);
  if (base.result === 'failed' && isSeenBefore(base, seen))
    return end('refutes', base, `${both}, as the agent saw it there`);
  const whole = { commit: work.base ?? commit, has: 'whole' } as const;
  if ((await lab.run(whole, command)).result === 'passed' && first.result === 'failed')
    return end('refutes', base, `${freshly}, with all that the checkout has: ${is(first)}; on its base it passes`);
  return end('unclear', base, `${both} too: the copy may lack something, which --setup or --copy may add`);
}

const extras = {
  home: 'the home folder of this machine and not with an empty one',
  whole: 'build output and caches of the checkout and not without them',
} as const;

function after(prepare: readonly Rerunnable[], command: Rerunnable): Rerunnable {
  return { ...command, text: [...prepare, command].map(({ text }) => `{ ${text}\n}`).join(' && ') };
}

async function onBase(lab: Lab, command: Rerunnable, { base, commit }: Work): Promise<Trial | undefined> {
  if (base === undefined || base === commit) return undefined;
  return lab.run({ commit: base }, command);
}

function besides(base: Trial | undefined): string {
  return base === undefined ? '' : `; on its base it ${wordsOf(base)}`;
}

/** Fewer tests ran: some of those that the agent saw are not in the commit. */
function isShort(tally: Tally | undefined, seen: Tally | undefined): boolean {
  return (
    tally?.total !== undefined && seen?.total !== undefined && tally.tool === seen.tool && tally.total < seen.total
  );
}

/** The fresh copy of the base shows what the agent saw before its first change: so it lacks nothing. */
function isSeenBefore({ tally, failing }: Trial, { before }: Seen): boolean {
  if (before === undefined) return false;
  const isSame = before.failing.length === failing.length && failing.every((name) => before.failing.includes(name));
  return isSame && (failing.length > 0 || ((tally?.failed ?? 0) > 0 && tally?.failed === before.tally?.failed));
}

export function named(names: readonly string[]): string {
  const shown = names.slice(0, 5);
  return `${shown.join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
}
