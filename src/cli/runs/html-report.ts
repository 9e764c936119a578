import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { tapeOf } from '../../ledger/run-tape.ts';
import { runRecords } from '../../ledger/tail.ts';
import type { Timeline } from '../../ledger/timeline.ts';
import { runsBelow } from '../../ledger/tree.ts';
import type { RunRecord } from '../../stores/run-store.ts';

const place = '{{data}}';

/** The page in one file, with one run in it: nothing is fetched, and nothing in it can be taken for markup. */
export async function* htmlReport(ledger: Ledger, run: RunRecord, timeline: Timeline | undefined): AsyncGenerator<string, void> {
  const page = template();
  const at = page.indexOf(place);
  const found = await tapeOf(ledger.tapes, run);
  const { owner: _owner, ...told } = run;
  const children = await runsBelow(ledger.store, run);
  yield `${page.slice(0, at)}{"run":${inScript(told)},"children":${inScript(children)},"timeline":${inScript(timeline ?? { entries: [], omitted: 0 })},"records":[`;
  let isFirst = true;
  if ('tape' in found)
    for await (const records of runRecords(ledger, run, found.tape)) {
      if (records.length === 0) continue;
      yield (isFirst ? '' : ',') + records.map(inScript).join(',');
      isFirst = false;
    }
  yield `]}${page.slice(at + place.length)}`;
}

/** The page with an outcome alone. */
export function loneReport(run: RunRecord): string {
  const page = template();
  const at = page.indexOf(place);
  const data = inScript({ run, children: [], timeline: { entries: [], omitted: 0 }, records: [] });
  return page.slice(0, at) + data + page.slice(at + place.length);
}

/** JSON that no parser of HTML sees an end, a comment or a tag in. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', String.raw`\u003c`);
}

/** Beside the page in the package; this file is one folder below it. */
function template(): string {
  const path = join(import.meta.dirname, '..', 'report.html');
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Failure('config', 'this package was built without the page; "npm run build" makes it');
  }
}
