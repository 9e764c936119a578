import { isObject } from '../json/read.ts';
import type { JsonObject } from '../json/json.ts';
import { endOfString } from '../json/scan.ts';
import { oldCast } from './cast.ts';

/** A line of process output as a log collector stores it. */
export interface Enveloped {
  text: string;
  /** The line continues in the next record. */
  isPartial: boolean;
  stream: 'stdout' | 'stderr';
  /** When it was written, in ms. */
  at: number | undefined;
}

interface Kind {
  /** The field with the line. */
  line: string;
  /** Any of these fields beside it distinguishes such a record from agent output. */
  beside: readonly string[];
  /** Only records without a type, and with an object, or a further line of one, in their text: agents log like this too. */
  isUntyped?: true;
}

const kinds: readonly Kind[] = [
  // Docker's json-file, Fluent Bit, Fluentd.
  { line: 'log', beside: ['stream', 'time', 'date', 'kubernetes', 'container_name', 'container_id', '@timestamp'] },
  // journalctl -o json
  { line: 'MESSAGE', beside: ['__CURSOR', '__REALTIME_TIMESTAMP', '_PID', 'SYSLOG_IDENTIFIER'] },
  // CloudWatch, Logstash, Vector, Filebeat, Datadog.
  {
    line: 'message',
    beside: [
      'ingestionTime',
      'logStreamName',
      '@timestamp',
      'kubernetes',
      'source_type',
      'container_name',
      'ddtags',
      'ddsource',
      'ingest_id',
    ],
  },
  { line: '@message', beside: ['@timestamp', '@ptr', '@logStream'] },
  // Google Cloud
  { line: 'textPayload', beside: ['insertId', 'logName', 'resource'] },
  { line: 'jsonPayload', beside: ['insertId', 'logName', 'resource'] },
  // Loki, and what Grafana downloads
  { line: 'line', beside: ['labels', 'fields'] },
  // Splunk
  { line: '_raw', beside: ['_time', '_indextime'] },
  // Loggers of programs that print a line of the agent: Google Cloud's structured logs, winston, pino, bunyan, Python.
  { line: 'message', beside: ['severity', 'level', 'levelname', 'lvl', 'logger'], isUntyped: true },
  { line: 'msg', beside: ['severity', 'level', 'levelname', 'lvl', 'logger'], isUntyped: true },
  { line: 'event', beside: ['level', 'logger', 'log_level'], isUntyped: true },
  // Azure
  { line: 'Log', beside: ['TimeStamp'] },
  { line: 'LogMessage', beside: ['TimeGenerated'] },
  { line: 'LogEntry', beside: ['TimeGenerated'] },
];

const times = [
  '__REALTIME_TIMESTAMP',
  '_SOURCE_REALTIME_TIMESTAMP',
  'time',
  'timestamp',
  '@timestamp',
  '_time',
  'timeUnixNano',
  'receiveTimestamp',
  'TimeGenerated',
  'TimeStamp',
  'date',
];

/** Docker splits a line after this many bytes; only the last piece ends with a line feed. */
const dockerPiece = 16 * 1024;

/** The lines in a log collector's record; undefined: it is not such a record. `isInside`: the records before it hold the first lines of a document. */
export function openEnvelope(wire: JsonObject, isInside: boolean): readonly Enveloped[] | undefined {
  for (const open of documents) {
    const lines = open(wire);
    if (lines !== undefined && lines.length > 0 && lines.every((line) => line !== undefined)) return inOrder(lines);
  }
  const line = lineOf(wire, isInside);
  return line === undefined ? undefined : [line];
}

/** Responses of log servers: one document with all lines. Each function returns undefined for a document of another kind. */
const documents: readonly ((wire: JsonObject) => readonly (Enveloped | undefined)[] | undefined)[] = [
  // aws logs get-log-events, filter-log-events
  ({ events }) =>
    listOf(events)?.map((event) =>
      isObject(event) && 'timestamp' in event && 'ingestionTime' in event ? lineOf(event) : undefined,
    ),
  // A CloudWatch subscription
  ({ messageType, logEvents }) =>
    messageType === undefined
      ? undefined
      : listOf(logEvents)?.map((event) => (isObject(event) ? lineIn(event, event['message']) : undefined)),
  // CloudWatch Insights: rows of named fields
  ({ results, status }) => (status === undefined ? undefined : listOf(results)?.map(rowOf)),
  // Loki's query_range: pairs of a time and a line, by stream
  ({ data }) =>
    isObject(data) && data['resultType'] === 'streams' ? listOf(data['result'])?.flatMap(pairsOf) : undefined,
  // Elasticsearch and OpenSearch, their answers and dumps
  ({ hits }) => (isObject(hits) ? listOf(hits['hits'])?.map(sourceOf) : undefined),
  ({ _index, _source }) => (_index === undefined ? undefined : [sourceOf({ _source })]),
  // Splunk, its answers and exports
  ({ results }) =>
    listOf(results)?.map((result) => (isObject(result) && '_raw' in result ? lineOf(result) : undefined)),
  ({ result }) => (isObject(result) && '_raw' in result ? [lineOf(result)] : undefined),
  // OpenTelemetry
  ({ resourceLogs }) =>
    listOf(resourceLogs)
      ?.flatMap((each) => below(each, 'scopeLogs'))
      .flatMap((each) => below(each, 'logRecords'))
      .map(bodyOf),
  // asciinema, version 1
  oldCast,
  // CircleCI: pieces of what a step printed
  ({ message, time, type, truncated }) =>
    typeof message === 'string' && typeof time === 'string' && typeof truncated === 'boolean'
      ? [{ text: message, isPartial: true, stream: type === 'err' ? 'stderr' : 'stdout', at: undefined }]
      : undefined,
  // Loguru
  ({ text, record }) =>
    typeof text === 'string' && isObject(record) && isObject(record['level'])
      ? [lineIn(record, record['message'])]
      : undefined,
  // Datadog's API, versions 2 and 1
  ({ data }) => listOf(data)?.map(attributesOf),
  ({ logs }) => listOf(logs)?.map(contentOf),
  (wire) => [attributesOf(wire) ?? contentOf(wire)],
];

