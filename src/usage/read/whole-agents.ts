import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isAny } from '../../dialects/kit/tokens.ts';
import { type Counting, tokensIn } from '../../dialects/kit/usage.ts';
import { habitOf, readUsage } from '../../dialects/shared/opencode/read/usage.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { parseJson, parseObject } from '../../json/parse.ts';
import { asText, count, filled, list, object, string, time } from '../../json/read.ts';
import type { FileFacts, Found, WholeFormat } from './format.ts';
import { geminiCall, projectOfGemini } from './line-agents.ts';
import { counted } from './tokens.ts';

function readJson({ path }: FileFacts): Json {
  const value = parseJson(readFileSync(path, 'utf8'));
  if (value === undefined) throw new Error('it is not JSON');
  return value;
}

const whole = (read: WholeFormat['read']): WholeFormat => ({ kind: 'whole', read });

function inFolder(project: string | undefined): { project?: string } {
  return project === undefined ? {} : { project };
}

/** `chats/*.json` of Gemini CLI: one document with all messages. */
export const geminiDocument = whole((file, found) => {
  const { sessionId, messages } = object(readJson(file));
  const session = found.session({
    id: filled(sessionId) ?? basename(file.path, '.json'),
    project: projectOfGemini(file),
  });
  for (const message of list(messages))
    for (const call of geminiCall(object(message))) found.call({ session, ...call });
});

/** `sessions/ID.json` of Continue: the totals of a session, in which 0 stands for what is not known. */
export const continueSession = whole((file, found) => {
  const { sessionId, workspaceDirectory, usage } = object(readJson(file));
  const bill = object(usage);
  const [input, output] = [count(bill.promptTokens), count(bill.completionTokens)];
  if (filled(sessionId) === undefined || (input ?? 0) + (output ?? 0) === 0) return;
  const session = found.session({ id: asText(sessionId), ...inFolder(filled(workspaceDirectory)) });
  found.call({
    session,
    kind: 'rest',
    input,
    output,
    cacheRead: count(object(bill.promptTokensDetails).cachedTokens) || undefined,
    cost: count(bill.totalCost) || undefined,
  });
});

const ofDroid: Counting = {
  fields: {
    inputTokens: 'input_tokens',
    outputTokens: 'output_tokens',
    cacheReadTokens: 'cache_read_tokens',
    cacheCreationTokens: 'cache_write_tokens',
    thinkingTokens: 'reasoning_tokens',
  },
  cacheIsApart: true,
  reasoningIsApart: true,
};

/** `sessions/**\/SESSION.settings.json` of Droid: the totals of a session. */
export const droid = whole((file, found) => {
  const { tokenUsage, model } = object(readJson(file));
  const tokens = tokensIn(ofDroid, object(tokenUsage));
  if (!isAny(tokens)) return;
  const session = found.session({
    id: basename(file.path, '.settings.json'),
    project: basename(dirname(file.path)),
  });
  found.call({ session, kind: 'rest', model: filled(model), ...counted(tokens) });
});

const ofAmp: Counting = {
  fields: {
    inputTokens: 'input_tokens',
    outputTokens: 'output_tokens',
    cacheReadInputTokens: 'cache_read_tokens',
    cacheCreationInputTokens: 'cache_write_tokens',
  },
  cacheIsApart: true,
};

/** `threads/T-….json` of Amp: each answer has what it used. */
export const amp = whole((file, found) => {
  const { id, created, messages, env } = object(readJson(file));
  const tree = object(list(object(object(env).initial).trees)[0]);
  const session = found.session({
    id: filled(id) ?? basename(file.path, '.json'),
    ...inFolder(string(tree.uri)?.replace('file://', '')),
  });
  for (const message of list(messages).map(object)) {
    const usage = object(message.usage);
    const tokens = tokensIn(ofAmp, usage);
    if (message.role !== 'assistant' || !isAny(tokens)) continue;
    found.call({
      session,
      at: time(usage.timestamp) ?? time(object(message.meta).sentAt) ?? time(created),
      model: filled(usage.model),
      ...counted(tokens),
    });
  }
});

const ofCline: Counting = {
  fields: {
    tokensIn: 'input_tokens',
    tokensOut: 'output_tokens',
    cacheReads: 'cache_read_tokens',
    cacheWrites: 'cache_write_tokens',
    cost: 'cost_usd',
  },
  cacheIsApart: true,
  unknownIfZero: ['cost_usd'],
};

/** `tasks/ID/ui_messages.json` of Cline, Roo Code and Kilo Code: a request tells what it used in a text of its own. */
export const clineTask = whole((file, found) => {
  const session = found.session({ id: basename(dirname(file.path)) });
  for (const message of list(readJson(file)).map(object)) {
    const isRequest = message.say === 'api_req_started' || message.say === 'deleted_api_reqs';
    const detail = isRequest ? parseObject(asText(message.text)) : undefined;
    const tokens = detail === undefined ? {} : tokensIn(ofCline, detail);
    if (!isAny(tokens)) continue;
    const model = filled(object(message.modelInfo).modelId) ?? filled(detail?.model);
    const kind = message.say === 'deleted_api_reqs' ? ('rest' as const) : undefined;
    found.call({ session, at: time(message.ts), model, kind, ...counted(tokens) });
  }
});

