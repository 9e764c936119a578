const left: (() => unknown)[] = [];

/**
 * Ends what a helper started with the test file that asked for it. A hook in the helper itself would be that of the first file
 * alone: modules are loaded once for all files of a worker.
 */
export function atFileEnd(end: () => unknown): void {
  left.push(end);
}

export async function endFile(): Promise<void> {
  await Promise.all(left.splice(0).map((end) => end()));
}