function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function lineIn(wire: JsonObject, message: unknown): Enveloped | undefined {
  const text = textOf(message);
  return text === undefined ? undefined : { text, isPartial: false, stream: streamOf(wire), at: timeOf(wire) };
}

function rowOf(row: unknown): Enveloped | undefined {
  const fields = listOf(row)?.flatMap((each): [string, unknown][] =>
    isObject(each) && typeof each['field'] === 'string' ? [[each['field'], each['value']]] : [],
  );
  return fields === undefined ? undefined : lineOf(Object.fromEntries(fields) as JsonObject);
}

function pairsOf(stream: unknown): (Enveloped | undefined)[] {
  const { stream: labels, values } = isObject(stream) ? stream : {};
  return (listOf(values) ?? [undefined]).map((pair) => {
    const [time, text] = listOf(pair) ?? [];
    // Nanoseconds, in a string.
    if (typeof text !== 'string' || typeof time !== 'string' || !/^\d{1,20}$/.test(time)) return undefined;
    return { text, isPartial: false, stream: isObject(labels) ? streamOf(labels) : 'stdout', at: Number(time) / 1e6 };
  });
}

function sourceOf(hit: unknown): Enveloped | undefined {
  const source = isObject(hit) ? hit['_source'] : undefined;
  return isObject(source) ? (lineOf(source) ?? lineIn(source, source['message'])) : undefined;
}

function below(value: unknown, name: string): readonly unknown[] {
  return (isObject(value) ? listOf(value[name]) : undefined) ?? [undefined];
}

function bodyOf(record: unknown): Enveloped | undefined {
  const { body } = isObject(record) ? record : {};
  return isObject(record) && isObject(body) ? lineIn(record, body['stringValue']) : undefined;
}

function attributesOf(entry: unknown): Enveloped | undefined {
  const { type, attributes } = isObject(entry) ? entry : {};
  return isObject(attributes) && (type === 'log' || (type === undefined && isStored(attributes)))
    ? storedLine(attributes)
    : undefined;
}

function contentOf(entry: unknown): Enveloped | undefined {
  const { type, content } = isObject(entry) ? entry : {};
  return isObject(content) && type === undefined && isStored(content) ? storedLine(content) : undefined;
}

/** Exports leave out the type, so these fields must tell that it is a log entry. */
function isStored(content: JsonObject): boolean {
  return ['timestamp', 'service', 'host', 'tags'].some((name) => Object.hasOwn(content, name));
}

/** Datadog takes a message that is an object apart, and keeps its fields under `attributes`. */
function storedLine(content: JsonObject): Enveloped | undefined {
  const { message, attributes } = content;
  const isApart =
    (typeof message !== 'string' || !message.includes('{')) && isObject(attributes) && 'type' in attributes;
  return lineIn(content, isApart ? attributes : message);
}

/** Servers return the newest line first, or one stream after another. */
function inOrder(lines: readonly (Enveloped | undefined)[]): readonly Enveloped[] {
  const known = lines.filter((line) => line !== undefined);
  const [first, last] = [known.at(0)?.at, known.at(-1)?.at];
  if (first === undefined || last === undefined || known.some(({ at }) => at === undefined)) return known;
  return (first > last ? known.toReversed() : known).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
}

