export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

export interface SpanEvent {
  name: string;
  /** Milliseconds since 1970. */
  at: number;
  attributes: Attributes;
}

/** One finished piece of work in a trace. */
export interface Span {
  traceId: string;
  spanId: string;
  /** Undefined: the top of its trace. */
  parentSpanId?: string | undefined;
  /** Whether the parent is a span of another process or another run. */
  hasRemoteParent?: boolean;
  traceState?: string | undefined;
  name: string;
  kind: 'internal' | 'client';
  /** Milliseconds since 1970. */
  start: number;
  end: number;
  attributes: Attributes;
  events: readonly SpanEvent[];
  /** How many events were dropped. */
  droppedEvents: number;
  /** Undefined: it did not fail. */
  error?: string | undefined;
}
