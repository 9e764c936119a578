import { basename, dirname } from 'node:path';
import { isAny, isGuess } from '../../dialects/kit/tokens.ts';
import { camelFields, type Counting, tokensIn } from '../../dialects/kit/usage.ts';
import { countsOfAnswer, countsOfCall } from '../../dialects/qwen/read/session-usage.ts';
import type { Json, JsonObject } from '../../json/json.ts';
import { count, filled, object, string, time } from '../../json/read.ts';
import type { Call } from '../calls.ts';
import type { FileFacts, Session } from './format.ts';
import { simpleLines } from './simple-lines.ts';
import { counted } from './tokens.ts';

type Calls = readonly Omit<Call, 'session'>[];

function remember(memory: JsonObject, name: string, value: string | undefined): void {
  if (value !== undefined && memory[name] === undefined) memory[name] = value;
}

function sessionIn({ session, project }: JsonObject, otherwise: string): Session {
  const folder = string(project);
  return { id: string(session) ?? otherwise, ...(folder === undefined ? {} : { project: folder }) };
}

/** An archived session has more behind its ending. */
const nameOf = ({ path }: FileFacts): string => basename(path).split(/\.jsonl?(?:$|\.)/)[0] ?? '';

const ofPi: Counting = {
  fields: {
    input: 'input_tokens',
    output: 'output_tokens',
    cacheRead: 'cache_read_tokens',
    cacheWrite: 'cache_write_tokens',
  },
  cacheIsApart: true,
};

/** Session files of pi. A branch repeats the messages of the one it left, and a fork those of its parent: the moment of an answer and what it took tell it from all others. */
export const pi = simpleLines({
  marks: ['"usage"', '"session"'],
  wanted: {
    type: true,
    id: true,
    cwd: true,
    timestamp: true,
    message: { role: true, model: true, timestamp: true, usage: true },
  },
  calls({ type, id, cwd, timestamp, message }, memory): Calls {
    if (type === 'session') {
      remember(memory, 'session', filled(id));
      remember(memory, 'project', filled(cwd));
    }
    const answer = object(message);
    const usage = object(answer.usage);
    const tokens = tokensIn(ofPi, usage);
    if (type !== 'message' || answer.role !== 'assistant' || !isAny(tokens)) return [];
    const { model, timestamp: moment } = answer;
    return [
      {
        at: time(moment) ?? time(timestamp),
        model: filled(model),
        ...counted(tokens),
        cost: isGuess(usage) ? undefined : count(object(usage.cost).total) || undefined,
        identity:
          typeof moment === 'number'
            ? ['pi', moment, model, usage.input, usage.output, usage.totalTokens].map(String).join(' ')
            : undefined,
      },
    ];
  },
  session: (memory, file) => sessionIn(memory, nameOf(file)),
});

/** Session files of Qwen Code: its telemetry has every call, also those without an answer; older versions have only the answers. */
export const qwen = simpleLines({
  marks: ['"usageMetadata"', 'api_response'],
  wanted: {
    type: true,
    uuid: true,
    sessionId: true,
    cwd: true,
    timestamp: true,
    model: true,
    usageMetadata: true,
    systemPayload: { uiEvent: true },
  },
  calls({ type, uuid, sessionId, cwd, timestamp, model, usageMetadata, systemPayload }, memory): Calls {
    remember(memory, 'session', filled(sessionId));
    remember(memory, 'project', filled(cwd));
    const event = object(object(systemPayload).uiEvent);
    const isEvent = type === 'system' && string(event['event.name'])?.endsWith('api_response') === true;
    const counts = isEvent
      ? countsOfCall(event)
      : type === 'assistant'
        ? countsOfAnswer(object(usageMetadata))
        : undefined;
    if (counts === undefined) return [];
    const name = filled(isEvent ? event.model : model);
    return [
      {
        at: time(timestamp),
        kind: isEvent ? 'call' : 'answer',
        model: name,
        input: counts.input,
        output: counts.output,
        reasoning: counts.thoughts,
        cacheRead: counts.cached,
        identity: typeof uuid === 'string' ? `qwen ${uuid}` : undefined,
      },
    ];
  },
  session: (memory, file) => sessionIn(memory, nameOf(file)),
});

