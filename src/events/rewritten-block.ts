const suffix = '_final';

/** The block with the final text of one whose streamed text was different. */
export function finalOf(block: string): string {
  return block + suffix;
}

/** Whether it has the final text of the block: its name may end more than once in the suffix, if that name was in use. */
export function isFinalOf(id: string, block: string | undefined): boolean {
  return block !== undefined && id.startsWith(finalOf(block)) && id.slice(block.length).replaceAll(suffix, '') === '';
}
