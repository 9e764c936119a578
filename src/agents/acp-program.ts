import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename } from 'node:path';
import { Failure } from '../failure.ts';
import type { Environment } from '../words/vocabulary.ts';
import { noAcpCommand } from './acp-command.ts';
import type { AgentCli } from './agent-cli.ts';
import { searchPath } from './installed.ts';
import { agents } from './registry.ts';

export interface AcpProgram {
  command: string;
  args: readonly string[];
  /** The known agent that this program is; undefined: we know nothing about it. */
  known: AgentCli | undefined;
  title: string;
  /** Its words name the model. */
  isModelNamed: boolean;
}

/** How to start the command of `acp:COMMAND`; for a known agent the name alone is enough. */
export function acpProgram([program, ...rest]: readonly string[], model?: string): AcpProgram {
  if (program === undefined || program === '') throw new Failure('input', noAcpCommand);
  const known = agents.find(({ id, binaries }) => id === program || binaries.includes(basename(program)));
  const title = known?.title ?? basename(program);
  if (rest.length > 0 || known === undefined)
    return { command: program, args: rest, known, title, isModelNamed: false };
  if (known.acp === undefined)
    throw new Failure(
      'config',
      `${known.title} does not speak ACP by itself, as far as Runwire knows; name the command of an adapter that does`,
    );
  const named = model === undefined ? undefined : known.acp.model?.(model);
  return {
    command: program === known.id ? (known.binaries[0] ?? program) : program,
    args: [...known.acp.args, ...(named ?? [])],
    known,
    title,
    isModelNamed: named !== undefined,
  };
}

/** Its path; throws `Failure` if it is not installed. */
export async function locateAcp({ command, known, title }: AcpProgram, env: Environment): Promise<string> {
  const path = command.includes('/') ? await executable(command) : (await searchPath(command, env)).path;
  if (path !== undefined) return path;
  const install = known === undefined ? '' : `; install it with: ${known.install}`;
  throw new Failure(
    'config',
    `${title} is not installed: no ${command}${command.includes('/') ? '' : ' in PATH'}${install}`,
  );
}

async function executable(path: string): Promise<string | undefined> {
  return access(path, constants.X_OK).then(
    () => path,
    () => undefined,
  );
}
