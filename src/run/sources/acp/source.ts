import { acp, liveAcp } from '../../../dialects/acp/index.ts';
import type { JsonObject } from '../../../json/json.ts';
import type { AskPerson } from '../../../builtin/permissions/question.ts';
import type { PermissionRules } from '../../../builtin/permissions/rules.ts';
import { Failure } from '../../../failure.ts';
import { Lines } from '../../../jsonrpc/lines.ts';
import { methodNotFound, parseLine, Peer, RpcError } from '../../../jsonrpc/peer.ts';
import type { Draft } from '../../../events/event.ts';
import type { Reader } from '../../../pipeline/reader.ts';
import type { ProcessEnd } from '../../../pipeline/thread.ts';
import { patient } from '../../../processes/patience.ts';
import { supervise } from '../../../processes/supervise.ts';
import type { ProcessOrder, Supervised } from '../../../processes/supervised.ts';
import { processEnd } from '../process-end.ts';
import { continuePrompt } from '../resuming.ts';
import type { Attempt, Source } from '../source.ts';
import { Dialogue, type DialogueAsk } from './dialogue.ts';
import { Judge } from './judge.ts';

/** How long an agent may take to exit after its stdin has ended, and to confirm that it was cancelled. */
const leaveMs = patient(2000);
/** The most that may wait for an agent that keeps sending requests and does not read the answers. */
const mostUnread = 64 * 1024 * 1024;

interface AcpSourceOptions {
  launch(): Omit<ProcessOrder, 'stdin' | 'talks' | 'onStdout' | 'onStderr'>;
  ask: DialogueAsk;
  rules: PermissionRules;
  /** Asked about actions that no rule allows or denies. */
  person: AskPerson | undefined;
}

/** An agent that speaks ACP: a process with a two-way connection. */
export class AcpSource implements Source {
  readonly dialect = acp.id;
  readonly #options: AcpSourceOptions;
  #canResume = false;
  #judge: Judge | undefined;

  constructor(options: AcpSourceOptions) {
    this.#options = options;
  }

  get canResume(): boolean {
    return this.#canResume;
  }

  correct(draft: Draft): Draft {
    const { model } = this.#options.ask;
    this.#judge?.see(draft);
    // A session starts with the agent's default model, and is then switched to the requested one.
    return draft.type === 'thread.started' && model !== undefined ? { ...draft, model } : draft;
  }

  async produce(attempt: Attempt): Promise<ProcessEnd> {
    const { resume, stop } = attempt;
    const { ask, rules, person, launch } = this.#options;
    const judge = new Judge({ rules, cwd: ask.cwd, ask: person, signal: stop.signal });
    this.#judge = judge;
    const speaker: Speaker = { is: 'agent' };
    const reader = await attempt.reader({ dialect: liveAcp(() => speaker.is) });
    const line = new Line({ attempt, reader, speaker, judge });
    const child = await supervise({
      ...launch(),
      stdin: undefined,
      talks: true,
      onStdout: line.stdout,
      onStderr: line.stderr,
    });
    line.connect(child);
    const forget = stop.standstill.listen({ stopped: () => child.freeze(), goesOn: () => child.thaw() });
    const dialogue = new Dialogue(line.peer, resume === undefined ? ask : { ...ask, resume, prompt: continuePrompt });
    const signal = (): 'SIGINT' | 'SIGTERM' => (stop.cause?.kind === 'signal' ? stop.cause.signal : 'SIGINT');
    const end = (): void => {
      if (dialogue.cancel()) setTimeout(() => child.stop(signal()), leaveMs).unref();
      else child.stop(signal());
    };
    if (stop.signal.aborted) end();
    else stop.signal.addEventListener('abort', end, { once: true });
    void stop.overdue.then(() => child.kill());
    void child.ended.then(() => line.peer.close(new RpcError(0, 'the agent has ended')));
    try {
      await dialogue.run();
    } finally {
      this.#canResume = dialogue.canResume;
      if (stop.signal.aborted) child.stop(signal());
      child.hangUp();
      const late = setTimeout(() => child.stop('SIGTERM'), leaveMs);
      await child.ended;
      clearTimeout(late);
      forget();
      stop.signal.removeEventListener('abort', end);
    }
    const ended = await child.ended;
    if (ended.listener_error !== undefined) throw ended.listener_error;
    const process = processEnd(ended);
    reader.endInput(process);
    return process;
  }
}

/** Who wrote the line that is being read. */
interface Speaker {
  is: 'client' | 'agent';
}

interface LineParts {
  attempt: Attempt;
  reader: Reader;
  speaker: Speaker;
  judge: Judge;
}

/** The messages in both directions: passed to the reader as one log, and to the peer that answers them. */
class Line {
  readonly peer: Peer;
  readonly #parts: LineParts;
  readonly #lines: Lines;
  #child: Supervised | undefined;
  /** Messages that we sent while the agent was in the middle of a line. */
  #held: string[] = [];

  constructor(parts: LineParts) {
    this.#parts = parts;
    this.peer = new Peer((message) => this.#send(message), {
      request(method, params) {
        if (method === 'session/request_permission') return parts.judge.answer(params);
        throw new RpcError(methodNotFound, `${method}: not offered by this client`);
      },
      notification: () => {},
    });
    this.#lines = new Lines(
      (line) => this.#hear(line),
      () => {},
    );
  }

  connect(child: Supervised): void {
    this.#child = child;
  }

  /** Line by line: each request is decoded before it is answered. */
  readonly stdout = (chunk: Uint8Array): Promise<void> | undefined => {
    const { attempt, reader } = this.#parts;
    const taken = attempt.heard('stdout', chunk);
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(10, from);
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end + 1);
      from += piece.length;
      reader.stdout(piece);
      this.#lines.push(piece);
      if (this.#held.length > 0) this.#tellHeld();
    }
    return taken;
  };

  readonly stderr = (chunk: Uint8Array): Promise<void> | undefined => {
    const { attempt, reader } = this.#parts;
    reader.stderr(chunk);
    return attempt.heard('stderr', chunk);
  };

  #hear(line: Uint8Array): void {
    // Updates, which are most of what an agent sends, concern only the reader.
    if (!hasId(line)) return;
    const message = parseLine(line);
    if (message !== undefined) this.peer.receive(message);
  }

  #send(message: JsonObject): void {
    const text = `${JSON.stringify(message)}\n`;
    const unread = this.#child?.send(text) ?? 0;
    if (unread > mostUnread) {
      this.#child?.kill();
      this.peer.close(new Failure('incomplete', 'the agent does not read the answers to its requests'));
      return;
    }
    this.#held.push(text);
    if (this.#lines.isBetweenLines) this.#tellHeld();
  }

  #tellHeld(): void {
    if (!this.#lines.isBetweenLines) return;
    const held = this.#held;
    this.#held = [];
    const { reader, speaker } = this.#parts;
    speaker.is = 'client';
    for (const text of held) reader.stdout(new TextEncoder().encode(text));
    speaker.is = 'agent';
  }
}

function hasId(line: Uint8Array): boolean {
  return Buffer.from(line.buffer, line.byteOffset, line.length).includes('"id"');
}
