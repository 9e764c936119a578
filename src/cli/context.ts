import type { Piece } from '../events/record-json.ts';
import type { Environment } from '../vocabulary.ts';

/** What is said when nothing else can be done: on stdout, and with the exit code. */
export interface LastWords {
  stdout: string;
  exitCode: number;
}

/** Everything a command may touch outside itself; `main.ts` gives the real ones, tests may give others. */
export interface Context {
  readonly env: Environment;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly cwd: string;
  /** How wide the terminal is; undefined: stdout is none. */
  readonly columns?: number | undefined;
  /** Bytes of a file, with progress on a terminal when it is large. Throws `Failure` when it cannot be read. */
  readFile(path: string): AsyncIterable<Uint8Array>;
  /** Data for stdout, in one piece or several, spelt out where a terminal would obey it; resolves when the reader has taken enough of it. */
  print(text: string | readonly Piece[]): Promise<void>;
  /** Text for people on stdout, perhaps painted; what it quotes is safe already. */
  show(text: string): Promise<void>;
  /** A line for people, on stderr; what it quotes need not be safe for a terminal. */
  warn(line: string): void;
  /** Text for stderr as it stands: what is drawn on a terminal. */
  draw(text: string): void;
  /** How large the terminal of stderr is at the moment. */
  stderrSize(): { columns: number; rows: number };
  sleep(ms: number): Promise<void>;
  now(): number;
  /** Signals that ask us to stop, instead of ending us; answers how to end that. */
  onSignal(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
  /** Errors that nobody caught, instead of ending us; answers how to end that. */
  onCrash(listener: (error: unknown) => void): () => void;
  /** Ends us if we cannot end ourselves when the time is over, with these last words; answers how to call that off. */
  watchTime(ms: number, lastWords?: () => LastWords): () => void;
  /** From now on nobody can read our variables from outside, but for these, as far as the system allows. */
  hideEnvironment(kept: ReadonlySet<string>): void;
  /** The work is done: what is still open must not keep the process alive once stdout is written, or at once where nobody reads it. */
  leaveSoon(isUnread?: boolean): void;
}
