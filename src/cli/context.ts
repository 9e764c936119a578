import type { Piece } from '../events/record-json.ts';
import type { Pause } from '../time/pause.ts';
import type { Environment } from '../words/vocabulary.ts';

/** The last output of a process that cannot do anything else: stdout and exit code. */
export interface LastWords {
  stdout: string;
  exitCode: number;
}

/** Everything that a command may touch outside itself; `main.ts` passes the real things, tests may pass others. */
export interface Context {
  readonly env: Environment;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly cwd: string;
  /** The width of the terminal; undefined: stdout is not a terminal. */
  readonly columns?: number | undefined;
  /** Bytes of a file, with progress on a terminal when it is large. Throws `Failure` when it cannot be read. */
  readFile(path: string): AsyncIterable<Uint8Array>;
  /** Writes data to stdout, in one piece or several, with control characters escaped on a terminal; resolves when there is room for more. */
  print(text: string | readonly Piece[]): Promise<void>;
  /** Writes text for people to stdout, perhaps in colour; whatever it quotes must be safe for a terminal already. */
  show(text: string): Promise<void>;
  /** Writes a line for people to stderr; whatever it quotes is made safe for a terminal. */
  warn(line: string): void;
  /** Writes text to stderr unchanged: for drawing on a terminal. */
  draw(text: string): void;
  /** The current size of the terminal of stderr. */
  stderrSize(): { columns: number; rows: number };
  sleep(ms: number): Promise<void>;
  /** How a run waits for a limit; unset: in real time. */
  readonly pause?: Pause;
  now(): number;
  /** Handles the signals that would otherwise end the process; returns a function that stops handling them. */
  onSignal(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
  /** Handles uncaught errors, which would otherwise end the process; returns a function that stops handling them. */
  onCrash(listener: (error: unknown) => void): () => void;
  /** Ends the process with these last words if it is stuck when the time is up; returns a function that cancels this. */
  watchTime(ms: number, lastWords?: () => LastWords): () => void;
  /** From now on, other processes can read only these environment variables of this one, as far as the system allows. */
  hideEnvironment(kept: ReadonlySet<string>): void;
  /** The work is done: whatever is still open must not keep the process alive once stdout is written, or at all if nobody reads it. */
  leaveSoon(isUnread?: boolean): void;
}
