/** The most characters of a prompt that go into a branch name. */
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

/** Avoids an existing branch, a folder of branches with this name, and a branch whose name is a folder of this one. */
export function freeName(wanted: string, branches: readonly string[]): string {
  const taken = new Set(branches.flatMap((name) => [name, ...foldersOf(name)]));
  const names = new Set(branches);
  const start = foldersOf(wanted).some((folder) => names.has(folder)) ? flatName(wanted) : wanted;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? start : `${start}-${number}`;
    if (!taken.has(name)) return name;
  }
}

function foldersOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

export function flatName(name: string): string {
  return name.replaceAll('/', '-');
}
