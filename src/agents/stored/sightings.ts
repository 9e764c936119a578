/**
 * What an agent prints of a model call is the id of its message, not that of its request. A provider's own ids are unique; those of
 * other servers may come again, so that only calls at about the same time are the same.
 */
const unique = /^msg_\w{20,}$/;
const periodMs = 10_000;

/** The hash by which a model call is known that was seen as it happened; undefined: nothing identifies it. */
export function sightingOf(id: string, atMs: number): string | undefined {
  if (unique.test(id)) return hashOf(`${id} seen`);
  return Number.isFinite(atMs) ? hashOf(`${id} seen ${Math.floor(atMs / periodMs)}`) : undefined;
}

/** The hashes that a model call may have been seen under, if its agent's file gives it this time. */
export function possibleSightings(id: string, atMs: number): readonly string[] {
  const hashes = [0, -periodMs, periodMs].map((shift) => sightingOf(id, atMs + shift));
  return [...new Set(hashes)].filter((each) => each !== undefined);
}

/** Short, since there are many: 72 bits, so that two of a billion are hardly ever alike. */
export function hashOf(identity: string): string {
  // Loaded on demand: it takes Node.js long, and most runs need no hash.
  return process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(identity)
    .digest()
    .toString('base64url', 0, 9);
}
