import { version } from '../version.ts';
import { doubles, schemaUrl } from './names.ts';
import type { Attributes, AttributeValue, Span } from './span.ts';
import { present } from '../json/present.ts';

// The protobuf of OTLP as JSON: ids in hex, 64-bit integers as text, enumerations as numbers.

const kinds = { internal: 1, client: 3 } as const;
const failed = 2;
const sampled = 0x01;
/** These two say whether the parent is remote. */
const [isKnown, isRemote] = [0x100, 0x200];

/** One request of an exporter, or one line of a file. */
export function traceRequest(spans: readonly Span[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'runwire', version }, spans: spans.map(spanJson), schemaUrl }],
      },
    ],
  });
}

function spanJson(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...present({ traceState: span.traceState, parentSpanId: span.parentSpanId }),
    flags: sampled | isKnown | (span.hasRemoteParent === true ? isRemote : 0),
    name: span.name.toWellFormed(),
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(span.start),
    endTimeUnixNano: nanoseconds(span.end),
    attributes: keyValues(span.attributes),
    events: span.events.map(({ name, at, attributes }) => ({
      timeUnixNano: nanoseconds(at),
      name,
      attributes: keyValues(attributes),
    })),
    ...(span.droppedEvents === 0 ? {} : { droppedEventsCount: span.droppedEvents }),
    status: span.error === undefined ? {} : { message: span.error.toWellFormed(), code: failed },
  };
}

/** A time before 1970 cannot be represented. */
function nanoseconds(ms: number): string {
  return `${BigInt(Math.max(0, Math.trunc(ms))) * 1_000_000n}`;
}

function keyValues(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value, doubles.has(key)) }));
}

function anyValue(value: AttributeValue, isDouble: boolean): object {
  if (typeof value === 'string') return { stringValue: value.toWellFormed() };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && !isDouble ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each.toWellFormed() })) } };
}
