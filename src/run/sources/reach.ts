import { agentOf } from '../../agents/acp-command.ts';
import { readHosts } from '../../contract/flag-values.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { Failure } from '../../failure.ts';
import { acpAgent, builtIn, type WireMode } from '../../words/vocabulary.ts';
import type { Introduction } from './source.ts';

const isBuiltIn = ({ agent, command }: RunSpec): boolean => command === undefined && agent === builtIn;

/** Whether a run has a network of its own. Throws where what was asked for makes no sense. */
export function isBordered({ network = 'open', allow_host: hosts }: RunSpec): boolean {
  if (network === 'open' && hosts.length > 0)
    throw new Failure('input', '--allow-host allows hosts besides: use it with --network model or --network none');
  // A library, or a queue, may hold what no flag would take.
  readHosts(hosts, '--allow-host');
  return network !== 'open';
}

/**
 * What is done with the requests of a run to its models. In a network of its own, and where some of them must not go out, there is no
 * other way than the wire. The built-in agent asks by itself, and what a command does with the wire nobody knows unless it is asked for.
 */
export function wireOf(spec: RunSpec): WireMode {
  const { wire = 'auto', network, models, limits } = spec;
  const { agent, command } = agentOf(spec);
  const choice = models.length > 0 ? '--models' : '--max-requests-per-minute';
  const chooses = models.length > 0 || limits.max_requests_per_minute !== undefined;
  if (network === 'model' && agent === acpAgent)
    throw new Failure(
      'input',
      '--network model needs the wire, which does not work over ACP yet; use --network none, and --allow-host NAME for the host of its model',
    );
  if (network === 'model' && wire === 'off' && !isBuiltIn(spec))
    throw new Failure('input', '--network model sends requests to models through the wire: leave out --wire off');
  if (chooses && wire === 'off') throw new Failure('input', `${choice} works through the wire: leave out --wire off`);
  if (wire !== 'auto') return wire;
  if (chooses || (network === 'model' && !isBuiltIn(spec))) return 'meter';
  return command === undefined && agent !== builtIn && agent !== acpAgent ? 'auto' : 'off';
}

/** What is known of the network of a run that was not started for want of one. */
export function unenforced(error: Failure): Introduction {
  return (error as Failure & { border?: Introduction }).border ?? {};
}
