import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../../src/events/event.ts';
import { fold } from '../../../../src/pipeline/convert.ts';
import { Narrator } from '../../../../src/run/sinks/narration/narrator.ts';
import { mostLines, Pace, paceMs } from '../../../../src/run/sinks/narration/pace.ts';
import type { Line } from '../../../../src/terminal/line.ts';
import { numbered } from '../../../support/records.ts';
import { inside, project } from '../../../cli/run/live.ts';

function paced(calls: 'lines' | 'live' = 'lines') {
  let time = 0;
  const lines: Line[] = [];
  const pace = new Pace(() => time);
  const narrator = new Narrator({ say: (line) => void lines.push(line), now: () => time, calls, tell: 'all', pace });
  const place = numbered();
  return {
    lines,
    texts: () => lines.map(({ text }) => text),
    narrator,
    tell: (...events: AgentEvent[]): void => events.forEach((event) => narrator.record(place(event))),
    pass(ms: number): void {
      time += ms;
      pace.tick();
    },
  };
}

const said = (text: string): AgentEvent => ({
  type: 'text.completed',
  turn_id: 'turn_1',
  message_id: text,
  block_id: text,
  text,
});
const began = (id: string): AgentEvent => ({
  type: 'item.started',
  turn_id: 'turn_1',
  item_id: id,
  kind: 'command',
  name: 'bash',
  args: {},
});
const ended = (id: string): AgentEvent => ({ type: 'item.completed', item_id: id, status: 'success' });
const messages = (count: number, from = 0): AgentEvent[] =>
  Array.from({ length: count }, (_, index) => said(`message ${from + index}`));

