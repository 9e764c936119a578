import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import type { Environment } from '../words/vocabulary.ts';

/** The runs that a process is part of, outermost first: a process that one Runwire starts inside another's run belongs to both. */
const markName = 'RUNWIRE_RUNS';
const outerRuns = /^[\w:-]{1,4000}$/;

export interface Start {
  command: string;
  args: readonly string[];
  cwd?: string | undefined;
  env: Environment;
}

/**
 * The same start with the run's marks added, which all descendants inherit: an environment variable and, where the system has
 * the tool, a resource limit. `env -i` drops the variable, but programs do not touch the limit, which none of them ever reaches.
 */
export function marked(run: string, start: Start): Start {
  const outer = process.env[markName] ?? '';
  const env = { ...start.env, [markName]: outerRuns.test(outer) ? `${outer}:${run}` : run };
  const tool = limitTool();
  if (tool === undefined || !canStart(start)) return { ...start, env };
  return { ...start, env, command: tool, args: [`--rttime=${limitOf(run)}:`, '--', start.command, ...start.args] };
}

/** Microseconds of uninterrupted work that a process with a real-time priority may take: more than a hundred years. */
export function limitOf(run: string): string {
  return String(2 ** 52 + Number.parseInt(run.slice(0, 12), 16));
}

/** Never searched for in PATH, which may begin with a folder of the repository. */
const tools = ['/usr/bin/prlimit', '/bin/prlimit'];

function limitTool(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    // An existing limit is the mark of an outer run, which must not lose track of what we start.
    return /^Max realtime timeout +unlimited +unlimited /m.test(readFileSync('/proc/self/limits', 'latin1'))
      ? tools.find((path) => existsSync(path))
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the system could start it: the error for a program that cannot be started is clearer without the tool in between. */
function canStart({ command, cwd = process.cwd(), env }: Start): boolean {
  const folders = command.includes('/') ? [cwd] : (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  try {
    if (!statSync(cwd).isDirectory()) return false;
    accessSync(cwd, constants.X_OK);
  } catch {
    return false;
  }
  return folders.some((folder) => isProgram(resolve(folder, command)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    if (!statSync(path).isFile()) return false;
    const interpreter = /^#![ \t]*([^\s]+)/.exec(beginningOf(path))?.[1];
    return interpreter === undefined || existsSync(interpreter);
  } catch {
    return false;
  }
}

function beginningOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(256);
    return bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}
