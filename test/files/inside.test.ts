import fc from 'fast-check';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isInside, pathInside } from '../../src/files/inside.ts';
import { FileTapes } from '../../src/tapes/file-tapes.ts';

it.each([
  ['/a/b', '/a/b', ''],
  ['/a/b/', '/a/b', ''],
  ['/a/b', '/a/b/', ''],
  ['/a/b', '/a/b/c', 'c'],
  ['/a/b', '/a/b/c/../d', 'd'],
  ['/a/b', '/a/b/..x', '..x'],
  ['/a/b', '/a/b/..x/y', '..x/y'],
  ['/a/b', '/a/b/...', '...'],
  ['/', '/a', 'a'],
  ['/', '/', ''],
  ['/a/b', '/a/bc', undefined],
  ['/a/bc', '/a/b', undefined],
  ['/a/b', '/a', undefined],
  ['/a/b', '/', undefined],
  ['/a/b', '/a/..x', undefined],
  ['/a/b', '/a/b/../../etc', undefined],
  ['/a/b', '/a/b/c/../..', undefined],
  ['/a/..x', '/a', undefined],
])('from %s, %s is %s', (folder, path, below) => {
  expect(pathInside(folder, path)).toBe(below);
  expect(isInside(path, folder)).toBe(below !== undefined);
});

it('leads back to the path, and never out of the folder', () => {
  const name = fc.constantFrom('a', 'b', '..', '.', '..x', '...', ' ');
  const path = fc.array(name, { maxLength: 6 }).map((names) => `/${names.join('/')}`);
  fc.assert(
    fc.property(path, path, (folder, asked) => {
      const below = pathInside(folder, asked);
      const [outer, inner] = [join(folder, '/'), join(asked, '/')];
      expect(below !== undefined).toBe(inner.startsWith(outer));
      if (below !== undefined) expect(join(folder, below, '/')).toBe(inner);
    }),
  );
});

it('a tape is inside the folder of tapes, whatever its name begins with', () => {
  const tapes = new FileTapes('/tapes');
  expect(tapes.at('..2026/x.tape')).toBeDefined();
  for (const key of ['', '.', '..', '../x.tape', 'a/../../x.tape', '../tapes2/x.tape'])
    expect(tapes.at(key)).toBeUndefined();
});
