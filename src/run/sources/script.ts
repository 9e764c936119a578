import type { Draft } from '../../events/event.ts';
import type { Project } from '../git.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { inTime } from './in-time.ts';
import type { Attempt, Source } from './source.ts';

/** What a script is given: no model, no tools. */
export interface ScriptWork {
  prompt: string;
  cwd: string;
  projectName: string;
  parentBranchId: string;
  signal: AbortSignal;
}

/** Work that is directed by our own code and reported as drafts, like any other. */
export type Script = (work: ScriptWork, emit: (draft: Draft) => void) => Promise<void>;

export class ScriptSource implements Source {
  readonly dialect = 'runwire';
  readonly canResume = false;
  readonly #script: Script;
  readonly #work: Omit<ScriptWork, 'signal'>;

  constructor(script: Script, { prompt, cwd }: RunSpec, place: Project) {
    this.#script = script;
    this.#work = { prompt, cwd, ...place };
  }

  async produce(attempt: Attempt): Promise<undefined> {
    const work = { ...this.#work, signal: attempt.stop.signal };
    await inTime(
      this.#script(work, (draft) => attempt.emit(draft)),
      attempt,
    );
  }
}
