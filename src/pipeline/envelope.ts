import { isObject } from '../dialects/read.ts';
import type { JsonObject } from '../dialects/dialect.ts';

/** A line of a process as a collector of logs keeps it. */
export interface Enveloped {
  text: string;
  /** Its end is in the next one. */
  isPartial: boolean;
  stream: 'stdout' | 'stderr';
  /** When it was written, in ms. */
  at: number | undefined;
}

interface Kind {
  /** The field with the line. */
  line: string;
  /** Any of these beside it tells such a record from what agents print. */
  beside: readonly string[];
}

const kinds: readonly Kind[] = [
  // Docker's json-file, Fluent Bit, Fluentd.
  { line: 'log', beside: ['stream', 'time', 'date', 'kubernetes', 'container_name', 'container_id', '@timestamp'] },
  // journalctl -o json
  { line: 'MESSAGE', beside: ['__CURSOR', '__REALTIME_TIMESTAMP', '_PID', 'SYSLOG_IDENTIFIER'] },
  // CloudWatch, Logstash, Vector, Filebeat, Datadog.
  { line: 'message', beside: ['ingestionTime', 'logStreamName', '@timestamp', 'kubernetes', 'source_type', 'container_name', 'ddtags'] },
  { line: '@message', beside: ['@timestamp', '@ptr', '@logStream'] },
  // Google Cloud
  { line: 'textPayload', beside: ['insertId', 'logName', 'resource'] },
  { line: 'jsonPayload', beside: ['insertId', 'logName', 'resource'] },
  // Loki
  { line: 'line', beside: ['labels'] },
  // Azure
  { line: 'LogMessage', beside: ['TimeGenerated'] },
  { line: 'LogEntry', beside: ['TimeGenerated'] },
];

const times = [
  '__REALTIME_TIMESTAMP',
  '_SOURCE_REALTIME_TIMESTAMP',
  'time',
  'timestamp',
  '@timestamp',
  'receiveTimestamp',
  'TimeGenerated',
  'date',
];

/** Docker cuts a line after so many bytes; only the last piece ends with a line feed. */
const dockerPiece = 16 * 1024;

/** The lines in a record of a log collector; undefined: it is none. */
export function openEnvelope(wire: JsonObject): readonly Enveloped[] | undefined {
  const { events } = wire;
  // aws logs get-log-events: one document with all lines.
  if (Array.isArray(events) && events.length > 0) {
    const lines = events.map((event) => (isObject(event) && 'timestamp' in event && 'ingestionTime' in event ? lineOf(event) : undefined));
    return lines.every((line) => line !== undefined) ? lines : undefined;
  }
  const line = lineOf(wire);
  return line === undefined ? undefined : [line];
}

function lineOf(wire: JsonObject): Enveloped | undefined {
  for (const kind of kinds) {
    if (!Object.hasOwn(wire, kind.line) || !kind.beside.some((name) => Object.hasOwn(wire, name))) continue;
    const text = textOf(wire[kind.line]);
    if (text === undefined) continue;
    return { text, isPartial: isPartial(wire, text), stream: streamOf(wire), at: timeOf(wire) };
  }
  return undefined;
}

/** The journal writes what is not plain text as a list of bytes. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (isObject(value)) return JSON.stringify(value);
  if (Array.isArray(value) && value.every((byte) => typeof byte === 'number')) return new TextDecoder().decode(Uint8Array.from(value));
  return undefined;
}

function isPartial(wire: JsonObject, text: string): boolean {
  if (wire['_LINE_BREAK'] === 'line-max' || wire['logtag'] === 'P' || wire['partial_message'] === 'true') return true;
  // A character takes four bytes at most.
  return 'log' in wire && !text.endsWith('\n') && text.length * 4 >= dockerPiece && new TextEncoder().encode(text).length >= dockerPiece;
}

function streamOf({ stream, labels }: JsonObject): Enveloped['stream'] {
  const named = stream ?? (isObject(labels) ? labels.stream : undefined);
  return named === 'stderr' ? 'stderr' : 'stdout';
}

function timeOf(wire: JsonObject): number | undefined {
  for (const name of times) {
    const value = wire[name];
    // The journal counts microseconds, in a string; collectors seconds or milliseconds.
    if (typeof value === 'string' && /^\d{16}$/.test(value)) return Number(value) / 1000;
    if (typeof value === 'number') return value < 1e11 ? value * 1000 : value;
    const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(at)) return at;
  }
  return undefined;
}

const container = /^(\d{4}-\d\d-\d\dT[\d:.]{8,24}(?:Z|[+-]\d\d:\d\d)) (stdout|stderr) ([FP]) /;

/** A line of a container's log file in Kubernetes. */
export function openContainerLine(line: string): Enveloped | undefined {
  const [head, time = '', stream, tag] = container.exec(line) ?? [];
  if (head === undefined) return undefined;
  return {
    text: line.slice(head.length),
    isPartial: tag === 'P',
    stream: stream === 'stderr' ? 'stderr' : 'stdout',
    at: Date.parse(time),
  };
}
