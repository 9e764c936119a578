const mostAlternatives = 256;

/** `*` and `?` stay inside one name, `**` crosses folders, `{a,b}` is either; everything else is literal. Hidden files match too. */
export function matchesPath(pattern: string): (path: string) => boolean {
  const patterns = alternatives([pattern]).map((each) => each.split('/'));
  return (path) => {
    const names = path.split('/');
    return patterns.some((each) => matchesNames(each, names));
  };
}

function alternatives(patterns: readonly string[]): readonly string[] {
  const parts = patterns.map(splitAtBraces);
  const count = parts.reduce((sum, { inside }) => sum + inside.length, 0);
  if (count === patterns.length || count > mostAlternatives) return patterns;
  return alternatives(parts.flatMap(({ before, inside, after }) => inside.map((each) => before + each + after)));
}

/** A pattern split at its first innermost `{a,b}`; if there is none, `inside` is the whole pattern. */
function splitAtBraces(pattern: string): { before: string; inside: readonly string[]; after: string } {
  let open = -1;
  let hasComma = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === '{') [open, hasComma] = [at, false];
    else if (character === ',') hasComma = true;
    else if (character === '}') {
      if (open !== -1 && hasComma)
        return {
          before: pattern.slice(0, open),
          inside: pattern.slice(open + 1, at).split(','),
          after: pattern.slice(at + 1),
        };
      open = -1;
    }
  }
  return { before: '', inside: [pattern], after: '' };
}

/** Both walks backtrack only to the last wildcard, so that no pattern is slow. */
function matchesNames(pattern: readonly string[], names: readonly string[]): boolean {
  return walk(
    pattern.length,
    names.length,
    (at) => pattern[at] === '**',
    (at, index) => matchesName(pattern[at] ?? '', names[index] ?? ''),
  );
}

function matchesName(pattern: string, name: string): boolean {
  return walk(
    pattern.length,
    name.length,
    (at) => pattern[at] === '*',
    (at, index) => pattern[at] === '?' || pattern[at] === name[index],
  );
}

function walk(
  patternLength: number,
  length: number,
  isWild: (at: number) => boolean,
  isSame: (at: number, index: number) => boolean,
): boolean {
  let at = 0;
  let index = 0;
  let wildAt = -1;
  let resumeAt = 0;
  while (index < length) {
    if (at < patternLength && isWild(at)) {
      wildAt = at;
      resumeAt = index;
      at += 1;
    } else if (at < patternLength && isSame(at, index)) {
      at += 1;
      index += 1;
    } else if (wildAt >= 0) {
      at = wildAt + 1;
      resumeAt += 1;
      index = resumeAt;
    } else {
      return false;
    }
  }
  while (at < patternLength && isWild(at)) at += 1;
  return at === patternLength;
}
