import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { folder, goodRun, ok, runScripted, started, telling } from '../cli/run/scripted.ts';
import { live } from '../cli/run/live.ts';
import { collector } from './collector.ts';
import { attribute, spansIn, type SpanJson } from './spans-of.ts';

const recording = join(import.meta.dirname, '..', '..', 'examples', 'codex-run.jsonl');
const names = (spans: readonly SpanJson[]): string[] => spans.map(({ name }) => name);
const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

describe('a run tells OpenTelemetry', () => {
  it('its spans, to a collector, with the usage of each call and of the run', async () => {
    const server = await collector();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=k%201',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    };
    const { status } = await runScripted(['Do it', '-q', '--ledger', 'none'], telling(...goodRun), { env });
    expect(status).toBe(0);
    expect(server.requests.map(({ path, headers }) => [path, headers['content-type'], headers['x-key']])).toEqual([
      ['/v1/traces', 'application/json', 'k 1'],
    ]);
    const spans = server.spans();
    expect(names(spans)).toEqual([
      'execute_tool write',
      'execute_tool read',
      'chat acme/large',
      'chat acme/large',
      'invoke_agent runwire',
    ]);
    expect(spans.map((each) => attribute(each, 'gen_ai.usage.input_tokens'))).toEqual([
      undefined,
      undefined,
      '1000',
      '1100',
      '2100',
    ]);
    expect(spans.map(({ status: each }) => each)).toEqual([{}, {}, {}, {}, {}]);
    expect(spans[0]?.events.map(({ name }) => name)).toEqual(['runwire.file_change']);
    const text = server.requests[0]?.body ?? '';
    for (const content of ['Do it', 'I look at both', 'written', 'All done']) expect(text).not.toContain(content);
  });

  it('what was said only where it is asked to, and never a secret', async () => {
    const server = await collector();
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${server.url}/in`,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      OTEL_RESOURCE_ATTRIBUTES: 'leak=my-hidden-value-1234',
      SOME_TOKEN: 'my-hidden-value-1234',
    };
    const drafts = [
      started,
      { type: 'turn.started' as const },
      { type: 'text.completed' as const, text: 'It is my-hidden-value-1234.' },
      { type: 'turn.completed' as const },
      ok,
    ];
    await runScripted(['Say my-hidden-value-1234', '-q', '--ledger', 'none'], telling(...drafts), { env });
    expect(server.requests.map(({ path }) => path)).toEqual(['/in']);
    expect(server.requests[0]?.body).not.toContain('my-hidden-value');
    const root = server.spans().at(-1);
    expect(JSON.parse(String(root && attribute(root, 'gen_ai.output.messages')))).toEqual([
      {
        role: 'assistant',
        parts: [{ type: 'text', content: 'It is [redacted:secret-value].' }],
        finish_reason: 'stop',
      },
    ]);
    expect(String(root && attribute(root, 'gen_ai.input.messages'))).toContain('Say [redacted:');
  });

  it('the same spans live, from its tape, and twice', async () => {
    const server = await collector();
    const cwd = folder();
    const env = {
      XDG_STATE_HOME: join(cwd, 'state'),
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      TRACEPARENT: `00-${trace}-${span}-01`,
    };
    const first = await live(['run', '-q', '--otel', 'spans.jsonl', '--tape', 'run.tape', '--', 'cat', recording], {
      cwd,
      env,
    });
    expect(first.status).toBe(0);
    const written = spansIn(readFileSync(join(cwd, 'spans.jsonl'), 'utf8'));
    expect(server.requests).toEqual([]);
    const [told, again, sent] = await Promise.all([
      live(['runs', 'otel', 'last'], { cwd, env }),
      live(['runs', 'otel', 'run.tape'], { cwd, env }),
      live(['runs', 'otel', 'last', '--to', server.url], { cwd, env }),
    ]);
    expect([told.stderr, again.stderr, sent.stderr, sent.stdout]).toEqual(['', '', '', '']);
    expect(written.length).toBeGreaterThan(3);
    expect(spansIn(told.stdout)).toEqual(written);
    expect(spansIn(again.stdout)).toEqual(written);
    expect(server.spans()).toEqual(written);
    const root = written.at(-1);
    expect([root?.traceId, root?.parentSpanId, root?.flags]).toEqual([trace, span, 0x301]);
  });

  it('nothing when the collector is away, refuses or takes half: the run is what it is', async () => {
    const server = await collector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: server.url };
    const run = (given: Record<string, string> = env) =>
      runScripted(['Do it', '--ledger', 'none'], telling(...goodRun), { env: given });
    server.answers.push({ status: 400 });
    const refused = await run();
    server.answers.push({ status: 200, body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"\\u001b[31m"}}' });
    const half = await run();
    server.answers.push({ status: 503, headers: { 'Retry-After': '0' } });
    const busy = await run();
    const away = await run({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:hidden-password@127.0.0.1:9' });
    expect([refused, half, busy, away].map(({ status, stdout }) => [status, stdout])).toEqual(
      Array.from({ length: 4 }, () => [0, 'All done ✓\n']),
    );
    expect(refused.stderr).toContain('may miss spans of this run: it answered 400');
    expect(half.stderr).toContain('it rejected 2 spans');
    expect(away.stderr).toMatch(
      /OpenTelemetry \(http:\/\/127\.0\.0\.1:9\/v1\/traces\) may miss spans of this run: (?:ECONNREFUSED|bad port)/,
    );
    expect(away.stderr).not.toContain('hidden-password');
    expect(server.spans().filter(({ name }) => name === 'invoke_agent runwire')).toHaveLength(2);
    expect(half.stderr).not.toContain('\u001b');
  });

  it('as it goes, in batches', async () => {
    const server = await collector();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
      OTEL_BSP_SCHEDULE_DELAY: '10',
    };
    const heard = async (count: number): Promise<void> => {
      while (server.spans().length < count) await new Promise((resolve) => void setTimeout(resolve, 5));
    };
    const { status } = await runScripted(
      ['Do it', '-q', '--ledger', 'none'],
      async (_options, emit) => {
        for (const draft of goodRun) {
          emit(draft);
          if (draft.type === 'turn.completed' && draft.finish_reason === 'tool_calls') await heard(3);
        }
      },
      { env },
    );
    expect(status).toBe(0);
    expect(server.requests.length).toBeGreaterThan(2);
    expect(server.spans()).toHaveLength(5);
  });

  it('of a run that was stopped, too: nothing is left open', async () => {
    const cwd = folder();
    const { status } = await live(
      ['run', '-q', '--timeout', '1s', '--otel', 's.jsonl', '--', 'sh', '-c', `head -3 ${recording}; sleep 60`],
      { cwd },
    );
    expect(status).toBe(124);
    const spans = spansIn(readFileSync(join(cwd, 's.jsonl'), 'utf8'));
    const root = spans.at(-1);
    expect(root?.status).toEqual({ code: 2, message: 'the time limit was reached' });
    expect(root && attribute(root, 'error.type')).toBe('timeout');
    expect(spans.every(({ endTimeUnixNano }) => BigInt(endTimeUnixNano) > 0n)).toBe(true);
  });
});

describe('TRACEPARENT', () => {
  const first = (tape: string): EventRecord => JSON.parse(tape.split('\n')[0] ?? '') as EventRecord;

  it('is joined, and handed on: a run inside of a run is below it', async () => {
    const server = await collector();
    const cwd = folder();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
      TRACEPARENT: `00-${trace}-${span}-01`,
      TRACESTATE: 'vendor=1',
    };
    const bin = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');
    writeFileSync(
      join(cwd, 'agent.sh'),
      `echo "$TRACEPARENT $TRACESTATE" > seen\n"${process.execPath}" "${bin}" run -q --to runwire -- cat "${recording}"\n`,
    );
    const outer = await live(['run', '-q', '--to', 'runwire', '--env', 'OTEL_*', '--', 'sh', 'agent.sh'], { cwd, env });
    expect(outer.status).toBe(0);
    const roots = server.spans().filter(({ name }) => name.startsWith('invoke_agent'));
    const outerId = (first(outer.stdout) as { run_id?: string }).run_id;
    const [top, below] = roots.toSorted((a) => (attribute(a, 'runwire.run.id') === outerId ? -1 : 1));
    expect(roots).toHaveLength(2);
    expect([top?.traceId, top?.parentSpanId, below?.traceId, below?.parentSpanId]).toEqual([
      trace,
      span,
      trace,
      top?.spanId,
    ]);
    expect(readFileSync(join(cwd, 'seen'), 'utf8')).toBe(`00-${trace}-${top?.spanId}-01 vendor=1\n`);
    expect(first(outer.stdout)).toMatchObject({ type: 'thread.started', traceparent: env.TRACEPARENT });
  });

  it('is handed on as it is where nothing is told, and what is none is ignored', async () => {
    const seen = async (env: Record<string, string>, ...flags: string[]) => {
      const cwd = folder();
      const script = `echo "[$TRACEPARENT]" > seen; cat ${recording}`;
      const { status, stderr } = await live(['run', '--ledger', 'none', ...flags, '--', 'sh', '-c', script], {
        cwd,
        env,
      });
      return { status, stderr, cwd, seen: readFileSync(join(cwd, 'seen'), 'utf8').trim() };
    };
    const [given, none, broken, unsampled] = await Promise.all([
      seen({ TRACEPARENT: `00-${trace}-${span}-00` }),
      seen({}),
      seen({ TRACEPARENT: '00-nonsense' }),
      seen({ TRACEPARENT: `00-${trace}-${span}-00` }, '--otel', 'unsampled.jsonl'),
    ]);
    expect([given.seen, none.seen, broken.seen]).toEqual([`[00-${trace}-${span}-00]`, '[]', '[]']);
    expect(broken.stderr).toContain('TRACEPARENT is not a trace context');
    expect(unsampled.seen).toMatch(new RegExp(`\\[00-${trace}-(?!${span})[0-9a-f]{16}-00\\]`));
    expect(() => readFileSync(join(unsampled.cwd, 'unsampled.jsonl'))).toThrow('ENOENT');
    expect([given, none, broken, unsampled].map(({ status }) => status)).toEqual([0, 0, 0, 0]);
  });
});
