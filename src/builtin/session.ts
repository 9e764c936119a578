import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelMessage } from 'ai';
import { z } from 'zod';
import type { Draft } from '../events/event.ts';
import { Failure, messageOf } from '../failure.ts';
import { stateFolder } from '../files/xdg.ts';
import type { AgentOptions } from './agent.ts';
import { cleanAll } from './clean.ts';
import type { Environment } from '../words/vocabulary.ts';
import { parseJson } from '../json/parse.ts';
import { makeFolder } from '../files/make-folder.ts';

const Message = z.looseObject({
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
});
const Saved = z.object({ version: z.literal(1), id: z.string(), model: z.string(), messages: z.array(Message) });

/** The conversation of a run, kept so that a later run can resume it. */
export interface Session {
  id: string;
  model: string;
  messages: readonly ModelMessage[];
}

interface SaverOptions {
  sessionId: string;
  options: Pick<AgentOptions, 'model' | 'env' | 'redact'>;
  emit(draft: Draft): void;
}

const folderOf = (env: Environment): string => join(stateFolder(env), 'sessions');

export async function loadSession(id: string, env: Environment): Promise<Session> {
  const folder = folderOf(env);
  // An id is a file name, never a path.
  if (!/^[\w-]+$/.test(id)) throw new Failure('config', `not a session id: "${id}"; sessions are kept in ${folder}`);
  const file = join(folder, `${id}.json`);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new Failure('config', `no session ${id} in ${folder}`, { cause: error });
  }
  const saved = Saved.safeParse(parseJson(text));
  if (!saved.success) throw new Failure('config', `${file} is not a session: ${z.prettifyError(saved.error)}`);
  return { id, model: saved.data.model, messages: saved.data.messages as unknown as ModelMessage[] };
}

/** Writes atomically, with permissions for the owner only. */
export async function saveSession(
  session: Session,
  env: Environment,
  redact: (text: string) => string = (text) => text,
): Promise<void> {
  const folder = folderOf(env);
  makeFolder(folder);
  const temporary = join(folder, `.${session.id}.${randomUUID()}`);
  const { id, model, messages } = session;
  try {
    await writeFile(temporary, `${JSON.stringify({ version: 1, id, model, messages: cleanAll(messages, redact) })}\n`, {
      mode: 0o600,
    });
    await rename(temporary, join(folder, `${id}.json`));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Saves after every turn. A folder that cannot be written does not end the run; one warning is emitted. */
export function sessionSaver({
  sessionId: id,
  options,
  emit,
}: SaverOptions): (messages: readonly ModelMessage[]) => Promise<void> {
  const { model, env, redact } = options;
  let hasWarned = false;
  return async (messages) => {
    try {
      await saveSession({ id, model, messages }, env, redact);
    } catch (error) {
      if (hasWarned) return;
      hasWarned = true;
      const why = messageOf(error);
      emit({
        type: 'log',
        stream: 'agent',
        level: 'warning',
        text: `the session cannot be saved, so it cannot be resumed: ${why}`,
      });
    }
  };
}
