import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { readRepositoryFile } from '../files/repository-file.ts';
import type { Repository } from './repository.ts';

const mostAttributes = 1024 * 1024;

/** What a separate checkout lacks. */
export function missingIn(root: string): string[] {
  const attributes = attributesOf(root);
  return [
    ...(existsSync(join(root, '.gitmodules'))
      ? ['the copy has no submodules: --setup "git submodule update --init" fetches them']
      : []),
    ...(/\bfilter=lfs\b/.test(attributes)
      ? ['the copy has only pointers for Git LFS files: --setup "git lfs pull" fetches them']
      : []),
  ];
}

/** Hooks in an untracked folder that a tool has made would silently be missing from a separate checkout. */
export async function missingHooks({ git }: Repository, commit: string, hooks: string | undefined): Promise<string[]> {
  if (hooks === undefined || isAbsolute(hooks) || hooks.startsWith('~')) return [];
  const isThere = (await git.try(['ls-tree', '--name-only', commit, '--', hooks])) !== '';
  return isThere ? [] : [`the copy has no hooks: ${hooks} is not tracked by git; create it with --setup`];
}

/** Read as git itself does: never through a link. */
function attributesOf(root: string): string {
  try {
    return readRepositoryFile(join(root, '.gitattributes'), { root, maxBytes: mostAttributes })?.text ?? '';
  } catch {
    return '';
  }
}
