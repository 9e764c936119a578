/** A process to start, and the listeners for its output. */
export interface ProcessOrder {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Fed to stdin, which then ends; undefined: stdin is empty from the start. */
  stdin: string | undefined;
  /** stdin stays open, for `send`. */
  talks?: true;
  /**
   * The listener may use the bytes only until the returned promise settles; no more are read before then. The process does not wait
   * for the listener unless so much is unread that the disk would fill up.
   */
  onStdout(chunk: Uint8Array): void | Promise<void>;
  onStderr(chunk: Uint8Array): void | Promise<void>;
}

export interface Ended {
  exit_code: number | null;
  signal: string | null;
  /** The signal that `stop` forwarded, or SIGKILL when `kill` was called before any `stop`. */
  requested_signal?: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  /** Processes that were still running after the main one had exited, and were ended by us. */
  left_running: number;
  /** Output that was not delivered any more because it was killed. */
  unread_bytes?: number;
  /** What `onStdout` or `onStderr` threw; the tree was killed because no one was listening any more. */
  listener_error?: unknown;
}

/** Grace periods, in milliseconds. */
export interface Graces {
  /** Before SIGKILL, after the signal that `stop` forwarded. */
  stop: number;
  /** Before SIGKILL, for what the main process left running, after a SIGTERM. */
  leftover: number;
  /** For the listeners, after the tree was killed: what has not been delivered by then is dropped. */
  drain: number;
}

/** A running process with everything that it starts. */
export interface Supervised {
  readonly pid: number;
  /** Resolves when the whole tree has ended and all its output has been handed over, or cut off by `kill`. Never rejects. */
  readonly ended: Promise<Ended>;
  /** Forwards the signal to the whole group, once: a second call does nothing. What is still there after the grace period is killed. */
  stop(signal: 'SIGINT' | 'SIGTERM'): void;
  /** Kills the whole tree immediately, if it is still there. From then on its output is waited for no longer than the grace period. */
  kill(): void;
  /** Stops the whole tree where it is, until `thaw`; one that is asked to end goes on to do so. */
  freeze(): void;
  thaw(): void;
  /** Writes to the stdin of a process that talks; returns how many of the bytes sent so far it has not read yet. */
  send(text: string): number;
  /** Closes that stdin. */
  hangUp(): void;
}

/** Starts a process that cannot outlive us. Throws a `config` Failure when there is no such program or it cannot be started. */
export type Supervise = (order: ProcessOrder, graces?: Partial<Graces>) => Promise<Supervised>;
