import { basename } from 'node:path';
import { childEnvironment, type Passed } from '../agents/environment.ts';
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
  env: Readonly<Record<string, string | undefined>>;
  /** Variables that it may have on top of the usual ones. */
  extra: Passed;
  /** Unset: detected. */
  dialect: string | undefined;
}

/** The very command that the user typed. What looks like a known agent gets that agent's variables. */
export async function commandSource({ command, prompt, cwd, env, extra, dialect }: CommandRequest): Promise<{
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
    env: childEnvironment(env, { pass: [...(known?.passEnv ?? []), ...extra.pass], set: extra.set }),
    stdin: prompt === '' ? undefined : prompt,
  };
  return {
    source: new ProcessSource({
      launch: () => launch,
      canResume: false,
      dialect: dialect === undefined ? undefined : findDialect(dialect),
    }),
    agent: known === undefined ? {} : { agent: known.id },
  };
}
