import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/event.ts';
import { decode } from '../../src/pipeline/convert.ts';
import { eventChanges, EventCounter, type EventCounts } from '../../src/replay/event-counts.ts';
import { numbered } from '../support/records.ts';

const recording = (name: string): string => join(import.meta.dirname, '..', 'recordings', name, 'stdout.jsonl');

async function countsOf(name: string): Promise<EventCounts> {
  const counter = new EventCounter();
  for await (const record of decode([readFileSync(recording(name))])) counter.see(record);
  return counter.counts;
}

function counted(...events: AgentEvent[]): EventCounts {
  const [counter, place] = [new EventCounter(), numbered()];
  for (const event of events) counter.see(place(event));
  return counter.counts;
}

describe('the events of two runs', () => {
  it('are the same for the same run', async () => {
    const counts = await countsOf('codex@0.166.0/multi-tool');
    expect(counts.get('item.completed command_execution success')).toBeGreaterThan(0);
    expect(eventChanges(counts, await countsOf('codex@0.166.0/multi-tool'))).toEqual([]);
  });

  it('differ where another thing was done, or the same ended otherwise', async () => {
    const [plain, failing] = await Promise.all([
      countsOf('kilo@7.7.7/multi-tool'),
      countsOf('kilo@7.7.7/failing-shell'),
    ]);
    expect(eventChanges(plain, failing)).toContainEqual({ kind: 'item.completed bash error', recorded: 0, now: 1 });
  });

  it('do not differ in how often a text was cut, nor in what was seen beside the agent', () => {
    const text = (words: string): AgentEvent => ({
      type: 'text.completed',
      turn_id: 't',
      message_id: words,
      block_id: words,
      text: words,
    });
    expect(
      eventChanges(
        counted(text('Done, all of it.')),
        counted(text('Done,'), text('all of it.'), { type: 'log', stream: 'agent', level: 'info', text: 'x' }),
      ),
    ).toEqual([]);
  });
});
