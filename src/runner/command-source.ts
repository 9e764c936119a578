import { basename } from 'node:path';
import { childEnvironment } from '../agents/environment.ts';
import { agents } from '../agents/registry.ts';
import { findDialect } from '../dialects/registry.ts';
import type { EventOf } from '../events/event.ts';
import { Failure } from '../failure.ts';
import { ProcessSource } from './process-source.ts';

export interface CommandRequest {
  command: readonly string[];
  /** Goes to its stdin; empty: stdin is. */
  prompt: string;
  cwd: string;
  /** Where the user is: the program of a relative path is looked for there. */
  here: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Variables that it may have on top of the usual ones. */
  pass: readonly string[];
  /** Unset: detected. */
  dialect: string | undefined;
}

/** The very command that the user typed. What looks like a known agent gets that agent's variables. */
export async function commandSource({ command, prompt, cwd, env, pass, dialect }: CommandRequest): Promise<{
  source: ProcessSource;
  agent: Pick<EventOf<'thread.started'>, 'agent'>;
}> {
  const [program, ...args] = command;
  if (program === undefined || program === '')
    throw new Failure('input', 'no command after --; such as: runwire run -- codex exec --json "fix the tests"');
  const known = agents.find(({ binaries }) => binaries.includes(basename(program)));
  const launch = {
    command: program,
    args,
    cwd,
    env: childEnvironment(env, { pass: [...(known?.passEnv ?? []), ...pass] }),
    stdin: prompt === '' ? undefined : prompt,
  };
  return {
    source: new ProcessSource({ launch: () => launch, canResume: false, dialect: dialect === undefined ? undefined : findDialect(dialect) }),
    agent: known === undefined ? {} : { agent: known.id },
  };
}
