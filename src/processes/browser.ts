import { spawn } from 'node:child_process';
import type { Environment } from '../words/vocabulary.ts';

/** How long the program that opens a browser may take to say that there is none. */
const patienceMs = 2000;

/** Opens a link in the user's browser, which outlives us; returns what went wrong, if anything. */
export function openInBrowser(link: string, env: Environment): Promise<string | undefined> {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', link]
      : process.platform === 'win32'
        ? ['explorer', link]
        : [env['BROWSER'] || 'xdg-open', link];
  return new Promise((resolve) => {
    const child = spawn(command ?? '', args, { env, stdio: 'ignore', detached: true });
    const timer = setTimeout(() => resolve(undefined), patienceMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve(error.message);
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code === 0 || code === null ? undefined : `${command} exited with ${code}`);
    });
    child.unref();
  });
}
