import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { messageOf } from '../failure.ts';
import { stateFolder } from '../files/xdg.ts';
import type { AgentCli, Ask } from './agent-cli.ts';
import { childEnvironment } from './environment.ts';
import { findKey, isKeychainPossible } from './key.ts';
import { isAtLeast } from './words.ts';
import { findInstalled, askProgram, type Installed } from './installed.ts';
import { type Environment, type PermissionMode, permissionModes } from '../words/vocabulary.ts';
import { makeFolder } from '../files/make-folder.ts';

/** `unsure`: nothing wrong was found, but not everything could be checked. */
export interface Check {
  what: string;
  status: 'ok' | 'unsure' | 'wrong';
  detail: string;
}

const oldestNode = '22.18';

/** What every run needs, whichever agent does the work. */
export async function checkHost(env: Environment, nodeVersion: string): Promise<Check[]> {
  const node: Check = isAtLeast(nodeVersion, oldestNode)
    ? { what: 'node', status: 'ok', detail: nodeVersion }
    : {
        what: 'node',
        status: 'wrong',
        detail: `${nodeVersion} is too old; ${oldestNode} is the oldest supported version`,
      };
  return [
    node,
    await checkFolder('state folder', stateFolder(env)),
    await checkFolder('temporary folder', env['TMPDIR'] || tmpdir()),
  ];
}

async function checkFolder(what: string, folder: string): Promise<Check> {
  const file = join(folder, `.runwire-${randomUUID()}`);
  try {
    makeFolder(folder);
    await writeFile(file, '');
    await rm(file, { force: true });
    return { what, status: 'ok', detail: folder };
  } catch (error) {
    return { what, status: 'wrong', detail: `${folder} cannot be written: ${messageOf(error)}` };
  }
}

/** Checks one agent, from its program to its flags, without calling a model. */
export async function checkAgent(agent: AgentCli, env: Environment): Promise<Check[]> {
  const installed = await findInstalled(agent, env);
  const { path } = installed;
  if (path === undefined) {
    const detail = `${installed.problem ?? `no ${agent.id} in PATH`}; to install it: ${agent.install}`;
    return [{ what: 'program', status: 'wrong', detail }];
  }
  return [
    { what: 'program', status: 'ok', detail: path },
    checkVersion(agent, installed),
    await checkKey(agent, env),
    await checkFlags(agent, path, installed.version, env),
  ];
}

function checkVersion({ tested }: AgentCli, { version, problem }: Installed): Check {
  const what = 'version';
  if (version === undefined) return { what, status: 'wrong', detail: problem ?? 'it printed no version' };
  if (tested === undefined)
    return { what, status: 'unsure', detail: `${version}; its command line is known only from its documentation` };
  const minor = tested.split('.').slice(0, 2).join('.');
  if (version === minor || version.startsWith(`${minor}.`)) return { what, status: 'ok', detail: version };
  return {
    what,
    status: 'unsure',
    detail: `${version}; tried with ${tested}, this one is ${isAtLeast(version, tested) ? 'newer' : 'older'}`,
  };
}

/** Reports which variable or file holds the key, never what is in it. */
async function checkKey(agent: AgentCli, env: Environment): Promise<Check> {
  const what = 'key';
  const { place, lack } = await findKey(agent, env);
  if (place !== undefined) return { what, status: 'ok', detail: place };
  return isKeychainPossible
    ? { what, status: 'unsure', detail: `${lack}; the keychain was not checked` }
    : { what, status: 'wrong', detail: lack };
}

const prompt = 'say hello';

const everything = (permissionMode: PermissionMode): Ask => ({
  prompt,
  cwd: '/',
  permissionMode,
  model: 'openai/model',
  resume: 'session',
  maxTurns: 1,
  maxCostUsd: 1,
  system: 'text',
  appendSystem: 'text',
  directories: ['/'],
  baseUrl: 'http://127.0.0.1',
  extraArgs: [],
});

/** Every flag that a plan may use, such as `--json`. */
export function plannedFlags(agent: AgentCli, version: string | undefined): string[] {
  const words = permissionModes.flatMap((mode) => {
    const { args } = agent.plan(everything(mode), version);
    const end = args.indexOf('--');
    return args.slice(0, end === -1 ? args.length : end);
  });
  return [...new Set(words.flatMap((word) => /^--[a-zA-Z][\w-]*/.exec(word) ?? []))].toSorted();
}

/**
 * Only asking for help is certain not to call a model, and parsers do not check the other flags then. So we read the help:
 * it must name every flag that we plan. Whether the agent accepts our values remains unknown.
 */
async function checkFlags(
  agent: AgentCli,
  path: string,
  version: string | undefined,
  env: Environment,
): Promise<Check> {
  const what = 'flags';
  const { env: set } = agent.plan(everything('full'), version);
  const help = await askProgram(path, agent.helpArgs, childEnvironment(env, { pass: agent.passEnv, set })).then(
    ({ stdout, stderr }) => `${stdout}\n${stderr}`,
    () => '',
  );
  const command = [agent.binaries[0], ...agent.helpArgs].join(' ');
  if (!/--[a-z]/.test(help)) return { what, status: 'unsure', detail: `not checked: "${command}" names no flags` };
  const planned = plannedFlags(agent, version);
  const unnamed = planned.filter((flag) => !new RegExp(`(?<![\\w-])${flag}(?![\\w-])`).test(help));
  const missing = unnamed.filter((flag) => agent.hiddenFlags?.includes(flag) !== true);
  const hidden = unnamed.length === 0 ? '' : ` but ${unnamed.join(', ')}, which works anyway`;
  return missing.length === 0
    ? {
        what,
        status: 'ok',
        detail: `"${command}" names all ${planned.length} that Runwire uses${hidden}; their values were not checked`,
      }
    : { what, status: 'wrong', detail: `"${command}" does not name ${missing.join(', ')}` };
}
