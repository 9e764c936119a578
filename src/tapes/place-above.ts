import { sequenceOf } from './tape.ts';

const LF = 10;
const brace = 123;
/** How much is read to look at one line, and how close it is enough to come. */
const windowBytes = 64 * 1024;

/**
 * Where to begin to read the lines above `after` in a plain tape of this size. A tape counts upwards, so each line that is looked
 * at rules out half of what is left. 0: at the beginning, also for what is no plain tape.
 */
export async function placeAbove(
  after: number,
  size: number,
  read: (place: number, length: number) => Promise<Uint8Array>,
): Promise<number> {
  if (after === 0 || (await read(0, 1))[0] !== brace) return 0;
  let [low, high] = [0, size];
  while (high - low > windowBytes) {
    const middle = low + Math.floor((high - low) / 2);
    const bytes = await read(middle, windowBytes);
    const start = bytes.indexOf(LF) + 1;
    const end = bytes.indexOf(LF, start) + 1;
    const sequence = start === 0 || end === 0 ? 0 : sequenceOf(bytes.subarray(start, end));
    // A longer line, or one that is no record, says nothing about where it stands.
    if (sequence === 0) return low;
    if (sequence > after) high = middle;
    else low = middle + end;
  }
  return low;
}
