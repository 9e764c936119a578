/** Beginnings shorter than this may repeat by chance. */
const shortestHead = 8;

/**
 * The attempts in a text that started over after each retry: what was delivered before the cut stays, and the next
 * attempt follows it directly. Nothing marks the boundary, but all attempts begin alike, and the last is complete.
 */
export function attemptsIn(text: string, retries: number): string[] {
  const head = text.slice(0, shortestHead);
  if (retries === 0 || head.length < shortestHead) return [text];
  const starts = [0];
  for (let at = text.indexOf(head, 1); at !== -1 && starts.length <= retries; at = text.indexOf(head, at + 1))
    starts.push(at);
  const last = text.slice(starts.at(-1));
  const attempts = starts.map((start, index) => text.slice(start, starts[index + 1]));
  return attempts.every((each) => last.startsWith(each)) ? attempts : [text];
}
