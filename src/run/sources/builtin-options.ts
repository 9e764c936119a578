import type { AgentOptions } from '../../builtin/agent.ts';
import { loadConfig } from '../../builtin/config/config.ts';
import { priceIn } from '../../builtin/config/price.ts';
import { configSecrets } from '../../builtin/config/secrets.ts';
import type { AskPerson } from '../../builtin/permissions/question.ts';
import { parseRules } from '../../builtin/permissions/rules.ts';
import { hiderOf } from '../../builtin/tools/hide.ts';
import type { Reach } from '../../builtin/tools/reach.ts';
import { Failure } from '../../failure.ts';
import { present } from '../../json/present.ts';
import type { Redactor } from '../../redact/redactor.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Project } from '../git.ts';
import { tokenPrice } from '../given-price.ts';
import type { RunSpec } from '../../contract/spec.ts';

/** The spec first, then the environment, then the config files. Throws a `config` failure when no model is named. */
export async function agentOptions(
  spec: RunSpec,
  { projectName, parentBranchId }: Project,
  env: Environment,
  redactor: Redactor | undefined,
  ask: AskPerson | undefined,
  reach: Reach | undefined,
): Promise<Omit<AgentOptions, 'signal'>> {
  const { cwd, prompt } = spec;
  const config = await loadConfig({ cwd, env });
  redactor?.learn(configSecrets(config, env));
  const model = spec.model ?? env.RUNWIRE_MODEL ?? config.model;
  if (model === undefined || model === '')
    throw new Failure(
      'config',
      'no model: name one with --model PROVIDER/NAME, in RUNWIRE_MODEL, or as "model" in your config file',
    );
  if (spec.network === 'none' && !model.startsWith('replay/'))
    throw new Failure(
      'input',
      '--network none: the built-in agent asks its model itself; --network model keeps its tools from everything else',
    );
  const rules = config.permissions ?? {};
  return {
    prompt,
    model,
    cwd,
    env,
    permissions: parseRules(
      spec.permission_mode ?? rules.mode ?? 'edit',
      [...(rules.allow ?? []), ...spec.allow],
      [...(rules.deny ?? []), ...spec.deny],
      [...(rules.directories ?? []), ...spec.directories],
    ),
    projectName,
    parentBranchId,
    ...present({
      baseUrl: spec.base_url ?? config.baseUrl,
      keys: config.keys,
      system: spec.system ?? config.system,
      appendSystem: spec.append_system,
      outputSchema: spec.output_schema,
      resume: spec.resume,
      price: tokenPrice(spec) ?? priceIn(config.prices ?? {}, model),
      mcpServers: config.mcpServers,
      recordModel: spec.record_model,
      redact: redactor === undefined ? undefined : (text: string) => redactor.text(text),
      hide: redactor === undefined ? undefined : hiderOf(redactor),
      ask,
      reach,
    }),
  };
}
