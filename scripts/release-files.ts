/** The version after `version`: `patch`, `minor` or `major`. */
export function nextVersion(version: string, step: string): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (step === 'patch') return `${major}.${minor}.${patch + 1}`;
  if (step === 'minor') return `${major}.${minor + 1}.0`;
  if (step === 'major') return `${major + 1}.0.0`;
  throw new Error(`"${step}" is no step of a version (expected patch, minor or major)`);
}

/** Moves the unreleased changes under the new version and its date, and starts a new list. */
export function releasedChanges(changes: string, version: string, date: string): string {
  const [before, after] = changes.split('## Unreleased\n');
  if (before === undefined || after === undefined) throw new Error('CHANGELOG.md has no section "Unreleased"');
  if (!/^- /m.test(after.split(/^## /m)[0] ?? '')) throw new Error('CHANGELOG.md: nothing is unreleased');
  return `${before}## Unreleased\n\n## ${version} (${date})\n${after}`;
}

export function notesOf(changes: string, version: string): string {
  const sections = changes.split(/^## /m).slice(1);
  const section = sections.find((each) => each.split(/\s/, 1)[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "${version}"`);
  const notes = section.slice(section.indexOf('\n')).trim();
  if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}`);
  return notes;
}

/** The file with its mention of our version changed, and nothing else: the lock file may contain a package of the same version. */
export function withVersion(path: string, text: string, from: string, to: string): string {
  const own: Readonly<Record<string, (version: string) => string>> = {
    'package.json': (version) => `  "version": "${version}",`,
    'src/version.ts': (version) => `'${version}'`,
    'docs/man/runwire.1': (version) => `"runwire ${version}"`,
  };
  if (path === 'package-lock.json') {
    const lock = JSON.parse(text) as { version: string; packages: Record<string, { version?: string }> };
    const { '': itself = {} } = lock.packages;
    return `${JSON.stringify({ ...lock, version: to, packages: { ...lock.packages, '': { ...itself, version: to } } }, null, 2)}\n`;
  }
  const [before, after] = [own[path]?.(from), own[path]?.(to)];
  if (before === undefined || after === undefined || !text.includes(before))
    throw new Error(`${path} does not say ${from}`);
  return text.replace(before, after);
}
