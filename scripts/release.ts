// `npm run release -- patch|minor|major` writes the files of the next version; `… notes vX.Y.Z` prints what changed in it, and fails
// unless tag, package and changes agree. Neither commits, tags or publishes.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextVersion, notesOf, releasedChanges, withVersion } from './release-files.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const version = (JSON.parse(read('package.json')) as { version: string }).version;
const [word = '', tag = ''] = process.argv.slice(2);

if (word === 'notes') {
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, the package is ${version}`);
  console.log(notesOf(read('CHANGELOG.md'), version));
} else {
  const next = nextVersion(version, word);
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(join(root, 'CHANGELOG.md'), releasedChanges(read('CHANGELOG.md'), next, today));
  for (const path of ['package.json', 'package-lock.json', 'src/version.ts', 'docs/man/runwire.1'])
    writeFileSync(join(root, path), withVersion(path, read(path), version, next));
  console.log(
    `${version} → ${next}. Read the changes, then: git commit -am "release: ${next}" && git tag -s v${next} && git push --follow-tags`,
  );
}
