import type { AgentEvent, EventRecord, EventType } from './event.ts';
import { shapes } from './shapes.ts';

type Fields = Record<string, unknown>;
type Check = (value: unknown) => boolean;

interface Shape {
  readonly fields: ReadonlyMap<string, Check>;
  readonly required: readonly string[];
}

/** The event in a line of a tape, without its envelope; undefined when the line is not one of our events. */
export function eventIn(wire: Fields): AgentEvent | undefined {
  const shape = shapeOf(wire.type);
  if (shape === undefined) return undefined;
  const event: Fields = { type: wire.type };
  for (const [field, fits] of shape.fields) {
    const value = wire[field];
    if (value === undefined) continue;
    if (!fits(value)) return undefined;
    event[field] = value;
  }
  return hasAll(event, shape) ? (event as AgentEvent) : undefined;
}

/** Whether a parsed line is a record as it stands: one of our events with its place in the run, and nothing else. */
export function isRecord(wire: unknown): wire is EventRecord {
  if (typeof wire !== 'object' || wire === null) return false;
  const line = wire as Fields;
  const shape = shapeOf(line.type);
  if (shape === undefined) return false;
  for (const field in line)
    if (field !== 'type' && (envelope.get(field) ?? shape.fields.get(field))?.(line[field]) !== true) return false;
  return hasAll(line, shape) && envelopeFields.every((field) => line[field] !== undefined);
}

function hasAll(line: Fields, { required }: Shape): boolean {
  for (const field of required) if (line[field] === undefined) return false;
  return true;
}

const known = new Map<unknown, Shape>();

function shapeOf(type: unknown): Shape | undefined {
  const found = known.get(type);
  if (found !== undefined || typeof type !== 'string' || !Object.hasOwn(shapes, type)) return found;
  const kinds = Object.entries(shapes[type as EventType]);
  const shape = {
    fields: new Map(
      kinds.map(([field, kind]) => [field, field === 'verdict' ? isVerdict : checkOf(kind.replace(/^~/, ''))]),
    ),
    required: kinds.flatMap(([field, kind]) => (kind.startsWith('~') ? [] : [field])),
  };
  known.set(type, shape);
  return shape;
}

function checkOf(kind: string): Check {
  switch (kind) {
    case 'json':
      return () => true;
    case 'string':
      return isText;
    case 'id':
      return isId;
    case 'boolean':
      return isBoolean;
    case 'count':
      return (value) => Number.isSafeInteger(value) && (value as number) >= 0;
    case 'integer':
      return Number.isSafeInteger;
    case 'amount':
      return (value) => Number.isFinite(value) && (value as number) >= 0;
    case 'number':
      return Number.isFinite;
    case 'strings':
      return (value) => Array.isArray(value) && value.every(isText);
    default:
      return kind.endsWith('?') ? orNull(checkOf(kind.slice(0, -1))) : oneOf(kind.split('|'));
  }
}

const isText: Check = (value) => typeof value === 'string';
const isId: Check = (value) => typeof value === 'string' && value !== '';
const isBoolean: Check = (value) => typeof value === 'boolean';
const orNull =
  (fits: Check): Check =>
  (value) =>
    value === null || fits(value);
const oneOf = (words: readonly unknown[]): Check => words.includes.bind(words);

/** An end without its verdict is none. */
const isVerdict: Check = (value) => isText((value as { class?: unknown } | null)?.class);

const time = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
/** Records come in bursts with the same time. */
let latestTime: unknown = null;

function isTime(value: unknown): boolean {
  if (value === latestTime) return true;
  if (typeof value !== 'string' || !time.test(value) || Number.isNaN(Date.parse(value))) return value === null;
  latestTime = value;
  return true;
}

const envelope: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['sequence', (value) => Number.isSafeInteger(value) && (value as number) > 0],
  ['timestamp', isTime],
  ['thread_id', isId],
  ['source', oneOf(['agent', 'runner', 'wire'])],
  ['synthetic', isBoolean],
]);
const envelopeFields = [...envelope.keys()];
