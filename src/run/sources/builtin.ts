import type { AgentOptions, RunAgent } from '../../builtin/agent.ts';
import { ownLimits } from '../../contract/requested.ts';
import type { OwnLimits } from '../../contract/spec.ts';
import { continuePrompt } from './resuming.ts';
import { inTime } from './in-time.ts';
import type { Attempt, Source } from './source.ts';

type Options = Omit<AgentOptions, 'signal'>;

/** The agent that comes with Runwire: it runs in this process, so its events need no decoding. */
export class BuiltInSource implements Source {
  readonly dialect = 'runwire';
  readonly canResume = true;
  readonly #readOptions: () => Promise<Options>;
  readonly #load: () => Promise<RunAgent>;
  readonly #lifted = new Set<keyof OwnLimits>();
  #options: Promise<Options> | undefined;
  #agent: Promise<RunAgent> | undefined;

  constructor(readOptions: () => Promise<Options>, load: () => Promise<RunAgent> = loadBuiltIn) {
    this.#readOptions = readOptions;
    this.#load = load;
  }

  lift(limits: Partial<OwnLimits>): void {
    for (const name of Object.keys(limits)) this.#lifted.add(name as keyof OwnLimits);
  }

  async produce(attempt: Attempt): Promise<undefined> {
    const { resume, left, stop } = attempt;
    const work = async (): Promise<void> => {
      // Read once: what the agent writes into a config file must not affect its own next attempt.
      const options = await (this.#options ??= this.#readOptions());
      const runAgent = await (this.#agent ??= this.#load());
      const continued = resume === undefined ? {} : { resume, prompt: continuePrompt };
      await runAgent(
        {
          ...options,
          ...continued,
          ...ownLimits(left),
          signal: stop.signal,
          calls: stop.calls,
          ready: () => stop.standstill.over(),
          lifted: this.#lifted,
        },
        (draft) => attempt.emit(draft),
      );
    };
    const working = work();
    await inTime(working, attempt);
    if (stop.settles) await Promise.race([working, aborted(stop.calls)]);
  }
}

/** With a moment for what is left to say. */
async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await new Promise((resolve) => setImmediate(resolve));
}

/** Loaded when everything else is ready, so that the first line is printed before the model client is loaded. */
const loadBuiltIn = async (): Promise<RunAgent> => (await import('../../builtin/agent.ts')).runAgent;
