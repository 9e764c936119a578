import { Failure } from '../failure.ts';
import { percentDecoded, withoutPassword } from '../redact/url-password.ts';
import type { Environment } from '../words/vocabulary.ts';
import { readPairs } from './pairs.ts';
import { resourceOf } from './resource.ts';
import { readSampler, type Sampler } from './sampler.ts';
import type { Attributes } from './span.ts';

/** Where spans go. */
export type TelemetryTarget = { kind: 'file'; path: string } | { kind: 'http'; endpoint: HttpEndpoint };

export interface HttpEndpoint {
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  isCompressed: boolean;
}

/** How a run is exported to OpenTelemetry. */
export interface TelemetryRequest {
  target: TelemetryTarget;
  resource: Attributes;
  /** Whether prompts, answers, arguments and results are exported as well. */
  capturesContent: boolean;
  sampler: Sampler;
  /** How many spans may wait, how many are sent at once, and how long they are collected. */
  queue: { most: number; batch: number; delayMs: number };
}

export interface Telemetry {
  /** Undefined: runs are not exported. */
  request: TelemetryRequest | undefined;
  /** Settings that cannot be honoured, as messages for people. */
  warnings: readonly string[];
}

/** The value of `--otel`, else the environment variables of the OpenTelemetry specification. `fileAt` resolves a file name. */
export function readTelemetry(flag: string | undefined, env: Environment, fileAt: (name: string) => string): Telemetry {
  const warnings: string[] = [];
  const read = new Variables(env, (message) => void warnings.push(message));
  if (flag === 'none' || (flag === undefined && !isOn(read))) return { request: undefined, warnings };
  const target = flag === undefined ? targetOfVariables(read) : targetOf(flag, read, fileAt);
  if (target === undefined) return { request: undefined, warnings };
  if (
    read.text('OTEL_EXPORTER_OTLP_CERTIFICATE', 'OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE') !== undefined &&
    target.kind === 'http'
  )
    warnings.push('OTEL_EXPORTER_OTLP_CERTIFICATE is ignored: name the certificate in NODE_EXTRA_CA_CERTS');
  const request: TelemetryRequest = {
    target,
    resource: resourceOf(env, read.warn),
    capturesContent: capturesContent(read),
    sampler: readSampler(read),
    queue: {
      most: read.count('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
      batch: read.count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
      delayMs: read.count('OTEL_BSP_SCHEDULE_DELAY', 5000),
    },
  };
  return { request, warnings };
}

/** Environment variables as the specification reads them: an empty one counts as unset, and so does an invalid one, with a warning. */
export class Variables {
  readonly #env: Environment;
  readonly warn: (message: string) => void;

  constructor(env: Environment, warn: (message: string) => void) {
    this.#env = env;
    this.warn = warn;
  }

  /** The first of these that is set. */
  text(...given: readonly string[]): string | undefined {
    for (const name of given) {
      const value = this.#env[name]?.trim();
      if (value !== undefined && value !== '') return value;
    }
    return undefined;
  }

  count(name: string, usual: number): number {
    const text = this.text(name);
    if (text === undefined) return usual;
    if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
    this.warn(`${name} is not a whole number above 0: ${usual} is used`);
    return usual;
  }

  /** Only the word `true` is true. */
  isTrue(name: string): boolean {
    return this.text(name)?.toLowerCase() === 'true';
  }
}

const endpoints = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const localCollector = 'http://localhost:4318';

/** Without any setting, no collector is looked for. */
function isOn(read: Variables): boolean {
  if (read.isTrue('OTEL_SDK_DISABLED')) return false;
  const exporter = read.text('OTEL_TRACES_EXPORTER')?.toLowerCase();
  if (exporter === undefined) return read.text(...endpoints) !== undefined;
  if (exporter !== 'otlp' && exporter !== 'none')
    read.warn(
      `OTEL_TRACES_EXPORTER is "${exporter}": Runwire knows otlp and none, so nothing is exported to OpenTelemetry`,
    );
  return exporter === 'otlp';
}

function targetOfVariables(read: Variables): TelemetryTarget | undefined {
  const protocol = read.text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL')?.toLowerCase();
  if (protocol !== undefined && protocol !== 'http/json' && protocol !== 'http/protobuf') {
    read.warn(
      `OTEL_EXPORTER_OTLP_PROTOCOL is "${protocol}": Runwire speaks only http/json, so nothing is exported to OpenTelemetry`,
    );
    return undefined;
  }
  if (protocol === 'http/protobuf')
    read.warn(
      'OTEL_EXPORTER_OTLP_PROTOCOL is "http/protobuf": Runwire speaks only http/json, and sends that to the same address',
    );
  const whole = read.text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const base = read.text('OTEL_EXPORTER_OTLP_ENDPOINT') ?? localCollector;
  const url = whole === undefined ? tracesUrl(base) : urlOf(whole)?.href;
  if (url !== undefined) return { kind: 'http', endpoint: endpointOf(url, read) };
  read.warn(
    `OTEL_EXPORTER_OTLP_ENDPOINT is not an address such as ${localCollector}: nothing is exported to OpenTelemetry`,
  );
  return undefined;
}

/** Throws `Failure` if the flag is neither a file nor an address. */
function targetOf(flag: string, read: Variables, fileAt: (name: string) => string): TelemetryTarget {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(flag)) return { kind: 'file', path: fileAt(flag) };
  const url = tracesUrl(flag);
  if (url === undefined)
    throw new Failure(
      'input',
      `--otel ${withoutPassword(flag)}: expected a file, or the address of a collector such as ${localCollector}`,
    );
  return { kind: 'http', endpoint: endpointOf(url, read) };
}

function urlOf(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** The address of a collector, with the path for traces if it is not there already. */
function tracesUrl(base: string): string | undefined {
  const url = urlOf(base);
  if (url === undefined) return undefined;
  const path = url.pathname.replace(/\/$/, '');
  url.pathname = path.endsWith('/v1/traces') ? path : `${path}/v1/traces`;
  return url.href;
}

function endpointOf(address: string, read: Variables): HttpEndpoint {
  const url = new URL(address);
  const { username, password } = url;
  url.username = url.password = '';
  const given = read.text('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS');
  const headers = given === undefined ? {} : readPairs(given);
  if (headers === undefined)
    read.warn('OTEL_EXPORTER_OTLP_HEADERS is not key=value,key=value: none of its headers are sent');
  const basic = Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`).toString('base64');
  const compression = read
    .text('OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'OTEL_EXPORTER_OTLP_COMPRESSION')
    ?.toLowerCase();
  if (compression !== undefined && compression !== 'gzip' && compression !== 'none')
    read.warn(`OTEL_EXPORTER_OTLP_COMPRESSION is "${compression}": expected gzip or none, so nothing is compressed`);
  const specific =
    read.text('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT') === undefined
      ? 'OTEL_EXPORTER_OTLP_TIMEOUT'
      : 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT';
  return {
    url: url.href,
    headers: { ...(username + password === '' ? {} : { Authorization: `Basic ${basic}` }), ...headers },
    timeoutMs: read.count(specific, 10_000),
    isCompressed: compression === 'gzip',
  };
}

/** The values that other instrumentations accept: `true`, or where the content goes; we only have spans. */
function capturesContent(read: Variables): boolean {
  const word = read.text('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT')?.toLowerCase();
  if (word === undefined || ['false', 'no_content', 'event_only'].includes(word)) return false;
  if (['true', 'span_only', 'span_and_event'].includes(word)) return true;
  read.warn(
    `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is "${word}": expected true or false, so no content is exported`,
  );
  return false;
}
