import { expect, it, vi } from 'vitest';
import type { AgentEvent } from '../../src/events/event.ts';
import { RunModel } from '../../web/model/run-model.ts';
import { idleParts, shares, type Span, spansOf } from '../../web/run/spans.ts';
import { begins, call, said, taped } from './support/fixture-runs.ts';

const start = Date.parse('2026-11-19T10:00:00Z');

function modelOf(events: readonly (readonly [number, AgentEvent])[]): RunModel {
  // Nothing is drawn.
  vi.stubGlobal('requestAnimationFrame', () => 0);
  const model = new RunModel('run');
  model.feed(taped(events, start));
  return model;
}

const began: [number, AgentEvent] = [0, { type: 'thread.started', agent: 'runwire' }];
const done: [number, AgentEvent] = [0, { type: 'agent.finished', status: 'ok' }];
const kept: [number, AgentEvent] = [2, { type: 'process.ended', reason: 'exited', exit_code: 0, signal: null }];

it('does not call the time before the first turn, or after the end, the model', () => {
  const work = [began, begins(1, 3), ...said('I look.', 2), ...call('shell', 'command', { command: 'make' }, 4, 'ok')];
  const model = modelOf([...work, done, kept]);
  const { total, tools, around } = shares(model);
  expect({ total, tools, around }).toEqual({ total: 12_600, tools: 4000, around: 5000 });
  const waits = spansOf(model).filter(({ kind }) => kind === 'wait');
  expect(waits.map(({ from, to }) => [from - start, to - start])).toEqual([[3000, 6600]]);
});

it('takes a turn that is told with its first words for the time before them', () => {
  const words: [number, AgentEvent] = [
    0,
    { type: 'text.completed', turn_id: 'turn_1', message_id: 'm', block_id: 'b', text: 'Done.' },
  ];
  expect(shares(modelOf([began, begins(1, 3), words, done]))).toMatchObject({ total: 3000, around: 0 });
});

it('counts no stretch in which a tool works as a wait', () => {
  const span = (kind: Span['kind'], from: number, to: number): Span => ({ kind, row: 0, from, to });
  const spans = [
    span('wait', 0, 10_000),
    span('tool', 10_000, 40_000),
    span('tool', 12_000, 14_000),
    span('wait', 40_000, 52_000),
  ];
  expect(idleParts(spans, [0, 60_000])).toEqual([
    { from: 0, to: 10_000 },
    { from: 40_000, to: 52_000 },
    { from: 52_000, to: 60_000 },
  ]);
});
