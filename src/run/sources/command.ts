import { basename } from 'node:path';
import { childEnvironment } from '../../agents/environment.ts';
import { agents } from '../../agents/registry.ts';
import { findDialect } from '../../dialects/registry.ts';
import type { EventOf } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import { ProcessSource } from './process.ts';
import type { RunRequest } from '../spec.ts';

interface CommandSource {
  source: ProcessSource;
  agent: Pick<EventOf<'thread.started'>, 'agent'>;
}

/** The very command that the user typed. What looks like a known agent gets that agent's variables. */
export function commandSource(command: readonly string[], { prompt, cwd, env, extraEnv, dialect }: RunRequest): CommandSource {
  const [program, ...args] = command;
  if (program === undefined || program === '')
    throw new Failure('input', 'no command after --; such as: runwire run -- codex exec --json "fix the tests"');
  const known = agents.find(({ binaries }) => binaries.includes(basename(program)));
  const launch = {
    command: program,
    args,
    cwd,
    env: childEnvironment(env, { pass: [...(known?.passEnv ?? []), ...extraEnv.pass], set: extraEnv.set }),
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
