import { Cleaner } from './cleaner.ts';
import { Finder } from './finder.ts';

/** How far from a cut a secret is looked for: more than a private key. */
export const aroundCut = 16 * 1024;
/** What stands before a secret and shows that it is one. */
const namesBefore = 160;

let finder: Finder | undefined;

/** The secrets of a text, each with what stands before it. */
function secretsIn(text: string): readonly (readonly [from: number, to: number])[] {
  const spans: [number, number][] = [];
  new Cleaner((finder ??= new Finder([])), spans).push(text, true);
  return spans;
}

/** The last place up to `at` where a text can be cut and what precedes it still holds no part of a secret that goes on. */
export function safeEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const from = Math.max(0, at - aroundCut);
  const place = at - from;
  const cut = secretsIn(text.slice(from, at + aroundCut)).find(([start, end]) => start < place && place < end);
  return cut === undefined ? at : from + cut[0];
}

/** The first place from `at` on where a text can begin, and hold neither a part of a secret nor one whose name was cut off. */
export function safeStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const from = Math.max(0, at - aroundCut);
  let place = at - from;
  for (const [start, end] of secretsIn(text.slice(from, at + aroundCut))) {
    if (start - namesBefore < place && place < end) place = end;
  }
  return from + place;
}
