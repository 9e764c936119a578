import { basename } from 'node:path';
import { noAcpCommand } from '../../../agents/acp-command.ts';
import type { AgentCli } from '../../../agents/agent-cli.ts';
import { childEnvironment } from '../../../agents/environment.ts';
import { agents } from '../../../agents/registry.ts';
import type { AskPerson } from '../../../builtin/permissions/question.ts';
import { parseRules } from '../../../builtin/permissions/rules.ts';
import { Failure } from '../../../failure.ts';
import type { RunSpec } from '../../spec.ts';
import type { Chosen, Variables } from '../choose.ts';
import { AcpSource } from './source.ts';

/** Any agent that speaks ACP, by its command; one that we know needs no more than its name. */
export function acpSource(spec: RunSpec, { env, set, workspace }: Variables, person: AskPerson | undefined): Chosen {
  const [program, ...rest] = spec.command ?? [];
  if (program === undefined || program === '') throw new Failure('input', noAcpCommand);
  const known = agents.find(({ id, binaries }) => id === program || binaries.includes(basename(program)));
  const { prompt, cwd, directories, resume, model, pass_env, limits, agent_args } = spec;
  const { command, args } = started(program, rest, known);
  const passed = { pass: [...(known?.passEnv ?? []), ...pass_env], set: { ...known?.acp?.env, ...set } };
  const order = { command, args: [...args, ...agent_args], cwd, env: childEnvironment(env, passed) };
  const rules = parseRules(spec.permission_mode ?? 'edit', spec.allow, spec.deny, directories);
  return {
    source: new AcpSource({
      launch: () => workspace?.inside(order) ?? order,
      ask: { prompt, cwd, directories, resume, model, mayDoAll: rules.mode === 'full' && rules.deny.length === 0 },
      rules,
      person,
    }),
    introduction: { agent: known?.id ?? basename(program), ...(resume === undefined ? {} : { resumed: true }) },
    limits,
    warnings: warningsOf(spec, known?.title ?? basename(program), known?.acp !== undefined),
  };
}

function started(program: string, rest: readonly string[], known: AgentCli | undefined): { command: string; args: readonly string[] } {
  if (rest.length > 0 || known === undefined) return { command: program, args: rest };
  if (known.acp === undefined)
    throw new Failure(
      'config',
      `${known.title} does not speak ACP by itself, as far as Runwire knows; name the command of an adapter that does`,
    );
  return { command: program === known.id ? (known.binaries[0] ?? program) : program, args: known.acp.args };
}

/** What is asked for and cannot be kept, said before the start. */
function warningsOf(spec: RunSpec, title: string, isKnown: boolean): string[] {
  const { limits, permission_mode, deny, system, append_system, base_url } = spec;
  const cost = [limits.max_cost_usd === undefined ? '' : '--max-cost-usd', limits.max_tokens === undefined ? '' : '--max-tokens'];
  const flags = cost.filter((flag) => flag !== '').join(', ');
  const cannot = [
    system === undefined ? '' : 'another system prompt',
    append_system === undefined ? '' : 'more system instructions',
    base_url === undefined ? '' : 'another model server',
  ].filter((each) => each !== '');
  const isStrict = deny.length > 0 || (permission_mode !== undefined && permission_mode !== 'full');
  return [
    ...(flags === '' ? [] : [`ACP lets agents tell what they use at their end: ${flags} may not stop ${title} before.`]),
    ...cannot.map((what) => `${title} cannot be given ${what} over ACP; set it in its own configuration.`),
    ...(isStrict && !isKnown ? [`What ${title} does without asking, no permission mode and no rule can deny.`] : []),
  ];
}