function lineOf(wire: JsonObject, isInside = false): Enveloped | undefined {
  for (const kind of kinds) {
    if (kind.isUntyped === true && 'type' in wire) continue;
    if (!Object.hasOwn(wire, kind.line) || !kind.beside.some((name) => Object.hasOwn(wire, name))) continue;
    // Filebeat uses `log` for the file that the message came from.
    if (kind.line === 'log' && typeof wire['log'] !== 'string' && typeof wire['message'] === 'string') continue;
    const text = textOf(wire[kind.line]);
    if (text === undefined || (kind.isUntyped === true && !isInside && !text.startsWith('{'))) continue;
    const inner = kind.line === 'Log' ? openContainerLine(text) : undefined;
    return inner ?? { text, isPartial: isPartial(wire, text), stream: streamOf(wire), at: timeOf(wire) };
  }
  return undefined;
}

/** The journal writes anything that is not plain text as a list of bytes. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (isObject(value)) return JSON.stringify(value);
  if (Array.isArray(value) && value.every((byte) => typeof byte === 'number'))
    return new TextDecoder().decode(Uint8Array.from(value));
  return undefined;
}

function isPartial(wire: JsonObject, text: string): boolean {
  if (wire['_LINE_BREAK'] === 'line-max' || wire['logtag'] === 'P' || wire['partial_message'] === 'true') return true;
  // A character takes four bytes at most.
  return (
    'log' in wire &&
    !text.endsWith('\n') &&
    text.length * 4 >= dockerPiece &&
    new TextEncoder().encode(text).length >= dockerPiece
  );
}

function streamOf({ stream, labels }: JsonObject): Enveloped['stream'] {
  const named = stream ?? (isObject(labels) ? labels.stream : undefined);
  return named === 'stderr' ? 'stderr' : 'stdout';
}

function timeOf(wire: JsonObject): number | undefined {
  for (const name of times) {
    const value = wire[name];
    // The journal counts microseconds, in a string, others nanoseconds; collectors use seconds or milliseconds.
    if (typeof value === 'string' && /^\d{16}$/.test(value)) return Number(value) / 1000;
    if (typeof value === 'string' && /^\d{19}$/.test(value)) return Number(value) / 1e6;
    if (typeof value === 'number') return value < 1e11 ? value * 1000 : value;
    const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(at)) return at;
  }
  return undefined;
}

const container = /^(\d{4}-\d\d-\d\dT[\d:.]{8,24}(?:Z|[+-]\d\d:\d\d)) (stdout|stderr) ([FP]) /;
/** GitLab marks a piece that goes on with the line before it. */
const gitlab = /^(\d{4}-\d\d-\d\dT[\d:.]{8,24}Z) [\da-f]{2}([OE])([ +])/;

/** A line of a Kubernetes container's log file, or of a job's log in GitLab. */
export function openContainerLine(line: string): Enveloped | undefined {
  const [head, time = '', stream, tag] = container.exec(line) ?? [];
  if (head === undefined) return openGitlabLine(line);
  return {
    text: line.slice(head.length),
    isPartial: tag === 'P',
    stream: stream === 'stderr' ? 'stderr' : 'stdout',
    at: Date.parse(time),
  };
}

function openGitlabLine(line: string): Enveloped | undefined {
  const [head, time = '', stream, tag] = gitlab.exec(line) ?? [];
  if (head === undefined) return undefined;
  const text = `${tag === '+' ? '' : '\n'}${line.slice(head.length)}`;
  return { text, isPartial: true, stream: stream === 'E' ? 'stderr' : 'stdout', at: Date.parse(time) };
}

const logfmt = /^[\w.@-]{1,60}=.{0,2000}?(?:^|\s)(?:msg|message|log|line|event)=(?=")/;
const teamcity = /^##teamcity\[message .{0,200}?text='/;
const yaml = /^[ \t]{0,20}(?:- )?(?:textPayload|message|log): /;
const teamcityEscapes: Readonly<Record<string, string>> = { n: '\n', r: '\r' };

/** A line of named fields, one of which is a line of the agent. `isInside`: the lines before it hold the first ones of a document. */
export function openFieldsLine(line: string, isInside: boolean): Enveloped | undefined {
  const [head] = logfmt.exec(line) ?? teamcity.exec(line) ?? yaml.exec(line) ?? [];
  if (head === undefined) return undefined;
  const text = fieldAt(line, head);
  return text === undefined || (!isInside && !/^[{[]/.test(text))
    ? undefined
    : { text, isPartial: false, stream: 'stdout', at: undefined };
}

function fieldAt(line: string, head: string): string | undefined {
  const rest = line.slice(head.length);
  if (!head.startsWith('##') && !/^['"]/.test(rest)) return undefined;
  if (head.startsWith('##')) {
    const [text] = /^(?:[^|']|\|.)*/.exec(rest) ?? [''];
    return text.replace(/\|(.)/g, (_, char: string) => teamcityEscapes[char] ?? char);
  }
  if (rest.startsWith("'")) return rest.endsWith("'") ? rest.slice(1, -1).replaceAll("''", "'") : undefined;
  try {
    const text = JSON.parse(rest.slice(0, endOfString(rest, 1) + 1)) as unknown;
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}
