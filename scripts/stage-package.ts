// The folder that is packed and published: what users get, and of package.json only what concerns them. A `prepare` that reached
// them would be named by npm as a script that wants permission, and would run, without its sources, on `npx runwire` in the package.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');

export function stagePackage(folder = join(root, '.cache', 'package')): string {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of [...manifest.files, 'README.md', 'LICENSE']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(forUsers(manifest), null, 2)}\n`);
  return folder;
}

function forUsers(manifest: object): object {
  const ours = new Set(['scripts', 'devDependencies', 'overrides', 'allowScripts']);
  return Object.fromEntries(Object.entries(manifest).filter(([name]) => !ours.has(name)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(stagePackage());
