import type { Clause } from '../answer/clause.ts';
import type { Facts, Step } from '../facts/facts.ts';
import { byCall, contradicted, type Found, type Judgement, notShown, supported } from './kind.ts';
import { callText, ofStep, short } from './why.ts';
import { isSamePath } from '../facts/paths.ts';
import { stripTerminal } from '../facts/terminal-text.ts';

/** A number with what it counts. */
interface Value {
  number: number;
  unit: string;
  isRough: boolean;
}

const units = String.raw`nsec|usec|µs|μs|us|ns|nanoseconds?|microseconds?|kib|mib|gib|kb|mb|gb|tb|bytes?|ms|milliseconds?|seconds?|secs?|s|minutes?|min|m|rows?|records?|modules?|requests?|items?|entries|users?|lines?|packages?|pages?|chunks?|characters?|tokens?|percent|%|files?|images?|thumbnails?|connections?|queries|iterations?|ops\/s|req\/s|rps|fps|points?|words?|steps?|migrations?|tables?|columns?|jobs?|events?|messages?|x|times faster|statements?|branches|functions?|objects?|nodes?|keys?|bundles?|assets?|routes?|products?|orders?|customers?|documents?|cells?|vertices|samples?|processes|threads?|workers?|calls?`;
const valued = new RegExp(
  String.raw`(about |around |roughly |approximately |~ ?|≈ ?|nearly |almost |some |circa |ca\. ?)?(?<![\w.#-])(\d{1,3}(?:[,  ]\d{3})+|\d+(?:\.\d+)?)\s?(${units})\b(?!\.\w)|(about |~ ?)?(?<![\w.#-])(\d+(?:\.\d+)?)\s?(%)`,
  'g',
);

function valuesIn(plain: string): Value[] {
  const list: Value[] = [];
  for (const found of plain.matchAll(valued)) {
    const number = Number((found[2] ?? found[5] ?? '').replaceAll(/[,  ]/g, ''));
    list.push({ number, unit: found[3] ?? found[6] ?? '', isRough: (found[1] ?? found[4]) !== undefined });
  }
  return list;
}

const telling =
  /\bper (?:call|loop|op|operation|iteration|request|second|run|item)\b|\b(?:print(?:s|ed)?|output(?:s|ted)?|show(?:s|ed|n)?|return(?:s|ed)?|report(?:s|ed)?|measur(?:ed|es)|took|takes|finished|is|are|was|were|went|drops?|dropped|fell|rose|grew|down|up|from|weighs?|says?|said|exits?|exited|gives?|gave|->|→|=|reads?|displays?|logs?|logged|imported|processed|generated|regenerated|transformed|covers?|coverage|memory|time|size|duration|total|peak|changed in|left|remains?|contains?|has|have|transform(?:s|ed)|build(?:s|t)|compil(?:es|ed)|produc(?:es|ed)|emit(?:s|ted)|handl(?:es|ed)|drain(?:s|ed)|process(?:es)?|serv(?:es|ed)|load(?:s|ed)|pars(?:es|ed)|writes?|wrote|counts?|counted|yield(?:s|ed)|amounts?|came|comes|cost|costs|reach(?:es|ed)|hits?|averages?|averaged|stands?|sits?|shrank|cut|improved|reduced|increased|completed|runs?|ran|deleted|removed|inserted|migrated|converted|scanned|checked|found|sees?|saw|lists?)\b|->|→|=|:/;

