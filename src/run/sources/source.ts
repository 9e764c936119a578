import type { SessionTotals } from '../../agents/session-meter.ts';
import type { Draft, EventOf, EventSource } from '../../events/event.ts';
import type { Price } from '../../outcome/price.ts';
import type { Reader, ReaderOptions } from '../../pipeline/reader.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';
import type { Border } from '../../processes/confined.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { OwnLimits } from '../../contract/spec.ts';
import type { NextRequest, Used } from '../reservations.ts';
import type { Cause, Stop } from '../stop.ts';

/** Something that makes events: the built-in agent, a process, an ACP agent, a script. It only emits, and ends. For tapes, see `Reader`. */
export interface Source {
  /** The dialect that the events were read from. */
  readonly dialect: string;
  /** Whether a session can be resumed. */
  readonly canResume: boolean;
  /** Runs the agent once, to its end; returns soon after `stop`. Throws `Failure` when it cannot begin. */
  produce(attempt: Attempt): Promise<ProcessEnd | undefined>;
  /** Corrects what its agent reports, where the source knows better; called with every draft before anything is made of it. */
  correct?(draft: Draft): Draft;
  /** These limits are others now: an agent that keeps limits of its own has to leave them to us, if it can. */
  lift?(limits: Partial<OwnLimits>): void;
  /** The private copy that it works in, if any. */
  readonly workspace?: Workspace | undefined;
  /** The first file that its agent edited outside of that copy, by its own report. */
  readonly strayed?: string | undefined;
  /** Where its network ends, if anywhere. */
  readonly border?: Border | undefined;
  /** Called when no more attempts follow; cleans up. */
  close?(): Promise<void>;
}

/** One start of the agent: what its source is given for it, and where the source puts what comes of it. Once it is over, nothing more is heard. */
export interface Attempt {
  /** A session to resume. */
  readonly resume: string | undefined;
  /** What is left of the run's limits, for agents that enforce these themselves. */
  readonly left: OwnLimits;
  readonly stop: Stop;
  /** Settles when the runs below this one have ended; undefined: none is going on. */
  below(): Promise<void> | undefined;
  /** Sets aside what a request to a model may use; returns why it must not go out. `gone`: aborted when nobody waits for it any more. */
  reserve(request: NextRequest, gone: AbortSignal): Promise<Cause | undefined>;
  /** It has ended. */
  settle(request: number, used: Used): void;
  /** What tokens cost. */
  price(): Promise<Price>;
  /** The agent was told that its request does not go out: it is stopped, unless it ends by itself. */
  refuse(cause: Cause): void;
  /** Takes an event of the agent; with a `source`, an event that something beside the agent tells about it. */
  emit(draft: Draft, source?: EventSource): void;
  /** Reads the bytes of the agent's process into the run. */
  reader(options: Pick<ReaderOptions, 'dialect' | 'resumed'>): Promise<Reader>;
  /** Bytes that the agent wrote; while the returned promise is pending, no more can be taken. */
  heard(stream: 'stdout' | 'stderr', chunk: Uint8Array): Promise<void> | undefined;
  /** Totals from the agent's own session files: so far, or after it has exited. */
  counted(totals: SessionTotals): void;
  /** The agent has exited, and what follows is our own work: nobody waits for its output any more. */
  exited(): void;
  /** The session that the agent named last. */
  readonly session: string | undefined;
}

/** What is known about an agent before its first event. */
export type Introduction = Omit<EventOf<'thread.started'>, 'type'>;