/** One answer in a session of Gemini CLI; it is told again while its tools are at work. */
export function geminiCall(wire: JsonObject): Calls {
  const tokens = object(wire.tokens);
  const [input = 0, output = 0, thoughts = 0] = [count(tokens.input), count(tokens.output), count(tokens.thoughts)];
  if (wire.type !== 'gemini' || input + output === 0) return [];
  const id = filled(wire.id);
  return [
    {
      at: time(wire.timestamp),
      model: filled(wire.model),
      input: input + (count(tokens.tool) ?? 0),
      output: output + thoughts,
      reasoning: count(tokens.thoughts),
      cacheRead: count(tokens.cached),
      identity: id === undefined ? undefined : `gemini ${id}`,
    },
  ];
}

export const geminiLines = simpleLines({
  marks: ['"tokens"', '"projectHash"'],
  wanted: { type: true, id: true, timestamp: true, model: true, tokens: true, sessionId: true },
  calls(wire, memory): Calls {
    remember(memory, 'session', filled(wire.sessionId));
    return geminiCall(wire);
  },
  session: (memory, file) => sessionIn({ project: projectOfGemini(file), ...memory }, nameOf(file)),
});

/** `tmp/PROJECT/chats/FILE`: a name, or a hash of the folder. */
export const projectOfGemini = ({ path }: FileFacts): string => basename(dirname(dirname(path)));

const ofKimi: Counting = {
  fields: {
    input_other: 'input_tokens',
    output: 'output_tokens',
    input_cache_read: 'cache_read_tokens',
    input_cache_creation: 'cache_write_tokens',
  },
  cacheIsApart: true,
};

/** `sessions/GROUP/SESSION/wire.jsonl` of Kimi CLI. It names no model. */
export const kimi = simpleLines({
  marks: ['"token_usage"'],
  wanted: { timestamp: true, message: { type: true, payload: true } },
  calls({ timestamp, message }): Calls {
    const { type, payload } = object(message);
    const { token_usage: usage, message_id: id } = object(payload);
    const tokens = tokensIn(ofKimi, object(usage));
    if (type !== 'StatusUpdate' || !isAny(tokens)) return [];
    return [
      { at: time(inMs(timestamp)), ...counted(tokens), identity: typeof id === 'string' ? `kimi ${id}` : undefined },
    ];
  },
  session: (_memory, { path }) => ({ id: basename(dirname(path)) }),
});

const ofKimiCode: Counting = {
  fields: {
    inputOther: 'input_tokens',
    output: 'output_tokens',
    inputCacheRead: 'cache_read_tokens',
    inputCacheCreation: 'cache_write_tokens',
  },
  cacheIsApart: true,
};

