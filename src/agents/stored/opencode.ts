import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../json/json.ts';
import { objectIn } from '../../json/parse.ts';
import { isObject, nothing, object, time } from '../../json/read.ts';
import { editsOf } from '../../dialects/shared/opencode/read/tools.ts';
import { messageOf } from '../../failure.ts';
import { present } from '../../json/present.ts';
import { CopiedMessages } from './opencode-forks.ts';
import { type StoredRun, type Unreadable } from './stored-run.ts';

/** Where OpenCode keeps a session: files up to 1.1, a database since 1.2. The same objects go over its bus. */
interface Session {
  info: JsonObject;
  messages: () => AsyncIterable<JsonObject>;
  parts: (message: string) => AsyncIterable<JsonObject>;
}

/** `storage/`: session/PROJECT/ID.json, message/SESSION/ID.json, part/MESSAGE/ID.json. */
export async function* storedSessions(storage: string): AsyncGenerator<StoredRun | Unreadable> {
  const copied = await CopiedMessages.in(filedMessages(storage));
  for (const project of await names(join(storage, 'session'))) {
    for (const name of await names(join(storage, 'session', project))) {
      const path = join(storage, 'session', project, name);
      try {
        const info = await readObject(path);
        const id = String(info.id);
        yield sourceOf(path, {
          info,
          messages: () => copied.own(id, objectsIn(join(storage, 'message', id))),
          parts: (message) => objectsIn(join(storage, 'part', message)),
        });
      } catch (error) {
        yield { name: path, why: messageOf(error) };
      }
    }
  }
}

/** `opencode.db`: what is in a file above is in a column here, `data`, without its ids. */
export async function* databaseSessions(path: string): AsyncGenerator<StoredRun | Unreadable> {
  const { DatabaseSync } = await import('node:sqlite');
  let database;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const sessions = database.prepare('select * from session order by id').all();
    const all = database.prepare(
      'select session_id, data from message m join session s on s.id = m.session_id order by s.time_created, s.id, m.id',
    );
    const copied = await CopiedMessages.in(
      all.iterate().map((each) => [String(each['session_id']), objectIn(String(each['data']))] as const),
    );
    const messages = database.prepare('select id, data from message where session_id = ? order by id');
    const parts = database.prepare('select id, data from part where message_id = ? order by id');
    for (const row of sessions) {
      const id = String(row['id']);
      const info: JsonObject = {
        id,
        ...(typeof row['parent_id'] === 'string' ? { parentID: row['parent_id'] } : {}),
        directory: String(row['directory'] ?? ''),
        version: String(row['version'] ?? ''),
        time: { created: Number(row['time_created']), updated: Number(row['time_updated']) },
      };
      yield sourceOf(`${path} ${id}`, {
        info,
        messages: () =>
          copied.own(
            id,
            (async function* () {
              for (const each of messages.iterate(id))
                yield { ...objectOrThrow(each['data']), id: String(each['id']), sessionID: id };
            })(),
          ),
        parts: async function* (message) {
          for (const each of parts.iterate(message))
            yield { ...objectOrThrow(each['data']), id: String(each['id']), messageID: message, sessionID: id };
        },
      });
    }
  } catch (error) {
    yield { name: path, why: messageOf(error) };
  } finally {
    database?.close();
  }
}

function sourceOf(name: string, session: Session): StoredRun {
  const { created, updated } = object(session.info.time);
  const startedAt = time(created);
  return {
    name,
    at: time(updated) ?? startedAt ?? 0,
    ...present({ startedAt }),
    stdout: () => bus(session),
    isSession: true,
  };
}

/** The session as its bus would have told it: a message begins, its parts come, it ends. */
async function* bus({ info, messages, parts }: Session): AsyncGenerator<Uint8Array> {
  yield line('session.updated', { info });
  let isDone = false;
  for await (const message of messages()) {
    const { tokens: _tokens, cost: _cost, finish: _finish, error: _error, ...begun } = message;
    yield line('message.updated', { info: { ...begun, time: { created: object(message.time).created ?? null } } });
    for await (const part of parts(String(message.id))) {
      for (const file of editedBy(part)) yield line('file.edited', { file });
      yield line('message.part.updated', { part });
    }
    if (message.role !== 'assistant') continue;
    yield line('message.updated', { info: message });
    isDone = typeof object(message.time).completed === 'number';
  }
  if (isDone) yield line('session.idle', { sessionID: info.id ?? '' });
}

/** The bus tells edits by events of their own, which are not kept. */
function editedBy(part: JsonObject): string[] {
  const state = object(part.state);
  if (part.type !== 'tool' || state.status !== 'completed') return [];
  return editsOf(String(part.tool), state, String(part.callID)).map(({ path }) => path);
}

function line(type: string, properties: JsonObject): Uint8Array {
  return Buffer.from(`${JSON.stringify({ type, properties })}\n`);
}

/** All messages, those of the oldest session first; whoever reads one for its own sake says why it cannot be read. */
async function* filedMessages(storage: string): AsyncGenerator<readonly [session: string, message: JsonObject]> {
  const sessions: JsonObject[] = [];
  for (const project of await names(join(storage, 'session')))
    for (const name of await names(join(storage, 'session', project)))
      sessions.push(await readObject(join(storage, 'session', project, name)).catch(() => nothing));
  const createdAt = (session: JsonObject): number => time(object(session.time).created) ?? 0;
  for (const session of sessions.toSorted((a, b) => createdAt(a) - createdAt(b))) {
    const id = String(session.id);
    const folder = join(storage, 'message', id);
    for (const name of await names(folder)) yield [id, await readObject(join(folder, name)).catch(() => nothing)];
  }
}

async function* objectsIn(folder: string): AsyncGenerator<JsonObject> {
  for (const name of await names(folder)) yield await readObject(join(folder, name));
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).toSorted();
}

async function readObject(path: string): Promise<JsonObject> {
  return objectOrThrow(await readFile(path, 'utf8'));
}

function objectOrThrow(text: unknown): JsonObject {
  const value: unknown = JSON.parse(String(text));
  if (!isObject(value)) throw new Error('it holds no JSON object');
  return value;
}
