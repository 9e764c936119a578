import { Failure } from '../../failure.ts';
import type { RunFilter, RunStatus, RunStore, RunSummary } from '../../stores/run-store.ts';
import { pruneTapes } from '../../ledger/prune-tapes.ts';
import { tapeOf } from '../../ledger/run-tape.ts';
import type { Tape } from '../../stores/tape.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { counted, fileSize } from './figures.ts';
import { filterOptions, readFilter, readSpan } from './filters.ts';
import { type Ledger, ledgerOption, noRunsYet, useLedger } from './ledger.ts';

export const prune = command({
  name: 'runs prune',
  summary: 'Forget old runs, or only their tapes',
  description: `Tells what would go; with --yes it goes. Runs that have not ended stay, with their tapes.
--older-than, --keep and the filters choose runs, and all of them must hold; --max-size is about the folder of tapes alone.`,
  options: {
    'older-than': { type: 'string', value: 'SPAN', help: 'Runs that began before 30d, 12w, …' },
    keep: { type: 'string', value: 'N', help: 'All but the N newest' },
    'tapes-only': { type: 'boolean', help: 'Remove their tapes; the runs stay in the ledger' },
    'max-size': { type: 'string', value: 'SIZE', help: 'Remove the oldest tapes until all take no more than 500M, 2G, …' },
    yes: { type: 'boolean', short: 'y', help: 'Do it' },
    ...filterOptions,
    ...ledgerOption,
  },
  examples: [
    ['runwire runs prune --older-than 90d', 'What would go'],
    ['runwire runs prune --older-than 90d --yes', 'Let it go'],
    ['runwire runs prune --older-than 14d --tapes-only --max-size 2G --yes', 'In a cron job: keep the ledger, bound the tapes'],
  ],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    const chosen = readFilter(values, context);
    const age = values['older-than'];
    const before = age === undefined ? undefined : context.now() - readSpan('--older-than', age);
    const filter = before === undefined ? chosen : { ...chosen, started_to: Math.min(before, chosen.started_to ?? before) };
    const keep = readKeep(values.keep);
    const maxBytes = readSize(values['max-size']);
    const choosesRuns = keep !== undefined || Object.keys(filter).length > 0;
    if (!choosesRuns && maxBytes === undefined)
      throw new Failure('input', 'nothing is chosen: say --older-than, --keep, --max-size or a filter; see --help');
    const doIt = values.yes === true;
    return useLedger(
      values,
      context,
      async (ledger) => {
        if (choosesRuns) {
          const ended = await withoutNewest(ledger.store, endedOnly(filter), keep);
          if (ended !== undefined) await forget(ledger, ended, { doIt, tapesOnly: values['tapes-only'] === true }, context);
          else context.warn('runwire: no run is old enough');
        }
        if (maxBytes !== undefined) await shrink(ledger, maxBytes, doIt, context);
        if (!doIt) context.warn('runwire: nothing was changed; add --yes to do it');
        return 0;
      },
      (name) => noRunsYet(context, name),
    );
  },
});

function readKeep(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Failure('input', `--keep ${text}: expected a number, such as 1000`);
  return Number(text);
}

function readSize(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([KMGT]?)(?:i?B)?$/i.exec(text) ?? [];
  if (count === undefined) throw new Failure('input', `--max-size ${text}: expected a size such as 500M or 2G`);
  return Number(count) * 1024 ** ' KMGT'.indexOf(unit.toUpperCase() || ' ');
}

const endedStatuses: readonly RunStatus[] = ['success', 'error', 'cancelled', 'incomplete'];

function endedOnly(filter: RunFilter): RunFilter {
  return { ...filter, status: endedStatuses.filter((status) => filter.status?.includes(status) ?? true) };
}

const pageLength = 500;

/** Only what began before the Nth newest; undefined: there are no more than N. */
async function withoutNewest(store: RunStore, filter: RunFilter, keep: number | undefined): Promise<RunFilter | undefined> {
  if (keep === undefined || keep === 0) return filter;
  let left = keep;
  for await (const run of allRuns(store, filter)) {
    left -= 1;
    if (left === 0) return { ...filter, started_to: run.started_at };
  }
  return undefined;
}

async function* allRuns(store: RunStore, filter: RunFilter): AsyncGenerator<RunSummary> {
  for (let after: string | undefined; ;) {
    const page = await store.list(filter, { limit: pageLength, ...(after === undefined ? {} : { after }) });
    yield* page.runs;
    if (page.next === undefined) return;
    after = page.next;
  }
}

async function forget(
  { store, tapes }: Ledger,
  filter: RunFilter,
  { doIt, tapesOnly }: { doIt: boolean; tapesOnly: boolean },
  context: Context,
): Promise<void> {
  let runs = 0;
  let bytes = 0;
  const found: Tape[] = [];
  for await (const run of allRuns(store, filter)) {
    runs += 1;
    const its = await tapeOf(tapes, run);
    if ('missing' in its) continue;
    bytes += its.bytes;
    found.push(its.tape);
  }
  // First the ledger: a run without its tape can still be told, a tape without its run cannot.
  if (doIt && !tapesOnly) await store.prune(filter);
  if (doIt) for (const tape of found) await tape.remove();
  const what = [...(tapesOnly ? [] : [counted(runs, 'run')]), `${counted(found.length, 'tape')} (${fileSize(bytes)})`].join(' and ');
  await context.print(`${doIt ? 'removed' : 'would remove'} ${what}\n`);
}

async function shrink({ store, tapes }: Ledger, maxBytes: number, doIt: boolean, context: Context): Promise<void> {
  const keep = new Set((await store.open()).flatMap(({ tape }) => tape ?? []));
  const { removed, removedBytes, leftBytes } = await pruneTapes(tapes, { maxTotalBytes: maxBytes, keep, dryRun: !doIt });
  await context.print(
    `${doIt ? 'removed' : 'would remove'} ${counted(removed.length, 'tape')} (${fileSize(removedBytes)}) for size; ${fileSize(leftBytes)} stay\n`,
  );
}
