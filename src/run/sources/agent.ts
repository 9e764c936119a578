import type { AgentCli, Ask, Plan } from '../../agents/agent-cli.ts';
import { childEnvironment } from '../../agents/environment.ts';
import { findAgent } from '../../agents/registry.ts';
import { findDialect } from '../../dialects/registry.ts';
import type { EventOf } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import { locate } from '../../agents/locate.ts';
import { present } from '../../present.ts';
import { ProcessSource } from './process.ts';
import type { RunRequest } from '../spec.ts';
import { continuePrompt } from './resuming.ts';
import { usedBefore } from '../../agents/session-usage.ts';
import type { PermissionMode } from '../../vocabulary.ts';

interface AgentSource {
  source: ProcessSource;
  agent: Partial<Omit<EventOf<'thread.started'>, 'type'>>;
  /** What differs from what was asked for, for people. */
  warnings: readonly string[];
}

const defaultMode: PermissionMode = 'edit';

/** Another agent's own program, found, planned and ready to start. Throws `Failure` when it is not there or cannot do what was asked. */
export async function agentSource(name: string, request: RunRequest): Promise<AgentSource> {
  const cli = findAgent(name);
  const { permissionMode, env, extraEnv } = request;
  const modes = cli.abilities.permissionModes;
  // A mode that was asked for is a promise; the default is not.
  if (permissionMode !== undefined && !modes.includes(permissionMode))
    throw new Failure('input', `--permission-mode ${permissionMode}: ${cli.title} has ${modes.join(', ') || 'no such modes'}`);
  const { path, version } = await locate(cli, env);
  const ask = askOf(request);
  const plan = (more: Partial<Ask>): Plan => cli.plan({ ...ask, ...more }, version);
  const source = new ProcessSource({
    canResume: cli.abilities.resume,
    dialect: findDialect(request.dialect ?? cli.dialect),
    launch(resume) {
      const { args, env: set, stdin } = plan(resume === undefined ? {} : { resume, prompt: continuePrompt });
      const passed = { pass: [...cli.passEnv, ...extraEnv.pass], set: { ...set, ...extraEnv.set } };
      return { command: path, args, cwd: ask.cwd, env: childEnvironment(env, passed), stdin };
    },
  });
  return {
    source,
    agent: { agent: cli.id, ...present({ agent_version: version }), ...(await sessionOf(cli, request)) },
    warnings: plan({}).unsupported,
  };
}

async function sessionOf(cli: AgentCli, { resume, env, extraEnv }: RunRequest): Promise<Partial<Omit<EventOf<'thread.started'>, 'type'>>> {
  return resume === undefined ? {} : { resumed: true, ...(await usedBefore(cli, resume, { ...env, ...extraEnv.set })) };
}

function askOf(request: RunRequest): Ask {
  return {
    prompt: request.prompt,
    cwd: request.cwd,
    permissionMode: request.permissionMode ?? defaultMode,
    directories: request.directories,
    extraArgs: request.agentArgs,
    ...present({
      model: request.model,
      resume: request.resume,
      maxTurns: request.limits.maxTurns,
      maxCostUsd: request.limits.maxCostUsd,
      system: request.system,
      appendSystem: request.appendSystem,
      baseUrl: request.baseUrl,
    }),
  };
}
