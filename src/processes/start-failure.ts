import { statSync } from 'node:fs';
import { Failure, messageOf, systemCode } from '../failure.ts';
import type { ProcessOrder } from './supervised.ts';

/** Why a process could not be started, in helpful words: the system uses the same code for a missing program and a missing folder. */
export function startFailure(order: ProcessOrder, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure('config', explain(order, cause), { cause });
}

function explain({ command, cwd }: ProcessOrder, cause: unknown): string {
  const code = systemCode(cause);
  const folder = folderFault(cwd);
  if (folder !== undefined) return `${command} cannot be started in ${cwd}: ${folder}`;
  switch (code) {
    case 'ENOENT':
      return command.includes('/')
        ? `there is no program ${command}, or the interpreter that its first line names is missing; check the path`
        : `there is no program ${command} in PATH; install it, or give its path`;
    case 'EACCES':
      return `${command} may not be executed, or ${cwd} not entered; check their permissions (chmod +x)`;
    case 'ENOEXEC':
      return `${command} is not a program for this machine; install the build for ${process.platform} ${process.arch}`;
    case 'E2BIG':
      return `the arguments and the environment of ${command} are too long for this system; feed the prompt by stdin`;
    case 'EAGAIN':
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOMEM':
      return `${command} cannot be started, this machine is out of processes, files or memory (${code}); raise the limits (ulimit -a)`;
    default:
      return `${command} cannot be started: ${messageOf(cause)}`;
  }
}

function folderFault(cwd: string): string | undefined {
  try {
    return statSync(cwd).isDirectory() ? undefined : 'it is not a folder';
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? 'there is no such folder' : 'it cannot be entered';
  }
}
