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

/** What a request is answered with when it cannot be done: what, where, what to try. */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** More that a program needs to continue. */
  readonly more: Readonly<Record<string, string | number>>;

  constructor(code: ProblemCode, message: string, more: Readonly<Record<string, string | number>> = {}) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.more = more;
  }

  get status(): ContentfulStatusCode {
    return statuses[this.code];
  }

  get body() {
    return { error: { code: this.code, message: this.message }, ...this.more };
  }
}
