import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkClaims, factsOf } from '../src/claims/check-claims.ts';
import type { Claim, ClaimVerdict } from '../src/claims/claim.ts';
import type { EventRecord } from '../src/events/event.ts';
import { Reader } from '../src/pipeline/reader.ts';

/**
 * Scores `runwire claims` on a labelled set: `node scripts/claims-score.ts DIR`, where DIR holds a folder for each case
 * with `stream.jsonl` and `labels.json`. `--misses` lists what is wrong, `--only REGEX` takes the cases whose name, style
 * or language fits, `--json` prints the figures alone, `--markdown` a table for the docs.
 */

interface Label {
  quote: string;
  start: number;
  kind: string;
  label: ClaimVerdict;
  reason?: string;
  trap?: string;
  contested?: boolean;
  evidence: { call: string; what: string; sequences: number[] }[];
}

interface Case {
  case: string;
  skeleton: string;
  style: string;
  lang: string;
  agent: string;
  answer: string;
  labels: Label[];
}

export interface Figures {
  cases: number;
  labels: number;
  precision: number;
  recall: number;
  found: number;
  accuracy: number;
  falseAccusations: number;
  evidence: number;
}

export interface Miss {
  case: string;
  what: string;
  quote: string;
  labelled: string;
  listed: string;
}

export interface Score {
  figures: Figures;
  misses: Miss[];
}

/** The records of a stream, and its final answer. */
export function readStream(path: string): { records: EventRecord[]; answer: string } {
  const records: EventRecord[] = [];
  const reader = new Reader({ onRecord: (record) => records.push(record) });
  reader.stdout(readFileSync(path));
  reader.endInput();
  return { records, answer: reader.end().message };
}

export function scoreSet(folder: string, isChosen: (name: string) => boolean = () => true): Score {
  const tally = {
    cases: 0,
    labels: 0,
    accused: 0,
    accusedRight: 0,
    false: 0,
    falseFound: 0,
    checkable: 0,
    listed: 0,
    right: 0,
    cited: 0,
    citedRight: 0,
    wronged: 0,
  };
  const misses: Miss[] = [];
  for (const name of readdirSync(folder).toSorted()) {
    const labels = join(folder, name, 'labels.json');
    if (!existsSync(labels)) continue;
    const labelled = JSON.parse(readFileSync(labels, 'utf8')) as Case;
    if (!isChosen([name, labelled.style, labelled.lang, labelled.agent].join(' '))) continue;
    const { records, answer } = readStream(join(folder, name, 'stream.jsonl'));
    const claims = checkClaims(answer, factsOf(records));
    tally.cases += 1;
    const assigned = assign(claims, labelled.labels);
    const miss = (what: string, label: Label | undefined, claim: Claim | undefined): void => {
      misses.push({
        case: name,
        what,
        quote: label?.quote ?? claim?.quote ?? '',
        labelled:
          label === undefined
            ? 'not labelled'
            : `${label.label} ${label.kind}${label.reason === undefined ? '' : ` ${label.reason}`}`,
        listed:
          claim === undefined
            ? 'not listed'
            : `${claim.verdict} ${claim.kind} "${claim.quote}" ${claim.evidence.map(({ why }) => why).join(' | ')}`,
      });
    };
    for (const [claim, label] of assigned.claims) {
      if (claim.verdict !== 'contradicted' || label?.contested === true) continue;
      tally.accused += 1;
      if (label?.label === 'contradicted') tally.accusedRight += 1;
      else {
        miss('false accusation', label, claim);
        if (
          label === undefined ||
          label.label === 'not_checkable' ||
          label.trap === 'negation' ||
          label.trap === 'partial'
        )
          tally.wronged += 1;
      }
    }
    for (const label of labelled.labels) {
      if (label.contested === true) continue;
      tally.labels += 1;
      const claim = assigned.labels.get(label);
      const isListed = claim !== undefined && claim.verdict !== 'not_checkable';
      if (label.label === 'contradicted') {
        tally.false += 1;
        if (claim?.verdict === 'contradicted') tally.falseFound += 1;
      }
      if (label.label === 'not_checkable') continue;
      tally.checkable += 1;
      if (!isListed) {
        miss('not found', label, claim);
        continue;
      }
      tally.listed += 1;
      if (claim.verdict !== label.label) {
        if (!(claim.verdict === 'contradicted')) miss('wrong verdict', label, claim);
        continue;
      }
      tally.right += 1;
      if (label.label === 'not_shown' || label.evidence.length === 0) continue;
      tally.cited += 1;
      const sequences = new Set(label.evidence.flatMap((each) => each.sequences));
      if (claim.evidence.some(({ sequence }) => sequence !== undefined && sequences.has(sequence)))
        tally.citedRight += 1;
      else miss('wrong evidence', label, claim);
    }
  }
  const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);
  return {
    misses,
    figures: {
      cases: tally.cases,
      labels: tally.labels,
      precision: share(tally.accusedRight, tally.accused),
      recall: share(tally.falseFound, tally.false),
      found: share(tally.listed, tally.checkable),
      accuracy: share(tally.right, tally.listed),
      falseAccusations: tally.wronged,
      evidence: share(tally.citedRight, tally.cited),
    },
  };
}

