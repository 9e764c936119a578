import type { Json } from '../../../dialect.ts';
import { integer } from '../../../read.ts';

/** An integer that is exact. */
export function exact(value: Json | undefined): number | undefined {
  const number = integer(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** An exact integer that is not negative. */
export function whole(value: Json | undefined): number | undefined {
  const number = exact(value);
  return number === undefined || number < 0 ? undefined : number;
}
