import { rm } from 'node:fs/promises';
import type { Environment } from '../vocabulary.ts';
import { answerOf } from './git.ts';

/** Removes a folder, including subfolders that even their owner has no permission to enter. */
export async function removeFolder(folder: string, { PATH }: Environment): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await answerOf({ command: 'chmod', args: ['-R', 'u+rwX', '--', folder], cwd: '/', env: { PATH } });
    await rm(folder, { recursive: true, force: true });
  }
}
