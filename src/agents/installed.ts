import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, delimiter, isAbsolute, join } from 'node:path';
import { timeInWords } from '../time/duration.ts';
import { trustedPath } from '../processes/trusted.ts';
import { printed, type Printed } from '../processes/printed.ts';
import type { AgentCli } from './agent-cli.ts';
import { childEnvironment } from './environment.ts';
import { packagedVersion } from './packaged-version.ts';
import type { Environment } from '../words/vocabulary.ts';
import { patient } from '../processes/patience.ts';

/** What is installed of an agent. */
export interface Installed {
  /** Undefined: no such program in PATH can be started. */
  path: string | undefined;
  /** Without a leading v; undefined: it printed none. */
  version: string | undefined;
  /** Why it was not found or printed no version, for people. */
  problem: string | undefined;
}

const patienceMs = patient(20_000);

const memory = new Map<string, Promise<Installed>>();

/** Finds an agent's program in PATH and asks it for its version, once per process. */
export function findInstalled(agent: AgentCli, env: Environment): Promise<Installed> {
  const key = JSON.stringify([agent.id, env['PATH'], env['HOME']]);
  const known = memory.get(key) ?? probe(agent, env);
  memory.set(key, known);
  return known;
}

async function probe(agent: AgentCli, env: Environment): Promise<Installed> {
  const refused: string[] = [];
  for (const name of agent.binaries) {
    const { path, notExecutable } = await searchPath(name, env);
    refused.push(...notExecutable);
    if (path === undefined) continue;
    const found = isAskable(path, env) ? await askVersion(path, agent, env) : await readVersion(path);
    if (found.version === undefined || agent.isItsVersion?.(found.version) !== false) return found;
  }
  return {
    path: undefined,
    version: undefined,
    problem: refused[0] === undefined ? `no ${agent.binaries.join(' or ')} in PATH` : `${refused[0]} is not executable`,
  };
}

/** Whether it may be started without a task and outside of a private copy: not if it is one of the packages of a checkout. */
function isAskable(path: string, env: Environment): boolean {
  return trustedPath(env, [])
    .split(delimiter)
    .some((folder) => join(folder, basename(path)) === path);
}

async function readVersion(path: string): Promise<Installed> {
  const version = await packagedVersion(path);
  return {
    path,
    version,
    problem: version === undefined ? `${path} belongs to a checkout, and no package says its version` : undefined,
  };
}

export async function askVersion(path: string, agent: AgentCli, env: Environment): Promise<Installed> {
  let answer: Printed;
  try {
    answer = await askProgram(path, agent.versionArgs, childEnvironment(env, { pass: agent.passEnv, set: {} }));
  } catch (error) {
    return { path: undefined, version: undefined, problem: `${path} cannot be started: ${String(error)}` };
  }
  const command = `${path} ${agent.versionArgs.join(' ')}`;
  // What a program prints when it crashes has numbers in it too, for instance the version of its runtime.
  const version =
    answer.exitCode === 0
      ? (versionIn(answer.stdout) ?? versionIn(answer.stderr))
      : versionAlone(`${answer.stdout}\n${answer.stderr}`);
  const complaint = answer.stderr.split('\n').find((line) => line.trim() !== '');
  const problem = answer.timedOut
    ? `${command} did not exit within ${timeInWords(patienceMs)}`
    : `${command} printed no version${complaint === undefined ? '' : `: ${(await import('../redact/quoted.ts')).quoted(complaint, 200, env)}`}`;
  return { path, version, problem: version === undefined ? problem : undefined };
}

/** A line about what runs the program, or of a stack trace. */
const ofRuntime = /^\s*(?:Node\.js|Bun|Deno) v\d|^\s+at /;

/** A number with two dots wins over one with a single dot: a date or a size may stand before the version. */
function versionIn(output: string): string | undefined {
  const text = output
    .split('\n')
    .filter((line) => !ofRuntime.test(line))
    .join('\n');
  const found =
    /(?:^|[^\w.])v?(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?)/.exec(text) ??
    /(?:^|[^\w.])v?(\d+\.\d+)(?:[^\w.]|$)/.exec(text);
  return found?.[1];
}

/** A version that is a line of its own, which no crash prints. */
function versionAlone(text: string): string | undefined {
  return /^v?(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?)$/m.exec(text)?.[1];
}

/** The first program of this name; relative folders in PATH are left out, because what they hold depends on the working directory. */
export async function searchPath(
  name: string,
  env: Environment,
): Promise<{ path: string | undefined; notExecutable: string[] }> {
  const notExecutable: string[] = [];
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name);
    const isFile = await stat(path).then(
      (each) => each.isFile(),
      () => false,
    );
    if (!isFile) continue;
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return { path, notExecutable };
    notExecutable.push(path);
  }
  return { path: undefined, notExecutable };
}

/** What an agent's program prints in reply to something that it answers at once, such as `--version`. */
export function askProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Printed> {
  return printed({ command, args, env }, patienceMs);
}
