import { present } from '../json/present.ts';
import type { TokenPrice } from '../words/vocabulary.ts';
import type { RunSpec } from '../contract/spec.ts';

type Given = NonNullable<RunSpec['price']>;

/** A price as a spec names it. */
export function givenPrice({ input, output, ...cache }: TokenPrice): Given {
  const { cacheRead, cacheWrite, cacheWriteHour } = cache;
  return {
    input,
    output,
    ...present({ cache_read: cacheRead, cache_write: cacheWrite, cache_write_1h: cacheWriteHour }),
  };
}

export function tokenPrice({ price }: Pick<RunSpec, 'price'>): TokenPrice | undefined {
  if (price === undefined) return undefined;
  const { input, output, cache_read, cache_write, cache_write_1h } = price;
  return {
    input,
    output,
    ...present({ cacheRead: cache_read, cacheWrite: cache_write, cacheWriteHour: cache_write_1h }),
  };
}
