import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** For programs that are started again and again from their source: what one has compiled, the next need not. */
export const compiled = { NODE_COMPILE_CACHE: join(tmpdir(), 'runwire-compiled') };
