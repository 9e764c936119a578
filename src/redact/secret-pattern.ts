import { type Boundary, isBoundary } from './boundary.ts';
import { clippedEnd, clippedValue } from './clipped.ts';
import { foldedBase64, foldedValue, mayFold } from './folded.ts';
import { advance, has, type Pattern, pattern, patternHead } from './pattern.ts';
import { privateKeyBody } from './private-key.ts';
import { headLength, marker, type Shape } from './shapes.ts';
import { escape, escapedValue, goesOnLike, pastEscapes, withoutEscapes } from './terminal-escape.ts';
import { fails, undecided } from './undecided.ts';

/** How far a secret continues from `at`; `done` when no further text could extend it. */
export type Tail = (text: string, at: number, final: boolean) => { to: number; done: boolean };

/** A secret to look for. */
export interface SecretPattern {
  marker: string;
  boundary: Boundary;
  /** What must precede it, if anything. */
  context: Pattern | undefined;
  contextEnd: Shape['contextEnd'];
  /** Whether the next few characters leave it possible: most candidate places are ruled out here. */
  fits(text: string, at: number, floor: number, final: boolean): boolean;
  /** Whether it may begin at `at`; nothing before `floor` may be looked at. */
  mayBegin(text: string, at: number, floor: number): boolean;
  /** Where the secret at `at` ends, or `fails`, or `undecided`. */
  match(text: string, at: number, final: boolean, context: string): number;
  tail: Tail | undefined;
}

/** How many characters before a place decide whether a secret may begin there. */
export const lookBehind = 64;

/** How many characters are checked first. */
const looked = 8;

/** A secret is extended by at most this many characters plus the rest of a part, because undecided text is held back. */
const mostGoingOn = 512;

/** The end of a secret that continues as long as `goesOn` and `after` match again. */
function lastEnd([goesOn, after]: readonly [Pattern, Pattern], text: string, from: number, final: boolean): number {
  let end = from;
  while (end - from < mostGoingOn) {
    const next = advance(goesOn, text, advance(after, text, end, true), final);
    const follows = next < 0 ? next : advance(after, text, next, final);
    if (follows < 0) return follows === undecided ? undecided : end;
    end = next;
  }
  return end;
}

/** A value that is known to be secret. */
export function literal(value: string): SecretPattern {
  const folds = mayFold(value);
  function match(text: string, at: number, final: boolean): number {
    if (text.startsWith(value, at)) return at + value.length;
    const end = folds ? foldedValue(value, text, at, final) : fails;
    if (end !== fails) return end;
    const coloured = escapedValue(value, text, at, final);
    if (coloured !== fails) return coloured;
    const rest = text.length - at;
    if (!final && rest < value.length && value.startsWith(text.slice(at))) return undecided;
    return clippedValue(value, text, at, final);
  }
  const head = value.slice(0, folds ? headLength : looked);
  return {
    marker: marker('secret-value'),
    boundary: 'any',
    context: undefined,
    contextEnd: undefined,
    fits: (text, at) => goesOnLike(head, text, at),
    mayBegin: () => true,
    match,
    tail: undefined,
  };
}

export function secretPatternOf(shape: Shape): SecretPattern {
  const flags = shape.ignoreCase === true ? 'i' : '';
  // Built on first use: a run starts with all of them, and may never meet one.
  const secret = onDemand(() => pattern(shape.secret, flags));
  const after = onDemand(() => pattern(shape.after ?? ''));
  const goesOn = shape.goesOn === undefined ? undefined : onDemand(() => pattern(shape.goesOn ?? ''));
  const context = shape.context === undefined ? undefined : onDemand(() => pattern(shape.context ?? '', flags));
  const head = onDemand(() => firstPlaces((shape.context ?? '') + shape.secret, flags));
  const boundary = shape.boundary ?? (shape.context === undefined ? 'word' : 'any');
  const { accept, behind, inLine } = shape;
  const mayBeClipped = shape.context === undefined && shape.block !== true && accept === undefined;
  return {
    marker: marker(shape.name),
    boundary,
    get context() {
      return context?.();
    },
    contextEnd: shape.contextEnd,
    fits: (text, at, floor, final) => isBoundary(text, at, floor, boundary) && begins(head(), text, at, final),
    mayBegin(text, at, floor) {
      if (!isBoundary(text, at, floor, boundary)) return false;
      if (behind === undefined && inLine === undefined) return true;
      const before = text.slice(Math.max(floor, at - lookBehind), at);
      return behind?.test(before) ?? inLine?.test(before.slice(before.lastIndexOf('\n') + 1)) ?? true;
    },
    match(text, at, final, before) {
      let end = advance(secret(), text, at, final);
      if (end === fails && mayBeClipped) return clippedEnd(secret(), text, at, final);
      if (end < 0) return end;
      const follows = advance(after(), text, end, final);
      if (follows < 0) return follows;
      if (goesOn !== undefined) end = lastEnd([goesOn(), after()], text, end, final);
      if (end < 0) return end;
      if (accept !== undefined && !accept(withoutEscapes(text.slice(at, end)), withoutEscapes(before))) return fails;
      if (shape.bodyEnd !== undefined) return shape.bodyEnd(text, at, final);
      if (shape.block !== true) return end;
      const body = privateKeyBody(text, end, final);
      if (body.to > end) return end;
      return body.done || final ? fails : undecided;
    },
    tail: tailOf(shape),
  };
}

function tailOf({ block, folds, tail, entries }: Shape): Tail | undefined {
  if (entries !== undefined) return entries;
  if (block === true) return privateKeyBody;
  if (folds === true) return foldedBase64;
  return tail === undefined ? undefined : runOf(tail);
}

/** The places of its first characters, up to the first place of variable length. */
function firstPlaces(source: string, flags: '' | 'i'): Pattern {
  const places: Pattern[number][] = [];
  for (const place of patternHead(source, flags, looked)) {
    for (let count = 0; count < place.min && places.length < looked; count += 1) places.push(place);
    if (place.min !== place.max) break;
  }
  return places;
}

function begins(places: Pattern, text: string, at: number, final: boolean): boolean {
  for (let i = 0; i < places.length; i += 1) {
    if (at + i >= text.length) return !final;
    const code = text.charCodeAt(at + i);
    if (!has(places[i] as Pattern[number], code)) return code === escape && i > 0;
  }
  return true;
}

function onDemand<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** A run of characters; a full stop at its very end belongs to the sentence, not to the secret. */
function runOf(source: string): Tail {
  const run = onDemand(() => pattern(source)[0] as Pattern[number]);
  return (text, at) => {
    const place = run();
    let to = at;
    for (; to < text.length; to += 1) {
      const code = text.charCodeAt(to);
      if (code === escape && !has(place, code)) {
        const next = pastEscapes(text, to, false);
        if (next === undecided) return { to, done: false };
        if (next === fails || !has(place, text.charCodeAt(next))) return { to, done: true };
        to = next;
        continue;
      }
      if (!has(place, code)) return { to, done: true };
      if (code !== 46) continue;
      if (to + 1 === text.length) return { to, done: false };
      if (!has(place, text.charCodeAt(to + 1)) || text.charCodeAt(to + 1) === 46) return { to, done: true };
    }
    return { to, done: false };
  };
}
