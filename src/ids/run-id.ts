import { randomPart } from './new-id.ts';

/** Crockford's alphabet: no letters that look like digits, and in the order of their values. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const timeLength = 10;
const randomLength = 16;
const shortLength = 8;

/** An id that sorts by time: ten characters of milliseconds, sixteen random ones. */
export function newRunId(at: number, random: Uint8Array = randomPart(randomLength)): string {
  return timePart(at) + Array.from(random.subarray(0, randomLength), (byte) => alphabet[byte & 31]).join('');
}

/** The smallest id that a run of this time can have. */
export function leastRunId(at: number): string {
  return timePart(at) + '0'.repeat(randomLength);
}

export function isWholeId(text: string): boolean {
  return text.length === timeLength + randomLength && Array.from(text).every((letter) => alphabet.includes(letter));
}

/** What is shown to people; the first part of an id is the same for all runs of a day. */
export function shortRunId(id: string): string {
  return id.slice(-shortLength);
}

function timePart(at: number): string {
  let text = '';
  for (
    let rest = Math.min(Math.max(Math.floor(at), 0), 2 ** 48 - 1);
    text.length < timeLength;
    rest = Math.floor(rest / 32)
  ) {
    text = `${alphabet[rest % 32]}${text}`;
  }
  return text;
}
