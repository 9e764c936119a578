import { Failure } from '../../failure.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { pruneRuns, type PruneRequest } from '../../ledger/prune.ts';
import { pruneTapes } from '../../ledger/prune-tapes.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { fileSize, plural } from '../../terminal/figures.ts';
import { readSpan } from '../../contract/row-filters.ts';
import { withWholeIds } from '../../ledger/find.ts';
import { filterOptions, readFilter } from './filters.ts';
import { ledgerOption, noRunsYet, useLedger } from './ledger.ts';

export const prune = command({
  name: 'runs prune',
  summary: 'Remove old runs, or only their tapes',
  description: `Reports what would be removed; --yes removes it. Runs that have not ended stay, with their tapes.
--older-than, --keep and the filters select runs, and all of them must match; --max-size concerns only the folder of tapes.`,
  options: {
    'older-than': { type: 'string', value: 'SPAN', help: 'Runs that began more than 30d, 12w, … ago' },
    keep: { type: 'string', value: 'N', help: 'All but the N newest' },
    'tapes-only': { type: 'boolean', help: 'Remove their tapes; the runs stay in the ledger' },
    'max-size': {
      type: 'string',
      value: 'SIZE',
      help: 'Remove the oldest tapes until all take no more than 500M, 2G, …',
    },
    yes: { type: 'boolean', short: 'y', help: 'Remove it, instead of only reporting it' },
    ...filterOptions,
    ...ledgerOption,
  },
  examples: [
    ['runwire runs prune --older-than 90d', 'See what would be removed'],
    ['runwire runs prune --older-than 90d --yes', 'Remove it'],
    [
      'runwire runs prune --older-than 14d --tapes-only --max-size 2G --yes',
      'In a cron job: keep the ledger, bound the tapes',
    ],
  ],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    const chosen = readFilter(values, context);
    const age = values['older-than'];
    const before = age === undefined ? undefined : context.now() - readSpan('--older-than', age);
    const filter =
      before === undefined ? chosen : { ...chosen, started_to: Math.min(before, chosen.started_to ?? before) };
    const keep = readKeep(values.keep);
    const maxBytes = readSize(values['max-size']);
    const choosesRuns = keep !== undefined || Object.keys(filter).length > 0;
    if (!choosesRuns && maxBytes === undefined)
      throw new Failure('input', 'nothing is selected: give --older-than, --keep, --max-size or a filter; see --help');
    const dryRun = values.yes !== true;
    return useLedger(
      values,
      context,
      async (ledger) => {
        const wanted = await withWholeIds(ledger.store, filter);
        if (choosesRuns)
          await forget(ledger, { filter: wanted, keep, tapesOnly: values['tapes-only'] === true, dryRun }, context);
        if (maxBytes !== undefined) await shrink(ledger, maxBytes, dryRun, context);
        if (dryRun) context.warn('runwire: nothing was changed; add --yes to do it');
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

async function forget(ledger: Ledger, request: PruneRequest, context: Context): Promise<void> {
  const pruned = await pruneRuns(ledger, request);
  if (pruned === undefined) return context.warn('runwire: no run is old enough');
  const runs = request.tapesOnly === true ? [] : [plural(pruned.runs, 'run')];
  const what = [...runs, `${plural(pruned.tapes, 'tape')} (${fileSize(pruned.tapeBytes)})`].join(' and ');
  await context.print(`${request.dryRun === true ? 'would remove' : 'removed'} ${what}\n`);
  if (pruned.uncompacted !== undefined)
    context.warn(
      `runwire: warning: the ledger is as large as before, and may still have words of what was removed: ${pruned.uncompacted}`,
    );
}

async function shrink(
  { store, tapes }: Ledger,
  maxTotalBytes: number,
  dryRun: boolean,
  context: Context,
): Promise<void> {
  const keep = new Set((await store.open()).flatMap(({ tape }) => tape ?? []));
  const { removed, removedBytes, leftBytes } = await pruneTapes(tapes, { maxTotalBytes, keep, dryRun });
  await context.print(
    `${dryRun ? 'would remove' : 'removed'} ${plural(removed.length, 'tape')} (${fileSize(removedBytes)}) for size; ${fileSize(leftBytes)} stay\n`,
  );
}
