import type { Ask, PermissionMode, Plan } from '../agents/agent-cli.ts';
import { childEnvironment, type Passed } from '../agents/environment.ts';
import { findAgent } from '../agents/registry.ts';
import { findDialect } from '../dialects/registry.ts';
import type { EventOf } from '../events/event.ts';
import { Failure } from '../failure.ts';
import { locate } from './installed.ts';
import { ProcessSource } from './process-source.ts';
import { continuePrompt } from './resuming.ts';

type Optional<T> = { [K in keyof T]: T[K] | undefined };

export interface AgentRequest
  extends Optional<Omit<Ask, 'prompt' | 'cwd' | 'directories' | 'extraArgs'>>, Pick<Ask, 'prompt' | 'cwd' | 'directories' | 'extraArgs'> {
  env: Readonly<Record<string, string | undefined>>;
  /** Variables that it may have on top of its own. */
  extra: Passed;
  /** Unset: what the planned command line speaks. */
  dialect: string | undefined;
}

interface AgentSource {
  source: ProcessSource;
  agent: Pick<EventOf<'thread.started'>, 'agent' | 'agent_version'>;
  /** What differs from what was asked for, for people. */
  warnings: readonly string[];
}

const defaultMode: PermissionMode = 'edit';

/** Another agent's own program, found, planned and ready to start. Throws `Failure` when it is not there or cannot do what was asked. */
export async function agentSource(name: string, request: AgentRequest): Promise<AgentSource> {
  const cli = findAgent(name);
  const { env, extra, dialect, permissionMode, ...asked } = request;
  const { path, version } = await locate(cli, env);
  const ask: Ask = { ...present(asked), permissionMode: permissionMode ?? defaultMode };
  const plan = (more: Partial<Ask>): Plan => cli.plan({ ...ask, ...more }, version);
  // A mode that was asked for is a promise; the default is not.
  if (permissionMode !== undefined && !cli.abilities.permissionModes.includes(permissionMode))
    throw new Failure(
      'input',
      `--permission-mode ${permissionMode}: ${cli.title} has ${cli.abilities.permissionModes.join(', ') || 'no such modes'}`,
    );
  const source = new ProcessSource({
    canResume: cli.abilities.resume,
    dialect: findDialect(dialect ?? cli.dialect),
    launch(resume) {
      const { args, env: set, stdin } = plan(resume === undefined ? {} : { resume, prompt: continuePrompt });
      return {
        command: path,
        args,
        cwd: ask.cwd,
        env: childEnvironment(env, { pass: [...cli.passEnv, ...extra.pass], set: { ...set, ...extra.set } }),
        stdin,
      };
    },
  });
  return {
    source,
    agent: { agent: cli.id, ...(version === undefined ? {} : { agent_version: version }) },
    warnings: plan({}).unsupported,
  };
}

function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
