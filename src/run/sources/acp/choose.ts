import { acpProgram } from '../../../agents/acp-program.ts';
import { childEnvironment } from '../../../agents/environment.ts';
import type { AskPerson } from '../../../builtin/permissions/question.ts';
import { parseRules } from '../../../builtin/permissions/rules.ts';
import type { RunSpec } from '../../../contract/spec.ts';
import type { Chosen, Variables } from '../choose.ts';
import { placed } from '../placed.ts';
import { AcpSource } from './source.ts';

/** Any agent that speaks ACP, by its command; a known agent needs only its name. */
export function acpSource(
  spec: RunSpec,
  { env, set, workspace, border }: Variables,
  person: AskPerson | undefined,
): Chosen {
  const { prompt, cwd, directories, resume, model, pass_env, limits, agent_args } = spec;
  const { command, args, known, title, isModelNamed } = acpProgram(spec.command ?? [], model);
  const passed = { pass: [...(known?.passEnv ?? []), ...pass_env], set: { ...known?.acp?.env, ...set } };
  const order = { command, args: [...args, ...agent_args], cwd, env: childEnvironment(env, passed) };
  const rules = parseRules(spec.permission_mode ?? 'edit', spec.allow, spec.deny, directories);
  return {
    source: new AcpSource({
      launch: () => placed(order, { workspace, border: border?.border }),
      ask: {
        prompt,
        cwd,
        directories,
        resume,
        model,
        isModelNamed,
        mayDoAll: rules.mode === 'full' && rules.deny.length === 0,
      },
      rules,
      person,
    }),
    introduction: { agent: known?.id ?? title, ...(resume === undefined ? {} : { resumed: true }) },
    limits,
    warnings: warningsOf(spec, title, known?.acp !== undefined),
  };
}

/** Warns before the start about what was asked for and cannot be enforced. */
function warningsOf(spec: RunSpec, title: string, isKnown: boolean): string[] {
  const { limits, permission_mode, deny, system, append_system, base_url } = spec;
  const cost = [
    limits.max_cost_usd === undefined ? '' : '--max-cost-usd',
    limits.max_tokens === undefined ? '' : '--max-tokens',
  ];
  const flags = cost.filter((flag) => flag !== '').join(', ');
  const cannot = [
    system === undefined ? '' : 'another system prompt',
    append_system === undefined ? '' : 'more system instructions',
    base_url === undefined ? '' : 'another model server',
  ].filter((each) => each !== '');
  const isStrict = deny.length > 0 || (permission_mode !== undefined && permission_mode !== 'full');
  return [
    ...(flags === ''
      ? []
      : [`Over ACP, an agent may report its usage only at its end: ${flags} may not stop ${title} before that.`]),
    ...cannot.map((what) => `${title} cannot be given ${what} over ACP; set it in its own configuration.`),
    ...(isStrict && !isKnown ? [`No permission mode and no rule can deny what ${title} does without asking.`] : []),
  ];
}
