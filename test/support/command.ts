import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export interface Result {
  stdout: string;
  stderr: string;
  status: number | null;
}

/** Runs the built command as a user would, from the project's root unless told otherwise. */
export function runwire(
  args: readonly string[],
  options: { stdin?: string | Uint8Array; env?: Record<string, string>; cwd?: string } = {},
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, 'bin', 'runwire.js'), ...args], {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
    child.on('error', reject);
    child.on('close', (status) => resolve({ stdout, stderr, status }));
    child.stdin.on('error', () => {});
    child.stdin.end(options.stdin ?? '');
  });
}
