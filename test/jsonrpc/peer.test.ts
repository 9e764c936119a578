import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { object } from '../../src/json/read.ts';
import { invalidParams, parseLine, Peer, RpcError } from '../../src/jsonrpc/peer.ts';

it('answers every request once, and keeps no more than it can work on', async () => {
  const sent: Record<string, unknown>[] = [];
  const never = new Promise<never>(() => {});
  const peer = new Peer((message) => void sent.push(message), {
    request: (method) => (method === 'slow' ? never : { ok: true }),
    notification: () => {},
  });
  for (const message of [
    null,
    5,
    [],
    {},
    { id: {}, method: 'x' },
    { id: 1.5, method: 'x' },
    { id: 4, result: 1 },
    { method: 'n' },
  ])
    peer.receive(message);
  peer.receive({ id: 'a', method: 'fine' });
  for (let id = 0; id < 300; id += 1) peer.receive({ id, method: 'slow' });
  await Promise.resolve();
  expect(sent.filter(({ error }) => object(error as Json).code === -32600)).toHaveLength(6);
  expect(sent.filter(({ error }) => object(error as Json).message === 'too many requests at once')).toHaveLength(45);
  expect(sent).toContainEqual({ jsonrpc: '2.0', id: 'a', result: { ok: true } });
  const asked = peer.request('x', {});
  peer.close(new Error('gone'));
  await expect(asked).rejects.toThrow('gone');
  await expect(peer.request('y', {})).rejects.toThrow('gone');
});

it('two of them understand each other: results, errors with their data, and notes', async () => {
  const told: [string, JsonObject][] = [];
  const wire = (message: JsonObject): unknown => parseLine(Buffer.from(JSON.stringify(message)));
  const here: Peer = new Peer((message) => there.receive(wire(message)), {
    request: () => expect.unreachable(),
    notification: () => expect.unreachable(),
  });
  const there = new Peer((message) => here.receive(wire(message)), {
    request(method, params) {
      if (method === 'refused') throw new RpcError(invalidParams, 'no such file', { path: 'a' });
      if (method === 'broken') throw new Error('it broke');
      return { method, params };
    },
    notification: (method, params) => void told.push([method, params]),
  });
  expect(await here.request('echo', { text: 'ä\u2028' })).toEqual({ method: 'echo', params: { text: 'ä\u2028' } });
  await expect(here.request('refused', {})).rejects.toMatchObject({
    name: 'RpcError',
    code: -32602,
    message: 'no such file',
  });
  await expect(here.request('broken', {})).rejects.toMatchObject({ code: -32603, message: 'it broke' });
  here.notify('note', { n: 1 });
  here.close(new Error('gone'));
  here.notify('note', { n: 2 });
  expect(told).toEqual([['note', { n: 1 }]]);
});

it('hears only answers to what it asked, and each once', async () => {
  const sent: JsonObject[] = [];
  const peer = new Peer((message) => void sent.push(message), { request: () => ({}), notification() {} });
  const [first, second] = [peer.request('a', {}), peer.request('b', {})];
  for (const message of [
    { id: 9, result: {} },
    { id: '1', result: {} },
    { id: 2, error: 'no' },
    { id: 1, result: { of: 1 } },
    { id: 1, result: {} },
  ])
    peer.receive(message);
  expect(await first).toEqual({ of: 1 });
  await expect(second).rejects.toMatchObject({ code: -32603, message: 'error' });
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: 1, method: 'a', params: {} },
    { jsonrpc: '2.0', id: 2, method: 'b', params: {} },
  ]);
});

it.each(['', '{', 'nothing', '\u0000'])('a line that is no JSON is none: %j', (text) =>
  expect(parseLine(Buffer.from(text))).toBeUndefined(),
);
