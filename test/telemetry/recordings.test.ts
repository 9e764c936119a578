import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { reportedOutcome } from '../../src/outcome/report.ts';
import { names, operations, schemaUrl } from '../../src/telemetry/names.ts';
import { traceRequest } from '../../src/telemetry/otlp.ts';
import type { Span } from '../../src/telemetry/span.ts';
import { version } from '../../src/version.ts';
import { tables } from '../across/expected/index.ts';
import { allRecordings, loadRecording, withOneLong } from '../support/recordings.ts';
import { recordsOf, resource, spansOf } from './spans-of.ts';

describe.each(tables.map(({ folder }) => ({ folder })))('$folder', ({ folder }) => {
  it.each(withOneLong(allRecordings(tables)).filter((each) => each.folder === folder))('$scenario', ({ scenario }) => {
    const records = recordsOf(loadRecording(folder, scenario));
    const spans = spansOf(records);
    const root = spans.at(-1);
    if (root === undefined) throw new Error('there is no span of the run');
    isTree(spans, root);
    tellsTheOutcome(spans, root, records);
    expect(normal(traceRequest(spans, resource))).toEqual(normal(serialized(spans)));
    const told = spansOf(records, { capturesContent: true });
    expect(told.map(({ spanId, name, start, end }) => [spanId, name, start, end])).toEqual(
      spans.map(({ spanId, name, start, end }) => [spanId, name, start, end]),
    );
    tellsContentOnlyWhenAsked(records, traceRequest(spans, resource));
    expect(normal(traceRequest(told, resource))).toEqual(normal(serialized(told)));
    expect(traceRequest(spansOf(records), resource)).toBe(traceRequest(spans, resource));
  });
});

/** Every span has a parent that is there, and lies inside of it. */
function isTree(spans: readonly Span[], root: Span): void {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  expect(byId.size).toBe(spans.length);
  expect(root.parentSpanId).toBeUndefined();
  const isPlaced = ({ traceId, parentSpanId = '', start, end }: Span): boolean => {
    const parent = byId.get(parentSpanId);
    return (
      traceId === root.traceId && parent !== undefined && start >= parent.start && end <= parent.end && end >= start
    );
  };
  expect(spans.filter((span) => span !== root && !isPlaced(span))).toEqual([]);
}

function tellsTheOutcome(spans: readonly Span[], root: Span, records: readonly EventRecord[]): void {
  const last = records.at(-1);
  if (last?.type !== 'thread.completed') throw new Error('the run has no end');
  const { metrics, verdict } = reportedOutcome(last);
  expect(root.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'runwire.run.class': verdict.class,
    'runwire.run.exit_code': verdict.exit_code,
    ...Object.fromEntries(
      Object.entries({
        'gen_ai.usage.input_tokens': metrics.input_tokens,
        'gen_ai.usage.output_tokens': metrics.output_tokens,
        'gen_ai.usage.cache_read.input_tokens': metrics.cache_read_tokens,
        'gen_ai.usage.reasoning.output_tokens': metrics.reasoning_tokens,
        'runwire.run.cost_usd': metrics.cost,
      }).filter(([, value]) => value !== undefined),
    ),
  });
  expect([root.error === undefined, root.attributes['error.type'] === undefined]).toEqual(
    Array<boolean>(2).fill(verdict.class === 'success'),
  );
  const tools = spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'execute_tool');
  expect(tools.length).toBe(records.filter(({ type }) => type === 'item.started').length);
}

/** What was asked, answered, given to tools and got from them. Short texts stand in other places too. */
function tellsContentOnlyWhenAsked(records: readonly EventRecord[], told: string): void {
  const texts = records.flatMap((record): unknown[] => {
    if (record.type === 'text.completed' || record.type === 'reasoning.completed' || record.type === 'prompt.submitted')
      return [record.text];
    if (record.type === 'item.completed') return [record.output, record.error];
    return record.type === 'item.started' ? [record.args] : [];
  });
  const long = texts.flatMap(leaves).filter((text) => text.trim().length > 12 && !text.startsWith('/'));
  expect(long.filter((text) => told.includes(JSON.stringify(text).slice(1, -1)))).toEqual([]);
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

/** The same spans as the SDK of OpenTelemetry would write them. */
function serialized(spans: readonly Span[]): string {
  const hrTime = (ms: number): [number, number] => [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
  const of = { attributes: resource, merge: () => of, getRawAttributes: () => [] };
  const readable = spans.map((span) => ({
    name: span.name,
    kind: { internal: 0, client: 2 }[span.kind],
    spanContext: () => ({ traceId: span.traceId, spanId: span.spanId, traceFlags: 1 }),
    ...(span.parentSpanId === undefined
      ? {}
      : {
          parentSpanContext: {
            traceId: span.traceId,
            spanId: span.parentSpanId,
            traceFlags: 1,
            isRemote: span.hasRemoteParent === true,
          },
        }),
    startTime: hrTime(span.start),
    endTime: hrTime(span.end),
    status: span.error === undefined ? { code: 0 } : { code: 2, message: span.error },
    attributes: span.attributes,
    links: [],
    events: span.events.map(({ name, at, attributes }) => ({ name, time: hrTime(at), attributes })),
    duration: hrTime(span.end - span.start),
    ended: true,
    resource: of,
    instrumentationScope: { name: 'runwire', version, schemaUrl },
    droppedAttributesCount: 0,
    droppedEventsCount: span.droppedEvents,
    droppedLinksCount: 0,
  }));
  type Spans = Parameters<typeof JsonTraceSerializer.serializeRequest>[0];
  return new TextDecoder().decode(JsonTraceSerializer.serializeRequest(readable as unknown as Spans));
}

/** A document without what says nothing in it: zeros, empty lists and texts; and numbers as numbers. */
function normal(json: string): unknown {
  return JSON.parse(json, (key, value: unknown) => {
    if (key === 'intValue' || key === 'doubleValue') return { number: Number(value) };
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { intValue, doubleValue, ...rest } = value as Record<string, unknown>;
    const entries = Object.entries(rest).filter(([name, each]) => !isNothing(name, each));
    const number = intValue ?? doubleValue;
    return Object.fromEntries([...entries, ...(number === undefined ? [] : [['number', number] as const])]);
  });
}

function isNothing(name: string, value: unknown): boolean {
  if (name === 'values' || name === 'stringValue' || name === 'number') return false;
  if (Array.isArray(value)) return value.length === 0 && name !== 'attributes';
  return value === '' || value === 0 || (name === 'links' && value === undefined);
}

it('says the names of the conventions', () => {
  const known = new Set(Object.values(conventions).filter((each) => typeof each === 'string'));
  expect(Object.values(names).filter((name) => !known.has(name))).toEqual([]);
  expect(Object.values(operations).filter((name) => !known.has(name))).toEqual([]);
});
