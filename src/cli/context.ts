/** Everything a command may touch outside itself; `main.ts` gives the real ones, tests may give others. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdinIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  /** Bytes of a file, with progress on a terminal when it is large. Throws `Failure` when it cannot be read. */
  readFile(path: string): AsyncIterable<Uint8Array>;
  /** Data for stdout; resolves when the reader has taken enough of it. */
  print(text: string): Promise<void>;
  /** A line for people, on stderr. */
  warn(line: string): void;
  sleep(ms: number): Promise<void>;
  now(): number;
}
