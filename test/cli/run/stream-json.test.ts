import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { endless, inside, live, modelAt, project, serve, twoTurns, ways } from './live.ts';
import { lines } from './scripted.ts';

/** The stream, and the report that follows its last line. */
function split(stdout: string): { events: Record<string, unknown>[]; report: unknown } {
  const at = stdout.indexOf('\n{\n') + 1;
  return { events: lines(stdout.slice(0, at)), report: JSON.parse(stdout.slice(at)) };
}

describe('--stream-json', () => {
  const good = { name: 'read', args: { path: 'a.txt' } };
  const wrong = { name: 'read', args: { path: 5 } };
  const unknown = { name: 'no_such_tool', args: {} };
  it.each([
    ['one', [good]],
    ['eight', Array.from({ length: 8 }, () => good)],
    ['more than run at once', Array.from({ length: 30 }, () => good)],
    ['an invalid one first', [wrong, good, good]],
    ['an unknown one first', [unknown, good]],
    ['only invalid ones', [unknown, wrong, unknown]],
    ['invalid ones between', [good, wrong, good, unknown, good]],
  ])('counts the calls of an answer before they are made: %s', async (_name, calls) => {
    const server = await serve([
      { calls, usage: { input: 10, output: 10 } },
      { text: 'Done.', usage: { input: 10, output: 10 } },
    ]);
    const { stdout } = await inside(['--stream-json', ...modelAt(server), 'Look']);
    const { events } = split(stdout);
    const counts = (type: string): unknown[] =>
      events.flatMap((event) => (event['type'] === type ? [event['tool_call_count']] : []));
    expect({ messages: counts('assistant.message'), turns: counts('turn.completed') }).toEqual({
      messages: [calls.length, 0],
      turns: [calls.length, 0],
    });
    expect(events.filter(({ type }) => type === 'item.started')).toHaveLength(calls.length);
  });

  it('writes the envelope, the events in order, then the final report, in ASCII', async () => {
    const server = await serve(twoTurns);
    const { stdout, stderr, status } = await live(['--stream-json', ...modelAt(server), 'Fix föö']);
    // eslint-disable-next-line no-control-regex -- ASCII is what is promised
    expect(stdout).toMatch(/^[\u0000-\u007f]+$/);
    const { events, report } = split(stdout);
    expect(events.map(({ type }) => type)).toEqual([
      'thread.started',
      'turn.started',
      'assistant.message',
      'item.started',
      'item.started',
      'item.completed',
      'item.completed',
      'turn.completed',
      'turn.started',
      'assistant.message',
      'turn.completed',
      'thread.completed',
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect(new Set(events.map(({ thread_id }) => thread_id)).size).toBe(1);
    expect(events[0]?.thread_id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    for (const { timestamp } of events) expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
    expect(events[0]).toMatchObject({ task: 'Fix föö', project_name: '', parent_branch_id: '', headless: true });
    expect(events[1]).toMatchObject({
      turn_id: 'turn_1',
      iteration: 1,
      message_count: expect.any(Number),
      tool_count: expect.any(Number),
    });
    expect(events[2]).toMatchObject({ turn_id: 'turn_1', preview: 'I look at both.', tool_call_count: 2 });
    expect(events[7]).toMatchObject({ turn_id: 'turn_1', iteration: 1, tool_call_count: 2, has_final_report: false });
    expect(events[10]).toMatchObject({ turn_id: 'turn_2', iteration: 2, tool_call_count: 0, has_final_report: true });
    expect(events[11]).toMatchObject({ status: 'completed', final_report: report });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  it('takes the project and the branch from git, or from flags', async () => {
    const cwd = project();
    execFileSync('git', ['init', '-q', '-b', 'topic/x', cwd]);
    mkdirSync(join(cwd, 'deep'));
    const server = await serve([{ text: 'Hi.' }]);
    const first = async (...flags: string[]): Promise<unknown> =>
      lines(
        (await inside(['--stream-json', ...flags, ...modelAt(server), 'Hi'], { cwd: join(cwd, 'deep') })).stdout.split(
          '\n',
        )[0] ?? '',
      )[0];
    expect(await first()).toMatchObject({ project_name: basename(cwd), parent_branch_id: 'topic/x' });
    expect(await first('--project-name', 'acme', '--parent-branch-id', '123')).toMatchObject({
      project_name: 'acme',
      parent_branch_id: '123',
    });
  });

  it('cuts previews, and never shows a secret', async () => {
    const secret = ['sk', 'proj', 'Zq8'.repeat(14)].join('-');
    const server = await serve([
      {
        text: 'y'.repeat(900),
        calls: [{ name: 'write', args: { path: 'b.txt', content: `${secret} ${'z'.repeat(900)}` } }],
      },
      { text: `The key is ${secret}.` },
    ]);
    const { stdout } = await inside(['--stream-json', ...modelAt(server), 'Do it'], { env: { MY_TOKEN: secret } });
    const { events } = split(stdout);
    expect(events.find(({ type }) => type === 'assistant.message')?.preview).toBe('y'.repeat(500));
    const { args } = events.find(({ type }) => type === 'item.started') as { args: { content: string } };
    expect(args.content.length).toBeLessThanOrEqual(240);
    expect(stdout).not.toContain(secret);
    expect(stdout).toContain('[redacted');
  });

  it.each(ways)(
    '%s: ends with one thread.completed, is read back, and exits with the verdict',
    async (name, code, turns, flags) => {
      const server = await serve(turns);
      const { stdout, status, cwd } = await inside(['--stream-json', ...modelAt(server), ...flags, 'Do it']);
      const { events, report } = split(stdout);
      expect(events.filter(({ type }) => type === 'thread.completed')).toEqual([events.at(-1)]);
      expect(report).toMatchObject({ verdict: { class: name, exit_code: code } });
      writeFileSync(join(cwd, 'stream.jsonl'), stdout);
      const read = JSON.parse((await inside(['outcome', join(cwd, 'stream.jsonl')])).stdout) as RunOutcome;
      expect({ class: read.verdict.class, status }).toEqual({ class: name, status: code });
    },
  );

  it('ends quietly when its reader goes away', async () => {
    const server = await serve(endless.map((turn) => ({ ...turn, delayMs: 100 })));
    const { stderr, status } = await live(['--stream-json', ...modelAt(server), 'Do it'], {
      watch(child, so) {
        if (so.includes('turn.started')) child.stdout?.destroy();
      },
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 130 });
    expect(server.requests.length).toBeLessThan(endless.length);
  });
});
