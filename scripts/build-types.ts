import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The types of what the library exports, and no others; any package that they name must be a dependency. */
export function buildTypes(root: string, installed: readonly string[]): void {
  const dist = join(root, 'dist');
  execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  const known = [...installed, 'node:'];
  const wanted = new Set<string>();
  const follow = (path: string): void => {
    if (wanted.has(path)) return;
    wanted.add(path);
    for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(/(?:\bfrom |\bimport\()['"]([^'"]+)['"]/g)) {
      if (target.startsWith('.')) follow(join(dirname(path), target).replace(/\.[jt]s$/, '.d.ts'));
      else if (!known.some((name) => target.startsWith(name)))
        throw new Error(`${path} names the types of ${target}, which is not installed with us`);
    }
  };
  for (const entry of ['index.d.ts', 'portable.d.ts']) follow(join(dist, entry));
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((each) =>
    each.endsWith('.d.ts'),
  )) {
    if (!wanted.has(join(dist, path))) rmSync(join(dist, path));
  }
}