/** Each claim belongs to the label that it overlaps most; of several claims, the one of the label's kind counts, then the one that overlaps more. */
function assign(
  claims: readonly Claim[],
  labels: readonly Label[],
): { claims: Map<Claim, Label | undefined>; labels: Map<Label, Claim> } {
  const overlap = (claim: Claim, label: Label): number =>
    Math.min(claim.start + claim.quote.length, label.start + label.quote.length) - Math.max(claim.start, label.start);
  const ofClaims = new Map<Claim, Label | undefined>();
  const ofLabels = new Map<Label, Claim>();
  for (const claim of claims) {
    const near = labels
      .filter((label) => overlap(claim, label) > 0)
      .toSorted((a, b) => overlap(claim, b) - overlap(claim, a));
    const label = near[0];
    ofClaims.set(claim, label);
    if (label === undefined) continue;
    const known = ofLabels.get(label);
    const rank = (each: Claim): number => (each.kind === label.kind ? 1e6 : 0) + overlap(each, label);
    if (known === undefined || rank(claim) > rank(known)) ofLabels.set(label, claim);
  }
  return { claims: ofClaims, labels: ofLabels };
}

const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;

/** Each figure in words, as it is, and what is wanted of it. */
function rowsOf({ figures }: Score): (readonly [words: string, figure: string, wanted: string])[] {
  return [
    ['of what is called contradicted, so much is', percent(figures.precision), '98 %'],
    ['of what is contradicted, so much is found', percent(figures.recall), '80 %'],
    ['of the checkable sentences, so many are listed', percent(figures.found), '80 %'],
    ['of those, so many have the right verdict', percent(figures.accuracy), '95 %'],
    ['contradicted, of sentences that claim nothing', String(figures.falseAccusations), '0'],
    ['of the right ones, so many cite a right call', percent(figures.evidence), '97 %'],
  ];
}

export function tableOf(score: Score): string {
  return [
    `${score.figures.cases} cases, ${score.figures.labels} labels`,
    ...rowsOf(score).map(([words, figure, wanted]) => `${words.padEnd(48)} ${figure.padEnd(8)} (${wanted})`),
  ].join('\n');
}

/** The same in Markdown, for docs/claims.md. */
function markdownOf(score: Score): string {
  return [
    `| ${score.figures.cases} cases, ${score.figures.labels} labels | figure | wanted |`,
    '| --- | --- | --- |',
    ...rowsOf(score).map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      misses: { type: 'boolean' },
      only: { type: 'string' },
      without: { type: 'string' },
      json: { type: 'boolean' },
      markdown: { type: 'boolean' },
    },
  });
  const [folder] = positionals;
  if (folder === undefined) throw new Error('name the folder of the labelled set');
  const only = values.only === undefined ? undefined : new RegExp(values.only);
  const without = values.without === undefined ? undefined : new RegExp(values.without);
  const score = scoreSet(folder, (name) => (only?.test(name) ?? true) && !(without?.test(name) ?? false));
  if (values.json === true) console.log(JSON.stringify(score.figures));
  else console.log(values.markdown === true ? markdownOf(score) : tableOf(score));
  if (values.misses === true)
    for (const each of score.misses)
      console.log(`\n${each.case}: ${each.what}\n  ${each.quote}\n  labelled ${each.labelled}\n  ${each.listed}`);
}
