import { describe, expect, it } from 'vitest';
import { isSampled } from '../../src/telemetry/sampler.ts';
import { readTelemetry } from '../../src/telemetry/settings.ts';
import { parseTraceParent } from '../../src/telemetry/trace-context.ts';
import { secretValues } from '../../src/redact/secrets.ts';

const read = (env: Record<string, string>, flag?: string) => readTelemetry(flag, env, (name) => `/srv/${name}`);
const endpoint = (env: Record<string, string>, flag?: string) => {
  const target = read(env, flag).request?.target;
  return target?.kind === 'http' ? target.endpoint : undefined;
};
const base = 'OTEL_EXPORTER_OTLP_ENDPOINT';
const traces = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';

describe('where spans go', () => {
  it('takes a password with a % as it is', () => {
    const { headers } = endpoint({ [base]: 'http://me:100%zz@c:4318' }) ?? {};
    expect(headers).toEqual({ Authorization: `Basic ${Buffer.from('me:100%zz').toString('base64')}` });
  });

  it.each<[string, Record<string, string>, string | undefined]>([
    ['nowhere by itself', {}, undefined],
    ['an empty variable is not set', { [base]: '' }, undefined],
    ['the path is added', { [base]: 'http://c:4318' }, 'http://c:4318/v1/traces'],
    ['to a path too', { [base]: 'https://c/api/otel/' }, 'https://c/api/otel/v1/traces'],
    ['but not to the address for traces', { [base]: 'http://x', [traces]: 'http://c:4318/in' }, 'http://c:4318/in'],
    ['an exporter without an address', { OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces'],
    ['no exporter', { [base]: 'http://c', OTEL_TRACES_EXPORTER: 'none' }, undefined],
    ['turned off', { [base]: 'http://c', OTEL_SDK_DISABLED: 'TRUE' }, undefined],
    ['only true is true', { [base]: 'http://c', OTEL_SDK_DISABLED: '1' }, 'http://c/v1/traces'],
    [
      'the one protocol that there is',
      { [base]: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
      'http://c/v1/traces',
    ],
  ])('%s', (_name, env, url) => {
    const { request, warnings } = read(env);
    expect({ url: request?.target.kind === 'http' ? request.target.endpoint.url : undefined, warnings }).toEqual({
      url,
      warnings: [],
    });
  });

  it.each<[string, Record<string, string>, string | undefined, RegExp]>([
    [
      'grpc',
      { [base]: 'http://c:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      undefined,
      /only http\/json, so nothing is exported/,
    ],
    [
      'its own protocol',
      { [base]: 'http://c', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' },
      undefined,
      /only http\/json/,
    ],
    [
      'protobuf',
      { [base]: 'http://c', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' },
      'http://c/v1/traces',
      /sends that to the same address/,
    ],
    ['another exporter', { [base]: 'http://c', OTEL_TRACES_EXPORTER: 'zipkin' }, undefined, /knows otlp and none/],
    ['no address', { [base]: 'collector:4318' }, undefined, /is not an address/],
    [
      'bad headers',
      { [base]: 'http://c', OTEL_EXPORTER_OTLP_HEADERS: 'secret' },
      'http://c/v1/traces',
      /HEADERS is not key=value/,
    ],
    [
      'a bad timeout',
      { [base]: 'http://c', OTEL_EXPORTER_OTLP_TIMEOUT: '10s' },
      'http://c/v1/traces',
      /TIMEOUT is not a whole number/,
    ],
    [
      'a bad compression',
      { [base]: 'http://c', OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' },
      'http://c/v1/traces',
      /nothing is compressed/,
    ],
    [
      'a certificate',
      { [base]: 'https://c', OTEL_EXPORTER_OTLP_CERTIFICATE: 'x.pem' },
      'https://c/v1/traces',
      /NODE_EXTRA_CA_CERTS/,
    ],
    [
      'a bad sampler',
      { [base]: 'http://c', OTEL_TRACES_SAMPLER: 'jaeger' },
      'http://c/v1/traces',
      /parentbased_always_on is used/,
    ],
    [
      'a bad ratio',
      { [base]: 'http://c', OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
      'http://c/v1/traces',
      /from 0 to 1/,
    ],
    [
      'bad attributes',
      { [base]: 'http://c', OTEL_RESOURCE_ATTRIBUTES: 'a=%zz' },
      'http://c/v1/traces',
      /it is ignored/,
    ],
    [
      'a bad switch',
      { [base]: 'http://c', OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'yes' },
      'http://c/v1/traces',
      /no content is exported/,
    ],
  ])('says plainly what it cannot do: %s', (_name, env, url, warning) => {
    const { request, warnings } = read(env);
    expect(request?.target.kind === 'http' ? request.target.endpoint.url : undefined).toBe(url);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
    expect(warnings.join()).not.toContain('secret');
  });

  it('is where the flag says', () => {
    expect(read({}, 'spans.jsonl').request?.target).toEqual({ kind: 'file', path: '/srv/spans.jsonl' });
    expect(endpoint({ [base]: 'http://other', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'http://c:4318')?.url).toBe(
      'http://c:4318/v1/traces',
    );
    expect(endpoint({}, 'http://c:4318/v1/traces')?.url).toBe('http://c:4318/v1/traces');
    expect(read({ [base]: 'http://c' }, 'none').request).toBeUndefined();
    expect(read({ OTEL_SDK_DISABLED: 'true' }, 'http://c').request).toBeDefined();
    expect(() => read({}, 'ftp://user:secret@c')).toThrow(/--otel ftp:\/\/\*\*\*@c: expected a file/);
  });

  it('has headers, a time limit and a resource', () => {
    const env = {
      [base]: 'http://user:pass@c:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a%3Db, Authorization=Basic%20cGs6c2s=',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    };
    expect(endpoint(env)).toEqual({
      url: 'http://c:4318/v1/traces',
      headers: { Authorization: 'Basic cGs6c2s=', 'x-api-key': 'a=b' },
      timeoutMs: 2500,
      isCompressed: true,
    });
    expect(
      endpoint({ ...env, OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'a=b', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '9' }),
    ).toMatchObject({
      headers: { Authorization: `Basic ${btoa('user:pass')}`, a: 'b' },
      timeoutMs: 9,
    });
    expect(read({ [base]: 'http://c' }).request?.resource).toMatchObject({ 'service.name': 'runwire' });
    expect(
      read({
        [base]: 'http://c',
        OTEL_SERVICE_NAME: 'ci',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=no,team=a%2Cb,__proto__=x',
      }).request?.resource,
    ).toEqual(expect.objectContaining({ 'service.name': 'ci', team: 'a,b' }));
    expect(
      read({ [base]: 'http://c', GITHUB_ACTIONS: 'true', GITHUB_WORKFLOW: 'w', GITHUB_RUN_ID: '7', GITHUB_SHA: 'abc' })
        .request?.resource,
    ).toMatchObject({ 'cicd.pipeline.name': 'w', 'cicd.pipeline.run.id': '7', 'vcs.ref.head.revision': 'abc' });
  });

  it.each(['true', 'SPAN_ONLY', 'span_and_event'])('tells content where it is asked to: %s', (word) => {
    const env = { [base]: 'http://c', OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: word };
    expect(read(env).request?.capturesContent).toBe(true);
    expect(
      read({ ...env, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'EVENT_ONLY' }).request?.capturesContent,
    ).toBe(false);
  });

  it('takes the credentials of headers out of every text', () => {
    const env = { OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'Authorization=Basic%20cGstbGY6c2stbGY%3D,x-team=blue' };
    expect(secretValues(env)).toEqual(['cGstbGY6c2stbGY%3D', 'cGstbGY6c2stbGY=']);
  });
});

describe('sampling', () => {
  const half = { followsParent: true, ratio: 0.5 };
  it('follows what was decided above, else the trace', () => {
    expect([isSampled(half, 'f'.repeat(32), true), isSampled(half, '0'.repeat(31) + '1', false)]).toEqual([
      true,
      false,
    ]);
    expect([
      isSampled(half, 'f'.repeat(32), undefined),
      isSampled(half, `${'f'.repeat(16)}${'0'.repeat(16)}`, undefined),
    ]).toEqual([false, true]);
    expect(isSampled({ followsParent: false, ratio: 1 }, 'f'.repeat(32), false)).toBe(true);
    expect(isSampled({ followsParent: false, ratio: 0 }, '0'.repeat(32), true)).toBe(false);
  });
});

describe('a trace context', () => {
  const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  it('is read as the recommendation says', () => {
    expect(parseTraceParent(`00-${trace}-${span}-01`, 'a=1')).toEqual({
      traceId: trace,
      parentSpanId: span,
      isSampled: true,
      state: 'a=1',
    });
    expect(parseTraceParent(`00-${trace}-${span}-00`)?.isSampled).toBe(false);
    expect(parseTraceParent(`cc-${trace}-${span}-03-what-comes-later`)?.isSampled).toBe(true);
    expect(parseTraceParent(`00-${trace}-${span}-01`, 'a=\u0007')).not.toHaveProperty('state');
  });

  it.each([
    '',
    'x',
    `00-${trace}-${span}`,
    `00-${trace}-${span}-01-more`,
    `ff-${trace}-${span}-01`,
    `00-${trace.toUpperCase()}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${span}-0g`,
    `00-${trace}-${span}-01${'-'.repeat(100_000)}`,
  ])('is none: %s', (text) => {
    expect(parseTraceParent(text)).toBeUndefined();
  });
});
