import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentCli, Ask } from '../../agents/agent-cli.ts';
import { pointAgent } from '../../agents/pointing/point.ts';
import type { Directions, Pointed, Pointing } from '../../agents/pointing/pointing.ts';
import { Failure } from '../../failure.ts';
import { pastProxy } from '../../wire/standard-routes.ts';
import type { Route } from '../../wire/route.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** A gateway that opens when the routes of its agent are known. */
export interface Wire {
  /** Only where that changes nothing else: no login, no other version of what is known of the agent. */
  isOptional: boolean;
  open(routes: readonly Route[]): Promise<{ address(route: string): string; token: string }>;
  /** Called when the run is over. */
  after(clean: () => void): void;
}

/** How an agent is started so that its requests pass through the wire. */
export interface Directed {
  args: readonly string[];
  /** The variables of its process, without keys that it does not need. */
  env(given: Readonly<Record<string, string>>): Record<string, string>;
  /** Writes what it needs, just before its start: only then is there a private copy. */
  prepare(): void;
  warnings: readonly string[];
}

interface Start {
  /** The variables that it would get. */
  env: Readonly<Record<string, string>>;
  version: string | undefined;
  /** Variables that the user passes by name: they are not withheld. */
  passed: readonly string[];
  workspace: Workspace | undefined;
}

/** Points an agent at a gateway of its run. Where it cannot be, throws `Failure`, or returns undefined if that is optional. */
export async function directAgent(
  cli: AgentCli,
  ask: Ask,
  wire: Wire,
  { env, version, passed, workspace }: Start,
): Promise<Directed | undefined> {
  const pointing = await pointAgent(cli, ask, { env, version });
  if (wire.isOptional && !isSafe(pointing)) return undefined;
  if ('cannot' in pointing) throw new Failure('config', `${pointing.cannot} Leave out --wire to run it without.`);
  const folder = privateFolder(wire, workspace);
  const directions = pointing.direct({ ...(await wire.open(pointing.routes)), folder: folder.inside });
  return {
    args: directions.args,
    env: (given) => directedEnvironment(given, directions, passed),
    prepare: () => write(folder.outside, directions),
    // Where nobody asked for the wire, nobody was promised that the key is kept away.
    warnings: [...pointing.remarks, ...(wire.isOptional ? [] : readable(cli, directions))],
  };
}

/** Tried with the real agent, by a key of the user's, and without a difference for them. */
function isSafe(pointing: Pointing): pointing is Pointed {
  return !('cannot' in pointing) && pointing.tried && pointing.keys === 'held' && pointing.remarks.length === 0;
}

function directedEnvironment(
  given: Environment,
  { env, without }: Directions,
  passed: readonly string[],
): Record<string, string> {
  const kept = Object.entries(given).filter(([name]) => !without.includes(name) || passed.includes(name));
  return { ...(Object.fromEntries(kept) as Record<string, string>), ...pastProxy(given), ...env };
}

/** For the agent's own files, where it can see them and other users cannot. */
function privateFolder(wire: Wire, workspace: Workspace | undefined): { outside: string; inside: string } {
  if (workspace !== undefined) return workspace.scratch('wire');
  const folder = mkdtempSync(join(tmpdir(), 'runwire-wire-'));
  wire.after(() => rmSync(folder, { recursive: true, force: true }));
  return { outside: folder, inside: folder };
}

function write(folder: string, { files, links }: Directions): void {
  const place = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // A second attempt finds what the first one left.
    rmSync(path, { force: true });
    return path;
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(place(name), text, { mode: 0o600 });
  for (const [name, target] of Object.entries(links)) symlinkSync(target, place(name));
}

function readable({ title }: AgentCli, { covered }: Directions): string[] {
  const paths = Object.keys(covered);
  return paths.length === 0
    ? []
    : [
        `${title} is given a token in place of its key, but the key is still in ${paths.join(', ')}, which it can read.`,
      ];
}
