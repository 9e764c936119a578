import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AgentCli, SessionFiles } from './agent-cli.ts';
import { linesOf, objectInLine } from './stored/lines.ts';
import { SubAgents } from './stored/sub-agents.ts';
import type { JsonObject } from '../json/json.ts';
import { parseObject } from '../json/parse.ts';
import type { EventOf } from '../events/event.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { fold } from '../pipeline/convert.ts';
import { present } from '../json/present.ts';
import type { Environment } from '../words/vocabulary.ts';
import { homeFolder } from '../files/xdg.ts';

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

/** The last total in the session's file, as the agent wrote it: it adds to this one after a resume. */
export async function totalBefore(
  { sessionTotals }: AgentCli,
  session: string,
  env: Environment,
): Promise<JsonObject | undefined> {
  if (sessionTotals === undefined) return undefined;
  try {
    const file = await sessionFile(sessionTotals, session, env);
    if (file === undefined) return undefined;
    let last: JsonObject | undefined;
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity }))
      if (line.includes(sessionTotals.type)) last = totalIn(line, sessionTotals.type) ?? last;
    return last;
  } catch {
    return undefined;
  }
}

/** The messages in a session's file and in those of its sub-agents, as the agent wrote them. */
export async function* messagesIn(
  { sessionTotals }: AgentCli,
  session: string,
  env: Environment,
): AsyncGenerator<JsonObject> {
  if (sessionTotals === undefined) return;
  try {
    const file = await sessionFile(sessionTotals, session, env);
    if (file === undefined) return;
    for await (const line of linesOf(new SubAgents().whole(file, (path) => createReadStream(path)))) {
      const wire = line.includes('"assistant"') ? objectInLine(line) : undefined;
      if (wire?.['type'] === 'assistant') yield wire as JsonObject;
    }
  } catch {
    // What the stream told counts.
  }
}

/** A line may name the type without being of it, and the last one may be half. */
function totalIn(line: string, type: string): JsonObject | undefined {
  const wire = parseObject(line);
  return wire?.['type'] === type ? wire : undefined;
}

/** Undefined: there is no such file, or it cannot be read; the outcome then says what its numbers include. */
async function readSession(
  { sessionFiles, dialect }: AgentCli,
  session: string,
  env: Environment,
): Promise<Metrics | undefined> {
  if (sessionFiles === undefined) return undefined;
  try {
    const file = await sessionFile(sessionFiles, session, env);
    return file === undefined ? undefined : (await fold(createReadStream(file), { from: dialect })).metrics;
  } catch {
    return undefined;
  }
}

async function sessionFile(
  { variable, folder, home }: SessionFiles,
  session: string,
  env: Environment,
): Promise<string | undefined> {
  const root = join(env[variable] || join(homeFolder(env), home), folder);
  const name = (await readdir(root, { recursive: true })).find((path) => path.endsWith(`${session}.jsonl`));
  return name === undefined ? undefined : join(root, name);
}
