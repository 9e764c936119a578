import type { AskPerson } from '../builtin/permissions/question.ts';
import { writeEnding } from '../dialects/acp/write/ending.ts';
import { Updates } from '../dialects/acp/write/updates.ts';
import { Claims } from '../dialects/kit/claims.ts';
import type { JsonObject } from '../json/json.ts';
import { filled, list } from '../json/read.ts';
import type { EventOf, EventRecord } from '../events/event.ts';
import { Failure } from '../failure.ts';
import { codeOfClass } from '../outcome/faults.ts';
import { invalidParams, invalidRequest, methodNotFound, Peer, type RequestId, RpcError } from '../jsonrpc/peer.ts';
import { newId } from '../ids/new-id.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { reportOf } from '../outcome/report.ts';
import type { Run } from '../run/handle.ts';
import type { Sink } from '../run/sinks/sink.ts';
import { version } from '../version.ts';
import type { PermissionMode } from '../words/vocabulary.ts';
import { quoted } from '../redact/quoted.ts';
import { promptOf } from './prompt.ts';
import { questionsOver } from './questions.ts';

/** How many sessions a client may have open. */
const mostSessions = 1000;

/** What one prompt of a session asks for. */
interface Prompted {
  sessionId: string;
  prompt: string;
  cwd: string;
  directories: readonly string[];
  mode: PermissionMode;
  /** The agent's own session to resume. */
  resume: string | undefined;
}

/** What is stored about a session of an earlier process. */
export interface Remembered {
  agentSession: string;
  records: AsyncIterable<EventRecord>;
  /** To be called whether the records were read or not. */
  close(): Promise<void>;
}

export interface AcpAgentOptions {
  /** The name of the agent behind this one. */
  title: string;
  modes: readonly PermissionMode[];
  mode: PermissionMode;
  /** Whether it can resume a session of its own. */
  canResume: boolean;
  /** Throws `Failure` when there is no such folder. */
  checkFolder(path: string): void;
  start(prompted: Prompted, sink: Sink, person: AskPerson): Run;
  /** Undefined: the session is unknown. */
  remember(sessionId: string): Promise<Remembered | undefined>;
  send(message: JsonObject): void;
  /** Pending while the client cannot keep up. */
  ready(): Promise<void> | undefined;
  warn(sentence: string): void;
}

interface Session {
  id: string;
  cwd: string;
  directories: readonly string[];
  mode: PermissionMode;
  agentSession: string | undefined;
  /** The prompt that is being worked on. */
  work: { run: Run; request: RequestId } | undefined;
  prompts: number;
}

