import type { ErrorCode } from '../../events/event.ts';
import { codeOfMessage, codeOfStatus } from '../../faults.ts';

/** Exit codes of the program's own error classes. */
const ownCodes: Record<number, ErrorCode> = {
  41: 'config',
  42: 'input',
  44: 'config',
  52: 'config',
  53: 'turn_limit',
  54: 'tool',
  55: 'config',
  130: 'cancelled',
};

/** An API error ends the process with the HTTP status, which the system takes modulo 256: 429 becomes 173. */
export function exitMeaning(code: number): ErrorCode | undefined {
  const own = ownCodes[code];
  if (own !== undefined) return own;
  const status = code >= 144 ? code + 256 : code === 529 % 256 ? 529 : undefined;
  return status === undefined ? undefined : codeOfApi(status);
}

function codeOfApi(status: number): ErrorCode | undefined {
  return codeOfStatus(status) ?? (status >= 400 && status < 500 ? 'refused' : undefined);
}

/** Names of the error classes that say more than their message. */
const classes: readonly (readonly [string, ErrorCode])[] = [
  ['FatalTurnLimitedError', 'turn_limit'],
  ['FatalCancellationError', 'cancelled'],
  ['FatalAuthenticationError', 'config'],
  ['FatalInputError', 'input'],
  ['FatalConfigError', 'config'],
  ['FatalSandboxError', 'config'],
  ['FatalUntrustedWorkspaceError', 'config'],
  ['FatalToolExecutionError', 'tool'],
];
const codeOfClass = new Map(classes);

/** The class to name for a failure of another agent; the plain ones travel as `unknown`, as API errors do. */
export function classOf(code: ErrorCode | undefined): string {
  return classes.find(([, meaning]) => meaning === code)?.[0] ?? 'unknown';
}

const narrower: readonly (readonly [RegExp, ErrorCode])[] = [
  [/API[_ ]key[_ ](?:not valid|invalid)/i, 'auth'],
  [/MAX_TOKENS|output token limit|maximum output/i, 'output_length'],
];

/** `status`: the HTTP status where the document names it; else it may be inside the message. */
export function codeOf(message: string, type?: string, status?: number): ErrorCode {
  const named = type === undefined ? undefined : codeOfClass.get(type);
  if (named !== undefined) return named;
  const head = message.slice(0, 2000);
  for (const [wording, code] of narrower) if (wording.test(head)) return code;
  const inside = /"code":\s*(\d{3})\b/.exec(head)?.[1];
  const http = status ?? (inside === undefined ? undefined : Number(inside));
  const code = codeOfMessage(message, http);
  return code === 'unknown' && http !== undefined ? (codeOfApi(http) ?? code) : code;
}
