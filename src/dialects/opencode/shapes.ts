import type { ErrorCode, EventOf, FinishReason } from '../../events/event.ts';
import type { Json, JsonObject } from '../dialect.ts';
import { asText } from '../read.ts';
import { codesOfErrors as codeOfName } from '../shared/opencode/words.ts';
import { isRefusal } from '../shared/opencode/read/tools.ts';
import type { Totals } from './tally.ts';

// The objects of seed 002, field by field in its order. A time that nobody told is 0.

export function sessionInfo(
  thread: Partial<EventOf<'thread.started'>>,
  id: string,
  times: { created: number; updated: number },
  summary: { additions: number; deletions: number; files: number },
): JsonObject {
  return {
    id,
    projectID: thread.project_name ?? '',
    directory: thread.cwd ?? '',
    ...(thread.parent_session_id === undefined ? {} : { parentID: thread.parent_session_id }),
    title: thread.task ?? '',
    version: thread.agent_version ?? '',
    time: times,
    summary,
  };
}

export interface MessageState {
  id: string;
  session: string;
  parent: string;
  model: string | undefined;
  cwd: string;
  created: number;
  completed?: number;
  totals: Readonly<Totals>;
  finish?: string | undefined;
}

export function assistantInfo(message: MessageState): JsonObject {
  const { totals } = message;
  const total = totals.input + totals.output;
  const [providerID, modelID] = splitModel(message.model);
  return {
    id: message.id,
    sessionID: message.session,
    role: 'assistant',
    time: { created: message.created, ...(message.completed === undefined ? {} : { completed: message.completed }) },
    parentID: message.parent,
    modelID,
    providerID,
    mode: 'build',
    path: { cwd: message.cwd, root: message.cwd },
    cost: totals.cost,
    tokens: {
      // The seed's total is input + output, so both are written with all they hold; this field tells a reader so.
      ...(total === 0 ? {} : { total }),
      input: totals.input,
      output: totals.output,
      reasoning: totals.reasoning,
      cache: { read: totals.cacheRead, write: totals.cacheWrite },
    },
    ...(message.finish === undefined ? {} : { finish: message.finish }),
  };
}

const finishWords: Partial<Record<FinishReason, string>> = {
  stop: 'stop',
  tool_calls: 'tool-calls',
  length: 'length',
  content_filter: 'content-filter',
  error: 'error',
  aborted: 'error',
};

export function finishWord(event: EventOf<'turn.completed'>): string | undefined {
  return (event.finish_reason === undefined ? undefined : finishWords[event.finish_reason]) ?? event.raw_finish_reason;
}

/** The state of a tool part that has ended. */
export function endedState(start: EventOf<'item.started'>, end: EventOf<'item.completed'>, from: number, to: number): JsonObject {
  const time = { start: from, end: from > 0 && end.duration_ms !== undefined ? from + end.duration_ms : Math.max(from, to) };
  const input = start.args;
  const output = asText(end.output);
  const failedCommand = end.status === 'error' && end.error === undefined && end.exit_code !== undefined && end.exit_code !== 0;
  if (end.status === 'success' || failedCommand || (end.status === 'error' && start.name === 'invalid')) {
    const metadata: JsonObject =
      end.exit_code === undefined || (end.status === 'success' && end.exit_code !== 0) ? {} : { exit: end.exit_code };
    return { status: 'completed', input, output, title: end.summary ?? start.name, metadata, time };
  }
  const said = end.error ?? output;
  switch (end.status) {
    case 'denied':
      return { status: 'error', input, error: isRefusal(said) ? said : refusalText(said), metadata: {}, time };
    case 'cancelled':
    case 'abandoned':
      return { status: 'error', input, error: said === '' ? 'Tool execution aborted' : said, metadata: { interrupted: true }, time };
    default:
      return { status: 'error', input, error: isRefusal(said) ? `Error: ${said}` : said, metadata: {}, time };
  }
}

function refusalText(said: string): string {
  return `The user rejected permission to use this specific tool call.${said === '' ? '' : ` ${said}`}`;
}

const changeWords = { created: 'added', modified: 'modified', deleted: 'deleted' } as const;

export function fileDiff(event: EventOf<'file.edited'>): JsonObject {
  return {
    file: event.path,
    ...sidesOf(event.diff),
    ...(event.additions === undefined ? {} : { additions: event.additions }),
    ...(event.deletions === undefined ? {} : { deletions: event.deletions }),
    ...(event.diff === undefined ? {} : { patch: event.diff }),
    status: changeWords[event.operation],
  };
}

/** What a unified diff shows of the two contents. */
function sidesOf(diff: string | undefined): { before: string; after: string } {
  const before: string[] = [];
  const after: string[] = [];
  let inside = false;
  for (const line of (diff ?? '').split('\n')) {
    if (line.startsWith('@@')) inside = true;
    else if (!inside) continue;
    else if (line.startsWith('-')) before.push(line.slice(1));
    else if (line.startsWith('+')) after.push(line.slice(1));
    else if (line.startsWith(' ')) {
      before.push(line.slice(1));
      after.push(line.slice(1));
    }
  }
  return { before: before.join('\n'), after: after.join('\n') };
}

/** A tool call that has begun, and where it is written. */
export interface OpenItem {
  start: EventOf<'item.started'>;
  session: string;
  message: string;
  part: string;
  from: number;
  output: string;
  /** The session of the sub-agent that works for this call, and its latest message. */
  child?: { session: string; message: string };
}

export function runningState(item: OpenItem): JsonObject {
  return {
    status: 'running',
    input: item.start.args,
    title: item.start.name,
    metadata: {
      ...(item.output === '' ? {} : { output: item.output }),
      ...(item.child === undefined ? {} : { sessionId: item.child.session }),
    },
    time: { start: item.from },
  };
}

export function splitModel(model: string | undefined): [string, string] {
  const slash = model?.indexOf('/') ?? -1;
  return [slash === -1 ? '' : (model?.slice(0, slash) ?? ''), model?.slice(slash + 1) ?? ''];
}

const names = new Map(
  Object.entries(codeOfName)
    .filter(([name]) => name.endsWith('Error'))
    .map(([name, code]) => [code, name]),
);

export function errorName(code: ErrorCode | undefined): string {
  return (code === undefined ? undefined : names.get(code)) ?? 'UnknownError';
}

export const codeOfLimit: Record<EventOf<'limit.reached'>['limit'], ErrorCode> = {
  turns: 'turn_limit',
  tool_calls: 'turn_limit',
  cost: 'cost_limit',
  tokens: 'cost_limit',
  time: 'time_limit',
  idle: 'time_limit',
  first_event: 'time_limit',
};

export function errorOf(event: EventOf<'error'>): JsonObject {
  const data: Record<string, Json> = { message: event.message };
  if (event.http_status !== undefined) data.statusCode = event.http_status;
  if (event.retryable !== undefined) data.isRetryable = event.retryable;
  return { name: event.name ?? errorName(event.code), message: event.message, ...(Object.keys(data).length > 1 ? { data } : {}) };
}
