import { readHosts } from '../../contract/flag-values.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { Failure } from '../../failure.ts';
import { acpAgent, builtIn } from '../../words/vocabulary.ts';
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

/** Whether requests to models pass through Runwire: in a network of their own there is no other way. The built-in agent asks by itself. */
export function needsWire(spec: RunSpec): boolean {
  const { wire = spec.network === 'model' && !isBuiltIn(spec) ? 'meter' : 'off', network, agent } = spec;
  if (network === 'model' && agent === acpAgent)
    throw new Failure(
      'input',
      '--network model needs the wire, which does not work over ACP yet; use --network none, and --allow-host NAME for the host of its model',
    );
  if (network === 'model' && wire === 'off' && !isBuiltIn(spec))
    throw new Failure('input', '--network model sends requests to models through the wire: leave out --wire off');
  return wire !== 'off';
}

/** What is known of the network of a run that was not started for want of one. */
export function unenforced(error: Failure): Introduction {
  return (error as Failure & { border?: Introduction }).border ?? {};
}
