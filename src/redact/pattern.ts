import { escape, pastEscapes } from './terminal-escape.ts';
import { fails, undecided } from './undecided.ts';

/** One place of a pattern: which characters it allows, and how many of them. */
interface Step {
  ascii: Uint8Array;
  /** Whether non-ASCII characters are allowed. */
  others: boolean;
  min: number;
  max: number;
}

/** A sequence of places, matched from left to right without backtracking: matching is linear, and can answer "not yet known". */
export type Pattern = readonly Step[];

const steps = new Map<string, Pick<Step, 'ascii' | 'others'>>();

function charactersOf(source: string, flags: string): Pick<Step, 'ascii' | 'others'> {
  const key = `${flags}${source}`;
  const known = steps.get(key);
  if (known !== undefined) return known;
  const made = isLetter.test(source) ? letter(source, flags) : characterClass(source, flags);
  steps.set(key, made);
  return made;
}

/** Most characters of a pattern: those without a special meaning in a regular expression. */
const isLetter = /^[\w\- :="'/]$/;

function letter(character: string, flags: string): Pick<Step, 'ascii' | 'others'> {
  const ascii = new Uint8Array(128);
  for (const each of flags === 'i' ? [character.toLowerCase(), character.toUpperCase()] : [character])
    ascii[each.charCodeAt(0)] = 1;
  return { ascii, others: false };
}

function characterClass(source: string, flags: string): Pick<Step, 'ascii' | 'others'> {
  const one = new RegExp(`^${source}$`, `s${flags}`);
  const ascii = Uint8Array.from({ length: 128 }, (_, code) => (one.test(String.fromCharCode(code)) ? 1 : 0));
  return { ascii, others: one.test('\u4e2d') };
}

/** A subset of regular expression syntax: characters and classes, each with `{n}` or `{n,m}`; no groups, no alternatives. */
export function pattern(source: string, flags: '' | 'i' = ''): Pattern {
  return [...stepsOf(source, flags)];
}

/** Its first places, enough for a text of this length. */
export function patternHead(source: string, flags: '' | 'i', length: number): Pattern {
  const head: Step[] = [];
  let certain = 0;
  for (const step of stepsOf(source, flags)) {
    head.push(step);
    certain += step.min;
    if (certain >= length) break;
  }
  return head;
}

function* stepsOf(source: string, flags: '' | 'i'): Generator<Step> {
  for (const part of source.matchAll(/(\[(?:\\.|[^\]\\])*\]|\\.|[^\\])(?:\{(\d+)(?:,(\d+))?\})?/gs)) {
    const [, characters = '', min = '1', max = min] = part;
    yield {
      ...charactersOf(/^[/.^$*+?()|{}]$/.test(characters) ? `\\${characters}` : characters, flags),
      min: Number(min),
      max: Number(max),
    };
  }
}

export function has(step: Pick<Step, 'ascii' | 'others'>, code: number): boolean {
  return code < 128 ? step.ascii[code] === 1 : step.others;
}

/** The end of the match that starts at `at`, or `fails`, or `undecided` when more text may follow. */
export function advance(parts: Pattern, text: string, at: number, final: boolean): number {
  let to = at;
  for (const step of parts) {
    const start = to;
    const most = start + step.max;
    const end = Math.min(most, text.length);
    while (to < end && has(step, text.charCodeAt(to))) to += 1;
    if (to < end && text.charCodeAt(to) === escape) return advanceOverEscapes(parts, text, at, final);
    if (to === text.length && to < most && !final) return undecided;
    if (to - start < step.min) return fails;
  }
  return to;
}

/** The same for a text with colour codes: the match continues after them. */
function advanceOverEscapes(parts: Pattern, text: string, at: number, final: boolean): number {
  let to = at;
  for (const step of parts) {
    let count = 0;
    while (count < step.max) {
      const next = text.charCodeAt(to) === escape && !has(step, escape) ? pastEscapes(text, to, final) : to;
      if (next === undecided || (next === text.length && !final)) return undecided;
      if (next === fails || next === text.length || !has(step, text.charCodeAt(next))) break;
      to = next + 1;
      count += 1;
    }
    if (count < step.min) return fails;
  }
  return to;
}

/** Every possible beginning of a text that matches the pattern: its first `length` characters. */
export function beginnings(parts: Pattern, length: number): string[] {
  const [step, ...rest] = parts;
  if (length === 0) return [''];
  if (step === undefined || step.others) throw new Error('a pattern must begin with characters that can be listed');
  const letters = [...step.ascii.keys()]
    .filter((code) => step.ascii[code] === 1)
    .map((code) => String.fromCharCode(code));
  const more = { ...step, min: Math.max(0, step.min - 1), max: step.max - 1 };
  const tails = beginnings(more.max === 0 ? rest : [more, ...rest], length - 1);
  const taken = letters.flatMap((first) => tails.map((tail) => first + tail));
  return step.min > 0 ? taken : [...taken, ...beginnings(rest, length)];
}
