import { expect, it } from 'vitest';
import type { AgentEvent } from '../../../../src/events/event.ts';
import { Narrator } from '../../../../src/run/sinks/narration/narrator.ts';
import { numbered } from '../../../support/records.ts';

function told(...events: AgentEvent[]): string[] {
  const lines: string[] = [];
  const narrator = new Narrator({
    say: ({ text }) => void lines.push(text),
    now: () => 0,
    calls: 'lines',
    tell: 'all',
  });
  const place = numbered();
  for (const event of events) narrator.record(place(event));
  return lines;
}

it('a branch has a line when something is known of it', () => {
  expect(
    told(
      { type: 'branch.updated', branch_id: 'main', is_start: true },
      { type: 'branch.updated', branch_id: 'b-1', agent: 'codex', status: 'running' },
      { type: 'branch.updated', branch_id: 'b-1', status: 'success', verified: 'base_red', files: 2, cost_usd: 0.5 },
    ),
  ).toEqual(['branch b-1  codex  running', 'branch b-1  success  verify base red  2 changed files  $0.5000']);
});

it('publishing has one, whatever came of it', () => {
  const published = (fields: object): AgentEvent =>
    ({ type: 'branch.published', branch_id: 'b-1', status: 'success', ...fields }) as AgentEvent;
  expect(
    told(
      published({ remote: 'origin', ref: 'refs/heads/b-1', url: 'https://example.com/1' }),
      published({ remote: 'origin', dry_run: true }),
      published({ status: 'error', message: 'rejected\u001b[2J' }),
    ),
  ).toEqual([
    'published b-1 to origin refs/heads/b-1  https://example.com/1',
    'would publish b-1 to origin',
    'publish failed: b-1  rejected\\x1b[2J',
  ]);
});
