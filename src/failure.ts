/** The exit code of each class of outcome. Codes 0 to 7 are those of agent-code; the rest follow shell conventions. */
export const exitCodes = {
  success: 0,
  config: 1,
  input: 2,
  tool: 3,
  provider: 4,
  cost_limit: 5,
  turn_limit: 6,
  permission: 7,
  incomplete: 8,
  expectation: 9,
  output: 10,
  time_limit: 124,
  cancelled: 130,
} as const satisfies Record<string, number>;

/** The exit codes of what was interrupted, by the signal. */
export const interruptCodes = { SIGINT: exitCodes.cancelled, SIGTERM: 143, SIGHUP: 129 } as const;

export type VerdictClass = keyof typeof exitCodes;
/** The classes, in that order. */
export const verdictClasses = Object.keys(exitCodes) as [VerdictClass, ...VerdictClass[]];
export type FailureCode = Exclude<VerdictClass, 'success'>;

/** A known failure: its message says what happened, to what, and what to try. */
export class Failure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'Failure';
    this.code = code;
  }

  get exitCode(): number {
    return exitCodes[this.code];
  }
}

/** The error code of the system or a library, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What went wrong, in the words of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
