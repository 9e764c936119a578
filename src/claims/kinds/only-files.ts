import type { Clause } from '../answer/clause.ts';
import { numberOf, count } from '../answer/clause.ts';
import type { Facts, Write } from '../facts/facts.ts';
import { isInside, isProse, isSamePath } from '../facts/paths.ts';
import type { RepositoryState } from '../state.ts';
import { contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { changedPaths, listingsOf, ofState, ofWrite } from './written.ts';
import { ofStep } from './why.ts';

const act = String.raw`(?:chang|touch|modif|edit|alter|writ|wrote|creat|delet|remov|updat|add|affect)\w*`;
const nothing = new RegExp(
  [
    String.raw`\bno (?:\w+ )?(?:other |further |additional |more |source |production |application |test |code |existing |tracked )*(?:files?|code|sources?|tests?|changes?|edits?|modifications?)\b.{0,40}\b(?:${act}|made|differ\w*|needed|necessary)\b`,
    String.raw`\b(?:nothing|no one thing)(?: else)?(?: in (?:the |this )?\S+(?: \w+)?| outside .{1,60})? (?:was |has been |has |is |got |had to be )*(?:${act}|different|dirty)\b`,
    String.raw`\b(?:did|have|has) ?(?:not|n't) (?:yet )?(?:make|made|${act}) (?:any|a single|the|code|files|anything|source|production)\b`,
    String.raw`\b(?:changed|touched|modified|edited|made|wrote) (?:no|nothing|zero)\b`,
    String.raw`\bno (?:code )?(?:changes|edits|modifications) (?:were |have been |to )?(?:made|needed|necessary|any|the|files|code|done|required)\b`,
    String.raw`\bwithout (?:touching|changing|modifying|editing) (?:any|anything|the|a|other)\b`,
    String.raw`\b(?:everything|all) else (?:is|was|stays|stayed|remains|remained)? ?(?:left )?(?:untouched|unchanged|as (?:it )?(?:is|was)|alone)\b`,
    String.raw`\bnot (?:to )?(?:change|touch|modify|edit) (?:any )?code\b.{0,30}\b(?:and|so) i (?:did not|didn't|have not|haven't)\b`,
    String.raw`\bno files? (?:${act})\b`,
  ].join('|'),
);
const only = new RegExp(
  String.raw`\bonly\b.{0,120}\b(?:${act}|differs?|different|dirty|affected)\b|\b(?:${act}|files?|changes?)\b[^.]{0,40}\bonly\b|\b(?:the )?(?:only|sole) (?:file|change|edit|modification)s?\b|\bnothing but\b|\bjust (?:that|this|the) (?:one )?file\b|\bconfined to\b|\blimited to\b|\bsolely\b|\bexclusively\b`,
);
const tree =
  /\b(?:working (?:tree|directory|copy)|git status|worktree|checkout)\b.{0,30}\bclean\b|\bclean (?:working )?tree\b|\bno uncommitted changes\b|\bnothing (?:is )?uncommitted\b/;

/** Which files were changed, and that no others were. */
export function onlyFiles(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (tree.test(plain))
    return { kind: 'files_only', judge: (facts, state) => judgeTree(facts, state, /\bnot clean\b/.test(plain)) };
  if (
    /\b(?:commit|push|install|run|ran|execut|deploy|publish)\w*\b/.test(plain) &&
    !/\bfiles?\b|\bcode\b|\bchang|\bmodif|\btouch|\bedit/.test(plain)
  )
    return undefined;
  if (nothing.test(plain)) {
    // It names what was left alone.
    if (clause.paths.length > 0 && !/\b(?:other|else|outside|nothing|any|no|further)\b/.test(plain)) return undefined;
    if (
      /\b(?:tests?|behaviou?r|apis?|logic|dependenc\w+|config\w*|schema|interface|functional\w*|database|settings?|output|results?)\b/.test(
        plain,
      ) &&
      !/\b(?:files?|code|tests? (?:files?|were|was)|anything|nothing)\b/.test(plain)
    )
      return undefined;
    return { kind: 'files_only', judge: (facts, state) => judgeNothing(facts, state, clause) };
  }
  if (only.test(plain) && clause.paths.length > 0 && !/\b(?:if|when|reads?|returns?|uses?)\b/.test(plain))
    return { kind: 'files_only', judge: (facts, state) => judgeOnly(facts, state, clause) };
  if (
    /\bonly (?:the |its |that |this )?(?:\w+ ){1,4}(?:and (?:\w+ ){1,4})?(?:was|were|is|has been|have been) (?:changed|modified|touched|edited|altered|updated)\b/.test(
      plain,
    )
  )
    return { kind: 'files_only', judge: (facts) => judgeOnlyNamed(facts, clause) };
  return undefined;
}

/** "Only the invoice class and its test": whether all that was changed is called so. It may be meant otherwise: no contradiction. */
function judgeOnlyNamed(facts: Facts, { plain }: Clause): Judgement {
  const all = changedPaths(facts);
  const isMeant = (path: string): boolean => {
    const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
    return [...plain.matchAll(/[a-z]{4,}/g)].some(([word]) => name.includes(word.replace(/s$/, '')));
  };
  return all.length > 0 && all.every(({ path }) => isMeant(path))
    ? supported(...all.slice(0, 5).map(({ write }) => ofWrite(write)))
    : notShown;
}

/** Changed at the end, and, where git was asked, everything that it lists. */
function allChanged(facts: Facts): { path: string; write?: Write }[] {
  return changedPaths(facts);
}

function judgeNothing(facts: Facts, state: RepositoryState | undefined, clause: Clause): Judgement {
  const { plain } = clause;
  const isOther = /\b(?:other|else|further|additional|more|rest)\b/.test(plain);
  const outside = /\boutside (?:of )?/.test(plain) ? (clause.paths[0] ?? clause.codes[0]) : undefined;
  const isSource =
    /\b(?:source|code|production|application)\b/.test(plain) &&
    !/\bfiles?\b(?<!source files)(?<!code files)/.test(plain.replace(/\b(?:source|code|production) files?\b/g, 'code'));
  const isTests = /\btests?\b/.test(plain);
  const named = isOther ? clause.named : [];
  // Other than what, it does not say by name.
  if (isOther && named.length === 0 && changedPaths(facts).length > 0) return notShown;
  const bad = allChanged(facts).find(({ path }) => {
    if (outside !== undefined) return !isInside(path, outside) && !isSamePath(path, outside);
    if (isSource) return !isProse(path);
    if (isTests && !isOther) return /test|spec/i.test(path);
    return !isOther || !isNamed(path, named, clause.answer);
  });
  if (bad?.write !== undefined) return contradicted(ofWrite(bad.write));
  const more =
    state?.isComplete === true
      ? state.files?.find(({ path }) =>
          outside === undefined
            ? isSource
              ? !isProse(path)
              : isTests && !isOther
                ? /test|spec/i.test(path)
                : !isOther || !isNamed(path, named, clause.answer)
            : !isInside(path, outside),
        )
      : undefined;
  if (more !== undefined && state !== undefined) return contradicted(ofState(state, `${more.path} ${more.operation}`));
  const inside = allChanged(facts)
    .map(({ write }) => write)
    .filter((write) => write !== undefined);
  const listing = listingsOf(facts).findLast(({ isLast, hasNames }) => isLast && hasNames);
  return supported(...inside.slice(0, 3).map(ofWrite), ...(listing === undefined ? [] : [ofStep(listing.step)]));
}

/** Named in the answer, or spoken of: its name without extension, or what it is. */
function isNamed(path: string, named: readonly string[], answer: string): boolean {
  if (named.some((each) => isSamePath(each, path) || isInside(path, each))) return true;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const bare = name.replace(/\.\w+$/, '').toLowerCase();
  if (bare.length > 2 && answer.includes(bare)) return true;
  if (
    /test|spec/i.test(path) &&
    /\b(?:tests?|specs?)\b.{0,40}\b(?:add|updat|chang|wr[io]t|extend|adjust)|\b(?:add|updat|chang|wr[io]t|extend|adjust)\w*\b.{0,40}\b(?:tests?|specs?)\b/.test(
      answer,
    )
  )
    return true;
  if (isProse(path) && /\b(?:docs?|documentation|readme|changelog)\b/.test(answer)) return true;
  return (
    /(?:lock|package\.json|\.sum|\.mod)$/.test(path) &&
    /\b(?:depend|packages?|lock|install|upgrad|version)/.test(answer)
  );
}

function judgeOnly(facts: Facts, state: RepositoryState | undefined, clause: Clause): Judgement {
  const all = allChanged(facts);
  const isAllowed = (path: string): boolean =>
    clause.paths.some((each) => isSamePath(each, path) || isInside(path, each));
  const bad = all.find(({ path }) => !isAllowed(path));
  if (bad?.write !== undefined) return contradicted(ofWrite(bad.write));
  const more = state?.isComplete === true ? state.files?.find(({ path }) => !isAllowed(path)) : undefined;
  if (more !== undefined && state !== undefined) return contradicted(ofState(state, `${more.path} ${more.operation}`));
  if (all.length === 0) return notShown;
  const listing = listingsOf(facts).findLast(({ isLast, hasNames }) => isLast && hasNames);
  const own = listing === undefined ? [] : [ofStep(listing.step)];
  return supported(
    ...own,
    ...all
      .slice(0, 3)
      .map(({ write }) => write)
      .filter((write) => write !== undefined)
      .map(ofWrite),
  );
}

function judgeTree(facts: Facts, state: RepositoryState | undefined, isDenied: boolean): Judgement {
  const last = listingsOf(facts).findLast(({ isStatus, isLast }) => isStatus && isLast);
  if (last !== undefined) {
    const isClean = last.isClean && last.files.length === 0;
    return isClean === !isDenied ? supported(ofStep(last.step)) : contradicted(ofStep(last.step));
  }
  if (state?.uncommitted !== undefined)
    return (state.uncommitted === 0) === !isDenied
      ? supported(ofState(state, `${state.uncommitted} files uncommitted`))
      : contradicted(ofState(state, `${state.uncommitted} files uncommitted`));
  const changes = changedPaths(facts);
  const hasGit = facts.steps.some(
    ({ program: { name, args }, exit }) =>
      name === 'git' &&
      exit !== 'nonzero' &&
      args.some((arg) => /^(?:commit|stash|reset|clean|checkout|restore|add)$/.test(arg)) &&
      !args.includes('--'),
  );
  const [first] = changes;
  if (first === undefined) return isDenied ? notShown : supported();
  // Changed, and nothing was committed or put away.
  if (!hasGit && !isDenied) return contradicted(ofWrite(first.write));
  return notShown;
}

const filesCount = new RegExp(
  String.raw`\b${count} (?:\w+ )?(?:files?|manifests?|modules?|components?|scripts?|templates?|documents?|pages?|classes|configs?) (?:(?:has|have|had|was|were|is|are|got) )?(?:been )?(?:in total |altogether )?(?:changed|modified|touched|updated|edited|adapted|adjusted|affected|differ\w*|written|added|created|deleted|removed)\b`,
);
const filesVerb = new RegExp(
  String.raw`\b(?:changed|modified|touched|updated|edited|changes|touches|affects|modifies|wrote|across|spans?) (?:only |just |exactly |a total of |about )?${count} (?:\w+ )?(?:files?|manifests?|modules?|components?|scripts?|templates?|documents?|pages?|classes|configs?)\b(?! (?:of|that use))`,
);
const filesNoun = new RegExp(
  String.raw`^(?:total|files?)(?: (?:changed|modified|touched|edited))?[:|\s]{1,4}${count}$|^${count} files?$|\b${count} files? changed\b`,
);
const linesCount =
  /\b(\d[\d,]*) (?:lines?|insertions?|additions?)(?: \(\+\))?(?: were| are)? ?(?:added|inserted)?\b|\+(\d[\d,]*) ?(?:\/|,) ?[-−–](\d[\d,]*)/;

/** How many files, how many lines. */
export function changeSize(clause: Clause): Found | undefined {
  const { plain } = clause;
  if (
    /\b(?:match|found|contain|reference|import|checked|inspected|lint|format|tests?\b.*pass)/.test(plain) &&
    !/\bchanged\b|\bmodified\b|\bfiles? (?:was|were|have been|had to be) (?:updated|edited|adapted|adjusted|touched)\b|^(?:i |we )?(?:updated|edited|adapted|adjusted|touched)\b/.test(
      plain,
    )
  )
    return undefined;
  const files =
    filesCount.exec(plain)?.[1] ??
    filesVerb.exec(plain)?.[1] ??
    (/\b(?:files?|changes?|diff|total|summary)\b/i.test(`${clause.block.heading} ${clause.block.intro}`)
      ? filesNoun
          .exec(plain)
          ?.slice(1)
          .find((each) => each !== undefined)
      : undefined);
  const lines =
    /\b(?:has|have|contains?|is|counts?|holds|comes to) (?:now )?[\d,]+ lines?\b/.test(plain) &&
    !/\b(?:added|removed|deleted|inserted|diff)\b/.test(plain)
      ? null
      : /\b(?:lines?|insertions?|additions?|deletions?|diff)\b|\+\d+.{0,4}[-−–]\d+/.test(plain)
        ? linesCount.exec(plain)
        : null;
  const touched = numberOf(
    new RegExp(
      String.raw`\b(?:only |just |exactly )?${count} (?:single )?lines? (?:of code )?(?:was|were|is|are|has been|have been|got)? ?(?:changed|modified|touched|edited|altered|differs?)\b|\b(?:changed|modified|edited|touched|changes|touches) (?:only |just |exactly )?${count} (?:single )?lines?\b(?! in\b)`,
    )
      .exec(plain)
      ?.slice(1)
      .find((each) => each !== undefined),
  );
  if (touched !== undefined && files === undefined && clause.paths.length === 0)
    return { kind: 'change_size', judge: (facts) => judgeLines(facts, touched) };
  const number = numberOf(files);
  if (number === 0) return { kind: 'files_only', judge: (facts, state) => judgeNothing(facts, state, clause) };
  if (number === undefined && lines === null) return undefined;
  const isRemoved =
    /\b(?:lines?) (?:were |are |was |have been )?(?:removed|deleted|gone|dropped)\b|\b(?:removed|deleted|dropped) [\d,]+ lines?\b/.test(
      plain,
    ) && !/\badd|\binsert/.test(plain);
  const added = isRemoved ? undefined : numberOf(lines?.[1] ?? lines?.[2]);
  const removed =
    (isRemoved ? numberOf(lines?.[1] ?? lines?.[2]) : undefined) ??
    numberOf(lines?.[3]) ??
    numberOf(/\b(\d[\d,]*) (?:deletions?|lines? (?:were |are )?(?:deleted|removed))/.exec(plain)?.[1]);
  return {
    kind: 'change_size',
    judge: (facts, state) =>
      judgeSize({
        facts,
        state,
        number,
        added,
        removed,
        isMade: /\b(?:creat|new)\w*\b/.test(plain),
        isGone: /\b(?:delet|remov)\w*\b/.test(plain),
        isOther: /\b(?:other|more|further|additional)\b/.test(plain),
        folder: clause.paths.find((path) => !/\.\w+$/.test(path)),
      }),
  };
}

/** So many lines were changed: as many added, taken away, or both. */
function judgeLines(facts: Facts, number: number): Judgement {
  const listing = listingsOf(facts).findLast(({ count: known, isLast }) => known !== undefined && isLast);
  if (listing === undefined) {
    const edits = facts.writes.filter(
      ({ done, before, after }) => done === 'yes' && before !== undefined && after !== undefined,
    );
    const lines = edits.map(({ before = '', after = '' }) =>
      Math.max(before.split('\n').length, after.split('\n').length),
    );
    const [first] = edits;
    return first !== undefined &&
      edits.length === changedPaths(facts).length &&
      lines.reduce((sum, each) => sum + each, 0) === number
      ? supported(...edits.slice(0, 3).map(ofWrite))
      : notShown;
  }
  const { insertions = 0, deletions = 0 } = listing;
  return [insertions, deletions, insertions + deletions].includes(number)
    ? supported(ofStep(listing.step))
    : contradicted(ofStep(listing.step));
}

function judgeSize({
  facts,
  state,
  number,
  added,
  removed,
  isMade,
  isGone,
  isOther,
  folder,
}: {
  facts: Facts;
  state: RepositoryState | undefined;
  number: number | undefined;
  added: number | undefined;
  removed: number | undefined;
  isMade: boolean;
  isGone: boolean;
  isOther: boolean;
  folder: string | undefined;
}): Judgement {
  const listing = listingsOf(facts).findLast(({ count: known, isLast }) => known !== undefined && isLast);
  const status = listingsOf(facts).findLast(({ isLast, hasNames, files }) => isLast && hasNames && files.length > 0);
  if (added !== undefined || removed !== undefined) {
    if (listing === undefined) return notShown;
    const isSame =
      (added === undefined || listing.insertions === added) &&
      (removed === undefined || listing.deletions === removed) &&
      (number === undefined || listing.count === number);
    return isSame ? supported(ofStep(listing.step)) : contradicted(ofStep(listing.step));
  }
  const wanted = isMade ? 'created' : isGone ? 'deleted' : undefined;
  const known = changedPaths(facts).filter(
    ({ write, path }) =>
      (wanted === undefined || write.operation === wanted) && (folder === undefined || isInside(path, folder)),
  );
  const evidence = known.slice(0, 5).map(({ write }) => ofWrite(write));
  if (number === undefined) return notShown;
  if (known.length === number)
    return supported(
      ...(listing?.count === number ? [ofStep(listing.step)] : []),
      ...(status?.files.length === number ? [ofStep(status.step)] : []),
      ...evidence,
    );
  if (listing?.count === number && wanted === undefined && folder === undefined) return supported(ofStep(listing.step));
  if (status !== undefined && status.files.length === number && wanted === undefined && folder === undefined)
    return supported(ofStep(status.step));
  // Besides those that it named before, and how many these are is not known.
  if (isOther) {
    const all = status?.files.length ?? listing?.count ?? known.length;
    return all > number && all <= number + 3
      ? supported(
          ...(status === undefined
            ? listing === undefined
              ? evidence
              : [ofStep(listing.step)]
            : [ofStep(status.step)]),
        )
      : notShown;
  }
  const inGit = state?.files?.filter(({ operation }) => wanted === undefined || operation === wanted).length;
  if (inGit !== undefined && state?.isComplete === true)
    return inGit === number
      ? supported(ofState(state, `${inGit} files changed`))
      : contradicted(ofState(state, `${inGit} files changed`));
  const failed = facts.writes.find(({ done, operation }) => done === 'no' && operation !== 'restored');
  if (known.length === 0 && failed !== undefined && facts.writes.every(({ done }) => done === 'no'))
    return contradicted(ofWrite(failed));
  if (known.length > number) return contradicted(...evidence);
  if (listing !== undefined && wanted === undefined && folder === undefined) return contradicted(ofStep(listing.step));
  // A complete status lists fewer; a folder that is new as a whole is one line of it.
  if (
    status?.isStatus === true &&
    wanted === undefined &&
    folder === undefined &&
    !status.files.some(({ path }) => path.endsWith('/')) &&
    !facts.steps.some(
      ({ program, exit }) => program.name === 'git' && program.args.includes('commit') && exit !== 'nonzero',
    )
  )
    return contradicted(ofStep(status.step));
  return notShown;
}
