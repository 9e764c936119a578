import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { Failure } from '../../src/failure.ts';
import { specOf } from '../../src/run/ask.ts';
import { start } from '../../src/run/run.ts';
import type { Sink } from '../../src/run/sinks/sink.ts';
import type { Cause } from '../../src/run/stop.ts';
import { live, project } from '../cli/run/live.ts';

const calls = (count: number): string =>
  [
    { type: 'thread.started', thread_id: 't-1' },
    { type: 'turn.started' },
    ...Array.from({ length: count }, (_, index) => {
      const item = { id: `item_${index}`, type: 'command_execution', command: `echo ${index}` };
      return [
        { type: 'item.started', item: { ...item, status: 'in_progress' } },
        {
          type: 'item.completed',
          item: { ...item, aggregated_output: `${index}\n`, exit_code: 0, status: 'completed' },
        },
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

describe('a run that is cancelled while a record of its own is told', () => {
  const limit: Cause = { kind: 'limit', limit: { limit: 'cost', value: 2, maximum: 1, message: 'too much' } };
  const types = ['thread.started', 'agent.finished', 'error', 'expectation.checked', 'thread.completed'];

  it.each(types)('%s: tells every sink its records in order, and nothing after the last', async (type) => {
    const told: EventRecord[] = [];
    const spec = specOf(
      { prompt: 'Do it', expect: [{ rule: 'answer_contains', text: 'x' }] },
      { cwd: project(), passEnv: [] },
    );
    const cancels = { record: (record: EventRecord) => void (record.type === type && run.cancel(limit)) };
    const run = start(spec, {
      env: {},
      script: () => () => Promise.reject(new Failure('provider', 'broken')),
      sinks: () => Promise.resolve([cancels, { record: (record: EventRecord) => void told.push(record) }]),
    });
    await run.outcome;
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, index) => index + 1));
    expect(told.map((record) => record.type)).toContain(type);
    expect(told.at(-1)?.type).toBe('thread.completed');
  });

  it('a limit that is reached while the sinks close is no part of the run', async () => {
    const told: string[] = [];
    const sink: Sink = {
      record: ({ type }) => void told.push(type),
      end: () => void told.push('end'),
      close: () => Promise.resolve(run.cancel(limit)),
    };
    const run = start(specOf({ prompt: 'Do it' }, { cwd: project(), passEnv: [] }), {
      env: {},
      script: () => (_, emit) => {
        emit({ type: 'text.completed', text: 'Done.' });
        emit({ type: 'agent.finished', status: 'ok' });
        return Promise.resolve();
      },
      sinks: () => Promise.resolve([sink]),
    });
    expect((await run.outcome).verdict.class).toBe('success');
    expect(told.slice(-2)).toEqual(['thread.completed', 'end']);
  });
});
