import type { SessionTotals } from '../../agents/session-meter.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import type { JsonObject } from '../../json/json.ts';
import type { Draft } from '../../events/event.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';
import { present } from '../../json/present.ts';
import { supervise } from '../../processes/supervise.ts';
import type { ProcessOrder } from '../../processes/supervised.ts';
import { settleMs } from '../stop.ts';
import { processEnd } from './process-end.ts';
import { settleSignal } from './settling.ts';
import type { Attempt, Source } from './source.ts';

/** How to start a process once. */
type Launch = Omit<ProcessOrder, 'onStdout' | 'onStderr'>;

export interface ProcessSourceOptions {
  /** Called before every start; `resume` is the session to resume. Throws `Failure` when it cannot be started. */
  launch(resume: string | undefined, left: Attempt['left']): Launch;
  /** Unset: detected from the first lines. */
  dialect?: Dialect | undefined;
  canResume: boolean;
  /** Reads the agent's own session files, for an agent that reports no usage while it runs. */
  meter?: (() => Promise<SessionTotals | undefined>) | undefined;
  /** The built-in agent in a process of its own: it can be told that its money is used up. */
  settles?: true;
  /** The last total in the file of the session that is resumed, for an agent that adds to it; undefined: no session is. */
  findTotal?: ((resume: string | undefined) => Promise<{ total: JsonObject | undefined } | undefined>) | undefined;
  /** The messages in the file of a session, for an agent that prints only the beginning of those that are cut off. */
  messagesOf?: ((session: string) => AsyncIterable<JsonObject>) | undefined;
  /** Finds the model of a session, for an agent that does not print it and was not told which to use. */
  findModel?: ((session: string) => Promise<string | undefined>) | undefined;
}

/** Of a process whose output nobody can read. */
export const unknownDialect = 'unknown';

const lookEveryMs = 1000;

/** An agent that is a process: started, supervised, and read. */
export class ProcessSource implements Source {
  readonly #options: ProcessSourceOptions;
  #dialect: Dialect | undefined;

  constructor(options: ProcessSourceOptions) {
    this.#options = options;
    this.#dialect = options.dialect;
  }

  get dialect(): string {
    return this.#dialect?.id ?? unknownDialect;
  }

  get canResume(): boolean {
    return this.#options.canResume;
  }

  async produce(attempt: Attempt): Promise<ProcessEnd> {
    const { resume, left, stop } = attempt;
    const { dialect, findModel, findTotal, messagesOf, settles } = this.#options;
    const resumed = await findTotal?.(resume);
    const reader = await attempt.reader({ resumed, ...present({ dialect }) });
    const hear = (stream: 'stdout' | 'stderr') => (chunk: Uint8Array) => {
      reader[stream](chunk);
      return attempt.heard(stream, chunk);
    };
    const order = { ...this.#options.launch(resume, left), onStdout: hear('stdout'), onStderr: hear('stderr') };
    const child = await supervise(order, settles === undefined ? {} : { stop: settleMs });
    const isSettling = (): boolean => settles !== undefined && stop.settles;
    const end = (): void =>
      child.stop(stop.cause?.kind === 'signal' ? stop.cause.signal : isSettling() ? settleSignal : 'SIGINT');
    if (stop.signal.aborted) end();
    else stop.signal.addEventListener('abort', end, { once: true });
    void stop.overdue.then(() => (isSettling() ? undefined : child.kill()));
    stop.calls.addEventListener('abort', () => (isSettling() ? child.kill() : undefined), { once: true });
    const forget = stop.standstill.listen({ stopped: () => child.freeze(), goesOn: () => child.thaw() });
    const meter = this.#follow(attempt);
    const ended = await child.ended;
    forget();
    await meter.end();
    stop.signal.removeEventListener('abort', end);
    if (ended.listener_error !== undefined) throw ended.listener_error;
    const process = processEnd(ended);
    if (messagesOf !== undefined && attempt.session !== undefined && reader.isCut)
      for await (const wire of messagesOf(attempt.session)) reader.complete(wire);
    reader.endInput(process);
    this.#dialect = reader.dialect;
    const model = attempt.session === undefined ? undefined : await findModel?.(attempt.session);
    if (model !== undefined) attempt.emit({ type: 'usage.reported', scope: 'step', model });
    return process;
  }

  /** One look at a time; the last one after the agent has exited. */
  #follow(attempt: Attempt): { end(): Promise<void> } {
    const { meter } = this.#options;
    if (meter === undefined) return { end: async () => {} };
    let looking: Promise<void> | undefined;
    const timer = setInterval(() => {
      looking ??= meter()
        .then((totals) => (totals === undefined ? undefined : attempt.counted(totals)))
        .finally(() => (looking = undefined));
    }, lookEveryMs);
    return {
      async end() {
        clearInterval(timer);
        await looking;
        const totals = await meter();
        if (totals === undefined) return;
        attempt.counted({ ...totals, isFinal: true });
        attempt.emit(usageOf(totals));
      },
    };
  }
}

function usageOf(totals: SessionTotals): Draft {
  const { inputTokens: input_tokens, outputTokens: output_tokens, cacheReadTokens, costUsd } = totals;
  const cache: Pick<Draft & { type: 'usage.reported' }, 'cache_read_tokens' | 'cache_is'> =
    cacheReadTokens === undefined ? { cache_is: 'unknown' } : { cache_read_tokens: cacheReadTokens };
  const rest = { ...cache, ...present({ cost_usd: costUsd }) };
  return { type: 'usage.reported', scope: 'thread', input_tokens, output_tokens, ...rest };
}
