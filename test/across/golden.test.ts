import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { decode } from '../../src/pipeline/convert.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { tables } from './expected/index.ts';
import { allRecordings, loadRecording } from '../support/recordings.ts';

const home = join(import.meta.dirname, '..');

// A change of a decoder, of the repair or of the fold shows here as a diff; `npm test -- -u` accepts it, review reads it.
describe.each(allRecordings(tables))('$name', ({ folder, scenario }) => {
  it('reads as before', async () => {
    const { stdout, stderr, exit } = loadRecording(folder, scenario);
    await compare(join(home, 'recordings', folder, scenario), { stdout, stderr, exit });
  });
});

/** Streams made by hand, in folders that are called after their dialect. */
const fixtures = readdirSync(join(home, 'fixtures')).flatMap((dialect) =>
  readdirSync(join(home, 'fixtures', dialect)).flatMap((scenario) => {
    const folder = join(home, 'fixtures', dialect, scenario);
    return existsSync(join(folder, 'wire.jsonl')) ? [{ name: `${dialect}/${scenario}`, dialect, folder }] : [];
  }),
);

describe.each(fixtures)('$name', ({ dialect, folder }) => {
  it('reads as before', async () => {
    const { exit } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as { exit: number };
    const stderr = join(folder, 'stderr.txt');
    await compare(folder, {
      from: dialect,
      stdout: readFileSync(join(folder, 'wire.jsonl')),
      stderr: existsSync(stderr) ? readFileSync(stderr) : new Uint8Array(),
      exit: { exit_code: exit, signal: null },
    });
  });
});

interface Printed {
  /** Unset: it is found out. */
  from?: string;
  stdout: Uint8Array;
  stderr: Uint8Array;
  exit: ProcessEnd;
}

/** What is read, with the golden events and outcome in the folder. */
async function compare(folder: string, { stdout, stderr, exit, ...from }: Printed): Promise<void> {
  const records = decode([stdout], { ...from, stderr: [stderr], process: exit, newId: () => 'thread' });
  const lines: string[] = [];
  let step = await records.next();
  for (; step.done !== true; step = await records.next()) lines.push(`${JSON.stringify(withoutReport(step.value))}\n`);
  const { provenance, ...outcome } = step.value;
  const { runwire_version: _version, ...origin } = provenance;
  await expect(lines.join('')).toMatchFileSnapshot(join(folder, 'events.jsonl'));
  await expect(`${JSON.stringify({ ...outcome, provenance: origin }, null, 2)}\n`).toMatchFileSnapshot(
    join(folder, 'outcome.json'),
  );
}

/** The report is the outcome, which has a file of its own. */
function withoutReport(record: EventRecord): object {
  if (record.type !== 'thread.completed') return record;
  const { final_report: _report, ...rest } = record;
  return rest;
}
