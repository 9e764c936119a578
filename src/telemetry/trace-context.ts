/** Where a span belongs: a trace, and the span above it. */
export interface TraceContext {
  traceId: string;
  /** Undefined: it is the top of its trace. */
  parentSpanId?: string | undefined;
  isSampled: boolean;
  /** The vendors' `tracestate`, passed on unchanged. */
  state?: string | undefined;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const zeros = /^0+$/;
const longestState = 512;

/** Reads a W3C Trace Context `traceparent`; undefined: it is not one. */
export function parseTraceParent(text: string, state?: string): TraceContext | undefined {
  if (text.length > longestState) return undefined;
  const [, version = '', traceId = '', parentSpanId = '', flags = '', more] = pattern.exec(text.trim()) ?? [];
  if (version === '' || version === 'ff' || zeros.test(traceId) || zeros.test(parentSpanId)) return undefined;
  // Version 00 ends here; a later one may have more fields, which we can ignore.
  if (version === '00' && more !== undefined) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, parentSpanId, isSampled, ...(isState(state) ? { state } : {}) };
}

export function traceParent(traceId: string, spanId: string, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Only printable ASCII, and not too long: the content is for others. */
function isState(text: string | undefined): text is string {
  return text !== undefined && text !== '' && text.length <= longestState && /^[ -~]+$/.test(text);
}
