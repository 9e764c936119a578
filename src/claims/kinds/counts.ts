import { count, numberOf } from '../answer/clause.ts';

/** The numbers that a claim about tests gives. */
export interface Counts {
  passed?: number;
  failed?: number;
  skipped?: number;
  total?: number;
}

const noun = String.raw`(?:(?:unit|integration|e2e|end-to-end|model|cart|[\w-]{1,30}) )?(?:tests?|specs?|examples?|cases?|test cases?|scenarios?|assertions?|checks?|runs)`;

const passedOfTotal = new RegExp(String.raw`(?<![\w.])${count} ?(?:\/|of|out of) ?(?:the |its )?${count}\b`);
const passed = [
  new RegExp(
    String.raw`(?<![\w.])${count} (?:${noun} )?(?:of them |all |have |had |were |now |ran and |successfully )*(?:pass(?:ed|es|ing)?|succeed(?:ed|s)?|successful|green|ok|succeeding|are (?:green|passing|successful|ok))\b`,
  ),
  new RegExp(
    String.raw`(?:pass(?:ed|ing|es)?|green|ok|successful)[:=]? \(?(\d[\d,]*)\b(?! ?(?:\/|of|%|fail|skip|s\b|ms|sec|min))`,
  ),
];
const failed = [
  new RegExp(
    String.raw`(?<![\w.])${count} (?:${noun} |of (?:the |its |them )?(?:\d+ )?(?:${noun} )?)?(?:still |now |have |had |is |are |was |were |currently |do |does |remains? |stays? |left )*(?:fail(?:s|ed|ing|ures?)?|broken|red|unhappy|errors?|crash(?:es|ed)?|not pass(?:ing)?)\b`,
  ),
  new RegExp(String.raw`fail(?:ed|ures?|ing)?(?: (?:tests?|specs?|checks?))?[:=]? \(?${count}\b`),
];
const skipped = [
  new RegExp(
    String.raw`(?<![\w.])${count} (?:${noun} )?(?:were |are |was |is |been |have been )*(?:skipped|skips?|pending|ignored|disabled|todo)\b`,
  ),
  new RegExp(String.raw`\b(?:skipped|pending|ignored|disabled)(?: tests?)?[:=] ?${count}\b`),
];
const total = [new RegExp(String.raw`(?<![\w.])${count} (?:of )?(?:the )?${noun}\b`)];

/** Reads the numbers; a number that could be something else is left out. */
export function countsOf(plain: string): Counts {
  const bare = plain
    .replaceAll(/\b(?:in|took|after|within) (?:about |~ ?)?[\d.,]+ ?(?:s|ms|seconds?|minutes?|min|m)\b/g, '')
    .replaceAll(/\bno longer\b/g, '')
    .replaceAll(/\b(?:every|each)(?: single)?(?: one)? of (?:the |its |these |those |my )?/g, 'all ')
    .replaceAll(/\bnone (?=of (?:the |its )?\d)/g, '0 ')
    .replaceAll(/\b(?:not one|not a single)\b/g, '0');
  const counts: Counts = {};
  const first = (patterns: readonly RegExp[]): number | undefined => {
    for (const each of patterns) {
      const number = numberOf(
        each
          .exec(bare)
          ?.slice(1)
          .find((group) => group !== undefined),
      );
      if (number !== undefined) return number;
    }
    return undefined;
  };
  const ratio = passedOfTotal.exec(bare);
  const failing = first(failed);
  if (ratio !== null) {
    const part = numberOf(ratio[1]);
    const whole = numberOf(ratio[2]);
    if (whole !== undefined) counts.total = whole;
    const isFailing =
      /fail|broken|red\b|unhappy|not pass|don't pass|skipped/.test(bare.slice(ratio.index)) &&
      !/pass|green|succe/.test(bare.slice(ratio.index).replace(/(?:do(?:es)?n't|not) pass\w*/, ''));
    if (part !== undefined) {
      if (isFailing) counts.failed = part;
      else counts.passed = part;
    }
  }
  if (counts.passed === undefined) {
    const found = first(passed);
    if (found !== undefined && found !== counts.failed) counts.passed = found;
  }
  if (counts.failed === undefined && failing !== undefined) counts.failed = failing;
  const skips = first(skipped);
  if (
    /\b(?:none|nothing|not one|not a single one)(?: of (?:them|those|the tests))?(?: (?:was|were|is|are|being))? (?:skipped|ignored|disabled)|\bno (?:tests? )?(?:skip\w*|pending)|without skip/.test(
      bare,
    )
  )
    counts.skipped = 0;
  else if (skips !== undefined) counts.skipped = skips;
  if (counts.total === undefined) {
    const all = first(total);
    if (all !== undefined && !(all === 0)) counts.total = all;
  }
  // "Two tests are skipped" counts these alone.
  if (counts.skipped !== undefined && counts.skipped === counts.total && counts.passed === undefined)
    delete counts.total;
  return counts;
}
