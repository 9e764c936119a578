import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { quiet } from '../src/agents/npm-version.ts';

/** A program of the registry, at one version. */
export interface Installable {
  id: string;
  package: string;
  version: string;
  /** A file of the package to run after it is installed: package scripts are switched off, and this one is needed. */
  afterInstall?: string;
}

/** Outside the repository: `npm ci` empties `node_modules`, and half a gigabyte is not fetched twice. */
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'runwire-agents');
export const folderOf = ({ id, version }: Installable): string => join(cache, `${id}@${version}`);

function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} ended with ${code}`)),
    );
  });
}

async function fetch(agent: Installable): Promise<void> {
  const whole = folderOf(agent);
  const partial = `${whole}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, 'package.json'), '{ "private": true }\n');
  await run('npm', ['install', '--prefix', partial, ...quiet, `${agent.package}@${agent.version}`], partial);
  if (agent.afterInstall !== undefined)
    await run(process.execPath, [agent.afterInstall], join(partial, 'node_modules', agent.package));
  rmSync(whole, { recursive: true, force: true });
  renameSync(partial, whole);
}

/** Installs what is missing, one after the other, since downloading takes most of the time. Each is retried once. */
export async function installAgents(agents: readonly Installable[]): Promise<void> {
  for (const agent of agents) {
    const what = `${agent.package}@${agent.version}`;
    if (existsSync(folderOf(agent))) {
      console.error(`${what} is there`);
      continue;
    }
    const begun = performance.now();
    console.error(`installing ${what}`);
    try {
      await fetch(agent);
    } catch (error) {
      console.error(`${String(error)}; once more`);
      await fetch(agent);
    }
    console.error(`installed ${what} in ${Math.round((performance.now() - begun) / 1000)} s`);
  }
}
