import type { HttpBindings } from '@hono/node-server';
import type { Caller } from './tokens.ts';

/** What a request carries on its way through the app. */
export interface ServerEnv {
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** From where it comes. */
    address: string;
    /** Who sends it; throws where nobody says so. */
    caller: () => Caller;
    /** Who was let in. */
    who: Caller;
  };
}
