import type { EventRecord } from '../../src/events/event.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { traceRequest } from '../../src/telemetry/otlp.ts';
import type { Span } from '../../src/telemetry/span.ts';
import { SpanFold } from '../../src/telemetry/span-fold.ts';
import type { Recording } from '../support/recordings.ts';

export const startedAt = Date.UTC(2026, 10, 16);
export const resource = { 'service.name': 'runwire' };

export function recordsOf({ stdout, stderr, exit }: Pick<Recording, 'stdout' | 'stderr' | 'exit'>): EventRecord[] {
  const records: EventRecord[] = [];
  const reader = new Reader({ newId: () => 'thread', onRecord: (record) => void records.push(record) });
  reader.stdout(stdout);
  reader.stderr(stderr);
  reader.end(exit);
  return records;
}

export function spansOf(
  records: readonly EventRecord[],
  given: { capturesContent?: boolean; runId?: string } = {},
): Span[] {
  const spans: Span[] = [];
  const { capturesContent = false, runId = 'run-1' } = given;
  const fold = new SpanFold({ runId, startedAt, capturesContent, onSpan: (span) => void spans.push(span) });
  for (const record of records) fold.record(record);
  return spans;
}

/** A span as OTLP/JSON has it. */
export interface SpanJson {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  flags: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  events: { name: string; timeUnixNano: string; attributes: object[] }[];
  status: { code?: number; message?: string };
}

interface RequestJson {
  resourceSpans: {
    resource: { attributes: SpanJson['attributes'] };
    scopeSpans: { spans: SpanJson[]; schemaUrl: string }[];
  }[];
}

export function spansIn(lines: string): SpanJson[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => (JSON.parse(line) as RequestJson).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

export const jsonOf = (spans: readonly Span[]): SpanJson[] => spansIn(traceRequest(spans, resource));

export function attribute({ attributes }: SpanJson, key: string): unknown {
  const value = attributes.find((each) => each.key === key)?.value;
  return value === undefined ? undefined : Object.values(value)[0];
}
