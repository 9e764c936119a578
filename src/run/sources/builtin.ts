import type { AgentOptions, RunAgent } from '../../builtin/agent.ts';
import type { Attempt, Source } from '../perform.ts';
import { continuePrompt } from './resuming.ts';

/** The agent that comes with Runwire: no process of its own, so its events come as they are. */
export class BuiltInSource implements Source {
  readonly dialect = 'runwire';
  readonly canResume = true;
  readonly #load: () => Promise<RunAgent>;
  readonly #options: (signal: AbortSignal) => Promise<AgentOptions>;

  constructor(options: (signal: AbortSignal) => Promise<AgentOptions>, load: () => Promise<RunAgent> = loadBuiltIn) {
    this.#options = options;
    this.#load = load;
  }

  async attempt({ resume, stop, emit }: Attempt): Promise<undefined> {
    const work = async (): Promise<void> => {
      const options = await this.#options(stop.signal);
      const runAgent = await this.#load();
      await runAgent(resume === undefined ? options : { ...options, resume, prompt: continuePrompt }, emit);
    };
    await Promise.race([work(), stop.overdue]);
  }
}

/** Loaded when everything else is ready: the first line is out before the model's client is in. */
const loadBuiltIn = async (): Promise<RunAgent> => (await import('../../builtin/agent.ts')).runAgent;
