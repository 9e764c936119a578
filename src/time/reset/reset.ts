import { isOver } from './sense.ts';
import { type Found, momentAt } from './moments.ts';

export interface Here {
  /** When it was said. */
  now: number;
  /** The time zone of whoever reads it, by its IANA name. */
  timeZone: string;
}

/** Longer texts are pages and logs; what they say of a limit stands at their beginning. */
const longest = 8000;
/** How many words may stand between "reset" and its time. */
const mostBetween = 14;

/** After these, a text may say when. */
const cues =
  /^(?:resets?|resetting|retry|retrying|again|wait|waiting|available|resumes?|renews?|refresh(?:es|ed)?|until|unlocks?|back|replenish(?:es|ed)?)$/;
/** Between a cue and its time; anything else is another subject. */
const fillers = new Set(
  (
    'at in after on until till is will be the for your our a to about approximately around roughly by of from now another less than within please ' +
    'limit limits quota quotas usage rate rates access credits requests request tokens token unified primary secondary input output window session weekly daily monthly next ' +
    'before trying again reset resets resetting retry delay time timestamp date header using this model when cycle billing period ends approx automatically least ' +
    'stamp try suggested waiting it and available only back come api'
  ).split(' '),
);
/** `RateLimit-Reset: 30`, and `RateLimit: limit=100, remaining=0, reset=50`: in seconds, where it is no moment. */
const rateLimitHeader = /rate-?limit(?:-reset|: [^:]{0,60}\breset)["']?[:=]$/i;
/** `retryDelay` and `quotaResetTimeStamp` are several words. */
const tokens = /[A-Z]?[a-z]+|[A-Z]+|\d+(?:\.\d+)?|[^\s]/g;
const marks = new Set([':', '=', '"', "'", '|', ',', '·', '∙', '•', '-', '–', '—', '_', '`', '{', '[', '~', '\\']);

/**
 * When a limit resets, in the words of an agent or its provider: ms since the epoch. Undefined where a text does not say it, or says it in
 * a way that could mean several times: nothing is guessed.
 */
export function resetIn(given: string, here: Here): number | undefined {
  const text = given.slice(0, longest).replace(/\s+/g, ' ');
  const words = [...text.matchAll(tokens)];
  let retry: number | undefined;
  let over: number | undefined;
  for (const [index, { 0: word, index: place }] of words.entries()) {
    const isCue = cues.test(word.toLowerCase()) || (/^reached$/i.test(word) && words[index + 1]?.[0] === '|');
    if (!isCue) continue;
    const isHeader = rateLimitHeader.test(text.slice(Math.max(0, place - 80), place + word.length + 1));
    const found = after(text, words, index + 1, { ...here, isLength: isHeader });
    if (found === undefined) continue;
    // Of several windows, one that is over says nothing about the limit that holds now.
    if (isOver(found.at, here.now)) over ??= found.at;
    // What the agent does about it itself says less than when the limit resets.
    else if (/^retrying$/i.test(word)) retry ??= found.at;
    else return found.at;
  }
  return retry ?? over;
}

function after(
  text: string,
  words: readonly RegExpExecArray[],
  from: number,
  { isLength: isHeader, ...here }: Here & { isLength: boolean },
): Found | undefined {
  let isLength = isHeader;
  let unit: string | undefined;
  for (const each of words.slice(from, from + mostBetween)) {
    const [word] = each;
    const found = momentAt(text, each.index, { ...here, isLength, unit });
    if (found === 'unclear') return undefined;
    if (found !== undefined) return found;
    const low = word.toLowerCase();
    // `resets_in_seconds`: the unit comes before its number.
    const named = /^(ms|milliseconds?|seconds?|secs?|s|minutes?)$/.exec(low)?.[1];
    if (named !== undefined) unit = named;
    else if (low === 'in' || low === 'after' || low === 'delay' || low === 'wait') isLength = true;
    else if (low === 'at') isLength = false;
    else if (!fillers.has(low) && !marks.has(word)) return undefined;
  }
  return undefined;
}
