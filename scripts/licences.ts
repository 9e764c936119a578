import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Package {
  name: string;
  version: string;
  license?: string;
}

/** The folder of the package that a module is from: `…/node_modules/@scope/name`. */
function folderOf(module: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module)?.[0];
}

/** The names and licence texts of all bundled packages, as their licences require. Sorted, so that two builds are equal. */
export function licences(modules: Iterable<string>): string {
  const folders = new Set(Array.from(modules, folderOf).filter((folder) => folder !== undefined));
  const parts = Array.from(folders, (folder) => {
    const {
      name,
      version,
      license = 'unknown',
    } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package;
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text =
      file === undefined
        ? 'The package holds no text of its licence.'
        : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `Runwire's own licence is in LICENSE. Its files hold parts of these packages:\n\n${[...new Set(parts)].toSorted().join(`\n${'-'.repeat(80)}\n\n`)}`;
}

/** The name of a chunk that holds a package: that of the package. Undefined for our own, which are named after their main module. */
export function packageIn(modules: readonly string[]): string | undefined {
  const folder = folderOf(modules.findLast((module) => existsSync(module)) ?? '');
  return folder
    ?.replace(/^.*\/node_modules\//, '')
    .replaceAll(/[@/]+/g, '-')
    .replace(/^-/, '');
}
