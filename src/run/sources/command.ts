import { basename } from 'node:path';
import { childEnvironment } from '../../agents/environment.ts';
import { agents } from '../../agents/registry.ts';
import { findReader } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import type { RunSpec } from '../../contract/spec.ts';
import type { Chosen, Variables } from './choose.ts';
import { placed } from './placed.ts';
import { ProcessSource } from './process.ts';

/** The exact command that the user typed. One that looks like a known agent gets that agent's variables. */
export function commandSource(command: readonly string[], spec: RunSpec, variables: Variables): Chosen {
  const { env, set } = variables;
  const [program, ...args] = command;
  if (program === undefined || program === '')
    throw new Failure('input', 'no command after --; such as: runwire run -- codex exec --json "fix the tests"');
  const { prompt, cwd, dialect, pass_env, limits } = spec;
  const known = agents.find(({ binaries }) => binaries.includes(basename(program)));
  const order = {
    command: program,
    args,
    cwd,
    env: childEnvironment(env, { pass: [...(known?.passEnv ?? []), ...pass_env], set }),
  };
  const stdin = prompt === '' ? undefined : prompt;
  return {
    source: new ProcessSource({
      launch: () => ({ ...placed(order, { workspace: variables.workspace, border: variables.border?.border }), stdin }),
      canResume: false,
      dialect: dialect === undefined ? undefined : findReader(dialect),
    }),
    introduction: known === undefined ? {} : { agent: known.id },
    limits,
    warnings: [],
  };
}
