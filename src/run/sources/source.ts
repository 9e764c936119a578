import type { Dialect, Origin } from '../../dialects/dialect.ts';
import type { Draft, EventOf } from '../../events/event.ts';
import type { DraftSink } from '../../pipeline/line-decoder.ts';
import type { SessionTotals } from '../../agents/session-meter.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Limits } from '../../contract/spec.ts';
import type { Stop } from '../stop.ts';

/** Something that makes events: the built-in agent, a process, an ACP agent, a script. It only emits, and ends. For tapes, see `Reader`. */
export interface Source {
  /** The dialect that the events were read from. */
  readonly dialect: string;
  /** Whether a session can be resumed. */
  readonly canResume: boolean;
  /** Runs the agent once, to its end; returns soon after `stop`. Throws `Failure` when it cannot begin. */
  produce(attempt: Attempt): Promise<ProcessEnd | undefined>;
  /** The private copy that it works in, if any. */
  readonly workspace?: Workspace | undefined;
  /** Called when no more attempts follow; cleans up. */
  close?(): Promise<void>;
}

/** What a source is given for one start of its agent. */
export interface Attempt {
  /** A session to resume. */
  resume: string | undefined;
  /** What is left of the run's limits, for agents that enforce these themselves. */
  left: Pick<Limits, 'max_turns' | 'max_cost_usd'>;
  /** Where its events go; once the attempt is over, they are ignored. */
  out: Out;
  stop: Stop;
  /** Settles when the runs below this one have ended; undefined: none is going on. */
  below(): Promise<void> | undefined;
}

export interface Out extends DraftSink {
  emit(draft: Draft, origin?: Origin): void;
  /** The session that the agent named last. */
  readonly session: string | undefined;
  /** The agent's dialect, as soon as it is known. */
  speaks(dialect: Dialect): void;
  /** The agent has exited, and what follows is our own work: nobody waits for its output any more. */
  left(): void;
  /** Totals from the agent's own session files: so far, or after it has exited. */
  counted(totals: SessionTotals): void;
  /** Bytes that were read; while the returned promise is pending, no more can be taken. */
  heard(stream: 'stdout' | 'stderr', chunk: Uint8Array): Promise<void> | undefined;
}

/** What is known about an agent before its first event. */
export type Introduction = Omit<EventOf<'thread.started'>, 'type'>;
