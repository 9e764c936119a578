import type { Dialect, Origin } from '../../dialects/dialect.ts';
import type { Draft, EventOf } from '../../events/event.ts';
import type { DraftSink } from '../../pipeline/line-decoder.ts';
import type { SessionTotals } from '../../agents/session-meter.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Limits } from '../spec.ts';
import type { Stop } from '../stop.ts';

/** Something that makes events: the built-in agent, a process, an agent of ACP, a script. It only emits, and ends. A tape is read, not run: `Reader`. */
export interface Source {
  /** The dialect that the events were read from. */
  readonly dialect: string;
  /** Whether a session can be resumed. */
  readonly canResume: boolean;
  /** Runs the agent once, to its end; soon after `stop` it is over. Throws `Failure` when it cannot begin. */
  produce(attempt: Attempt): Promise<ProcessEnd | undefined>;
  /** Where it works, if that is a private copy. */
  readonly workspace?: Workspace | undefined;
  /** When no more attempts follow: nothing of it is left. */
  close?(): Promise<void>;
}

/** What a source is given for one start of its agent. */
export interface Attempt {
  /** A session to resume. */
  resume: string | undefined;
  /** What is left of the limits of the run, for agents that keep these by themselves. */
  left: Pick<Limits, 'max_turns' | 'max_cost_usd'>;
  /** Where its words go; once the attempt is over they go nowhere. */
  out: Out;
  stop: Stop;
}

export interface Out extends DraftSink {
  emit(draft: Draft, origin?: Origin): void;
  /** What the agent speaks, as soon as it is known. */
  speaks(dialect: Dialect): void;
  /** What the agent's own books say: so far, or when it is gone. */
  counted(totals: SessionTotals): void;
  /** Bytes that were read; while the answer is pending, no more can be taken. */
  heard(stream: 'stdout' | 'stderr', chunk: Uint8Array): Promise<void> | undefined;
}

/** What is known of an agent before it speaks. */
export type Introduction = Omit<EventOf<'thread.started'>, 'type'>;
