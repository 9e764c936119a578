/** A process to start: what it is, and who hears what it writes. */
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
   * The bytes are the listener's only until the returned promise is settled; no more are read before. The process does not wait
   * for it, until so much is unread that the disk would fill.
   */
  onStdout(chunk: Uint8Array): void | Promise<void>;
  onStderr(chunk: Uint8Array): void | Promise<void>;
}

export interface Ended {
  exit_code: number | null;
  signal: string | null;
  /** The signal that `stop` forwarded, or SIGKILL when `kill` was called before any `stop`. */
  requested_signal?: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  /** Processes that were still there when the main one was gone, and were ended by us. */
  left_running: number;
  /** What it had written and was not heard any more, since it was killed. */
  unread_bytes?: number;
  /** What `onStdout` or `onStderr` threw; the tree was killed for it, since nobody hears it any more. */
  listener_error?: unknown;
}

/** How long is waited, in milliseconds. */
export interface Graces {
  /** Before SIGKILL, after the signal that `stop` forwarded. */
  stop: number;
  /** Before SIGKILL, for what the main process left running, after a SIGTERM. */
  leftover: number;
  /** For the listeners, when the tree was killed: what they have not heard by then is not heard any more. */
  drain: number;
}

/** A running process with everything that it starts. */
export interface Supervised {
  readonly pid: number;
  /** Resolves when the whole tree is gone and everything it wrote has been handed over, or cut off by `kill`. Never rejects. */
  readonly ended: Promise<Ended>;
  /** Forwards the signal to the whole group, once: a second call does nothing. What is still there after a grace is killed. */
  stop(signal: 'SIGINT' | 'SIGTERM'): void;
  /** Kills the whole tree at once, if it is still there. From then on nobody waits for what it wrote longer than a grace. */
  kill(): void;
  /** More for the stdin of a process that talks; answers how many bytes of all that was sent it has not taken yet. */
  send(text: string): number;
  /** The end of that stdin. */
  hangUp(): void;
}

/** Starts a process that cannot outlive us. Throws a `config` Failure when there is no such program or it cannot be started. */
export type Supervise = (order: ProcessOrder, graces?: Partial<Graces>) => Promise<Supervised>;
