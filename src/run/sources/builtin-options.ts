import type { AgentOptions } from '../../builtin/agent.ts';
import { loadConfig } from '../../builtin/config/config.ts';
import { parseRules } from '../../builtin/permissions/rules.ts';
import { Failure } from '../../failure.ts';
import type { Place } from '../git.ts';
import { present } from '../../present.ts';
import type { RunRequest } from '../spec.ts';

/** The request first, then the environment, then the config files. Throws a `config` failure when no model is named. */
export async function agentOptions(
  request: RunRequest & Place,
  signal: AbortSignal,
  redact: ((text: string) => string) | undefined,
): Promise<AgentOptions> {
  const { cwd, env, prompt } = request;
  const config = await loadConfig({ cwd, env });
  const model = request.model ?? env.RUNWIRE_MODEL ?? config.model;
  if (model === undefined || model === '')
    throw new Failure('config', 'no model: name one with --model PROVIDER/NAME, in RUNWIRE_MODEL, or as "model" in runwire.json');
  const rules = config.permissions ?? {};
  return {
    prompt,
    model,
    cwd,
    env,
    signal,
    permissions: parseRules(
      request.permissionMode ?? rules.mode ?? 'edit',
      [...(rules.allow ?? []), ...request.allow],
      [...(rules.deny ?? []), ...request.deny],
      [...(rules.directories ?? []), ...request.directories],
    ),
    projectName: request.projectName,
    parentBranchId: request.parentBranchId,
    ...present({
      baseUrl: request.baseUrl ?? config.baseUrl,
      keys: config.keys,
      system: request.system ?? config.system,
      appendSystem: request.appendSystem,
      outputSchema: request.outputSchema,
      resume: request.resume,
      maxTurns: request.limits.maxTurns,
      maxCostUsd: request.limits.maxCostUsd,
      price: request.price ?? config.prices?.[model],
      mcpServers: config.mcpServers,
      recordModel: request.recordModel,
      redact,
    }),
  };
}
