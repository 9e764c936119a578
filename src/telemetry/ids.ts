// Ids are derived from those of the run: a run exported twice, live and from its tape, is the same trace with the same spans.

function digest(text: string, digits: number): string {
  // Loading it takes longer than a run without spans should wait for its first line.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const id = createHash('sha256').update(text).digest('hex').slice(0, digits);
  // All zeros is not a valid id.
  return /[^0]/.test(id) ? id : `${id.slice(0, -1)}1`;
}

/** The trace of a tree of runs: that of its top. */
export function traceIdOf(rootRunId: string): string {
  return digest(`trace:${rootRunId}`, 32);
}

/** The span of a run as a whole. */
export function runSpanId(runId: string): string {
  return digest(`run:${runId}`, 16);
}

/** The span of a call that may start another run: its id is known before the call begins. */
export function callSpanId(runId: string, itemId: string): string {
  return digest(`call:${runId}:${itemId}`, 16);
}

/** A span that begins with a record; `what` distinguishes it from other spans that begin with the same record. */
export function recordSpanId(runId: string, sequence: number, what: 'call' | 'chat' | 'agent'): string {
  return digest(`${what}:${runId}#${sequence}`, 16);
}

/** An id for a run that has none, derived from its content. */
export function contentIdOf(bytes: Uint8Array): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(bytes).digest('hex');
}
