import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** From the working directory up to the root of its repository; only the directory itself when it is in none. */
export function foldersUpToRoot(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    if (folder === dirname(folder)) return folders.slice(0, 1);
  }
}
