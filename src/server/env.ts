import type { HttpBindings } from '@hono/node-server';
import type { Caller } from './tokens.ts';

/** What a request carries on its way through the app. */
export interface ServerEnv {
  Bindings: Partial<HttpBindings>;
  Variables: {
    /** The client's address. */
    address: string;
    /** The authenticated caller; throws if there is none. */
    caller: () => Caller;
    /** The caller, once it was let in. */
    who: Caller;
  };
}