function messageOfOpenCode(
  found: Found,
  info: JsonObject,
  about: { id: string; project?: string; version?: string | undefined; parent?: string | undefined },
): void {
  const tokens =
    info.role === 'assistant' ? readUsage(object(info.tokens), info.cost, habitOf(about.version)) : undefined;
  if (tokens === undefined) return;
  const { created, completed } = object(info.time);
  const { id, parent } = about;
  found.call({
    session: found.session({
      id: parent ?? id,
      ...inFolder(filled(object(info.path).cwd) ?? about.project),
      ...(parent === undefined ? {} : { subAgent: id }),
    }),
    at: time(completed) ?? time(created),
    model: filled(info.modelID),
    identity: typeof info.id === 'string' ? `opencode ${info.id}` : undefined,
    ...counted(tokens),
  });
}

/** `storage/message/SESSION/ID.json` of OpenCode up to 1.1: a message each, which is one model call. */
export const openCodeMessage = whole((file, found) => {
  const info = object(readJson(file));
  messageOfOpenCode(found, info, { id: filled(info.sessionID) ?? basename(dirname(file.path)) });
});

function fromDatabase(path: string, read: (database: DatabaseSync) => void): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    read(database);
  } finally {
    database.close();
  }
}

/** `opencode.db` of OpenCode since 1.2: what is in a file above is in a column here. */
export const openCodeDatabase = whole(({ path }, found) =>
  fromDatabase(path, (database) => {
    const sessions = new Map(
      database
        .prepare('select id, parent_id, directory, version from session')
        .all()
        .map((row) => [String(row['id']), row]),
    );
    for (const row of database.prepare('select id, session_id, data from message').iterate()) {
      const info = parseObject(String(row['data']));
      if (info === undefined) {
        found.damaged();
        continue;
      }
      const id = String(row['session_id']);
      const about = sessions.get(id);
      messageOfOpenCode(
        found,
        { ...info, id: String(row['id']) },
        {
          id,
          ...inFolder(textIn(about?.['directory'])),
          version: textIn(about?.['version']),
          parent: textIn(about?.['parent_id']),
        },
      );
    }
  }),
);

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `sessions.db` of Goose: the totals of a session. */
export const goose = whole(({ path }, found) =>
  fromDatabase(path, (database) => {
    for (const row of database.prepare('select * from sessions').iterate()) {
      const of = (name: string): number | undefined => count((row[`accumulated_${name}`] ?? row[name] ?? null) as Json);
      const [input, output] = [of('input_tokens'), of('output_tokens')];
      if ((input ?? 0) + (output ?? 0) === 0) continue;
      const config = parseObject(String(row['model_config_json']));
      found.call({
        session: found.session({ id: String(row['id']), ...inFolder(textIn(row['working_dir'])) }),
        kind: 'rest',
        // SQLite's own times are in UTC, and do not say so.
        at: time(`${String(row['updated_at']).replace(' ', 'T')}Z`) ?? time(row['updated_at'] as Json),
        model: filled(config?.model_name),
        input,
        output,
      });
    }
  }),
);

/** `state.db` of Hermes: the totals of a session. A cost is taken where it was billed, not where it was guessed. */
export const hermes = whole(({ path }, found) =>
  fromDatabase(path, (database) => {
    for (const row of database.prepare('select * from sessions').iterate()) {
      const of = (name: string): number => count((row[name] ?? null) as Json) ?? 0;
      const [read, written, thought] = [of('cache_read_tokens'), of('cache_write_tokens'), of('reasoning_tokens')];
      const input = of('input_tokens') + read + written;
      const output = of('output_tokens') + thought;
      if (input + output === 0) continue;
      const seconds = Number(row['ended_at'] ?? row['started_at']);
      found.call({
        session: found.session({ id: String(row['id']) }),
        kind: 'rest',
        at: time(seconds < 1e11 ? seconds * 1000 : seconds),
        model: textIn(row['model']),
        input,
        output,
        reasoning: thought,
        cacheRead: read,
        cacheWrite: written,
        cost: of('actual_cost_usd') || undefined,
      });
    }
  }),
);

/** `crush.db` of Crush: the totals of a session, and what it cost. */
export const crush = whole(({ path }, found) =>
  fromDatabase(path, (database) => {
    for (const row of database.prepare('select * from sessions').iterate()) {
      const [input, output, cost] = ['prompt_tokens', 'completion_tokens', 'cost'].map((name) =>
        count((row[name] ?? null) as Json),
      );
      if ((input ?? 0) + (output ?? 0) + (cost ?? 0) === 0) continue;
      const parent = textIn(row['parent_session_id']);
      const id = String(row['id']);
      const seconds = Number(row['updated_at']);
      found.call({
        session: found.session({
          id: parent ?? id,
          project: dirname(dirname(path)),
          ...(parent === undefined ? {} : { subAgent: id }),
        }),
        kind: 'rest',
        at: time(seconds < 1e11 ? seconds * 1000 : seconds),
        input,
        output,
        cost: cost || undefined,
      });
    }
  }),
);
