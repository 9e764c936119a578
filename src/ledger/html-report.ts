import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { ReportRecords } from '../reports/report-records.ts';
import { ledgerOutcome } from '../stores/ledger-outcome.ts';
import type { RunRecord } from '../stores/run-store.ts';
import type { Ledger } from './ledger.ts';
import { tapeOf } from './run-tape.ts';
import { runRecords } from './tail.ts';
import { recordsIn } from './tape-check.ts';

const place = '{{data}}';

/** A single-file page with one run in it: nothing is fetched, and no run data can be taken for markup. It refers to the tape only if one is kept. */
export async function* htmlReport(
  ledger: Ledger,
  run: RunRecord,
  { isKept = true } = {},
): AsyncGenerator<string, void> {
  const page = template();
  const at = page.indexOf(place);
  const found = await tapeOf(ledger.tapes, run);
  const { tape, ...lost } = shareable(run);
  yield `${page.slice(0, at)}{"run":${inScript(isKept ? { ...lost, tape } : lost)},"records":[`;
  const kept = new ReportRecords(escaped);
  let comma = '';
  if ('tape' in found)
    for await (const records of runRecords(ledger, run, found.tape)) {
      const texts: string[] = [];
      for (const record of recordsIn(records)) {
        const text = kept.push(record);
        if (text !== undefined) texts.push(text);
      }
      if (texts.length === 0) continue;
      yield comma + texts.join(',');
      comma = ',';
    }
  const last = kept.end();
  if (last.length > 0) yield comma + last.join(',');
  yield `]}${page.slice(at + place.length)}`;
}

/** The page with only an outcome. */
export function loneReport(run: RunRecord): string {
  const page = template();
  const at = page.indexOf(place);
  return page.slice(0, at) + inScript({ run: shareable(run), records: [] }) + page.slice(at + place.length);
}

/** The run without its owner; texts are cut, since an older ledger may hold texts of any length. */
function shareable({ owner: _owner, outcome, ...run }: RunRecord): RunRecord {
  return outcome === undefined ? run : { ...run, outcome: ledgerOutcome(outcome) };
}

function inScript(value: unknown): string {
  return escaped(JSON.stringify(value));
}

/** The same JSON, in which no HTML parser finds an end tag, a comment or a tag. */
function escaped(json: string): string {
  return json.replaceAll('<', String.raw`\u003c`);
}

/** The page is in the package, one folder above this file. */
function template(): string {
  const path = join(import.meta.dirname, '..', 'report.html');
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Failure('config', 'this package was built without the page; "npm run build" makes it');
  }
}
