import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export const rights = ['read', 'stop', 'report'] as const;
export type Right = (typeof rights)[number];

/** A secret, what it allows, and the name under which its actions are recorded. */
export interface Token {
  secret: string;
  rights: readonly Right[];
  name: string;
  /** What it was given its name by: the owner of what it reports, which stays the same when the secret is changed. */
  id: string;
}

/** The sender of a request. */
export interface Caller {
  name: string;
  /** The owner of what it reports. */
  id: string;
  rights: ReadonlySet<Right>;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
/** The cookie is not the token: it opens pages, but cannot be sent as a token. */
const cookieOf = (secret: string): string => createHmac('sha256', secret).update('runwire cookie').digest('base64url');

interface Known {
  token: Buffer;
  cookie: Buffer;
  value: string;
  caller: Caller;
}

/** The tokens of a server. All of them are always compared, in constant time. */
export class Tokens {
  readonly #known: readonly Known[];

  constructor(tokens: readonly Token[]) {
    this.#known = tokens.map(({ secret, rights: given, name, id }) => ({
      token: digest(secret),
      cookie: digest(cookieOf(secret)),
      value: cookieOf(secret),
      caller: { name, id, rights: new Set(given) },
    }));
  }

  byToken(sent: string): Caller | undefined {
    return this.#find('token', sent)?.caller;
  }

  byCookie(sent: string): Caller | undefined {
    return this.#find('cookie', sent)?.caller;
  }

  /** The cookie that stands for a token. */
  cookieFor(sent: string): string | undefined {
    return this.#find('token', sent)?.value;
  }

  #find(kind: 'token' | 'cookie', sent: string): Known | undefined {
    const sentDigest = digest(sent);
    let found: Known | undefined;
    for (const each of this.#known) if (timingSafeEqual(each[kind], sentDigest)) found ??= each;
    return found;
  }
}

const wrongPerMinute = 20;
const addressesKept = 10_000;

/** Counts wrong tokens by address. A right one is always let in, so that nobody who shares an address with an attacker is locked out. */
export class WrongTokens {
  readonly #now: () => number;
  readonly #counts = new Map<string, { since: number; wrong: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Seconds to wait; undefined: the first few wrong tokens cost nothing. */
  add(address: string): number | undefined {
    const now = this.#now();
    const known = this.#counts.get(address);
    if (known === undefined || now - known.since > 60_000) {
      if (this.#counts.size >= addressesKept) this.#counts.clear();
      this.#counts.set(address, { since: now, wrong: 1 });
      return undefined;
    }
    known.wrong += 1;
    return known.wrong > wrongPerMinute ? Math.ceil((known.since + 60_000 - now) / 1000) : undefined;
  }
}
