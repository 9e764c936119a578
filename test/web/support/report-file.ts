import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ReportRecords } from '../../../src/reports/report-records.ts';
import type { FixtureRun } from './fixture-server.ts';

const template = readFileSync(join(import.meta.dirname, '..', '..', '..', 'dist', 'report.html'), 'utf8');
const escaped = (json: string): string => json.replaceAll('<', String.raw`\u003c`);

/** A run from memory as "runwire runs show --html" writes it; answers its address. */
export function writeReport(path: string, { run, records }: FixtureRun): URL {
  const kept = new ReportRecords(escaped);
  const texts = [...records.flatMap((record) => kept.push(record) ?? []), ...kept.end()];
  writeFileSync(
    path,
    template.replace('{{data}}', () => `{"run":${escaped(JSON.stringify(run))},"records":[${texts.join(',')}]}`),
  );
  return pathToFileURL(path);
}
