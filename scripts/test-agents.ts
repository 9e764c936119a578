// Runs real agents through Runwire against a scripted model, with no network but loopback.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { searchPath } from '../src/agents/installed.ts';
import { findAgent } from '../src/agents/registry.ts';
import type { RealAgent } from '../test/real-agents/agent.ts';
import { realAgents } from '../test/real-agents/agents/index.ts';
import { crewScenarios } from '../test/real-agents/crew-scenarios.ts';
import { scenarios } from '../test/real-agents/scenarios.ts';
import { folderOf, installAgents, type Installable } from './install-agents.ts';

const names = [...Object.keys(scenarios), ...Object.keys(crewScenarios)];
const usage = `usage: npm run test:agents [-- OPTIONS]
  --quick               the scenarios that CI runs
  --agent ID            only this agent (repeatable): ${realAgents.map(({ id }) => id).join(', ')}
  --newest              the newest release of each agent instead of the one that is known: what fails, the release changed
  --wire                send every agent through the wire, and compare what passed with what was served
  --replay              record every run, replay it and rehearse it; with --newest, through the newest release too
  --stores              tokens of each run as they are told live, imported from the agent's own store, and counted by runwire usage
  --scenario NAME       only this scenario (repeatable): ${names.join(', ')}
  --no-namespace        run with the network of this machine where there is no way to run without`;

function complain(message: string): never {
  console.error(message);
  process.exit(2);
}

function options() {
  try {
    const { values } = parseArgs({
      options: {
        quick: { type: 'boolean' },
        newest: { type: 'boolean' },
        wire: { type: 'boolean' },
        replay: { type: 'boolean' },
        stores: { type: 'boolean' },
        agent: { type: 'string', multiple: true },
        scenario: { type: 'string', multiple: true },
        'no-namespace': { type: 'boolean' },
      },
    });
    for (const name of values.scenario ?? []) if (!names.includes(name)) complain(`no scenario ${name}\n${usage}`);
    for (const id of values.agent ?? [])
      if (!realAgents.some((agent) => agent.id === id)) complain(`no agent ${id}\n${usage}`);
    return values;
  } catch (error) {
    return complain(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

function isOurs(agent: RealAgent): agent is RealAgent & Installable {
  return agent.package !== undefined;
}

/** The agents that the user has: nothing is installed for them. */
async function usersOwn(agents: readonly RealAgent[]): Promise<[id: string, folder: string][]> {
  const found: [string, string][] = [];
  for (const { id } of agents) {
    const { title, binaries } = findAgent(id);
    const { path } = await searchPath(binaries[0] ?? id, process.env);
    if (path === undefined) console.error(`${title} is not installed here: left out`);
    else found.push([id, dirname(path)]);
  }
  return found;
}

function newestOf<Agent extends Installable>(agent: Agent): Agent {
  const { status, stdout, stderr } = spawnSync('npm', ['view', agent.package, 'version'], { encoding: 'utf8' });
  if (status !== 0) complain(`the newest release of ${agent.package} cannot be asked for: ${stderr.trim()}`);
  return { ...agent, version: stdout.trim() };
}

function tellRelease(id: string, from: string, to: string): void {
  console.error(
    from === to ? `${id} ${to} is known` : `${id} ${from} -> ${to}: what fails below, this release changed`,
  );
}

/** Words to put before a command so that it sees loopback and nothing else. */
function loopbackOnly(): string[] {
  // A user other than root becomes root in a new user namespace.
  const unshare = ['unshare', '--net', ...(process.getuid?.() === 0 ? [] : ['--map-root-user'])];
  const words = [...unshare, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const [command = '', ...args] = [...words, 'true'];
  const tried = spawnSync(command, args, { encoding: 'utf8' });
  if (tried.status === 0) return words;
  return complain(
    `no network namespace can be made here: ${(tried.stderr || String(tried.error)).trim()}\n` +
      'unshare (util-linux) and ip (iproute2) are needed; --no-namespace runs the agents with the network of this machine',
  );
}

const {
  quick = false,
  newest = false,
  wire = false,
  replay = false,
  stores = false,
  agent: only,
  scenario: wanted = [],
  'no-namespace': open = false,
} = options();
const known = realAgents.filter(({ id, onDemand }) => only?.includes(id) ?? !(quick && onDemand === true));
const pinned = known.filter(isOurs);
const agents = newest ? pinned.map(newestOf) : pinned;
const theirs = await usersOwn(known.filter((agent) => !isOurs(agent)));
// Nobody to run is no failure.
if (agents.length + theirs.length === 0) process.exit(0);
const before = open ? [] : loopbackOnly();
await installAgents(newest ? [...pinned, ...agents] : agents);
if (newest)
  for (const [index, { id, version }] of agents.entries()) tellRelease(id, pinned[index]?.version ?? '', version);

const isReplayed = replay || quick || newest;
const files = stores
  ? ['stores.live']
  : [...(isReplayed ? ['replays'] : []), ...(replay && !wire && !newest ? [] : ['real-agents.live'])];
const vitest = join(import.meta.dirname, '..', 'node_modules', '.bin', 'vitest');
const [command = '', ...args] = [...before, vitest, 'run', '--config', 'vitest.agents.config.ts', ...files];
const { status, signal } = spawnSync(command, args, {
  cwd: join(import.meta.dirname, '..'),
  stdio: 'inherit',
  env: {
    ...process.env,
    REAL_AGENTS: JSON.stringify([...agents.map((agent) => [agent.id, folderOf(agent)]), ...theirs]),
    REAL_AGENTS_KNOWN: JSON.stringify(pinned.map((agent) => [agent.id, folderOf(agent)])),
    REAL_AGENTS_NEXT: JSON.stringify(newest ? agents.map((agent) => [agent.id, folderOf(agent)]) : []),
    REAL_AGENTS_REPLAY: replay ? 'all' : quick || newest ? 'quick' : '',
    REAL_AGENTS_STORES: stores ? '1' : '',
    REAL_AGENTS_SCENARIOS: wanted.join(','),
    REAL_AGENTS_QUICK: quick ? '1' : '',
    REAL_AGENTS_WIRE: wire ? '1' : '',
  },
});
process.exitCode = status ?? (signal === null ? 1 : 130);