/** Runwire as an ACP agent: each prompt is a run, of whichever agent. */
export class AcpAgent {
  readonly peer: Peer;
  readonly #options: AcpAgentOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: AcpAgentOptions) {
    this.#options = options;
    this.peer = new Peer(options.send, {
      request: (method, params, id) => this.#request(method, params, id),
      notification: (method, params) => this.#notification(method, params),
    });
  }

  /** The client has disconnected, so all work is cancelled. Settles when all of it has ended. */
  async close(): Promise<void> {
    this.peer.close(new Error('the client is gone'));
    const runs = [...this.#sessions.values()].flatMap(({ work }) => (work === undefined ? [] : [work.run]));
    for (const run of runs) run.cancel();
    await Promise.allSettled(runs.map((run) => run.outcome));
  }

  #request(method: string, params: JsonObject, id: RequestId): JsonObject | Promise<JsonObject> {
    switch (method) {
      case 'initialize':
        return this.#introduce();
      case 'authenticate':
        return {};
      case 'session/new':
        return this.#open(newId(), params);
      case 'session/load':
        return this.#resume(params, true);
      case 'session/resume':
        return this.#resume(params, false);
      case 'session/set_mode':
        return this.#setMode(this.#session(params), params);
      case 'session/prompt':
        return this.#prompt(this.#session(params), params, id);
      default:
        throw new RpcError(methodNotFound, `unknown method ${quoted(method, 100)}`);
    }
  }

  #notification(method: string, params: JsonObject): void {
    const cause = { kind: 'signal', signal: 'SIGINT' } as const;
    if (method === 'session/cancel') this.#sessions.get(filled(params.sessionId) ?? '')?.work?.run.cancel(cause);
    if (method !== '$/cancel_request') return;
    for (const { work } of this.#sessions.values())
      if (work !== undefined && work.request === params.requestId) work.run.cancel(cause);
  }

  #introduce(): JsonObject {
    const { title, canResume } = this.#options;
    return {
      protocolVersion: 1,
      agentInfo: { name: 'runwire', title: `Runwire: ${title}`, version },
      agentCapabilities: {
        loadSession: canResume,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { additionalDirectories: {}, ...(canResume ? { resume: {} } : {}) },
      },
      authMethods: [],
    };
  }

  #open(id: string, { cwd, additionalDirectories, mcpServers }: JsonObject, agentSession?: string): JsonObject {
    const { warn, mode } = this.#options;
    if (!this.#sessions.has(id) && this.#sessions.size >= mostSessions)
      throw new RpcError(invalidRequest, `no more than ${mostSessions} sessions at once`);
    const folders = [cwd, ...list(additionalDirectories)].map((each) => this.#folder(filled(each)));
    const servers = list(mcpServers).length;
    if (servers > 0)
      warn(
        `the editor's ${servers} MCP server${servers === 1 ? '' : 's'} cannot be passed on; set up MCP servers in the agent's own configuration`,
      );
    const [place = '', ...directories] = folders;
    this.#sessions.set(id, { id, cwd: place, directories, mode, agentSession, work: undefined, prompts: 0 });
    return { sessionId: id, ...this.#modes(mode) };
  }

  #folder(path: string | undefined): string {
    if (path === undefined || !path.startsWith('/') || path.includes('\0'))
      throw new RpcError(invalidParams, 'a folder has an absolute path');
    try {
      this.#options.checkFolder(path);
    } catch (error) {
      throw error instanceof Failure ? new RpcError(invalidParams, error.message) : error;
    }
    return path;
  }

  #modes(current: PermissionMode): JsonObject {
    const { modes } = this.#options;
    const availableModes = modes.map((id) => ({
      id,
      name: modeWords[id].name,
      description: modeWords[id].description,
    }));
    return { modes: { currentModeId: current, availableModes } };
  }

  async #resume(params: JsonObject, tells: boolean): Promise<JsonObject> {
    const id = filled(params.sessionId);
    const known = id === undefined ? undefined : this.#sessions.get(id);
    if (known?.work !== undefined)
      throw new RpcError(invalidRequest, 'a prompt of this session is still being worked on');
    const remembered = id === undefined || !this.#options.canResume ? undefined : await this.#options.remember(id);
    try {
      if (id === undefined || (remembered === undefined && known === undefined))
        throw new RpcError(invalidParams, 'there is no such session, or its agent cannot resume one');
      // A prompt may have arrived while the ledger was being read.
      const now = this.#sessions.get(id);
      if (now?.work !== undefined)
        throw new RpcError(invalidRequest, 'a prompt of this session is still being worked on');
      const { sessionId: _id, ...opened } = this.#open(id, params, remembered?.agentSession ?? now?.agentSession);
      if (tells && remembered !== undefined) await this.#retell(id, remembered.records);
      return opened;
    } finally {
      await remembered?.close();
    }
  }

  /** Replays earlier prompts and answers. */
  async #retell(sessionId: string, records: AsyncIterable<EventRecord>): Promise<void> {
    const updates = this.#updates(sessionId);
    for await (const record of records) {
      if (record.type === 'prompt.submitted')
        this.#update(sessionId, { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: record.text } });
      else if (isTold.has(record.type)) updates.record(record);
      await this.#options.ready();
    }
  }

  #setMode(session: Session, { modeId }: JsonObject): JsonObject {
    const mode = this.#options.modes.find((each) => each === modeId);
    if (mode === undefined)
      throw new RpcError(invalidParams, `there is no such mode; there are: ${this.#options.modes.join(', ')}`);
    session.mode = mode;
    return {};
  }

  #session({ sessionId }: JsonObject): Session {
    const session = this.#sessions.get(filled(sessionId) ?? '');
    if (session === undefined) throw new RpcError(invalidParams, 'there is no such session');
    return session;
  }

  async #prompt(session: Session, { prompt: blocks }: JsonObject, request: RequestId): Promise<JsonObject> {
    if (session.work !== undefined)
      throw new RpcError(invalidRequest, 'a prompt of this session is still being worked on');
    const { id, cwd, directories, mode, agentSession } = session;
    const { canResume, warn, title } = this.#options;
    if (session.prompts > 0 && !canResume)
      warn(`${title} cannot resume a session: it does not know what was said before`);
    const updates = this.#updates(id);
    const claims = new Claims(undefined);
    const sink: Sink = {
      record(record) {
        claims.see(record);
        updates.record(record);
      },
      ready: () => this.#options.ready(),
    };
    const prompted = {
      sessionId: id,
      prompt: promptOf(blocks),
      cwd,
      directories,
      mode,
      resume: canResume ? agentSession : undefined,
    };
    const run = this.#options.start(prompted, sink, questionsOver(this.peer, id));
    session.work = { run, request };
    session.prompts += 1;
    try {
      const outcome = await run.outcome;
      if (outcome.session_id !== '') session.agentSession = outcome.session_id;
      return resultOf(claims.claimOf(outcome), outcome);
    } catch (error) {
      throw error instanceof Failure ? new RpcError(invalidParams, error.message) : error;
    } finally {
      session.work = undefined;
    }
  }

  #updates(sessionId: string): Updates {
    return new Updates({ update: (update) => this.#update(sessionId, update), lose: () => {} });
  }

  #update(sessionId: string, update: JsonObject): void {
    this.peer.notify('session/update', { sessionId, update });
  }
}

