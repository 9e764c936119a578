/** A word as a POSIX shell takes it literally. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
