/** Letters of a prompt that a branch is named after. */
const mostLetters = 40;

/** `runwire/RUN/NUMBER-what-it-is-about`. */
export function branchName(runId: string, number: number, about: string): string {
  return `runwire/${runId}/${number}-${slugOf(about)}`;
}

function slugOf(text: string): string {
  const words =
    text
      .slice(0, 400)
      .toLowerCase()
      .normalize('NFKD')
      .match(/[a-z0-9]+/g) ?? [];
  let slug = '';
  for (const word of words) {
    if (slug.length + word.length >= mostLetters) break;
    slug += slug === '' ? word : `-${word}`;
  }
  return slug || (words[0] ?? 'work').slice(0, mostLetters);
}