/** What was said and done; what a run cost is not worth repeating in a replay. */
const isTold: ReadonlySet<EventRecord['type']> = new Set<EventRecord['type']>([
  'thread.started',
  'text.delta',
  'reasoning.delta',
  'item.started',
  'item.completed',
  'file.edited',
]);

const modeWords: Record<PermissionMode, { name: string; description: string }> = {
  'read-only': { name: 'Read only', description: 'Looks, and changes nothing' },
  edit: { name: 'Edit', description: 'Changes files of the folder; commands are asked for where the agent can ask' },
  full: { name: 'Full', description: 'Does everything without asking' },
};

/** The response to a prompt: the verdict and everything else that is known is in `_meta.runwire.outcome`. Throws `RpcError` for a run that failed. */
function resultOf(claim: EventOf<'agent.finished'> | undefined, outcome: RunOutcome): JsonObject {
  const why = outcome.error_details?.message ?? outcome.verdict.evidence[0]?.detail ?? outcome.verdict.class;
  const answer = writeEnding(claim ?? unclaimed(outcome), why, { outcome: reportOf(outcome) });
  if ('result' in answer) return answer.result;
  const { code, message, data } = answer.error;
  throw new RpcError(Number(code), String(message), data);
}

function unclaimed({ verdict }: RunOutcome): EventOf<'agent.finished'> {
  if (verdict.class === 'success') return { type: 'agent.finished', status: 'ok' };
  if (verdict.class === 'cancelled') return { type: 'agent.finished', status: 'cancelled' };
  return { type: 'agent.finished', status: 'failed', code: verdict.code ?? codeOfClass[verdict.class] };
}
