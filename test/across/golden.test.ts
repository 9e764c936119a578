import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { decode } from '../../src/pipeline/convert.ts';
import { tables } from './expected/index.ts';
import { allRecordings, loadRecording } from '../support/recordings.ts';

// A change of a decoder, of the repair or of the fold shows here as a diff; `npm test -- -u` accepts it, review reads it.
describe.each(allRecordings(tables))('$name', ({ folder, scenario }) => {
  const golden = (name: string): string => join(import.meta.dirname, '..', 'recordings', folder, scenario, name);

  it('reads as before', async () => {
    const { stdout, stderr, exit } = loadRecording(folder, scenario);
    const records = decode([stdout], { stderr: [stderr], process: exit, newId: () => 'thread' });
    const lines: string[] = [];
    let step = await records.next();
    for (; step.done !== true; step = await records.next()) lines.push(`${JSON.stringify(withoutReport(step.value))}\n`);
    const { provenance, ...outcome } = step.value;
    const { runwire_version: _version, ...origin } = provenance;
    await expect(lines.join('')).toMatchFileSnapshot(golden('events.jsonl'));
    await expect(`${JSON.stringify({ ...outcome, provenance: origin }, null, 2)}\n`).toMatchFileSnapshot(golden('outcome.json'));
  });
});

/** The report is the outcome, which has a file of its own. */
function withoutReport(record: EventRecord): object {
  if (record.type !== 'thread.completed') return record;
  const { final_report: _report, ...rest } = record;
  return rest;
}
