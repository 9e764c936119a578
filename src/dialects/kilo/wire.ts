import { RunLine } from '../shared/opencode/wire.ts';

/** One line of `kilo run --format json`. */
export const Line = RunLine;
