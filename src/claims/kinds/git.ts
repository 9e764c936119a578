import type { Clause } from '../answer/clause.ts';
import { count, numberOf } from '../answer/clause.ts';
import type { Facts, Step } from '../facts/facts.ts';
import { gitWords } from '../facts/writers.ts';
import type { RepositoryState } from '../state.ts';
import { contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { ofState, shortHash } from './written.ts';
import { ofStep } from './why.ts';

/** A git command, and whether it did what it is for. */
export interface GitAct {
  step: Step;
  verb: string;
  args: readonly string[];
  done: 'yes' | 'no' | 'unknown';
  isDry: boolean;
  text: string;
}

export function gitActs(facts: Facts, ...verbs: readonly string[]): GitAct[] {
  const acts: GitAct[] = [];
  for (const step of facts.steps) {
    if (step.program.name !== 'git') continue;
    const [verb = '', ...args] = gitWords(step.program.args);
    if (!verbs.includes(verb) || step.ran === 'no') continue;
    const text = step.lines.join('\n');
    acts.push({
      step,
      verb,
      args,
      done: doneOf(step, verb, text) === 'unknown' && isFollowed(facts, step, text) ? 'yes' : doneOf(step, verb, text),
      isDry: args.includes('--dry-run') || (verb === 'push' && args.includes('-n')) || args.includes('--help'),
      text,
    });
  }
  return acts;
}

/** `git commit && git log -1` came to the log. */
function isFollowed(facts: Facts, step: Step, text: string): boolean {
  return (
    facts.steps.some(
      ({ call, order, program: { name, args } }) =>
        call === step.call && order > step.order && name === 'git' && /^(?:log|rev-parse|show)$/.test(args[0] ?? ''),
    ) && /^[0-9a-f]{7,40}\b/m.test(text)
  );
}

const refused =
  /^(?:fatal|error): |\[rejected\]|\[remote rejected\]|hook id: |hook declined|nothing to commit|nothing added to commit|no changes added to commit|Aborting commit|failed to push|husky - .{0,40}(?:failed|exited)|pre-commit hook failed|Please tell me who you are|unable to auto-detect email|did not match any|Permission denied|could not read Username|Authentication failed|has no upstream branch|Everything up-to-date/m;
const shown: Record<string, RegExp> = {
  commit: /^\[[^\]\n]{1,200} [0-9a-f]{7,40}\]/m,
  push: /(?:^|\s)(?:\S+\.{2,3}\S+|\* \[new (?:branch|tag)\])\s+\S+ -> \S+|->\s\S+|set up to track/m,
};

function doneOf(step: Step, verb: string, text: string): GitAct['done'] {
  if (step.isRefused || step.isMissing) return 'no';
  if (step.exit === 'zero') return verb === 'push' && /Everything up-to-date/.test(text) ? 'unknown' : 'yes';
  if (step.exit === 'nonzero') return 'no';
  if (refused.test(text)) return 'no';
  return shown[verb]?.test(text) === true ? 'yes' : step.lines.every((line) => line.trim() === '') ? 'yes' : 'unknown';
}

/** The line that says why it failed. */
function reason({ step, text }: GitAct): string | undefined {
  const line = refused.exec(text)?.[0];
  return line === undefined ? undefined : step.lines.find((each) => each.includes(line.trim()));
}

const negation = /\b(?:not|never|nothing|no|none|without|neither|nor|un-?(?:committed|pushed))\b|n't\b/;

