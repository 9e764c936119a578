/** A path without what says nothing: `./`, doubled and trailing slashes, `:12:3` behind it. */
export function tidyPath(path: string): string {
  const bare = path
    .trim()
    .replace(/^file:\/\//, '')
    .replace(/(?:#L\d+(?:-L?\d+)?|:\d+(?:[:-]\d+)?)$/, '')
    .replaceAll('\\', '/')
    .replace(/\/+$/, '');
  const parts: string[] = [];
  for (const part of bare.split('/')) {
    if (part === '.' || (part === '' && parts.length > 0)) continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..' && parts.at(-1) !== '') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

/** Whether one names the other, by their last components: `a.ts` names `src/a.ts`, `admin/a.ts` does not. */
export function isSamePath(one: string, other: string): boolean {
  const [short, long] =
    one.length <= other.length ? [tidyPath(one), tidyPath(other)] : [tidyPath(other), tidyPath(one)];
  if (short === '' || short === '/') return false;
  if (short === long) return true;
  return short.length < long.length && long.endsWith(short.startsWith('/') ? short : `/${short}`);
}

/** Whether a path lies in a folder, by the folder's last components. */
export function isInside(path: string, folder: string): boolean {
  const where = tidyPath(folder).replace(/\/\*{1,2}$/, '');
  const tidy = tidyPath(path);
  return where === '' || where === '.' || tidy === where || tidy.startsWith(`${where}/`) || tidy.includes(`/${where}/`);
}

/** Relative to a folder that the shell changed to. */
export function inFolder(folder: string, path: string): string {
  if (path.startsWith('/') || path.startsWith('~') || folder === '') return path;
  return `${folder}/${path}`;
}

/** Prose: a change of it does not make a test run stale. */
export function isProse(path: string): boolean {
  const tidy = tidyPath(path);
  const name = tidy.slice(tidy.lastIndexOf('/') + 1);
  return (
    /\.(?:md|mdx|markdown|rst|txt|adoc|asciidoc)$/i.test(name) ||
    /^(?:changelog|changes|license|licence|copying|notice|authors|contributors|readme|notes|news|todo)(?:\.\w+)?$/i.test(
      name,
    ) ||
    /(?:^|\/)docs?\//i.test(tidy)
  );
}

/** Neither code nor prose of the repository: logs and what lies outside of it. */
export function isScratch(path: string): boolean {
  return (
    /^(?:\/tmp|\/var\/tmp|\/dev|\/proc|\$TMPDIR|\$\{TMPDIR)\b/.test(path) ||
    /\.(?:log|out|pid|tmp)$/.test(path) ||
    /(?:^|\/)\.git\//.test(path)
  );
}

/** A text of a pattern such as a glob in which `*` stands for anything within a folder, `**` for anything. */
export function fitsGlob(path: string, glob: string): boolean {
  const tidy = tidyPath(path);
  let at = 0;
  // Each piece between stars is looked for once, from the left: linear, which a regular expression of someone else's is not.
  const pieces = tidyPath(glob).split(/\*+/);
  for (const [index, piece] of pieces.entries()) {
    const found = tidy.indexOf(piece, at);
    if (found === -1 || (index === 0 && found > 0 && tidy[found - 1] !== '/')) return false;
    at = found + piece.length;
  }
  return pieces.at(-1) === '' || tidy.endsWith(pieces.at(-1) ?? '');
}
