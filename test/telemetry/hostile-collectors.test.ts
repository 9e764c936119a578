import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import { TelemetrySink } from '../../src/run/sinks/telemetry.ts';
import { goodRun } from '../cli/run/scripted.ts';

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; heard: IncomingMessage[] }> {
  const heard: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    heard.push(request);
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, heard };
}

/** What is said to people while a whole run is told to this collector; it settles though the collector may not. */
async function tell(url: string, patienceMs: number): Promise<string[]> {
  const warnings: string[] = [];
  const sink = new TelemetrySink({
    request: {
      target: {
        kind: 'http',
        endpoint: { url, headers: { authorization: 'Bearer kept' }, timeoutMs: 60_000, isCompressed: false },
      },
      capturesContent: false,
      resource: {},
      sampler: { followsParent: false, ratio: 1 },
      queue: { most: 100, batch: 1, delayMs: 1 },
    },
    runId: '01hzzzzzzzzzzzzzzzzzzzzzzz',
    startedAt: 0,
    traceState: undefined,
    clean: (value) => value,
    warn: (message) => void warnings.push(message),
    patienceMs,
  });
  const records: EventRecord[] = [];
  const thread = new Thread({ onRecord: (record) => void records.push(record), clock: () => 0 });
  for (const draft of goodRun) thread.emit(draft);
  thread.end('runwire');
  for (const record of records) {
    sink.record(record);
    // Batches are sent on the way.
    await new Promise((resolve) => void setTimeout(resolve, 2));
  }
  await sink.close();
  return warnings;
}

const away = (why: string): string => `may miss spans of this run: ${why}`;

it('that takes and never answers costs a warning', async () => {
  const { url } = await serve(() => {});
  expect(await tell(url, 50)).toEqual([expect.stringContaining(away('it did not answer in time'))]);
});

it('that never ends its answer costs a warning, and no more of it is kept than of any other', async () => {
  const { url } = await serve((_request, response) => {
    response.writeHead(200);
    const go = (): void => {
      while (!response.destroyed && response.write('{'.repeat(10_000)));
      response.once('drain', go);
    };
    go();
  });
  expect(await tell(url, 5000)).toEqual([]);
  const dripping = await serve((_request, response) => void response.writeHead(200).write('{'));
  expect(await tell(dripping.url, 50)).toHaveLength(1);
});

it('that answers with a bomb is not unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(1 << 28, '{'));
  const { url } = await serve(
    (_request, response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
  );
  expect(await tell(url, 5000)).toEqual([]);
});

it('that sends elsewhere is not followed: no span and no header gets there', async () => {
  const other = await serve((_request, response) => void response.end('{}'));
  for (const status of [301, 302, 303, 307, 308]) {
    const { url } = await serve((_request, response) => void response.writeHead(status, { Location: other.url }).end());
    expect(await tell(url, 5000)).toEqual([expect.stringContaining(away('it redirects'))]);
  }
  expect(other.heard).toEqual([]);
});

it.each(['9999999999', 'Infinity', '1e300'])(
  'that is busy for %s s is asked once while the run goes on',
  async (seconds) => {
    const { url, heard } = await serve(
      (_request, response) => void response.writeHead(429, { 'Retry-After': seconds }).end(),
    );
    expect(await tell(url, 50)).toEqual([expect.stringContaining(away('it answered 429'))]);
    // And once at the end.
    expect(heard.length).toBeLessThanOrEqual(2);
  },
);

it('that fails is refused once', async () => {
  const { url, heard } = await serve((_request, response) => void response.writeHead(500).end('\u001b[31m'));
  expect(await tell(url, 5000)).toEqual([expect.stringContaining(away('it answered 500'))]);
  expect(heard.length).toBe(1);
});
