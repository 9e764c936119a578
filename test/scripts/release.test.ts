import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nextVersion, notesOf, releasedChanges, withVersion } from '../../scripts/release-files.ts';
import { version } from '../../src/version.ts';

const root = join(import.meta.dirname, '..', '..');
const changes = '# Changes\n\n## Unreleased\n\n- **A.** New.\n\n## 0.1.0\n\n- First.\n';

it('steps', () => {
  expect(['patch', 'minor', 'major'].map((step) => nextVersion('0.1.9', step))).toEqual(['0.1.10', '0.2.0', '1.0.0']);
  expect(() => nextVersion('0.1.9', 'huge')).toThrow('"huge" is no step of a version');
});

it('releases what was not, once, and its notes are these', () => {
  const released = releasedChanges(changes, '0.2.0', '2026-11-16');
  expect(released).toBe(
    '# Changes\n\n## Unreleased\n\n## 0.2.0 (2026-11-16)\n\n- **A.** New.\n\n## 0.1.0\n\n- First.\n',
  );
  expect([notesOf(released, '0.2.0'), notesOf(released, '0.1.0')]).toEqual(['- **A.** New.', '- First.']);
  expect(() => releasedChanges(released, '0.3.0', '2026-11-17')).toThrow('nothing is unreleased');
  expect(() => notesOf(released, '0.2')).toThrow('no section "0.2"');
  expect(() => notesOf(released, 'Unreleased')).toThrow('says nothing of Unreleased');
});

it.each(['package.json', 'package-lock.json', 'src/version.ts', 'docs/man/runwire.1'])(
  '%s gets its new version, and nothing else changes',
  (path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const lines = text.split('\n');
    const next = withVersion(path, text, version, '77.66.55').split('\n');
    const changed = next.filter((line, index) => line !== lines[index]);
    expect(next).toHaveLength(lines.length);
    expect(changed).toHaveLength(path === 'package-lock.json' ? 2 : 1);
    expect(changed.every((line) => line.includes('77.66.55'))).toBe(true);
  },
);

it('the changes of this project can be released as they are', () => {
  const real = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  expect(notesOf(real, version)).not.toBe('');
  expect(notesOf(releasedChanges(real, '77.66.55', '2026-11-16'), '77.66.55')).toContain('- **');
});
