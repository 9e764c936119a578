import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { live, project } from '../cli/run/live.ts';

const calls = (count: number): string =>
  [
    { type: 'thread.started', thread_id: 't-1' },
    { type: 'turn.started' },
    ...Array.from({ length: count }, (_, index) => {
      const item = { id: `item_${index}`, type: 'command_execution', command: `echo ${index}` };
      return [
        { type: 'item.started', item: { ...item, status: 'in_progress' } },
        { type: 'item.completed', item: { ...item, aggregated_output: `${index}\n`, exit_code: 0, status: 'completed' } },
      ];
    }).flat(),
    { type: 'item.completed', item: { id: 'last', type: 'agent_message', text: 'Done.' } },
    { type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 0, output_tokens: 10 } },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

const records = (text: string): EventRecord[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EventRecord);

describe('a run that a limit stops in the middle of a record', () => {
  it.each([
    ['turns', ['--max-turns', '1'], 6],
    ['tokens', ['--max-tokens', '50'], 5],
    ['cost', ['--max-cost-usd', '0.000001', '--price', 'input=1,output=1'], 5],
  ])('%s: tells its records in order, on stdout and on the tape', async (limit, flags, status) => {
    const cwd = project();
    writeFileSync(join(cwd, 'run.jsonl'), calls(3));
    const tape = join(cwd, 'run.tape');
    const run = await live(['run', '--to', 'runwire', '--tape', tape, ...flags, '--', 'cat', 'run.jsonl'], { cwd });
    const told = records(run.stdout);
    expect(run.status).toBe(status);
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, index) => index + 1));
    expect(records(readFileSync(tape, 'utf8'))).toEqual(told);
    expect(told.filter(({ type }) => type === 'limit.reached')).toMatchObject([{ limit }]);
  });
});

it('a limit that is reached before the agent starts is a limit all the same', async () => {
  const { status, stdout } = await live(['run', '--to', 'runwire', '--timeout', '0.001s', '--', 'sleep', '60']);
  expect({ status, types: records(stdout).map(({ type }) => type) }).toMatchObject({ status: 124 });
  expect(records(stdout).filter(({ type }) => type === 'limit.reached')).toMatchObject([{ limit: 'time' }]);
});
