/** bash takes a line apart at `=` and `:` too: put together again what stood together. */
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

/** What bash puts in place of the part of the word that it looks at: what follows the last `=` or `:` of it. */
export function forBash(value: string, typed: string): string {
  return value.slice(Math.max(typed.lastIndexOf('='), typed.lastIndexOf(':')) + 1);
}