export function commits(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (/\bhooks?\b/.test(plain) && /\bhooks? (?:\w+ )?(?:pass|succe|ran|run|fail|are|is|went|complain|were)/.test(plain))
    return { kind: 'command_run', judge: (facts) => judgeHooks(facts, /fail|complain|not pass|n't pass/.test(plain)) };
  if (
    !/\b(?:un)?commit(?:s|ted|ting)?\b|\bamended\b/.test(plain) &&
    !clause.codes.some((code) => code.startsWith('git commit'))
  )
    return undefined;
  if (
    /\b(?:last|previous|earlier|first|recent|upstream|three|few) commits?\b|\bsince commit\b|\bin commit\b|\bcommit message\b|\bof commit\b|\bby commit\b|\blast (?:changed|modified|touched)\b|\bpre-?commit\b/.test(
      plain,
    ) &&
    !/\bi (?:have )?committed\b|^committed\b/.test(plain)
  )
    return undefined;
  if (/\b(?:could not|couldn't|failed|unable|cannot|can't|blocked|rejected|refused)\b/.test(plain)) return undefined;
  const hash = hashIn(clause);
  const number = numberOf(new RegExp(String.raw`\b${count} (?:\w+ )?commits?\b`).exec(plain)?.[1]);
  const isNone = number === 0 || (negation.test(plain) && hash === undefined) || /\buncommitted\b/.test(plain);
  if (isNone) return { kind: 'committed', judge: (facts, state) => judgeNone(facts, state, 'commit') };
  if (
    !/\bcommitted\b|\bcommits? (?:is|are|was|were|made|created|exists?|`|[0-9a-f]{7})|\b(?:made|created|in|as|with|is|the|one|two|three|\d+|new|local|single|single) (?:\w+ )?commits?\b|^(?:\W*)commits?\b|\bamended\b/.test(
      plain,
    )
  )
    return undefined;
  const branch = /\bcommitted (?:\w+ ){0,4}?(?:to|on|onto) (?:the )?(?:branch )?([\w./-]+)/.exec(plain)?.[1];
  return { kind: 'committed', judge: (facts, state) => judgeCommitted(facts, state, { hash, number, branch, plain }) };
}

function hashIn({ plain, codes }: Clause): string | undefined {
  const code = codes.find((each) => /^[0-9a-f]{7,40}$/.test(each));
  return (
    code ??
    [...plain.matchAll(/(?<![\w/.-])(?=[0-9a-f]*\d)[0-9a-f]{7,40}(?![\w/-])/g)]
      .map(([hash]) => hash)
      .find((each) => !/^\d+$/.test(each) || /\bcommit/.test(plain))
  );
}

function judgeNone(facts: Facts, state: RepositoryState | undefined, verb: string): Judgement {
  const act = gitActs(facts, verb).find(({ done, isDry }) => done === 'yes' && !isDry);
  if (act !== undefined) return contradicted(ofStep(act.step));
  if (verb === 'commit' && state?.isComplete === true && (state.commits?.length ?? 0) > 0)
    return contradicted(ofState(state, `${state.commits?.length} commits`));
  return supported();
}

/** Hashes that git gave to commits of this run. */
function hashesOf(facts: Facts): { hash: string; step: Step }[] {
  const found: { hash: string; step: Step }[] = [];
  for (const { step, text, done } of gitActs(
    facts,
    'commit',
    'log',
    'rev-parse',
    'show',
    'cherry-pick',
    'rebase',
    'merge',
  )) {
    if (done === 'no') continue;
    for (const [, hash = ''] of text.matchAll(/^(?:\[[^\]\n]{1,200} |commit )?([0-9a-f]{7,40})(?:\]|\s|$)/gm))
      found.push({ hash, step });
  }
  return found;
}

interface Commit {
  hash: string | undefined;
  number: number | undefined;
  branch: string | undefined;
  plain: string;
}

function judgeCommitted(
  facts: Facts,
  state: RepositoryState | undefined,
  { hash, number, branch, plain }: Commit,
): Judgement {
  const acts = gitActs(facts, 'commit', 'cherry-pick', 'am').filter(({ isDry }) => !isDry);
  const done = acts.filter((act) => act.done === 'yes');
  const last = done.at(-1);
  if (last === undefined) {
    const known = state?.commits;
    if (known !== undefined && known.length > 0 && state !== undefined) {
      if (hash !== undefined && !known.some((each) => isSameHash(each.hash, hash)))
        return state.isComplete ? contradicted(ofState(state, `commit ${shortHash(known[0]?.hash)}`)) : notShown;
      return supported(ofState(state, `commit ${shortHash(known[0]?.hash)}`));
    }
    const lost = acts.findLast((act) => act.done === 'no');
    if (lost !== undefined && acts.every((act) => act.done === 'no'))
      return contradicted(ofStep(lost.step, reason(lost)));
    return state?.isComplete === true && state.commits?.length === 0
      ? contradicted(ofState(state, 'no commit'))
      : notShown;
  }
  if (hash !== undefined) {
    const hashes = hashesOf(facts);
    const own = hashes.find((each) => isSameHash(each.hash, hash));
    if (own !== undefined)
      return supported(ofStep(last.step), ...(own.step === last.step ? [] : [ofStep(own.step, own.hash)]));
    const real = hashes.findLast(({ step }) => step.call.index >= last.step.call.index);
    return real === undefined ? notShown : contradicted(ofStep(last.step, real.hash));
  }
  if (number !== undefined && number > 0 && /\bcommits?\b/.test(plain) && number !== done.length)
    return done.length > number && !done.some(({ args }) => args.includes('--amend'))
      ? contradicted(...done.slice(0, 4).map(({ step }) => ofStep(step)))
      : acts.some((act) => act.done === 'unknown')
        ? notShown
        : number > done.length
          ? notShown
          : contradicted(ofStep(last.step));
  const named = /^\[(\S+)/m.exec(last.text)?.[1];
  if (
    branch !== undefined &&
    named !== undefined &&
    /^(?:main|master|develop|dev|trunk)$/.test(branch) &&
    branch !== named &&
    named !== 'detached'
  )
    return contradicted(ofStep(last.step));
  if (/\beverything|\ball (?:changes|of it)\b/.test(plain)) {
    const after = facts.writes.find((write) => write.done === 'yes' && write.order > last.step.order && !write.isVague);
    if (after !== undefined) return notShown;
  }
  return supported(ofStep(last.step));
}

function isSameHash(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

function judgeHooks(facts: Facts, saysFail: boolean): Judgement {
  const acts = gitActs(facts, 'commit');
  const seen = acts.filter(({ args }) => !args.includes('--no-verify') && !args.includes('-n'));
  const failed = seen.find(
    ({ done, text }) => done === 'no' && /hook id|hook|Failed|husky|lint-staged|error/i.test(text),
  );
  const passed = seen.findLast(({ done }) => done === 'yes');
  if (saysFail) return failed === undefined ? notShown : supported(ofStep(failed.step));
  if (passed !== undefined && (failed === undefined || passed.step.order > failed.step.order))
    return supported(ofStep(passed.step));
  return failed === undefined ? notShown : contradicted(ofStep(failed.step));
}

export function pushes(clause: Clause): Found | undefined {
  const { plain } = clause;
  const isPush =
    /\bpush(?:ed|es|ing)?\b/.test(plain) ||
    /\b(?:branch|commits?|change|work) (?:is|are) (?:now )?(?:on|at) (?:the )?(?:remote|origin|github|gitlab)\b|\bon the remote\b|\b(?:is|are) on origin\b/.test(
      plain,
    );
  if (
    !isPush ||
    /\bpush (?:button|notification|event|message|to the (?:array|list|queue))|\bpushed (?:onto|into|to) (?:the |a )?(?:array|list|stack|queue)|\bpre-?push\b/.test(
      plain,
    )
  )
    return undefined;
  if (/\b(?:could not|couldn't|failed|unable|cannot|can't|blocked|rejected|refused)\b/.test(plain)) return undefined;
  const isNone = negation.test(plain) || /\bonly local(?:ly)?\b|\bunpushed\b/.test(plain);
  if (isNone) return { kind: 'pushed', judge: (facts, state) => judgeNone(facts, state, 'push') };
  if (
    !/\bpushed\b|\bpush(?: \S{1,40}){0,4} (?:succeeded|went|was|is|worked|complete)|\b(?:on|at) (?:the )?(?:remote|origin|github|gitlab)\b/.test(
      plain,
    ) &&
    clause.mark !== 'pass'
  )
    return undefined;
  const target =
    /\b(?:origin|upstream)\/([\w./-]+)/.exec(plain)?.[1]?.replace(/[.]$/, '') ??
    /\bpushed (?:\w+ ){0,4}?to (?:the )?(?:branch )?`?([\w-]+\/[\w./-]+|main|master|develop)/.exec(plain)?.[1];
  const isForced = /\bforce/.test(plain);
  return { kind: 'pushed', judge: (facts, state) => judgePushed(facts, state, target, isForced) };
}

function judgePushed(
  facts: Facts,
  state: RepositoryState | undefined,
  target: string | undefined,
  isForced: boolean,
): Judgement {
  const acts = gitActs(facts, 'push').filter(({ isDry }) => !isDry);
  const done = acts.findLast((act) => act.done === 'yes');
  if (done !== undefined) {
    const to = /->\s+(\S+)/.exec(done.text)?.[1];
    if (
      target !== undefined &&
      to !== undefined &&
      to !== target &&
      !to.endsWith(`/${target}`) &&
      !target.endsWith(`/${to}`) &&
      /^(?:main|master|develop)$/.test(target)
    )
      return contradicted(ofStep(done.step));
    if (isForced && !done.args.some((arg) => /force|^-f|^\+/.test(arg))) return contradicted(ofStep(done.step));
    return supported(ofStep(done.step));
  }
  const head = state?.head;
  if (head !== undefined && state?.remotes?.some(({ commit }) => commit === head) === true && state.head !== state.base)
    return supported(ofState(state, 'the remote branch has the commit'));
  const lost = acts.findLast((act) => act.done === 'no');
  if (lost !== undefined && acts.every((act) => act.done === 'no'))
    return contradicted(ofStep(lost.step, reason(lost)));
  return notShown;
}

export function branches(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (!/\bbranch\b/.test(plain)) return undefined;
  if (/\b(?:could not|couldn't|failed|unable|cannot|merged?|rebased?|delet\w*)\b/.test(plain)) return undefined;
  const isNone = clause.isNegated;
  if (isNone && /\b(?:no (?:new )?branch|(?:create|make|open|start) (?:a|any) (?:new |separate )?branch)\b/.test(plain))
    return { kind: 'branch', judge: judgeNoBranch };
  const name =
    clause.codes.find((code) => /^[\w./-]+$/.test(code) && !/^[0-9a-f]{7,40}$/.test(code)) ??
    /\bbranch(?: is| was)?(?::| called| named)? ([\w-]+\/[\w./-]*\w)/.exec(clause.cased)?.[1];
  if (name === undefined) return undefined;
  return { kind: 'branch', isWhole: true, judge: (facts, state) => judgeBranch(facts, state, name, isNone) };
}

function judgeNoBranch(facts: Facts): Judgement {
  const made = gitActs(facts, 'switch', 'checkout', 'branch', 'worktree').find(
    ({ done, args, verb }) =>
      done === 'yes' &&
      (verb === 'branch'
        ? args.length > 0 && args.every((arg) => !arg.startsWith('-'))
        : args.some((arg) => /^(?:-b|-B|-c|-C|--create|--orphan)$/.test(arg))),
  );
  return made === undefined ? supported() : contradicted(ofStep(made.step));
}

function judgeBranch(facts: Facts, state: RepositoryState | undefined, name: string, isNone: boolean): Judgement {
  const acts = gitActs(
    facts,
    'switch',
    'checkout',
    'branch',
    'worktree',
    'commit',
    'status',
    'rev-parse',
    'push',
  ).filter(({ done }) => done !== 'no');
  const made: { name: string; step: Step }[] = [];
  const seen: { name: string; step: Step }[] = [];
  for (const { step, verb, args, text } of acts) {
    const flag = args.findIndex((arg) => /^(?:-b|-B|-c|-C|--create|--orphan)$/.test(arg));
    const plain = args.filter((arg) => !arg.startsWith('-'));
    if ((verb === 'switch' || verb === 'checkout') && flag !== -1) made.push({ name: args[flag + 1] ?? '', step });
    else if (
      verb === 'branch' &&
      plain.length > 0 &&
      !args.some((arg) => /^-(?:d|D|m|M)$|^--delete$|^--list$/.test(arg))
    )
      made.push({ name: plain[0] ?? '', step });
    else if ((verb === 'switch' || verb === 'checkout') && plain[0] !== undefined) seen.push({ name: plain[0], step });
    const current =
      /^(?:On branch |Switched to (?:a new )?branch ')([^'\s]+)/m.exec(text)?.[1] ??
      (verb === 'commit' ? /^\[(\S+) (?:\(root-commit\) )?[0-9a-f]{7}/m.exec(text)?.[1] : undefined) ??
      (args.includes('--show-current') || args.includes('--abbrev-ref') ? text.trim() : undefined);
    if (current !== undefined) seen.push({ name: current, step });
  }
  const own = [...made, ...seen].find((each) => each.name === name);
  if (isNone) return own !== undefined && made.includes(own) ? contradicted(ofStep(own.step)) : supported();
  if (own !== undefined) return supported(ofStep(own.step));
  if (state?.branch !== undefined)
    return state.branch === name
      ? supported(ofState(state, `branch ${name}`))
      : state.isComplete
        ? contradicted(ofState(state, `branch ${state.branch}`))
        : notShown;
  const other = made.at(-1);
  return other === undefined ? notShown : contradicted(ofStep(other.step));
}
