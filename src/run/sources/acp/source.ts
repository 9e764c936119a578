import { acp, liveAcp } from '../../../dialects/acp/index.ts';
import type { JsonObject } from '../../../dialects/dialect.ts';
import type { AskPerson } from '../../../builtin/permissions/question.ts';
import type { PermissionRules } from '../../../builtin/permissions/rules.ts';
import { Failure } from '../../../failure.ts';
import { Lines } from '../../../jsonrpc/lines.ts';
import { methodNotFound, parseLine, Peer, RpcError } from '../../../jsonrpc/peer.ts';
import { LineDecoder } from '../../../pipeline/line-decoder.ts';
import type { ProcessEnd } from '../../../pipeline/thread.ts';
import { patient } from '../../../processes/patience.ts';
import { supervise } from '../../../processes/supervise.ts';
import type { ProcessOrder, Supervised } from '../../../processes/supervised.ts';
import { processEnd } from '../process-end.ts';
import { continuePrompt } from '../resuming.ts';
import type { Attempt, Out, Source } from '../source.ts';
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

  constructor(options: AcpSourceOptions) {
    this.#options = options;
  }

  get canResume(): boolean {
    return this.#canResume;
  }

  async produce({ resume, out, stop }: Attempt): Promise<ProcessEnd> {
    const { ask, rules, person, launch } = this.#options;
    const judge = new Judge({ rules, cwd: ask.cwd, ask: person, signal: stop.signal });
    const line = new Line(out, judge, ask.model);
    const child = await supervise({ ...launch(), stdin: undefined, talks: true, onStdout: line.stdout, onStderr: line.stderr });
    line.connect(child);
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
      stop.signal.removeEventListener('abort', end);
    }
    const ended = await child.ended;
    if (ended.listener_error !== undefined) throw ended.listener_error;
    const process = processEnd(ended);
    line.end(process);
    return process;
  }
}

/** The messages in both directions: passed to the decoder as one log, and to the peer that answers them. */
class Line {
  readonly peer: Peer;
  readonly #out: Out;
  readonly #decoder: LineDecoder;
  readonly #lines: Lines;
  #child: Supervised | undefined;
  /** Messages that we sent while the agent was in the middle of a line. */
  #held: string[] = [];
  #writer: 'client' | 'agent' = 'agent';

  constructor(out: Out, judge: Judge, model: string | undefined) {
    this.#out = out;
    this.peer = new Peer((message) => this.#send(message), {
      request(method, params) {
        if (method === 'session/request_permission') return judge.answer(params);
        throw new RpcError(methodNotFound, `${method}: not offered by this client`);
      },
      notification: () => {},
    });
    const heard: Out = {
      ...out,
      get isExplained() {
        return out.isExplained;
      },
      emit(draft, origin) {
        judge.see(draft);
        // A session starts with the agent's default model, and is then switched to the requested one.
        out.emit(draft.type === 'thread.started' && model !== undefined ? { ...draft, model } : draft, origin);
      },
    };
    this.#decoder = new LineDecoder(heard, { live: true, dialect: liveAcp(() => this.#writer), onDialect: (known) => out.speaks(known) });
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
    const told = this.#out.heard('stdout', chunk);
    for (let from = 0; from < chunk.length;) {
      const end = chunk.indexOf(10, from);
      const piece = chunk.subarray(from, end === -1 ? chunk.length : end + 1);
      from += piece.length;
      this.#decoder.stdout(piece);
      this.#lines.push(piece);
      if (this.#held.length > 0) this.#tellHeld();
    }
    return told;
  };

  readonly stderr = (chunk: Uint8Array): Promise<void> | undefined => {
    this.#decoder.stderr(chunk);
    return this.#out.heard('stderr', chunk);
  };

  end(process: ProcessEnd): void {
    this.#decoder.end(process);
  }

  #hear(line: Uint8Array): void {
    // Updates, which are most of what an agent sends, concern only the decoder.
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
    this.#writer = 'client';
    for (const text of held) this.#decoder.stdout(new TextEncoder().encode(text));
    this.#writer = 'agent';
  }
}

function hasId(line: Uint8Array): boolean {
  return Buffer.from(line.buffer, line.byteOffset, line.length).includes('"id"');
}
