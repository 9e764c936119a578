import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentCli } from './agent-cli.ts';
import type { EventOf } from '../events/event.ts';
import { fold } from '../pipeline/convert.ts';
import { present } from '../present.ts';
import type { Environment } from '../vocabulary.ts';

type Earlier = Pick<
  EventOf<'thread.started'>,
  'earlier_input_tokens' | 'earlier_output_tokens' | 'earlier_reasoning_tokens' | 'earlier_cache_read_tokens'
>;

/** What a session had used before it is resumed, from its agent's session file: some agents count all of it again. */
export async function usedBefore({ sessionFiles, dialect }: AgentCli, session: string, env: Environment): Promise<Earlier> {
  if (sessionFiles === undefined) return {};
  const { variable, folder, home } = sessionFiles;
  const root = join(env[variable] ?? join(env.HOME ?? '', home), folder);
  try {
    const name = (await readdir(root, { recursive: true })).find((path) => path.endsWith(`${session}.jsonl`));
    if (name === undefined) return {};
    const { metrics } = await fold(createReadStream(join(root, name)), { from: dialect });
    return present({
      earlier_input_tokens: metrics.input_tokens,
      earlier_output_tokens: metrics.output_tokens,
      earlier_reasoning_tokens: metrics.reasoning_tokens,
      earlier_cache_read_tokens: metrics.cache_read_tokens,
    });
  } catch {
    // The folder is missing or unreadable; the outcome then says what its numbers include.
    return {};
  }
}
