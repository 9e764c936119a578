import { Failure } from '../../failure.ts';
import { present } from '../../json/present.ts';
import type { Reclaimed } from '../../workspace/reclaim.ts';
import { ago } from '../../terminal/figures.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command } from '../command.ts';

export const clean = command({
  name: 'orchestrate clean',
  summary: 'Reclaim private copies left by a crash: keep their work, remove them',
  operands: '[COPY…]',
  description: `Commits everything in a copy whose run is no longer alive, uncommitted and untracked files included, on the branch of the copy, and then
removes the copy. Copies of live runs are left alone. Prints text on a terminal, else one JSON object per line.
Exits with 1 when a copy could not be reclaimed.`,
  options: {
    'dry-run': { type: 'boolean', help: 'List the copies, and do nothing' },
    discard: {
      type: 'boolean',
      help: 'Also remove what cannot be kept, such as work on a repository that no longer exists',
    },
    json: { type: 'boolean', help: 'Print JSON, even on a terminal' },
  },
  examples: [
    ['runwire orchestrate clean --dry-run', 'List what crashed runs have left'],
    ['runwire orchestrate clean', 'Keep their work and remove the copies'],
  ],
  async run(values, operands, context) {
    const [{ listCopies, reclaim }, { owners }] = await Promise.all([
      import('../../workspace/reclaim.ts'),
      import('../../run/sources/isolated.ts'),
    ]);
    const dryRun = values['dry-run'] === true;
    const ids = operands.length === 0 ? undefined : operands;
    const known = new Map(listCopies(context.env, owners).map(({ id, state }) => [id, state]));
    for (const id of operands)
      if (known.get(id) !== 'left')
        throw new Failure(
          'input',
          `${oneLine(id, 60)}: ${known.has(id) ? 'a live run works in this copy' : 'there is no such copy'}`,
        );
    const { copies, strays } = await reclaim(context.env, { owners, ids, dryRun, discards: values.discard === true });
    const isText = values.json !== true && context.stdoutIsTerminal;
    for (const each of copies)
      await context.print(isText ? describe(each, context.now()) : `${JSON.stringify(shown(each))}\n`);
    if (strays.length > 0)
      context.warn(
        `runwire: ${dryRun ? 'there are' : 'removed'} ${strays.length} more files and folders that belong to no copy`,
      );
    if (copies.length + strays.length === 0) context.warn('runwire: there are no copies to reclaim');
    return copies.some(({ problem }) => problem !== undefined) ? 1 : 0;
  },
});

function shown({ copy, kept, problem }: Reclaimed): object {
  return { ...copy, ...present({ commit: kept?.commit, files: kept?.changes.length, notes: kept?.notes, problem }) };
}

function describe({ copy, kept, problem }: Reclaimed, now: number): string {
  const what =
    problem ??
    (kept === undefined
      ? 'nothing was done in it'
      : `${kept.changes.length} files kept as ${kept.commit.slice(0, 10)}`);
  return `${copy.id}  ${ago(copy.made_at, now)}  ${oneLine(copy.branch, 200)}: ${oneLine(what, 400)}\n`;
}
