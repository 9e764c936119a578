import { expect, it } from 'vitest';
import { inside } from '../cli/run/live.ts';
import { homeWith, places, type usageOf } from './stores.ts';

const now = Date.UTC(2026, 10, 18, 12, 0);
const hour = 3_600_000;
const call = (id: string, sessionId: string, at: number) => ({
  type: 'assistant',
  sessionId,
  uuid: id,
  parentUuid: null,
  cwd: '/w',
  timestamp: new Date(at).toISOString(),
  requestId: id,
  message: { id, model: 'claude-sonnet-4-5', usage: { input_tokens: 100_000, output_tokens: 0 } },
});
// $0.30 each: one of yesterday, one in a window that has ended, two in the open one.
const home = () =>
  homeWith({
    [places.claude]: [
      call('m1', 's-claude', now - 20 * hour),
      call('m2', 's-claude', now - 9 * hour),
      call('m3', 's-claude', now - 2 * hour),
      call('m4', 's-other', now - hour),
    ],
  });
const clock = { now: () => now, sleep: async () => {} };
const flags = ['--time-zone', 'UTC'];

it('tells in one line what this session, today and the open window cost', async () => {
  const about = JSON.stringify({ session_id: 's-claude', model: { display_name: 'Sonnet' } });
  const { stdout } = await inside(['usage', '--statusline', ...flags], { env: { HOME: home() }, stdin: about, clock });
  expect(stdout).toBe('Sonnet · $0.9000 session · $0.9000 today · $0.6000 claude block, 3h00m left, $0.3000/h\n');
});

it.each(['', 'not JSON', '[]', '{"session_id":7}'])('says as much as is known when it is given %j', async (stdin) => {
  const { stdout, status } = await inside(['usage', '--statusline', ...flags], { env: { HOME: home() }, stdin, clock });
  expect({ stdout, status }).toEqual({
    stdout: '$0.9000 today · $0.6000 claude block, 3h00m left, $0.3000/h\n',
    status: 0,
  });
});

it('has windows of five hours, each begun by a call, and the pace of the open one', async () => {
  const { stdout } = await inside(['usage', 'blocks', '--json', ...flags], { env: { HOME: home() }, clock });
  const { rows } = JSON.parse(stdout) as Awaited<ReturnType<typeof usageOf>>;
  expect(rows).toMatchObject([
    { group: '2026-11-17T16:00+00:00', calls: 1, is_active: false },
    { group: '2026-11-18T03:00+00:00', calls: 1, is_active: false },
    {
      group: '2026-11-18T10:00+00:00',
      calls: 2,
      is_active: true,
      tokens_per_minute: Math.round(200_000 / 120),
      cost_per_hour: 0.3,
      // Two hours have passed, three are left.
      projected_cost: 1.5,
      projected_tokens: 500_000,
    },
  ]);
});

it.each([
  ['daily', 80],
  ['session', 80],
  ['project', 120],
  ['model', 120],
  ['blocks', 120],
])('shows %s within %d columns, with bars', async (by, columns) => {
  const { stdout } = await inside(['usage', by, '--format', 'table', ...flags], {
    env: { HOME: home(), COLUMNS: String(columns) },
    clock,
  });
  const lines = stdout.split('\n');
  expect(lines.every((line) => line.length <= columns)).toBe(true);
  expect(stdout).toContain('█');
  expect(lines.find((line) => line.startsWith('all'))).toContain('$1.20');
  expect(stdout).toContain('List prices of ');
});

it.each([
  ['--since', '2026-11-18', 3],
  ['--since', 'today', 3],
  ['--since', '2d', 4],
  ['--until', 'yesterday', 1],
])('%s %s', async (flag, day, calls) => {
  const { stdout } = await inside(['usage', flag, day, '--json', ...flags], { env: { HOME: home() }, clock });
  expect((JSON.parse(stdout) as { total: { calls: number } }).total.calls).toBe(calls);
});

it.each([
  [['hourly'], 'unknown report "hourly"'],
  [['daily', 'weekly'], 'unknown report "weekly"'],
  [['--agent', 'cluade'], '--agent cluade (did you mean "claude"?): expected claude, codex'],
  [['--since', 'soon'], '--since soon: expected a day'],
  [['--time-zone', 'Mars/Olympus'], 'unknown time zone: Mars/Olympus'],
])('refuses %j', async (args, message) => {
  const { stderr, status } = await inside(['usage', ...args], { env: { HOME: home() } });
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});