const succeeded = await fold([
  new TextEncoder().encode(
    [
      { type: 'thread.started', thread_id: 'one' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'done' } },
      { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  ),
]);
const failed = await fold([
  new TextEncoder().encode('{"type":"thread.started","thread_id":"one"}\n{"type":"turn.started"}\n'),
]);

describe('a flood of words', () => {
  it('is told whole as long as somebody may read it', () => {
    const { tell, texts } = paced();
    tell(...messages(mostLines));
    expect(texts()).toHaveLength(mostLines - 1);
    expect(texts().at(-1)).toBe(`message ${mostLines - 2}`);
  });

  it('is told in part, with the number of what is left out, and again when time has passed', () => {
    const { tell, texts, pass } = paced();
    tell(...messages(3 * mostLines));
    expect(texts()).toHaveLength(mostLines);
    pass(paceMs);
    tell(...messages(2, 3 * mostLines));
    expect(texts().slice(mostLines)).toEqual([
      `left out: ${2 * mostLines - 1} messages: more than anybody can read in this time`,
      `message ${3 * mostLines - 1}`,
      `message ${3 * mostLines}`,
    ]);
  });

  it('may be one message: its first lines are told', () => {
    const { tell, texts, pass } = paced();
    tell(said(Array.from({ length: 3 * mostLines }, (_, index) => `line ${index}`).join('\n')), ...messages(2));
    expect(texts()).toHaveLength(mostLines);
    expect(texts().at(-1)).toBe(`line ${mostLines - 1}`);
    pass(paceMs);
    tell(said('more'));
    expect(texts().slice(mostLines)).toEqual([
      `left out: 1 message, ${2 * mostLines} lines: more than anybody can read in this time`,
      'message 1',
    ]);
  });

  it('counts calls as well, where a call has its line', () => {
    for (const calls of ['lines', 'live'] as const) {
      const { tell, texts, narrator } = paced(calls);
      tell(...messages(mostLines + 1), began('a'), ended('a'), began('b'), ended('b'), said('done'));
      narrator.end(succeeded);
      expect(texts()[mostLines]).toBe('left out: 1 message, 2 tool calls: more than anybody can read in this time');
    }
  });

  it('counts what went wrong by itself', () => {
    const { tell, texts, narrator } = paced();
    tell(
      ...messages(mostLines + 1),
      began('a'),
      { type: 'item.completed', item_id: 'a', status: 'error' },
      { type: 'error', scope: 'tool', code: 'tool', message: 'no', fatal: false },
      { type: 'log', stream: 'agent', level: 'warning', text: 'careful' },
      { type: 'retry.scheduled', code: 'network', cause: 'no network' },
    );
    narrator.end(succeeded);
    expect(texts()[mostLines]).toBe(
      'left out: 1 message, 1 tool call, 1 failed call, 3 warnings: more than anybody can read in this time',
    );
  });

  it('costs nobody the end: success, and the answer is left to stdout', () => {
    const { tell, texts, narrator } = paced();
    tell(...messages(2 * mostLines), said('done'));
    narrator.end(succeeded);
    expect(texts()[mostLines]).toBe(`left out: ${mostLines} messages: more than anybody can read in this time`);
    expect(texts().slice(mostLines + 1, mostLines + 2)).toEqual(['success']);
    expect(texts()).not.toContain('done');
  });

  it('costs nobody the end: the last words of a run that failed are told', () => {
    const { tell, texts, narrator } = paced();
    tell(...messages(2 * mostLines), said('I could not do it'));
    narrator.end(failed);
    expect(texts().slice(mostLines, mostLines + 2)).toEqual([
      `left out: ${mostLines} messages: more than anybody can read in this time`,
      'I could not do it',
    ]);
    expect(texts()[mostLines + 2]).toMatch(/^failed: incomplete/);
  });

  it('costs nobody the end: last words may be long, too', () => {
    const { tell, texts, narrator } = paced();
    tell(
      ...messages(2 * mostLines),
      said(Array.from({ length: 3 * mostLines }, (_, index) => `line ${index}`).join('\n')),
    );
    narrator.end(failed);
    expect(texts()[2 * mostLines + 1]).toBe(
      `left out: ${2 * mostLines} lines: more than anybody can read in this time`,
    );
    expect(texts()[2 * mostLines + 2]).toMatch(/^failed: incomplete/);
  });

  it('costs nobody what we say ourselves', () => {
    const { tell, texts, narrator } = paced();
    tell(...messages(2 * mostLines));
    narrator.record({ ...numbered()({ type: 'limit.reached', limit: 'time' }), source: 'runner' });
    expect(texts().slice(mostLines)).toEqual([
      `left out: ${mostLines - 1} messages: more than anybody can read in this time`,
      'limit reached: time',
    ]);
  });
});

it('what is left out on stderr is in the stream and on the tape', async () => {
  const cwd = project();
  const message = (index: number) => ({
    type: 'item.completed',
    item: { id: `item_${index}`, type: 'agent_message', text: `message ${index}` },
  });
  const lines = [
    { type: 'thread.started', thread_id: 'one' },
    { type: 'turn.started' },
    ...Array.from({ length: 2 * mostLines }, (_, index) => message(index)),
    { type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } },
  ];
  writeFileSync(join(cwd, 'run.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const run = await inside(
    ['run', '--to', 'codex', '--tape', 'tape.jsonl', '--ledger', 'none', '--', 'cat', 'run.jsonl'],
    { cwd },
  );
  expect(run.status).toBe(0);
  // However long it took: what is not told is counted, and the last message is the answer.
  const told = run.stderr.match(/^ {2}\| message \d+$/gm) ?? [];
  const leftOut = Array.from(run.stderr.matchAll(/^runwire: left out: (\d+) messages/gm), ([, count]) => Number(count));
  expect(leftOut.reduce((sum, count) => sum + count, told.length)).toBe(2 * mostLines - 1);
  const words = (text: string): number => text.split('\n').filter((line) => line.includes('"agent_message"')).length;
  expect(words(run.stdout)).toBe(2 * mostLines);
  const again = await inside(['convert', '--to', 'codex', 'tape.jsonl'], { cwd });
  expect(words(again.stdout)).toBe(2 * mostLines);
});
