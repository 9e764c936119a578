import type { ContentfulStatusCode } from 'hono/utils/http-status';

const statuses = {
  input: 400,
  auth: 401,
  forbidden: 403,
  not_found: 404,
  slow: 408,
  conflict: 409,
  too_large: 413,
  unsupported: 415,
  too_many: 429,
  unavailable: 503,
} as const satisfies Record<string, ContentfulStatusCode>;

type ProblemCode = keyof typeof statuses;
export const problemCodes = Object.keys(statuses) as readonly ProblemCode[];

/** The error response to a request: what is wrong, where, and what to try. */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** Extra fields that a program needs to continue. */
  readonly more: Readonly<Record<string, string | number>>;

  /** When to try again, in seconds. */
  readonly retryAfter: number | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    more: Readonly<Record<string, string | number>> = {},
    retryAfter?: number,
  ) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.more = more;
    this.retryAfter = retryAfter;
  }

  get status(): ContentfulStatusCode {
    return statuses[this.code];
  }

  get body() {
    return { error: { code: this.code, message: this.message }, ...this.more };
  }
}
