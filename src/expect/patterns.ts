import { matchesPath } from '../files/path-pattern.ts';

/** Whether a command contains these words as whole words; `*` is anything between them. The first match of each part is enough, so no command is slow. */
export function holdsWords(pattern: string): (command: string) => boolean {
  const parts = squeezed(pattern)
    .split('*')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return (given) => {
    const command = squeezed(given);
    let at = 0;
    for (const part of parts) {
      at = wholeWords(command, part, at);
      if (at === -1) return false;
    }
    return true;
  };
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The end of the first occurrence of the words from `from` on; -1: they do not occur. */
function wholeWords(text: string, words: string, from: number): number {
  for (let at = text.indexOf(words, from); at !== -1; at = text.indexOf(words, at + 1)) {
    const end = at + words.length;
    if (!isJoined(text[at - 1], words[0]) && !isJoined(words.at(-1), text[end])) return end;
  }
  return -1;
}

const ofWord = /[\w-]/;

function isJoined(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && right !== undefined && ofWord.test(left) && ofWord.test(right);
}

/** `*.lock` is a name anywhere, `test/` a folder with everything in it, anything else a path from the working directory. */
export function matchesFile(pattern: string): (path: string, folder: string) => boolean {
  const whole = pattern.endsWith('/') ? `${pattern}**` : pattern;
  const inside = whole.replace(/^\.\//, '');
  const matches = matchesPath(inside.includes('/') ? inside : `**/${inside}`);
  const matchesBelow = matchesPath(inside.startsWith('/') ? inside : `**/${inside}`);
  return (path, folder) => {
    const seen = seenFrom(folder, path);
    // If the working directory is unknown, it may be any folder above the file.
    return matches(seen) || (folder === '' && seen.startsWith('/') && matchesBelow(seen));
  };
}

function seenFrom(folder: string, path: string): string {
  const plain = straight(path);
  const home = straight(folder);
  return home !== '' && plain.startsWith(`${home}/`) ? plain.slice(home.length + 1) : plain;
}

/** Without `.` and `..`: a detour does not hide a file. */
function straight(path: string): string {
  const names: string[] = [];
  for (const name of path.replaceAll('\\', '/').split('/')) {
    if (name === '..' && names.length > 0 && names.at(-1) !== '..' && names.at(-1) !== '') names.pop();
    else if (name !== '.' && (name !== '' || names.length === 0)) names.push(name);
  }
  return names.join('/');
}
