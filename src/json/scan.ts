/** Whether a text of JSON has more commas and opening brackets than this, except in strings, over which it jumps. */
export function hasMoreValues(text: string, most: number): boolean {
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 34) at = endOfString(text, at + 1);
    else if (char === 44 || char === 91 || char === 123) values += 1;
    if (values > most) return true;
  }
  return false;
}

/** Where the string ends that begins here. */
export function endOfString(text: string, from: number): number {
  for (let at = from; ;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let escapes = 0;
    while (quote - escapes > from && text.charCodeAt(quote - escapes - 1) === 92) escapes += 1;
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
}
