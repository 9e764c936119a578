/** bash also splits a line at `=` and `:`; this rejoins the words as they were typed. */
export function asBashWrote(words: readonly string[]): string[] {
  const whole: string[] = [];
  let joins = false;
  for (const word of words) {
    const isBreak = /^[=:]+$/.test(word);
    const last = whole.at(-1);
    if (last !== undefined && last !== '' && (joins || isBreak)) whole[whole.length - 1] = last + word;
    else whole.push(word);
    joins = isBreak;
  }
  return whole;
}

/** bash replaces only the part of the word after its last `=` or `:`; this returns that part. */
export function forBash(value: string, typed: string): string {
  return value.slice(Math.max(typed.lastIndexOf('='), typed.lastIndexOf(':')) + 1);
}
