import { blocksOf } from './answer/blocks.ts';
import { type Clause, clauseOf, isNegated, numbersIn, pathsIn, type Context } from './answer/clause.ts';
import { reasonOf, reasonOfClause } from './answer/not-claims.ts';
import { type Part, piecesOf, sentencesOf } from './answer/sentences.ts';
import type { Claim, ClaimKind } from './claim.ts';
import { type Facts, understand } from './facts/facts.ts';
import { FactsFold, type RawFacts } from './facts/fold.ts';
import { type Found, type Judgement, notShown } from './kinds/kind.ts';
import { inEnglish, isForeign } from './answer/phrasebook.ts';
import { mayClaim, readClause } from './kinds/registry.ts';
import type { RepositoryState } from './state.ts';
import type { EventRecord } from '../events/event.ts';

/** More of an answer than this is not read: no person reads it either. */
const longestAnswer = 200_000;
/** No more claims than these are listed. */
const mostClaims = 400;
const mostEvidence = 5;

/** The claims of an answer, in its order, each with its verdict and what shows it. */
export function checkClaims(answer: string, raw: RawFacts, state?: RepositoryState): Claim[] {
  const claims: Claim[] = [];
  let facts: Facts | undefined;
  for (const { clause, found } of claimsIn(answer.slice(0, longestAnswer))) {
    facts ??= understand(raw);
    const judged = found.judge(facts, state);
    if (judged.verdict === 'not_checkable') continue;
    const { verdict, evidence } = raw.isCut && !isKnown(found.kind, judged) ? notShown : judged;
    claims.push({
      quote: clause.quote,
      start: clause.start,
      kind: found.kind,
      verdict,
      evidence: evidence.slice(0, mostEvidence),
    });
    if (claims.length >= mostClaims) break;
  }
  return claims;
}

/** The facts of a run that is kept as records. */
export function factsOf(records: Iterable<EventRecord>): RawFacts {
  const fold = new FactsFold();
  for (const record of records) fold.see(record);
  return fold.facts();
}

/** Of a run whose beginning is not kept, nothing is said from what is missing, and only what the end decides is contradicted. */
function isKnown(kind: ClaimKind, { verdict, evidence }: Judgement): boolean {
  return verdict === 'supported' ? evidence.length > 0 : verdict !== 'contradicted' || decidedLast.has(kind);
}

const decidedLast = new Set<ClaimKind>(['tests_pass', 'tests_fail', 'build', 'lint', 'types', 'ci_status', 'server']);

interface Read {
  clause: Clause;
  found: Found;
}