/** `sessions/GROUP/SESSION/agents/AGENT/wire.jsonl` of Kimi Code, which came after Kimi CLI: each model call, and sums of the session, which are none. */
export const kimiCode = simpleLines({
  marks: ['"usage.record"'],
  wanted: { type: true, time: true, timestamp: true, model: true, usageScope: true, usage: true },
  calls({ type, time: moment, timestamp, model, usageScope, usage }): Calls {
    const tokens = tokensIn(ofKimiCode, object(usage));
    if (type !== 'usage.record' || (usageScope ?? 'turn') !== 'turn' || !isAny(tokens)) return [];
    return [
      { at: time(moment) ?? time(timestamp), model: filled(model)?.replace(/^kimi-code\//, ''), ...counted(tokens) },
    ];
  },
  session(_memory, { path }) {
    const folder = dirname(path);
    const session = basename(dirname(dirname(folder)));
    const agent = basename(folder);
    return agent === 'main' ? { id: session } : { id: session, subAgent: `${session} ${agent}` };
  },
});

const ofGrok: Counting = {
  fields: {
    inputTokens: 'input_tokens',
    outputTokens: 'output_tokens',
    cachedReadTokens: 'cache_read_tokens',
    cacheCreationTokens: 'cache_write_tokens',
    reasoningTokens: 'reasoning_tokens',
  },
};
/** So many of its units are a dollar. */
const ticks = 1e10;

/** `sessions/FOLDER/SESSION/updates.jsonl` of Grok Build: what each model used in a whole turn, and what that cost. */
export const grok = simpleLines({
  marks: ['"turn_completed"'],
  wanted: {
    timestamp: true,
    _meta: { eventId: true },
    params: {
      sessionId: true,
      _meta: { eventId: true, agentTimestampMs: true },
      update: { sessionUpdate: true, prompt_id: true, usage: true },
    },
  },
  calls({ timestamp, _meta, params }, memory): Calls {
    const { sessionId, _meta: about, update } = object(params);
    const { sessionUpdate, prompt_id, usage } = object(update);
    if (sessionUpdate !== 'turn_completed') return [];
    remember(memory, 'session', filled(sessionId));
    const turn = object(usage);
    const models = Object.entries(object(turn.modelUsage));
    const at = time(object(about).agentTimestampMs) ?? time(inMs(timestamp));
    const event = filled(object(about).eventId) ?? filled(object(_meta).eventId) ?? filled(prompt_id);
    return (models.length > 0 ? models : [[undefined, turn] as const]).flatMap(([model, value]): Calls => {
      const used = object(value);
      const tokens = tokensIn(ofGrok, used);
      if (!isAny(tokens)) return [];
      const cost = used.costIsPartial === true || turn.costIsPartial === true ? undefined : count(used.costUsdTicks);
      const identity = event === undefined ? undefined : `grok ${event} ${model ?? ''}`;
      return [{ at, kind: 'rest', model, ...counted(tokens), cost: cost ? cost / ticks : undefined, identity }];
    });
  },
  session: (memory, { path }) =>
    sessionIn({ project: folderOf(basename(dirname(dirname(path)))), ...memory }, basename(dirname(path))),
});

/** Grok names a folder after the one it worked in, with its slashes as `%2F`. */
function folderOf(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Some agents count seconds, some milliseconds. */
const inMs = (moment: Json | undefined): Json | undefined =>
  typeof moment === 'number' && moment < 1e11 ? moment * 1000 : moment;

const ofCodeBuddy: Counting = {
  fields: {
    prompt_tokens: 'input_tokens',
    completion_tokens: 'output_tokens',
    cache_read_input_tokens: 'cache_read_tokens',
    cache_creation_input_tokens: 'cache_write_tokens',
  },
};

/** `projects/FOLDER/SESSION.jsonl` of CodeBuddy Code, and those of its sub-agents, which are sessions of their own. */
export const codeBuddy = simpleLines({
  marks: ['"rawUsage"'],
  wanted: {
    id: true,
    timestamp: true,
    sessionId: true,
    cwd: true,
    providerData: { model: true, requestModelId: true, rawUsage: true },
  },
  calls({ id, timestamp, sessionId, cwd, providerData }, memory): Calls {
    remember(memory, 'session', filled(sessionId));
    remember(memory, 'project', filled(cwd));
    const { model, requestModelId, rawUsage } = object(providerData);
    const tokens = tokensIn(ofCodeBuddy, object(rawUsage));
    if (!isAny(tokens)) return [];
    const name = filled(model) ?? filled(requestModelId);
    const identity = typeof id === 'string' ? `codebuddy ${id}` : undefined;
    return [{ at: time(timestamp), model: name, ...counted(tokens), identity }];
  },
  session: (memory, file) => sessionIn(memory, nameOf(file)),
});

const ofCopilot: Counting = { fields: { ...camelFields, reasoningTokens: 'reasoning_tokens' } };

/** `session-state/SESSION/events.jsonl` of Copilot CLI: what each model used, told when a process ends. */
export const copilot = simpleLines({
  marks: ['"session.start"', '"session.shutdown"'],
  wanted: { type: true, timestamp: true, data: { sessionId: true, context: true, modelMetrics: true } },
  calls({ type, timestamp, data }, memory): Calls {
    const { sessionId, context, modelMetrics } = object(data);
    if (type === 'session.start') {
      remember(memory, 'session', filled(sessionId));
      remember(memory, 'project', filled(object(context).cwd));
    }
    if (type !== 'session.shutdown') return [];
    return Object.entries(object(modelMetrics)).flatMap(([model, metrics]) => {
      const tokens = tokensIn(ofCopilot, object(object(metrics).usage ?? object(metrics)));
      return isAny(tokens) ? [{ at: time(timestamp), kind: 'rest' as const, model, ...counted(tokens) }] : [];
    });
  },
  session: (memory, { path }) => {
    const name = basename(path) === 'events.jsonl' ? basename(dirname(path)) : basename(path, '.jsonl');
    return sessionIn(memory, name);
  },
});