/** A value that a command printed. */
export function values(clause: Clause): Found | undefined {
  const { plain } = clause;
  const isCell = clause.block.kind === 'row';
  const all = valuesIn(plain);
  const hash = clause.codes
    .concat(plain.match(/(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w/-])/g) ?? [])
    .find((code) => /^(?=[0-9a-f]*\d)[0-9a-f]{7,40}$/.test(code));
  const printed =
    /\b(?:print(?:s|ed)?|output(?:s|ted)?|return(?:s|ed)|report(?:s|ed)|show(?:s|ed)|says?|said|logs?|logged|displays?|gives?|gave|exits? with|exited with|exit (?:code|status))\b/.test(
      plain,
    );
  const line = /\b(?:in |at )?line (\d+)\b|:(\d+)(?::\d+)?\b/
    .exec(plain)
    ?.slice(1)
    .find((each) => each !== undefined);
  if (
    line !== undefined &&
    clause.paths.length > 0 &&
    !/\b(?:added|changed|updated|edited|fixed|modified|removed)\b/.test(plain)
  )
    return { kind: 'output_value', judge: (facts) => judgePlace(facts, clause.paths[0] ?? '', line) };
  const exit = /\bexit(?:s|ed)?(?: (?:code|status|with(?: (?:code|status))?))?:? (\d{1,3})\b/.exec(plain)?.[1];
  if (exit !== undefined) return { kind: 'output_value', judge: (facts) => judgeExit(facts, Number(exit), clause) };
  if (
    hash !== undefined &&
    /\b(?:commit|(?:last|most recently|first) (?:changed|touched|modified|edited|updated)|introduced|head|revision|sha|hash|hash of|tag)\b/.test(
      plain,
    )
  )
    return { kind: 'output_value', judge: (facts) => judgeTexts(facts, [hash], clause) };
  if (all.length > 0 && (telling.test(plain) || isCell || /\b(?!need|used|based)[a-z]{3,}ed\b/.test(plain))) {
    if (
      /\b(?:tests?|specs?|timeout|limit|default|retries|retry|every|set to|configured|cap|capped|maximum|minimum|max|min|at most|at least|up to|per|window|threshold|allowed)\b/.test(
        plain,
      ) &&
      !/\b(?:measur|took|finished|peak|memory|print|output|show|imported|coverage)\w*\b/.test(plain)
    )
      return undefined;
    const results = valuesIn(
      plain.replaceAll(
        /(?:^|, ?|\b(?:and|but|so) )(?:with|for|after|at|given|using) (?:a |an |the |only )?[\d.,]+ ?\w+\b/g,
        ' ',
      ),
    );
    return {
      kind: 'output_value',
      isWhole: true,
      judge: (facts) => judgeNumbers(facts, results.length > 0 ? results : all, clause),
    };
  }
  const tos = [...plain.matchAll(/(?<![\w.])(\d+) (to [a-z]{3,12})\b/g)].map(([, number = '', to = '']) => ({
    number,
    to,
  }));
  if (tos.length > 0 && !/\bfrom \d+ to\b/.test(plain))
    return { kind: 'output_value', isWhole: true, judge: (facts) => judgeCounted(facts, tos) };
  const cased = clause.quoted.length > 0 ? clause.quoted : [];
  const codes = clause.codes.filter((code) => !clause.paths.includes(code));
  if (
    printed &&
    (cased.length > 0 ||
      codes.length > 1 ||
      (codes.length === 1 &&
        /\b(?:prints?|printed|outputs?|returned|reported|shows|showed|logged)\b[^`]{0,20}$/.test(
          plain.slice(0, plain.indexOf((codes[0] ?? '').toLowerCase())),
        )))
  )
    return {
      kind: 'output_value',
      judge: (facts) => judgeTexts(facts, cased.length > 0 ? cased : codes.slice(-1), clause),
    };
  const arrow = /`([^`]{1,200})`\s*(?:->|→|=>|:|prints|returns|gives|outputs)\s*`([^`]{1,200})`/.exec(clause.quote);
  if (arrow !== null) return { kind: 'output_value', judge: (facts) => judgeTexts(facts, [arrow[2] ?? ''], clause) };
  const setting = codes.find((code) => /^[\w.-]+:\s?\S+$/.test(code));
  if (setting !== undefined && /\b(?:both|say|says|all|reads?|now|contain)\b/.test(plain))
    return { kind: 'output_value', judge: (facts) => judgeTexts(facts, [setting], clause) };
  if (
    /\b(?:twice|thrice|half|\d+(?:\.\d+)? ?(?:x|times|%)) (?:as |the )?(?:fast|slow|small|large|big|quick|memory|size|much|less|more)\w*\b/.test(
      plain,
    )
  )
    return { kind: 'output_value', judge: () => notShown };
  const loose = labelledIn(plain);
  if (loose.length > 0 && clause.paths.length === 0)
    return {
      kind: 'output_value',
      judge: (facts) => judgeLabelled(facts, loose, /\bbefore\b|\bwas\b|\bwere\b|\bfrom\b/.test(plain)),
    };
  return undefined;
}

/** `2 to add, 1 to change`, as it was printed, or with other numbers. */
function judgeCounted(facts: Facts, claimed: readonly { number: string; to: string }[]): Judgement {
  const all = outputs(facts);
  const seen: Step[] = [];
  for (const { number, to } of claimed) {
    const last = all.findLast(({ text }) => new RegExp(String.raw`(?<![\w.])\d+ ${to}\b`).test(text));
    if (last === undefined) return notShown;
    if (!new RegExp(String.raw`(?<![\w.])${number} ${to}\b`).test(last.text)) return contradicted(ofStep(last.step));
    seen.push(last.step);
  }
  return supported(...seen.slice(0, 1).map((step) => ofStep(step)));
}

/** What was really printed: the output of programs, but for what only repeats a text. */
function outputs(facts: Facts): { step: Step; text: string }[] {
  const calls = new Map<number, { step: Step; text: string }>();
  for (const step of facts.steps) {
    if (step.isRefused || step.isMissing || step.ran === 'no') continue;
    if (/^(?:echo|printf)$/.test(step.program.name) && step.isAlone) continue;
    if (!calls.has(step.call.index)) calls.set(step.call.index, { step, text: step.lines.join('\n') });
  }
  return [...calls.values()];
}

const scales: Record<string, readonly [number, string]> = {
  b: [1, 'b'],
  byte: [1, 'b'],
  bytes: [1, 'b'],
  kb: [1000, 'b'],
  kib: [1024, 'b'],
  mb: [1e6, 'b'],
  mib: [1_048_576, 'b'],
  gb: [1e9, 'b'],
  gib: [1_073_741_824, 'b'],
  tb: [1e12, 'b'],
  ns: [1e-9, 's'],
  nsec: [1e-9, 's'],
  nanosecond: [1e-9, 's'],
  nanoseconds: [1e-9, 's'],
  us: [1e-6, 's'],
  usec: [1e-6, 's'],
  µs: [1e-6, 's'],
  μs: [1e-6, 's'],
  microsecond: [1e-6, 's'],
  microseconds: [1e-6, 's'],
  ms: [0.001, 's'],
  millisecond: [0.001, 's'],
  milliseconds: [0.001, 's'],
  s: [1, 's'],
  sec: [1, 's'],
  secs: [1, 's'],
  second: [1, 's'],
  seconds: [1, 's'],
  m: [60, 's'],
  min: [60, 's'],
  minute: [60, 's'],
  minutes: [60, 's'],
};

function isSameNumber(claimed: Value, number: number, unit: string): boolean {
  // A share is printed as one.
  if (/^(?:%|percent)$/.test(claimed.unit) && unit !== '%' && !unit.startsWith('percent')) return false;
  if (claimed.number === number && (claimed.unit === unit || unit === '' || sameKind(claimed.unit, unit))) return true;
  const [one, kind] = scales[claimed.unit] ?? [1, claimed.unit.replace(/s$/, '')];
  const [other, otherKind] = scales[unit] ?? [1, unit.replace(/s$/, '')];
  if (unit !== '' && kind !== otherKind) return false;
  const a = claimed.number * one;
  const b = number * other;
  if (unit === '' && a !== b && !claimed.isRough) return isRounded(claimed.number, number);
  const tolerance = claimed.isRough || unit !== claimed.unit ? 0.06 : 0;
  if (Math.abs(a - b) <= tolerance * Math.max(a, b)) return true;
  return claimed.unit === unit && isRounded(claimed.number, number);
}

function sameKind(one: string, other: string): boolean {
  const a = scales[one]?.[1];
  const b = scales[other]?.[1];
  return (
    a === b &&
    (a !== undefined || one.replace(/s$/, '') === other.replace(/s$/, '')) &&
    scales[one]?.[0] === scales[other]?.[0]
  );
}

/** 41 stands for 41.3, 2.3 for 2.31. */
function isRounded(claimed: number, real: number): boolean {
  const digits = /\.(\d+)$/.exec(String(claimed))?.[1]?.length ?? 0;
  return real !== claimed && String(real).includes('.') && Number(real.toFixed(digits)) === claimed;
}

const printedNumber = /(?<![\w.-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s?([a-zA-Zµμ%]{0,12})/g;

function numbersIn(text: string): { number: number; unit: string }[] {
  const found = [];
  // A table of shares says so in its head.
  const isShares = /% (?:stmts|branch|funcs|lines|cover)|\bcover(?:age)?\b.{0,40}%|%.{0,40}\bcover/i.test(
    text.slice(0, 60_000),
  );
  for (const [, number = '', unit = ''] of text.slice(0, 60_000).matchAll(printedNumber)) {
    found.push({ number: Number(number.replaceAll(',', '')), unit: unit.toLowerCase() });
    if (isShares && unit === '') found.push({ number: Number(number), unit: '%' });
    if (found.length > 5000) break;
  }
  return found;
}

function judgeNumbers(facts: Facts, claimed: readonly Value[], clause: Clause): Judgement {
  const all = outputs(facts);
  const evidence = new Map<number, { step: Step; text: string }>();
  for (const value of claimed) {
    const found = all.findLast(({ text }) =>
      numbersIn(text).some(({ number, unit }) =>
        isSameNumber(
          value,
          number,
          Object.hasOwn(scales, unit) || unit === '%' || unit.replace(/s$/, '') === value.unit.replace(/s$/, '')
            ? unit
            : '',
        ),
      ),
    );
    if (found === undefined) return lastOther(facts, value, clause);
    evidence.set(found.step.call.index, found);
  }
  return supported(...[...evidence.values()].map(({ step }) => byCall(step.call, callText(step.call))));
}

/** The command that the clause is about printed another number of the same thing. */
function lastOther(facts: Facts, value: Value, clause: Clause): Judgement {
  if (/^lines?$/.test(value.unit) && !claimedElsewhere(clause)) {
    // `wc -l` prints numbers without a word for them.
    const counts = facts.steps.filter(
      ({ program: { name, args }, isAlone }) => name === 'wc' && args.includes('-l') && isAlone,
    );
    const own = counts.filter(({ program: { args } }) =>
      clause.paths.some((path) => args.some((arg) => isSamePath(arg, path))),
    );
    const [step, more] = own.length > 0 ? own : clause.paths.length === 0 ? counts : [];
    if (step !== undefined && more === undefined && step.lines.filter((line) => /^\s*\d/.test(line)).length === 1)
      return contradicted(ofStep(step));
  }
  const unit = value.unit.replace(/s$/, '');
  const words = clause.codes.flatMap((code) => code.split(' ')).filter((word) => word.length > 2);
  const isTime = scales[value.unit]?.[1] === 's';
  const seen = outputs(facts).filter(({ step, text }) => {
    if (words.length > 0 && !words.some((word) => [step.program.name, ...step.program.args].includes(word)))
      return false;
    return numbersIn(text).some(
      (each) => each.unit !== '' && (each.unit.replace(/s$/, '') === unit || sameKind(each.unit, value.unit)),
    );
  });
  const last = seen.at(-1);
  const timed = isTime ? facts.steps.find((step) => step.isTimedOut) : undefined;
  if (timed !== undefined && /\b(?:finished|took|completed|done|ran)\b/.test(clause.plain))
    return contradicted(ofStep(timed));
  const isRate = /\bper (?:call|loop|op|operation|iteration|request|run|item)\b/.test(clause.plain);
  if (isRate && last !== undefined && seen.length === 1) {
    const line = last.text.split('\n').find((each) => /\bper\b|\/(?:op|call|iter|loop)/.test(each) && /\d/.test(each));
    if (line !== undefined) return contradicted(ofStep(last.step, line));
  }
  const otherwise = claimedElsewhere(clause) ? undefined : printedOtherwise(facts, value, clause);
  if (otherwise !== undefined) return otherwise;
  if (last === undefined || isTime || seen.length > 1 || claimedElsewhere(clause)) return notShown;
  const numbers = numbersIn(last.text).filter((each) => each.unit.replace(/s$/, '') === unit);
  if (numbers.length !== 1 || words.length === 0) return notShown;
  return contradicted(ofStep(last.step, `${numbers[0]?.number} ${numbers[0]?.unit}`));
}

/** The one line that has a word of the claim, and a number of that unit, has another number: `p99 210 ms` for "p99 fell to 120 ms". */
function printedOtherwise(facts: Facts, value: Value, { plain }: Clause): Judgement | undefined {
  const unit = value.unit.replace(/s$/, '');
  const words = [...plain.matchAll(/[a-z]{1,3}\d{1,3}\b|[a-z]{5,}/g)]
    .flatMap(([word]) =>
      /^(?:overall|total|altogether)$/.test(word)
        ? ['total ', 'all files']
        : /\d/.test(word)
          ? [word]
          : [word.slice(0, 6)],
    )
    .filter((word) => !value.unit.startsWith(word.slice(0, 5)) && !common.test(word));
  const printed: { step: Step; line: string; number: number }[] = [];
  let read = 0;
  for (const { step, text } of outputs(facts).toReversed()) {
    read += Math.min(text.length, 60_000);
    // So much is looked through for one claim, from the end.
    if (read > 1_000_000) break;
    for (const line of text.slice(0, 60_000).split('\n')) {
      if (line.length > 400 || !/\d/.test(line)) continue;
      const low = `${line} ${[step.program.name, ...step.program.args].join(' ')}`.toLowerCase();
      if (!words.some((word) => low.includes(word))) continue;
      const same = numbersIn(line).filter(
        (each) => each.unit !== '' && (each.unit.replace(/s$/, '') === unit || sameKind(each.unit, value.unit)),
      );
      if (same.length > 1) return undefined;
      if (same[0] !== undefined) printed.unshift({ step, line, number: same[0].number });
    }
  }
  const [only] = printed;
  return only === undefined || new Set(printed.map(({ number }) => number)).size > 1
    ? undefined
    : contradicted(ofStep(printed.at(-1)?.step ?? only.step, only.line));
}

const common =
  /^(?:which|their|there|these|those|after|about|takes|finish|comple|tests?|files?|lines?|second|minute|report|shows|prints|printe|output|result|change|needs?|using|within|every|faster|slower|return|runnin|again|still)/;

function claimedElsewhere({ plain }: Clause): boolean {
  return /\b(?:before|was|from|about|around|roughly)\b/.test(plain);
}

function judgeTexts(facts: Facts, texts: readonly string[], clause: Clause): Judgement {
  const all = outputs(facts);
  const words = clause.codes
    .filter((code) => !texts.includes(code))
    .flatMap((code) => code.split(' '))
    .filter((word) => word.length > 2 && !word.startsWith('-'));
  for (const text of texts) {
    const wanted = text.trim();
    if (wanted === '') continue;
    const found = all.findLast((each) => each.text.includes(wanted));
    if (found === undefined) {
      const own =
        words.length === 0
          ? undefined
          : all.findLast(
              ({ step }) =>
                words.every((word) => [step.program.name, ...step.program.args].includes(word)) &&
                step.isAlone &&
                !step.call.isCut,
            );
      return own === undefined || own.text.trim() === '' || own.text.length > 400
        ? notShown
        : contradicted(byCall(own.step.call, `${callText(own.step.call)}: "${short(own.text)}"`));
    }
    return supported(
      byCall(
        found.step.call,
        `${callText(found.step.call)}: "${short(found.text.split('\n').find((line) => line.includes(wanted)) ?? wanted)}"`,
      ),
    );
  }
  return notShown;
}

function judgeExit(facts: Facts, code: number, clause: Clause): Judgement {
  const words = clause.codes.flatMap((each) => each.split(' ')).filter((word) => word.length > 2);
  const steps = facts.steps.filter(
    (step) =>
      step.code !== undefined && words.every((word) => [step.program.name, ...step.program.args].includes(word)),
  );
  const own = steps.findLast((step) => step.code === code);
  if (own !== undefined && (words.length > 0 || steps.length === 1 || code !== 0)) return supported(ofStep(own));
  const last = steps.at(-1);
  return last !== undefined && words.length > 0 ? contradicted(ofStep(last)) : notShown;
}

/** A place in a file that a command complained of. */
function judgePlace(facts: Facts, path: string, line: string): Judgement {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const call of facts.calls.toReversed()) {
    if (call.kind === 'file_edit' || call.status === 'denied') continue;
    const found = stripTerminal(call.output)
      .split('\n')
      .find(
        (each) => each.length < 1000 && each.includes(name) && new RegExp(`(?:[:(,]|line )${line}(?!\\d)`).test(each),
      );
    if (found !== undefined) return supported(byCall(call, `${callText(call)}: "${short(found)}"`));
  }
  return notShown;
}

/** A number and the noun that it stands with. */
interface Labelled {
  number: number;
  noun: string;
}

const notCounted =
  /^(?:failures?|suites?|packages?|modules?|passing|passed|failed|skipped|pending|ignored|matches|occurrences?|references?|offenses|findings?|violations?|insertions?|deletions?|tests?|specs?|files?|commits?|times?|lines?|steps?|ways?|options?|points?|things?|changes?|bugs?|issues?|errors?|warnings?|problems?|days?|weeks?|months?|years?|hours?|places?|reasons?|cases?|functions?|methods?|classes|parts?|of|or|and|to|in|on|at|is|are|was|were|the|more|other|new|different|decimals?|digits?|characters?|spaces?|columns?|arguments?|parameters?|levels?|before|after|now|instead|as|for|with|by|from|per|than)$/;

function labelledIn(plain: string): Labelled[] {
  const found: Labelled[] = [];
  for (const [, number = '', noun = ''] of plain.matchAll(
    /(?<![\w.#:-])(\d{1,3}(?:,\d{3})+|\d{1,12}(?:\.\d{1,6})?) (?:new |active |total |unique |distinct |failed |open )?([a-z]{4,20})\b/g,
  ))
    if (!notCounted.test(noun)) found.push({ number: Number(number.replaceAll(',', '')), noun });
  for (const [, noun = '', number = ''] of plain.matchAll(
    /\b([a-z]{4,20}) (?:count |rate |time |usage )?(?:dropped|fell|rose|went|grew|increased|decreased|climbed|sank|came|is|are|was|were)(?: down| up)?(?: now)?(?: to| at| from)? (?:only |about |just )?(\d{1,3}(?:,\d{3})+|\d{1,12}(?:\.\d{1,6})?)(?![\w.])/g,
  ))
    if (!notCounted.test(noun) && !/^(?:which|that|this|there|version|port|line|step|result)$/.test(noun))
      found.push({ number: Number(number.replaceAll(',', '')), noun });
  return found.slice(0, 6);
}

/** The numbers stand beside their nouns in what programs printed, or are all that a query printed. */
function judgeLabelled(facts: Facts, claimed: readonly Labelled[], isPast: boolean): Judgement {
  const all = outputs(facts).filter(
    ({ step }) =>
      step.check === undefined &&
      !/^(?:cat|sed|head|tail|grep|rg|ls|find|git|less|tree|du|which|pwd|stat)$/.test(step.program.name) &&
      step.exit !== 'nonzero',
  );
  const evidence = new Map<number, Step>();
  for (const { number, noun } of claimed) {
    const stem = noun.replace(/(?:ies|es|s)$/, '');
    const lines = all.flatMap(({ step, text }) =>
      text
        .split('\n')
        .slice(0, 2000)
        .filter((line) => line.length < 400 && line.toLowerCase().includes(stem) && /\d/.test(line))
        .map((line) => ({ step, line })),
    );
    const scalars = all
      .filter(
        ({ step, text }) =>
          /^\s*\d[\d,.]*\s*$/.test(text) &&
          [step.program.name, ...step.program.args, step.fed ?? ''].join(' ').toLowerCase().includes(stem),
      )
      .map(({ step, text }) => ({ step, line: text }));
    const places = [...lines, ...scalars];
    const own = places.findLast(({ line }) => numbersIn(line).some((each) => each.number === number));
    const anywhere =
      own ??
      all
        .map(({ step, text }) => ({ step, line: text }))
        .findLast(({ line }) => number > 9 && numbersIn(line).some((each) => each.number === number));
    if (anywhere !== undefined) {
      evidence.set(anywhere.step.call.index, anywhere.step);
      continue;
    }
    const last = places.at(-1);
    return last === undefined || isPast ? notShown : contradicted(ofStep(last.step, last.line));
  }
  return supported(...[...evidence.values()].map((step) => ofStep(step)));
}