function* claimsIn(answer: string): Generator<Read> {
  const plainAnswer = answer.replaceAll(/[`*_]/g, '').toLowerCase();
  const named = pathsIn(answer, answer);
  let before = '';
  let heading = '';
  for (const block of blocksOf(answer)) {
    if (block.heading !== heading) {
      heading = block.heading;
      before = '';
    }
    for (const sentence of block.kind === 'row' ? [{ text: block.text, start: 0 }] : sentencesOf(block.text)) {
      const around: Context = { block, sentence: '', before, answer: plainAnswer, named };
      const whole = clauseOf(sentence.text, block.start + sentence.start, around);
      around.sentence = whole.plain;
      const from = block.start + sentence.start;
      if ((mayClaim(whole) || isForeign(whole.plain)) && reasonOf(whole.plain, block) === undefined)
        yield* inSentence(sentence.text, from, around);
      before = [before.slice(-300), whole.plain].join(' ');
    }
  }
}

/** The claims of one sentence: where two clauses claim two things, each is one; what claims nothing belongs to the clause before it. */
function* inSentence(sentence: string, start: number, around: Context): Generator<Read> {
  const pieces = around.block.kind === 'row' ? [{ text: sentence, start: 0 }] : piecesOf(sentence);
  const read = (from: number, to: number): { clause: Clause; found: Found | undefined; isBarred: boolean } => {
    const raw = sentence.slice(from, to);
    const text = raw.trim();
    const clause = clauseOf(text, start + from + raw.indexOf(text), around);
    const isBarred = reasonOfClause(clause.plain) !== undefined;
    return { clause, found: isBarred ? undefined : readClause(clause), isBarred };
  };
  const whole = read(0, sentence.length);
  const english = whole.isBarred ? undefined : inEnglish(whole.clause.plain, whole.clause.paths, whole.clause.codes);
  if (english !== undefined) {
    const clause = {
      ...whole.clause,
      // Names stand out between other scripts without backticks.
      codes:
        whole.clause.codes.length === 0 && /[\u3040-\u30ff\u4e00-\u9fff]/.test(sentence)
          ? (sentence.match(/[A-Za-z_$][\w.$-]{2,60}/g) ?? []).slice(0, 4)
          : whole.clause.codes,
      plain: english,
      cased: english,
      sentence: english,
      isNegated: isNegated(english),
      numbers: numbersIn(english),
    };
    const found = readClause(clause);
    if (found !== undefined) yield { clause, found };
    return;
  }
  if (pieces.length === 1 || (whole.found?.isWhole === true && pieces.length < 3)) {
    if (whole.found !== undefined) yield { clause: whole.clause, found: whole.found };
    return;
  }
  const ends = pieces.map((_, index) => pieces[index + 1]?.start ?? sentence.length);
  const parts = pieces.map((piece, index) => ({
    piece,
    end: ends[index] ?? sentence.length,
    ...read(piece.start, endOf(pieces, index, sentence)),
  }));
  for (const [index, part] of parts.entries()) {
    const earlier = parts[index - 1];
    if (part.found !== undefined || part.isBarred || earlier?.found === undefined) continue;
    const plain = inFull(part.clause, earlier.clause, earlier.found.kind);
    if (plain === undefined) continue;
    const found = readClause({ ...part.clause, plain, cased: plain, isNegated: isNegated(plain) });
    if (found?.kind === earlier.found.kind || (found !== undefined && checked.has(found.kind))) part.found = found;
  }
  // A list of files is one claim; so is a result with its numbers.
  const isList = /[`\])],\s[`[]/.test(sentence);
  const isResult = whole.found !== undefined && checked.has(whole.found.kind);
  for (const part of parts)
    if (
      (isList && whole.found !== undefined && /^\W{0,3}\S{1,200}\W{0,3}$/.test(part.piece.text.trim())) ||
      (isResult && (part.found?.kind === 'output_value' || part.found?.kind === 'change_size'))
    )
      part.found = undefined;
  const claiming = parts.filter(({ found }) => found !== undefined);
  const kinds = new Set(claiming.map(({ found }) => found?.kind));
  if (
    claiming.length === 0 ||
    (kinds.size === 1 &&
      whole.found?.kind === claiming[0]?.found?.kind &&
      !isSeveral(claiming.map(({ clause }) => clause)))
  ) {
    if (whole.found !== undefined) yield { clause: whole.clause, found: whole.found };
    else for (const { clause, found } of claiming) if (found !== undefined) yield { clause, found };
    return;
  }
  // "45 tests ran and passed" is one claim, about what the whole is about.
  if (
    kinds.has('command_run') &&
    (kinds.size === 1 ||
      /^\W{0,6}\d/.test(claiming.find(({ found }) => found?.kind === 'command_run')?.clause.plain ?? '')) &&
    whole.found !== undefined &&
    checked.has(whole.found.kind) &&
    !/\b(?:not|never)\b|n't\b|\bskipped (?:the|running)\b/.test(whole.clause.plain)
  ) {
    yield { clause: whole.clause, found: whole.found };
    return;
  }
  // The text up to the next claiming clause belongs to this one, unless it is barred; so does what opens the sentence.
  for (const [index, part] of parts.entries()) {
    if (part.found === undefined) continue;
    const next = parts.findIndex((each, at) => at > index && (each.found !== undefined || each.isBarred));
    const end = next === -1 ? sentence.length : (pieces[next]?.start ?? sentence.length);
    const isFirst =
      parts.slice(0, index).every((each) => each.found === undefined && !each.isBarred) &&
      /(?::|->|→)\s*$/.test(sentence.slice(0, part.piece.start));
    const longer = read(isFirst ? 0 : part.piece.start, endBefore(sentence, end));
    if (
      longer.found !== undefined &&
      (longer.found.kind === part.found.kind || (isFirst && checked.has(longer.found.kind)))
    )
      yield { clause: longer.clause, found: longer.found };
    else yield { clause: part.clause, found: part.found };
  }
}

/** "I studied `a.rs` and `b.rs`", "the unit tests pass, and so does the linter". */
function inFull(clause: Clause, before: Clause, kind: ClaimKind): string | undefined {
  const [path] = clause.paths;
  const [other] = before.paths;
  if (kind === 'file_read' && path !== undefined && other !== undefined && /^\W{0,3}\S+\W{0,3}$/.test(clause.plain))
    return before.plain.replace(other.toLowerCase(), path.toLowerCase());
  const subject = /^(?:and |as )?(?:so )?(?:do|does|did|is|are|was|were) (.{3,60}?)(?: too| as well)?[.!]?$/.exec(
    clause.plain,
  )?.[1];
  if (subject === undefined || !checked.has(kind)) return undefined;
  return `${subject} ${kind === 'tests_fail' ? 'fails' : 'passes'}`;
}

function endOf(pieces: readonly Part[], index: number, sentence: string): number {
  const piece = pieces[index];
  return piece === undefined ? sentence.length : piece.start + piece.text.length;
}

const checked = new Set<string>(['tests_pass', 'tests_fail', 'lint', 'types', 'build']);

/** Without the conjunction that leads to the next clause. */
function endBefore(sentence: string, end: number): number {
  return end === sentence.length
    ? end
    : sentence
        .slice(0, end)
        .replace(
          /(?:[,;:\u3001\uFF0C\uFF1B]|\s(?:and|but|so|while|whereas|und|aber|sowie|et|mais|because|since|as|although|though)|\s[—–-]|\s->|\s→)\s*$/,
          '',
        ).length;
}

/** Each says something of its own: it has a subject and a verb, or names another file. */
function isSeveral(clauses: readonly Clause[]): boolean {
  return (
    clauses.length > 1 &&
    clauses.every(
      ({ plain, paths }) => paths.length > 0 || /\b(?:pass\w*|fail\w*|is|are|was|were|did|has|have)\b/.test(plain),
    ) &&
    clauses.every(
      (clause, index) =>
        index === 0 ||
        clause.paths.length === 0 ||
        !clauses.slice(0, index).some((each) => each.paths.some((path) => clause.paths.includes(path))),
    )
  );
}
