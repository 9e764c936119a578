import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentCli } from './agent-cli.ts';
import type { EventOf } from '../events/event.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { fold } from '../pipeline/convert.ts';
import { present } from '../present.ts';
import type { Environment } from '../vocabulary.ts';
import { homeFolder } from '../xdg.ts';

type Metrics = RunOutcome['metrics'];
type Earlier = Pick<
  EventOf<'thread.started'>,
  'earlier_input_tokens' | 'earlier_output_tokens' | 'earlier_reasoning_tokens' | 'earlier_cache_read_tokens'
>;

/** What a session had used before it is resumed, from its agent's session file: some agents count all of it again. */
export async function usedBefore(cli: AgentCli, session: string, env: Environment): Promise<Earlier> {
  const metrics = await readSession(cli, session, env);
  return present({
    earlier_input_tokens: metrics?.input_tokens,
    earlier_output_tokens: metrics?.output_tokens,
    earlier_reasoning_tokens: metrics?.reasoning_tokens,
    earlier_cache_read_tokens: metrics?.cache_read_tokens,
  });
}

/** The model of a session, from its agent's session file: some agents do not print it. */
export async function modelOf(cli: AgentCli, session: string, env: Environment): Promise<string | undefined> {
  return (await readSession(cli, session, env))?.model_name;
}

/** Undefined: there is no such file, or it cannot be read; the outcome then says what its numbers include. */
async function readSession({ sessionFiles, dialect }: AgentCli, session: string, env: Environment): Promise<Metrics | undefined> {
  if (sessionFiles === undefined) return undefined;
  const { variable, folder, home } = sessionFiles;
  const root = join(env[variable] || join(homeFolder(env), home), folder);
  try {
    const name = (await readdir(root, { recursive: true })).find((path) => path.endsWith(`${session}.jsonl`));
    return name === undefined ? undefined : (await fold(createReadStream(join(root, name)), { from: dialect })).metrics;
  } catch {
    return undefined;
  }
}
