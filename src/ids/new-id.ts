// Our ids only have to be unique: none is a secret. Loading the crypto library takes a third of Node.js's startup time, so code that is
// needed before the first line of a run does without it. V8 seeds `Math.random` from the system's entropy.

/** Random bytes for an id. */
export function randomPart(length: number): Uint8Array {
  return Uint8Array.from({ length }, () => Math.floor(Math.random() * 256));
}

/** An id in the form of a UUID. */
export function newId(): string {
  const bytes = randomPart(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
