import { describe, expect, it } from 'vitest';
import { unroutedIn } from '../../src/network/counters.ts';
import { questionIn } from '../../src/network/name-server.ts';
import { socketsIn } from '../../src/network/own-network.ts';
import { type Refusal, Refusals } from '../../src/network/refusals.ts';
import { greetingIn } from '../../src/network/server-name.ts';
import { socketAt } from '../../src/network/who.ts';
import { isAllowed, readAllowedHost } from '../../src/words/allowed-hosts.ts';

describe('hosts that are allowed', () => {
  it.each([
    ['packages.example.com', { name: 'packages.example.com', port: 443 }],
    [' Packages.EXAMPLE.com. ', { name: 'packages.example.com', port: 443 }],
    ['a.example:8443', { name: 'a.example', port: 8443 }],
    ['*.a.example', { name: '*.a.example', port: 443 }],
    ['localhost', { name: 'localhost', port: 443 }],
  ])('are read: %s', (text, host) => expect(readAllowedHost(text)).toEqual(host));

  it.each([
    '',
    '*',
    '*.com',
    '127.0.0.1',
    '1',
    '::1',
    '[::1]',
    'a..b',
    '-a.example',
    'a b',
    'a/b',
    'a:0',
    'a:x',
    'a:1:2',
  ])('are refused: %j', (text) => expect(readAllowedHost(text)).toBeTypeOf('string'));

  it('are compared as names', () => {
    const list = [
      { name: 'a.example', port: 443 },
      { name: '*.b.example', port: 443 },
    ];
    const yes = ['a.example', 'A.EXAMPLE', 'a.example.', 'x.b.example', 'x.y.b.example'];
    const no = ['b.example', 'xa.example', 'a.example.org', 'xb.example'];
    expect([yes, no].map((names) => names.filter((name) => isAllowed(list, name, 443)))).toEqual([yes, []]);
    expect(isAllowed(list, 'a.example', 80)).toBe(false);
  });
});

describe('a question for a name', () => {
  const header = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  const question = Buffer.concat([header, Buffer.from('\u0001a\u0007example\0'), Buffer.from([0, 1, 0, 1])]);

  it('is read', () => expect(questionIn(question)).toEqual({ name: 'a.example', end: question.length }));

  it('is none wherever it is cut off', () => {
    const cuts = Array.from(question, (_, length) => questionIn(question.subarray(0, length)));
    expect(cuts).toEqual(cuts.map(() => undefined));
  });

  it('is none with a label that points elsewhere', () => {
    const looped = Buffer.concat([header, Buffer.from([0xc0, 12, 0, 1, 0, 1])]);
    expect(questionIn(looped)).toBeUndefined();
  });
});

describe('the tables of the kernel', () => {
  it('name sockets that have a path', () => {
    const table = [
      'Num       RefCount Protocol Flags    Type St Inode Path',
      '0000000000000000: 00000002 00000000 00010000 0001 01 12345 /run/a socket',
      '0000000000000000: 00000002 00000000 00010000 0001 01 12346 @abstract',
      '0000000000000000: 00000003 00000000 00000000 0001 03 12347',
      '0000000000000000: 00000002 00000000 00010000 0001 01 12348 relative.sock',
    ].join('\n');
    expect(socketsIn(table)).toEqual(['/run/a socket']);
  });

  it('say which socket has a port', () => {
    const table = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 0 2 0 0',
      '   1: 0100007F:A0B1 0100007F:0035 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 20',
    ].join('\n');
    expect([0xa0b1, 0x35, 1].map((port) => socketAt(table, port))).toEqual(['4711', undefined, undefined]);
  });

  it('count what had nowhere to go', () => {
    const four = 'Ip: Forwarding OutNoRoutes ReasmFails\nIp: 1 3 0\nIcmp: InMsgs\nIcmp: 0\n';
    expect(unroutedIn(four)).toBe(3);
    expect(unroutedIn(`${four}Ip6OutNoRoutes                  \t4\n`)).toBe(7);
    expect(unroutedIn('')).toBeUndefined();
  });
});

describe('the greeting of a connection', () => {
  it('is never read beyond its end', () => {
    for (let length = 0; length < 200; length += 1) {
      const bytes = Buffer.alloc(length, 0xff);
      bytes.set([22, 3, 1, 0, 60, 1, 0, 0, 56].slice(0, length));
      expect(['more', 'plain', 'tls']).toContain(greetingIn(bytes).kind);
    }
  });
});

describe('refusals', () => {
  const refusal = (host: string): Refusal => ({ via: 'proxy', host, port: 443, reason: 'it is not allowed' });

  it('are told once at once, and counted at the end', () => {
    const told: unknown[] = [];
    const refusals = new Refusals((draft) => void told.push([draft.host, draft.process, draft.count]));
    for (let each = 0; each < 5; each += 1) refusals.add(refusal('a'), () => 'curl');
    refusals.flush();
    refusals.flush();
    expect(told).toEqual([
      ['a', 'curl', 1],
      ['a', undefined, 4],
    ]);
  });

  it('are bounded, and lose no count', () => {
    let [drafts, count] = [0, 0];
    const refusals = new Refusals((draft) => {
      drafts += 1;
      count += draft.count;
    });
    for (let each = 0; each < 100_000; each += 1) refusals.add(refusal(`host-${each % 5000}`));
    refusals.addUnseen(7);
    refusals.flush();
    expect({ isBounded: drafts <= 202, count }).toEqual({ isBounded: true, count: 100_007 });
  });
});
