import { appendFileSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { live } from '../cli/run/live.ts';
import { homeWith, places, usageOf } from './stores.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 10, 1, 10, 0, second)).toISOString();
const call = (id: string, second: number, more: object = {}) => ({
  type: 'assistant',
  sessionId: 's-claude',
  uuid: `u-${id}`,
  parentUuid: null,
  isSidechain: false,
  cwd: '/w',
  timestamp: at(second),
  requestId: `req-${id}`,
  message: {
    id,
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [],
    usage: { input_tokens: 100, output_tokens: 10 },
  },
  ...more,
});
const line = (value: object): string => `${JSON.stringify(value)}\n`;
const own = ({ rows, total, repeated_calls }: Awaited<ReturnType<typeof usageOf>>) => ({
  rows: rows.map(({ group, input_tokens, output_tokens }) => [group, input_tokens, output_tokens]),
  calls: total.calls,
  repeated_calls,
});
const withoutIndex = { XDG_STATE_HOME: '/proc/nowhere' };
const indexIn = (home: string): string => join(home, '.local/state/runwire/usage.index');

describe('a file', () => {
  const begin = () => {
    const home = homeWith({ [places.claude]: [call('m1', 1), call('m2', 2)] });
    return { home, file: join(home, places.claude) };
  };

  it('that grows is read on, also where a line was half written', async () => {
    const { home, file } = begin();
    const whole = line(call('m3', 3));
    expect((await usageOf(home)).total.calls).toBe(2);
    appendFileSync(file, whole.slice(0, 90));
    expect((await usageOf(home)).total.calls).toBe(2);
    appendFileSync(file, whole.slice(90).trimEnd());
    expect((await usageOf(home)).total.calls).toBe(3);
    appendFileSync(file, `\n${line(call('m4', 4))}`);
    expect((await usageOf(home)).total).toMatchObject({ calls: 4, input_tokens: 400 });
  });

  it('that is cut off, replaced or taken away is noticed', async () => {
    const { home, file } = begin();
    await usageOf(home);
    truncateSync(file, line(call('m1', 1)).length);
    expect((await usageOf(home)).total.calls).toBe(1);
    // As large as before, and larger, with other lines.
    writeFileSync(file, line(call('m9', 1)) + line(call('m8', 2)) + line(call('m7', 3)));
    expect((await usageOf(home)).total.calls).toBe(3);
    writeFileSync(`${file}.new`, line(call('m1', 1)));
    renameSync(`${file}.new`, file);
    expect((await usageOf(home)).total.calls).toBe(1);
    renameSync(file, `${file}.gone`);
    expect((await usageOf(home)).total.calls).toBe(0);
  });

  it('is the same whatever was read of it before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat({ max: 1500 }), { maxLength: 4 }),
        async (ids, cuts) => {
          const text = ids.map((id, index) => line(call(`m${id}`, index))).join('');
          const home = homeWith({ [places.claude]: '' });
          for (const cut of cuts.toSorted((a, b) => a - b)) {
            writeFileSync(join(home, places.claude), text.slice(0, cut));
            await usageOf(home);
          }
          appendFileSync(join(home, places.claude), text.slice(readFileSync(join(home, places.claude)).length));
          const grown = own(await usageOf(home));
          expect(grown).toEqual(own(await usageOf(home, [], withoutIndex)));
          expect(grown.calls).toBe(new Set(ids).size);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe('the index', () => {
  const begin = async () => {
    const home = homeWith({ [places.claude]: [call('m1', 1), call('m2', 2)] });
    return { home, first: own(await usageOf(home)) };
  };

  it('that is no database is made anew, and that is said', async () => {
    const { home, first } = await begin();
    for (const rubbish of ['not a database', '\0'.repeat(5000)]) {
      writeFileSync(indexIn(home), rubbish);
      const again = await usageOf(home);
      expect(own(again)).toEqual(first);
      expect(again.stderr).toContain('usage.index is damaged and is made anew');
    }
  });

  it('does not count what is not as it was written, wherever that is, and is whole again afterwards', async () => {
    const { home, first } = await begin();
    // Another batch, behind the first one.
    appendFileSync(join(home, places.claude), line(call('m3', 3)));
    const more = own(await usageOf(home));
    expect(more.calls).toBe(first.calls + 1);
    const whole = readFileSync(indexIn(home));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 0, max: 255 }), async (place, bits) => {
        const damaged = bits === 0 ? whole.subarray(0, place) : Buffer.from(whole);
        if (bits !== 0) damaged[place] = (damaged[place] ?? 0) ^ bits;
        writeFileSync(indexIn(home), damaged);
        expect(own(await usageOf(home))).toEqual(more);
        const again = await usageOf(home);
        expect(own(again)).toEqual(more);
        expect(again.stderr).toBe('');
      }),
      {
        numRuns: 30,
        examples: [
          [0, 0],
          [whole.length - 1, 0],
          [3, 1],
          [8, 255],
          [whole.length - 1, 1],
        ],
      },
    );
  });

  it('does not grow by what is read again and again', async () => {
    const { home } = await begin();
    let most = 0;
    for (let round = 0; round < 220; round += 1) {
      writeFileSync(join(home, places.claude), line(call(`m${round % 2}`, round)).repeat((round % 2) + 1));
      await usageOf(home);
      const { size } = statSync(indexIn(home));
      if (round < 105) most = Math.max(most, size);
      else expect(size).toBeLessThanOrEqual(most);
    }
  });

  it('that cannot be kept costs only time', async () => {
    const { home, first } = await begin();
    const again = await usageOf(home, [], withoutIndex);
    expect(own(again)).toEqual(first);
    expect(again.stderr).toContain('so all files are read anew');
  });

  it('is shared by several processes at once', async () => {
    const { home, first } = await begin();
    const all = await Promise.all(
      Array.from({ length: 4 }, () =>
        live(['usage', '--json'], { env: { HOME: home, XDG_STATE_HOME: join(home, 'new') } }),
      ),
    );
    const sums = all.map(({ stdout }) => (JSON.parse(stdout) as { total: { calls: number } }).total.calls);
    expect(sums).toEqual(Array.from(all, () => first.calls));
    expect(own(await usageOf(home, [], { XDG_STATE_HOME: join(home, 'new') }))).toEqual(first);
  });
});

describe('a call that stands in several files', () => {
  it('counts once, and how many were left out is said', async () => {
    const lines = [call('m1', 1), call('m2', 2)];
    const home = homeWith({ [places.claude]: lines });
    homeWith({ '.claude/projects/-w/s-resumed.jsonl': [...lines, call('m3', 3, { sessionId: 's-resumed' })] }, home);
    const { rows, repeated_calls } = await usageOf(home, ['session']);
    expect(repeated_calls).toBe(2);
    expect(rows.map(({ group, calls }) => [group, calls])).toEqual([
      ['s-claude', 2],
      ['s-resumed', 1],
    ]);
  });

  it('is not left out for having several lines in one', async () => {
    const partial = { usage: { input_tokens: 100, output_tokens: 1 } };
    const home = homeWith({
      [places.claude]: [call('m1', 1, { message: { ...call('m1', 1).message, ...partial } }), call('m1', 2)],
    });
    expect(await usageOf(home)).toMatchObject({ repeated_calls: 0, total: { calls: 1, output_tokens: 10 } });
  });
});

describe('sub-agents', () => {
  const sub = (id: string, agentId: string) => call(id, 5, { isSidechain: true, agentId });
  const home = () =>
    homeWith({
      [places.claude]: [call('m1', 1), call('m2', 2, { isSidechain: true })],
      '.claude/projects/-w/s-claude/subagents/agent-a1.jsonl': [sub('m3', 'a1')],
      '.claude/projects/-w/agent-a2.jsonl': [sub('m4', 'a2')],
    });

  it('belong to their session', async () => {
    const { rows } = await usageOf(home(), ['session']);
    expect(rows.map(({ group, calls }) => [group, calls])).toEqual([['s-claude', 4]]);
  });

  it('are rows of their own when that is asked', async () => {
    const { rows, total } = await usageOf(home(), ['session', '--own-only']);
    expect(total.calls).toBe(4);
    expect(rows.map(({ group, sub_agent, calls }) => [group, sub_agent, calls]).toSorted()).toEqual(
      [
        ['s-claude', undefined, 1],
        ['s-claude', 'a1', 1],
        ['s-claude', 'a2', 1],
        ['s-claude', 'sub-agents', 1],
      ].toSorted(),
    );
  });
});

it('says what it could not count, and where that is', async () => {
  const home = homeWith({
    [places.claude]: `${line(call('m1', 1))}{"type":"assistant","usage":{broken\n`,
    '.continue/sessions/c1.json': '{"sessionId":',
  });
  const { total, incomplete } = await usageOf(home);
  expect(total.calls).toBe(1);
  expect(incomplete.map(({ what, path, count }) => [what, path?.slice(home.length + 1), count])).toEqual([
    ['cannot be read: it is not JSON', '.continue/sessions/c1.json', undefined],
    ['damaged lines', places.claude, 1],
  ]);
});

it('names models without a price, and leaves their calls out of the cost', async () => {
  const other = { ...call('m2', 2), message: { ...call('m2', 2).message, model: 'nobody-sells-this' } };
  const { total, unpriced } = await usageOf(homeWith({ [places.claude]: [call('m1', 1), other] }));
  expect(total).toMatchObject({ cost: (100 * 3 + 10 * 15) / 1e6, unpriced_calls: 1 });
  expect(unpriced).toMatchObject([{ model: 'nobody-sells-this', calls: 1, input_tokens: 100, output_tokens: 10 }]);
});

it("takes the rest of a session from Claude Code's own total, and its cost", async () => {
  const total = {
    type: 'cost-state',
    sessionId: 's-claude',
    totalCostUSD: 0.5,
    modelUsage: { 'claude-sonnet-4-5': { inputTokens: 500, outputTokens: 50, costUSD: 0.5 } },
  };
  const home = homeWith({ [places.claude]: [call('m1', 1), call('m2', 2), total] });
  expect((await usageOf(home)).total).toMatchObject({ calls: 2, input_tokens: 500, output_tokens: 50, cost: 0.5 });
  appendFileSync(join(home, places.claude), line(call('m3', 3)));
  // It is not the total of the session any longer.
  expect((await usageOf(home)).total).toMatchObject({ calls: 3, input_tokens: 300, output_tokens: 30 });
});

it('knows a leap second, and a session over months', async () => {
  const moments = [
    '2026-06-30T23:59:60Z',
    '2026-12-31T23:59:60.5Z',
    '2027-01-01T00:00:00Z',
    '2027-02-28T12:00:00+14:00',
  ];
  const home = homeWith({
    [places.claude]: moments.map((timestamp, index) => ({ ...call(`m${index}`, 0), timestamp })),
  });
  const { rows, total } = await usageOf(home, ['monthly', '--time-zone', 'UTC']);
  expect(rows.map(({ group, calls }) => [group, calls])).toEqual([
    ['2026-06', 1],
    ['2026-12', 1],
    ['2027-01', 1],
    ['2027-02', 1],
  ]);
  expect(total.calls).toBe(4);
  expect((await usageOf(home, ['session'])).rows).toHaveLength(1);
});

describe('days', () => {
  const zones = [
    'UTC',
    'Europe/Zurich',
    'America/New_York',
    'Australia/Lord_Howe',
    'Pacific/Kiritimati',
    'Etc/GMT+12',
    'Etc/GMT-14',
  ];
  const moments = fc.array(
    fc.oneof(
      fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) }),
      // Around the changes of the clocks, and of days.
      fc
        .tuple(
          fc.constantFrom(
            Date.UTC(2026, 2, 29, 1),
            Date.UTC(2026, 9, 25, 1),
            Date.UTC(2026, 10, 1, 6),
            Date.UTC(2026, 3, 4, 15),
          ),
          fc.integer({ min: -3_700_000, max: 3_700_000 }),
        )
        .map(([change, shift]) => change + shift),
    ),
    { minLength: 1, maxLength: 12 },
  );

  it.each(zones)('add up to the total in %s, and are those of its clocks', async (zone) => {
    const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short' });
    await fc.assert(
      fc.asyncProperty(moments, async (times) => {
        const lines = times.map((time, index) => ({
          ...call(`m${index}`, 0),
          timestamp: new Date(time).toISOString(),
        }));
        const home = homeWith({ [places.claude]: lines });
        const reports = await Promise.all(
          ['daily', 'weekly', 'monthly', 'session', 'blocks'].map((by) => usageOf(home, [by, '--time-zone', zone])),
        );
        for (const { rows, total } of reports) {
          expect(total.calls).toBe(times.length);
          expect(rows.reduce((sum, row) => sum + row.calls, 0)).toBe(times.length);
          expect(rows.reduce((sum, { cost = 0 }) => sum + cost, 0)).toBeCloseTo(total.cost ?? 0, 9);
        }
        const days = Map.groupBy(times, (time) => format.format(time));
        expect(Object.fromEntries(reports[0]?.rows.map(({ group, calls }) => [group, calls]) ?? [])).toEqual(
          Object.fromEntries([...days].map(([day, those]) => [day, those.length])),
        );
      }),
      { numRuns: 6 },
    );
  });
});
