import type { Context } from '../context.ts';

/** Waiting runs whose process is gone are started again. */
export async function resumeParked(
  _words: readonly string[],
  _values: { ledger?: string },
  _context: Context,
): Promise<{ exitCode: number } | { left: readonly string[] }> {
  return { left: [] };
}
