import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, messageOf } from '../failure.ts';
import { cacheFolder } from '../files/xdg.ts';
import { objectIn } from '../json/parse.ts';
import { object, string } from '../json/read.ts';
import { printed } from '../processes/printed.ts';
import { quotedEnd } from '../redact/quoted.ts';
import type { Environment } from '../words/vocabulary.ts';
import type { AgentCli } from './agent-cli.ts';
import { searchPath } from './installed.ts';

const patienceMs = 10 * 60_000;
/** For an installation of which nothing is shown, and whose scripts do not run. */
export const quiet = [
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--ignore-scripts',
  '--prefer-offline',
  '--loglevel=error',
];

/** The npm package that an agent is installed from, if it is. */
export function packageOf({ install }: AgentCli): string | undefined {
  return /^npm install -g (\S+)$/.exec(install)?.[1];
}

/**
 * The program of one version of an agent, installed into the cache unless it is there. `version` is a version or a tag of `name`, its
 * npm package. Throws `Failure` when it cannot be installed.
 */
export async function installVersion(
  agent: AgentCli,
  { name, version, env }: { name: string; version: string; env: Environment },
): Promise<string> {
  if (!/^(?:@[\w.-]+\/)?[\w.-]+$/.test(name)) throw new Failure('input', `"${name}" is not the name of an npm package`);
  if (!/^[\w.+-]+$/.test(version)) throw new Failure('input', `"${version}" is not a version, such as 1.2.3 or latest`);
  const folder = join(cacheFolder(env), 'agents', `${name.replaceAll('/', '+')}@${version}`);
  // What a tag stands for changes.
  const isFixed = /^\d+\.\d+\.\d+/.test(version);
  if (!isFixed || !existsSync(folder)) await place(`${name}@${version}`, { folder, name, env });
  const bin = join(folder, 'node_modules', '.bin');
  const { path } = await searchPath(agent.binaries[0] ?? agent.id, { PATH: bin });
  if (path !== undefined) return path;
  throw new Failure(
    'config',
    `${name}@${version} has no program ${agent.binaries.join(' or ')}; name another package with --package`,
  );
}

/** Nobody finds half of an installation: it gets its name when it is whole. */
async function place(
  what: string,
  { folder, name, env }: { folder: string; name: string; env: Environment },
): Promise<void> {
  const partial = `${folder}.${randomUUID()}`;
  try {
    mkdirSync(partial, { recursive: true });
    writeFileSync(join(partial, 'package.json'), '{ "private": true }\n');
    await npm(['install', '--prefix', partial, ...quiet, what], partial, env);
    await finish(join(partial, 'node_modules', name), env);
    rmSync(folder, { recursive: true, force: true });
    renameSync(partial, folder);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('config', `${what} cannot be installed into ${folder}: ${messageOf(error)}`, { cause: error });
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

async function npm(args: readonly string[], cwd: string, env: Environment): Promise<void> {
  const { path } = await searchPath('npm', env);
  if (path === undefined)
    throw new Failure('config', 'npm is not in PATH; install the version yourself, and name its program with --with');
  await run(path, args, { cwd, env, what: `npm ${args.at(-1)}` });
}

/** Scripts of packages are not run, but some agents have no program before their own has. */
async function finish(folder: string, env: Environment): Promise<void> {
  const manifest = objectIn(readFileSync(join(folder, 'package.json'), 'utf8'));
  const script = /^node (?:\.\/)?([\w./-]+)$/.exec(string(object(manifest.scripts ?? null).postinstall) ?? '')?.[1];
  if (script === undefined || script.split('/').includes('..')) return;
  await run(process.execPath, [script], { cwd: folder, env, what: `node ${script}` });
}

async function run(
  command: string,
  args: readonly string[],
  { cwd, env, what }: { cwd: string; env: Environment; what: string },
): Promise<void> {
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
  const { exitCode, stdout, stderr, timedOut } = await printed({ command, args, env: given, cwd }, patienceMs);
  if (exitCode === 0) return;
  const why = timedOut
    ? 'it took more than ten minutes'
    : quotedEnd(stderr || stdout, 400, env) || `exit code ${exitCode}`;
  throw new Failure('config', `${what} failed: ${why}`);
}
