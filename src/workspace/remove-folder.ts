import { rm } from 'node:fs/promises';
import { answerOf } from './git.ts';
import { systemFolders } from '../processes/trusted.ts';

/** Removes a folder, including subfolders that even their owner has no permission to enter, or that are too deep for a path. */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await answerOf({
      command: '/bin/sh',
      args: ['-c', 'chmod -R u+rwX -- "$1"; rm -rf -- "$1"', 'sh', folder],
      cwd: '/',
      env: { PATH: systemFolders },
    });
  }
}
