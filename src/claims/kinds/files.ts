import type { Clause } from '../answer/clause.ts';
import type { ClaimKind } from '../claim.ts';
import type { Facts } from '../facts/facts.ts';
import { isInside, isProse, isSamePath } from '../facts/paths.ts';
import type { RepositoryState } from '../state.ts';
import { contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { changedPaths, inState, listingsOf, ofState, ofWrite, stateOf } from './written.ts';
import { ofStep } from './why.ts';

const changed =
  /\b(?:updat|chang|modif|edit|fix|adjust|adapt|correct|add|insert|extend|rewr|replac|refactor|improv|switch|mov|bump|set|made|document|mention|patch|touch|migrat|convert|implement|introduc|appl|simplif|clean|tweak|reformat|format|renam|remov|delet|drop|creat|writ|wrote|written|left|generat|save|put|store|appear|landed|resolv|port|rework|cover|append|prepend|enabl|disabl|increas|decreas|raise|lower|swap|wrap|guard|validat|handl|configur|record|describ|explain|list|contain|has\b|have\b|is\b|are\b|now\b|uses?\b|using\b|returns?\b|calls?\b|reads?\b|sorts?\b|no longer\b|instead\b|got\b|gets\b|lives?\b|sits?\b|new\b)/;
const created = /\b(?:creat|new file|wrote|written|generat|saved|left|scaffold|added)\w*\b/;
const deleted =
  /\b(?:delet|remov|drop|erased?|got rid of)\w*\b|\bis gone\b|\bare gone\b|\bno longer exists?\b|\bdoes(?: not|n't) exist any\s?more\b/;
const renamed =
  /\b(?:renam|mov)(?:ed|es|e)\b.{0,200}\b(?:to|into|as)\b|\bis now\b|\bnow (?:lives|sits|called|named)\b|→|->/;
const docs =
  /\b(?:docs?|documentation|readme|changelog|release notes|user guide|manual|docstrings?|change ?log entry|guide)\b/;
const untouched =
  /\b(?:untouched|unchanged|unmodified|as (?:it|they) (?:is|was|are|were)|left alone|not (?:been )?(?:changed|touched|modified|edited|updated|altered|deleted|removed)|(?:did|have|has|was|were) ?(?:not|n't) (?:been )?(?:chang|touch|modif|edit|updat|alter|delet|remov|creat|renam)\w*|never touched|no changes? (?:to|in|were made))\b/;
const changedBefore =
  /\b(?:updated|changed|modified|edited|fixed|adjusted|touched|extended|corrected|rewrote|refactored|created|added|deleted|removed|renamed|moved)\b/;
/** Said of how it was, of where the fault lay: nothing that this run did. */
const past =
  /\b(?:was (?:caused|wrong|missing|broken|sorting|using|in|never|the)|were (?:caused|missing|wrong)|used to|bug (?:was|is) in|root cause|the (?:problem|issue|bug|fault|error|cause|culprit) (?:was|is|lies|lay|sits|came|comes)|caused by|showed|lacked|had (?:no|a)|did not handle|forgot|come[sd]? from|came from)\b/;

/** One file, by its path; or documentation in general. */
export function files(clause: Clause): Found | undefined {
  const plain = clause.plain.replaceAll(
    /\b(?:before|after|without|with|since|during|prior to) (?:the|my|this|that|these|any) (?:change|fix|edit|patch|update|refactoring|rename|migration)s?\b/g,
    '',
  );
  const paths = clause.paths.filter((path) => !/^https?:/.test(path));
  const isDocs = docs.test(plain);
  if (paths.length === 0) return withoutPath(clause, isDocs);
  if (untouched.test(plain) && !/\bno longer\b/.test(plain))
    return { kind: 'files_only', judge: (facts, state) => judgeUntouched(facts, state, paths) };
  if (
    /\b(?:read|looked at|inspected|reviewed|searched|(?:i|we|also|then|first) checked|^checked|opened|examined|studied|skimmed)\b/.test(
      plain,
    ) &&
    !/\b(?:updated|changed|added|edited|fixed|modified)\b/.test(plain)
  )
    return undefined;
  if (/\d ?%|\b\d[\d.,]* ?(?:ms|s|sec|seconds?|kb|mb|gb|kib|mib)\b/.test(plain) && !changedBefore.test(plain))
    return undefined;
  if (/\b(?:has|have|contains?|counts?|is) (?:now )?[\d,]+ (?:lines?|rows?|records?|entries|bytes|kb|mb)\b/.test(plain))
    return undefined;
  if (/\b(?:measured|timed|counted|benchmarked|profiled)\b/.test(plain)) return undefined;
  if (past.test(plain) && !/\b(?:fixed|corrected|updated|changed|added|now)\b/.test(plain)) return undefined;
  if (
    /\bline \d+\b|:\d+:\d+/.test(plain) &&
    !/\b(?:updated|changed|added|edited|fixed|modified|removed|replaced)\b/.test(plain)
  )
    return undefined;
  const isList =
    clause.block.kind !== 'paragraph' &&
    (/\b(?:files?|changes?|changed|modified|edited|touched|updated)\b/i.test(
      `${clause.block.heading} ${clause.block.intro} ${clause.block.columns?.join(' ') ?? ''}`,
    ) ||
      paths.length > 0);
  const isNext =
    /^(?:both |in )?\W{0,3}\S+\W{0,3}$/.test(plain) &&
    (changedBefore.test(clause.sentence) || changed.test(clause.sentence.replace(plain, '')));
  if (!changed.test(plain) && !isList && !isNext && !/^\W{0,3}(?:in|for)\b/.test(plain))
    return behaves(plain)
      ? { kind: 'file_modified', judge: (facts) => judgeEach(paths, (path) => judgeBehaviour(facts, path)) }
      : undefined;
  const isRename =
    renamed.test(plain) &&
    paths.length === 2 &&
    /\brenam|\bmov(?:ed|es)\b|\bis now\b|→|->/.test(plain) &&
    !/\b(?:import|code|function|class|logic|helper|from)\b/.test(plain.replace(/`/g, ''));
  if (isRename)
    return {
      kind: 'file_renamed',
      judge: (facts, state) => judgeRenamed(facts, state, paths[0] ?? '', paths[1] ?? ''),
    };
  const isRemoval = deleted.test(plain) && !isFrom(plain);
  if (isRemoval)
    return {
      kind: 'file_deleted',
      judge: (facts, state) => judgeEach(paths, (path) => judgeDeleted(facts, state, path)),
    };
  const kind: ClaimKind = paths.every((path) => isProse(path))
    ? 'docs_updated'
    : created.test(plain) && /\b(?:new|created|wrote|written|left|generated|file)\b/.test(plain)
      ? 'file_created'
      : 'file_modified';
  return { kind, judge: (facts, state) => judgeEach(paths, (path) => judgeChanged(facts, state, path)) };
}

/** Something was removed from the file, not the file itself. */
function isFrom(plain: string): boolean {
  return (
    /\b(?:from|in|inside|within|of|out of)\b \S{0,3}(?:the |file )*\S*[./]/.test(plain) ||
    /\bno longer (?!exists)/.test(plain) ||
    /\b(?:unused|dead|stale|old|the|an?|all|two|three|duplicate\w*|redundant|import|call|line|method|function|check|branch|code) .{0,60}\b(?:from|in)\b/.test(
      plain,
    )
  );
}

function withoutPath(clause: Clause, isDocs: boolean): Found | undefined {
  const { plain } = clause;
  if (
    isDocs &&
    /\b(?:updat|up to date|up-to-date|document|mention|extend|adjust|add|chang|writ|wrote|revis|adapt|correct|refresh|cover|describ|explain|list|reflect|includ|contain|amend|rewr|expand|not(?:es|ed)\b|has\b|have\b|tells?\b|says?\b)\w*|\bgot\b|✅/.test(
      plain,
    ) &&
    !untouched.test(plain) &&
    !/\b(?:in|with|per|see|from) the (?:docs|documentation|readme)\b/.test(plain)
  )
    return { kind: 'docs_updated', judge: (facts, state) => judgeDocs(facts, state, plain) };
  if (isDocs && untouched.test(plain)) return { kind: 'files_only', judge: (facts) => judgeNoDocs(facts) };
  if (
    deleted.test(plain) &&
    /\b(?:file|module|folder|script|directory|class|component|helper|page)\b/.test(plain) &&
    !isFrom(plain)
  ) {
    const words = subjectWords(plain);
    return words.length === 0
      ? undefined
      : { kind: 'file_deleted', judge: (facts) => judgeDeletedByName(facts, words) };
  }
  if (
    /^(?:i |we )?(?:also |have )*(?:replaced|changed|fixed|updated|converted|edited|adjusted) (?:both|them both|all (?:of them|three|four)|each of them|them)\b/.test(
      plain,
    )
  )
    return { kind: 'file_modified', judge: (facts) => judgeBoth(facts, clause) };
  return undefined;
}

const plainWords = new Set(
  'the old new module file folder script is gone deleted removed was were has have been and now this that with from class component helper page directory its all are'.split(
    ' ',
  ),
);

function subjectWords(plain: string): string[] {
  return [...plain.matchAll(/[a-z][\w-]{3,}/g)].map(([word]) => word).filter((word) => !plainWords.has(word));
}

function judgeEach(paths: readonly string[], judge: (path: string) => Judgement): Judgement {
  const all = paths.map(judge);
  const bad = all.find(({ verdict }) => verdict === 'contradicted');
  if (bad !== undefined) return bad;
  const other = all.find(({ verdict }) => verdict !== 'supported');
  if (other !== undefined) return other;
  return supported(...all.flatMap(({ evidence }) => evidence).slice(0, 5));
}

/** "`src/parse.py` accepts a colon": how it behaves now, if this run changed it. */
function behaves(plain: string): boolean {
  return /^\W{0,3}(?=\S{0,200}[./])[\w./@-]{2,200}\W{0,2} (?:also |no longer |only |always )?(?!has\b|is\b|was\b)[a-z]{2,}s\b/.test(
    plain,
  );
}

/** Of a file that was not touched it says only what it is like. */
function judgeBehaviour(facts: Facts, path: string): Judgement {
  const { done, failed, isUndone } = stateOf(facts, path);
  const last = done.at(-1);
  if (last !== undefined && !isUndone) return supported(ofWrite(last));
  const [lost] = failed;
  return lost !== undefined && last === undefined
    ? contradicted(ofWrite(lost))
    : { verdict: 'not_checkable', evidence: [] };
}

/** It is different at the end. */
function judgeChanged(facts: Facts, state: RepositoryState | undefined, path: string): Judgement {
  const inner = path.endsWith('/')
    ? changedPaths(facts).findLast((each) => isInside(each.path, path.slice(0, -1)))
    : undefined;
  if (inner !== undefined) return supported(ofWrite(inner.write));
  const { done, failed, maybe, isUndone } = stateOf(facts, path);
  const inGit = inState(state, path);
  const last = done.at(-1);
  if (isUndone && last !== undefined) {
    const undoing =
      facts.writes.findLast(({ operation, done: isDone }) => operation === 'restored' && isDone === 'yes') ?? last;
    return contradicted(ofWrite(undoing));
  }
  const clean = listingsOf(facts).findLast(({ isStatus, isLast, isClean }) => isStatus && isLast && isClean);
  if (
    last !== undefined &&
    clean !== undefined &&
    !hasCommitted(facts) &&
    !facts.steps.some(({ program }) => program.name === 'git' && program.args.includes('stash'))
  )
    return contradicted(ofStep(clean.step));
  const seen = listingsOf(facts).findLast(({ isLast, hasNames }) => isLast && hasNames);
  const inListing = listed(facts, path);
  // A pattern, or whatever a search found: git tells which files that were.
  if (
    last?.isVague === true &&
    inListing !== undefined &&
    seen !== undefined &&
    !done.some(({ isVague }) => isVague !== true)
  )
    return inListing
      ? supported(ofStep(seen.step, path), ofWrite(last))
      : hasCommitted(facts)
        ? notShown
        : contradicted(ofStep(seen.step));
  if (last !== undefined)
    return supported(ofWrite(last), ...(inListing === true && seen !== undefined ? [ofStep(seen.step, path)] : []));
  if (inGit !== undefined && state !== undefined) return supported(ofState(state, `${inGit.path} ${inGit.operation}`));
  const [guess] = maybe;
  if (guess !== undefined)
    return listed(facts, path) === true || guess.isVague !== true ? supported(ofWrite(guess)) : notShown;
  const [lost] = failed;
  if (lost !== undefined) return contradicted(ofWrite(lost));
  const failedPattern = facts.writes.find(
    (write) =>
      write.isVague === true && write.done === 'no' && write.operation !== 'restored' && isNear(write.path, path),
  );
  if (failedPattern !== undefined && !facts.writes.some(({ done: isDone }) => isDone !== 'no'))
    return contradicted(ofWrite(failedPattern));
  const listing = listed(facts, path);
  if (state?.isComplete === true && state.files !== undefined)
    return contradicted(ofState(state, `${path} not among the files changed`));
  if (listing === true) {
    const naming = listingsOf(facts).findLast(({ files: names }) => names.some((file) => isSamePath(file.path, path)));
    return naming === undefined ? notShown : supported(ofStep(naming.step, path));
  }
  if (listing === false && seen !== undefined && !hasCommitted(facts)) return contradicted(ofStep(seen.step));
  return notShown;
}

/** A pattern in the same folder: `k8s/*.yml` and `k8s/api.yaml`. */
function isNear(pattern: string, path: string): boolean {
  const folder = pattern.slice(0, pattern.lastIndexOf('/') + 1);
  return folder !== '' && path.startsWith(folder);
}

function hasCommitted(facts: Facts): boolean {
  return facts.steps.some(
    ({ program, exit }) => program.name === 'git' && program.args.includes('commit') && exit !== 'nonzero',
  );
}

/** Whether the last full listing has it; undefined: there was none. */
function listed(facts: Facts, path: string): boolean | undefined {
  const last = listingsOf(facts).findLast(({ isLast, hasNames }) => isLast && hasNames);
  if (last === undefined) return undefined;
  return last.files.some(
    (file) => isSamePath(file.path, path) || (file.path.endsWith('/') && path.startsWith(file.path)),
  );
}

function judgeDeleted(facts: Facts, state: RepositoryState | undefined, path: string): Judgement {
  const { done, failed, isDeleted, maybe } = stateOf(facts, path);
  const last = done.at(-1);
  if (isDeleted && last !== undefined) {
    const undone = facts.writes.findLast(
      (write) =>
        write.operation === 'restored' &&
        write.done === 'yes' &&
        write.order > last.order &&
        (write.path === '.' || isSamePath(write.path, path)),
    );
    return undone === undefined ? supported(ofWrite(last)) : contradicted(ofWrite(undone));
  }
  const inGit = inState(state, path);
  if (inGit?.operation === 'deleted' && state !== undefined) return supported(ofState(state, `${inGit.path} deleted`));
  const guess = maybe.findLast(({ operation }) => operation === 'deleted');
  if (guess !== undefined) return supported(ofWrite(guess));
  const lost = failed.findLast(({ operation }) => operation === 'deleted');
  if (lost !== undefined) return contradicted(ofWrite(lost));
  // The only removal was of something else, and failed.
  const removals = facts.writes.filter(({ operation }) => operation === 'deleted');
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');
  const near = removals.find((write) => write.done === 'no' && name.length > 3 && write.path.includes(name));
  if (near !== undefined && removals.every((write) => write.done === 'no')) return contradicted(ofWrite(near));
  return notShown;
}

function judgeDeletedByName(facts: Facts, words: readonly string[]): Judgement {
  const removals = facts.writes.filter(
    ({ operation, path }) => operation === 'deleted' && words.some((word) => path.toLowerCase().includes(word)),
  );
  const done = removals.findLast((write) => write.done !== 'no');
  if (done !== undefined) return supported(ofWrite(done));
  const [lost] = removals;
  return lost === undefined ? notShown : contradicted(ofWrite(lost));
}

function judgeRenamed(facts: Facts, state: RepositoryState | undefined, from: string, to: string): Judgement {
  const moves = facts.writes.filter(
    (write) =>
      write.operation === 'renamed' &&
      write.from !== undefined &&
      (isSamePath(write.from, from) || isSamePath(write.path, to)),
  );
  const done = moves.findLast((write) => write.done !== 'no' && isSamePath(write.path, to));
  if (done !== undefined) return supported(ofWrite(done));
  const made = facts.writes.findLast((write) => write.done === 'yes' && isSamePath(write.path, to));
  const gone = facts.writes.findLast(
    (write) => write.done === 'yes' && write.operation === 'deleted' && isSamePath(write.path, from),
  );
  if (made !== undefined && gone !== undefined) return supported(ofWrite(made), ofWrite(gone));
  if (inState(state, to) !== undefined && inState(state, from)?.operation === 'deleted' && state !== undefined)
    return supported(ofState(state, `${to} created, ${from} deleted`));
  const lost = moves.findLast((write) => write.done === 'no');
  return lost !== undefined && made === undefined ? contradicted(ofWrite(lost)) : notShown;
}

function judgeUntouched(facts: Facts, state: RepositoryState | undefined, paths: readonly string[]): Judgement {
  for (const path of paths) {
    const { done, isUndone } = stateOf(facts, path);
    const last = done.at(-1);
    if (last !== undefined && !isUndone) return contradicted(ofWrite(last));
    const inGit = inState(state, path);
    if (inGit !== undefined && state !== undefined)
      return contradicted(ofState(state, `${inGit.path} ${inGit.operation}`));
  }
  return supported();
}

function isDocsFile(path: string, plain: string): boolean {
  if (/\breadme\b/.test(plain)) return /readme/i.test(path);
  if (/\bchange ?log\b/.test(plain)) return /change/i.test(path);
  return isProse(path) && !/(?:^|\/)(?:notes|todo|license|licence)[^/]*$/i.test(path);
}

function judgeDocs(facts: Facts, state: RepositoryState | undefined, plain: string): Judgement {
  if (/docstring/.test(plain)) return notShown;
  const attempts = facts.writes.filter(({ path, operation }) => operation !== 'restored' && isDocsFile(path, plain));
  const done = attempts.filter((write) => write.done !== 'no');
  if (done.length > 0) return supported(...done.slice(-4).map((write) => ofWrite(write)));
  const inGit = state?.files?.find(({ path }) => isDocsFile(path, plain));
  if (inGit !== undefined && state !== undefined) return supported(ofState(state, `${inGit.path} ${inGit.operation}`));
  const [lost] = attempts;
  return lost === undefined ? notShown : contradicted(ofWrite(lost));
}

function judgeNoDocs(facts: Facts): Judgement {
  const write = changedPaths(facts).find(({ path }) => isProse(path));
  return write === undefined ? supported() : contradicted(ofWrite(write.write));
}

/** "I replaced both": the files that the answer named before. */
function judgeBoth(facts: Facts, clause: Clause): Judgement {
  const named = [...clause.before.matchAll(/[\w./-]+\.\w{1,5}\b/g)].map(([path]) => path);
  if (named.length === 0) return notShown;
  return judgeEach(named.slice(0, 5), (path) => {
    const { done, isUndone } = stateOf(facts, path);
    const last = done.at(-1);
    return last === undefined || isUndone ? notShown : supported(ofWrite(last));
  });
}
