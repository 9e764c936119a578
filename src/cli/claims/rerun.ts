import type { Claim } from '../../claims/claim.ts';
import { checkClaims } from '../../claims/check-claims.ts';
import type { Call } from '../../claims/facts/call.ts';
import { FactsFold } from '../../claims/facts/fold.ts';
import { readDuration } from '../../contract/flag-values.ts';
import { Failure } from '../../failure.ts';
import { namedRun } from '../../ledger/find.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { endReading, tapeOf, tapeReader } from '../../ledger/run-tape.ts';
import { runsBelow } from '../../ledger/tree.ts';
import type { Branch } from '../../outcome/outcome.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import type { RunRecord } from '../../stores/run-store.ts';
import type { Context } from '../context.ts';
import type { RerunFlags } from './options.ts';
import { branchesOf, repositoryOf } from '../kept-work.ts';
import { type LedgerFlags, noSuchLedger, useLedger } from '../runs/ledger.ts';

const defaultMs = 5 * 60_000;

/** Every named run, and of an orchestration or a race every run below it, with what running its commands again shows. */
export async function eachRunAgain(
  operands: readonly string[],
  flags: RerunFlags & LedgerFlags,
  context: Context,
  show: (name: string, claims: Claim[]) => Promise<void>,
): Promise<void> {
  if (operands.length === 0)
    throw new Failure(
      'input',
      '--rerun needs a run of the ledger: its id, or "last"; a stream has no copy of its work',
    );
  for (const word of operands)
    await useLedger(
      flags,
      context,
      async (ledger) => {
        const named = await namedRun(ledger.store, word);
        const runs = isWork(named) ? [named] : await workBelow(ledger, named);
        for (const run of runs) await show(run === named ? word : run.id, await ofRun(ledger, run, flags, context));
        return 0;
      },
      noSuchLedger,
    );
}

function isWork(run: RunRecord): boolean {
  return (run.outcome?.lineage?.branches ?? []).some((each) => each.run_id === run.id && each.commit !== undefined);
}

async function workBelow({ store }: Ledger, run: RunRecord): Promise<RunRecord[]> {
  const below = await runsBelow(store, run);
  const runs = await Promise.all(below.map(({ id }) => store.get(id)));
  const work = runs.filter((each) => each !== undefined && isWork(each)) as RunRecord[];
  if (work.length > 0) return work;
  throw new Failure(
    'input',
    `the run ${shortRunId(run.id)} did not work in a private copy: there is no commit on which its commands could be run again (see --isolate)`,
  );
}

async function ofRun({ tapes }: Ledger, run: RunRecord, flags: RerunFlags, context: Context): Promise<Claim[]> {
  const found = await tapeOf(tapes, run);
  if ('missing' in found) throw new Failure('input', found.missing);
  const facts = new FactsFold();
  const reader = tapeReader({ full: true, onRecord: (record) => facts.see(record) });
  for await (const chunk of found.tape.read()) reader.stdout(chunk);
  const { message: answer } = await endReading(reader);
  const raw = facts.facts();
  const claims = checkClaims(answer, raw);
  return claimsRunAgain(run, { claims, calls: raw.calls, answer }, flags, context);
}

/** The claims of a run, with what running their commands again shows. Throws an `input` failure where the run has no work of its own. */
async function claimsRunAgain(
  run: RunRecord,
  { claims, calls, answer }: { claims: readonly Claim[]; calls: readonly Call[]; answer: string },
  flags: RerunFlags,
  context: Context,
): Promise<Claim[]> {
  const { env } = context;
  const branch = ownBranch(run);
  const repository = await repositoryOf(run, flags.cwd, context);
  const [{ Lab }, { rerunClaims }, { workOf }, { commitOf }, { readEnvironmentWords }, rules] = await Promise.all([
    import('../../rerun/lab.ts'),
    import('../../rerun/rerun-claims.ts'),
    import('../../rerun/work.ts'),
    import('../../workspace/repository.ts'),
    import('../../agents/environment.ts'),
    rulesOf(flags, context),
  ]);
  const commit = await commitOf(repository, branch.commit ?? `refs/heads/${branch.branch_id}`);
  const from = baseOf(run, branch);
  const base = from === undefined ? undefined : await commitOf(repository, from);
  const { pass, set } = readEnvironmentWords(flags.env ?? []);
  const stopped = new AbortController();
  const stopListening = context.onSignal(() =>
    stopped.abort(new Failure('cancelled', 'stopped while commands were run again')),
  );
  const lab = await Lab.open({
    cwd: repository.root,
    env,
    pass,
    variables: set,
    isolate: isolateOf(flags.isolate),
    setup: flags.setup,
    copy: flags.copy ?? [],
    timeoutMs: readDuration('--rerun-timeout', flags['rerun-timeout']) ?? defaultMs,
    signal: stopped.signal,
  });
  try {
    if (lab.networkLack !== undefined)
      context.warn(`runwire: commands are run again with the network: ${lab.networkLack}`);
    const work = await workOf(repository.git, { commit, base });
    const place = { root: repository.root, below: repository.below };
    const ask = { claims, calls, work, git: repository.git, place, rules, lab, prompt: run.prompt, answer };
    const again = await rerunClaims(ask);
    // A test may print anything.
    return new Redactor({ values: secretValues({ ...env, ...set }) }).json(again);
  } finally {
    stopListening();
    lab.close();
  }
}

/** The user's rules: of the config files, and those of the flags. Without any, what the agent ran may be run again. */
async function rulesOf(flags: RerunFlags, { env, cwd }: Context) {
  const [{ parseRules }, { loadConfig }] = await Promise.all([
    import('../../builtin/permissions/rules.ts'),
    import('../../builtin/config/config.ts'),
  ]);
  const { permissions = {} } = await loadConfig({ cwd, env });
  const allow = [...(permissions.allow ?? []), ...(flags.allow ?? [])];
  const mode = flags['permission-mode'] ?? permissions.mode ?? (allow.length === 0 ? 'full' : 'edit');
  return parseRules(mode, allow, [...(permissions.deny ?? []), ...(flags.deny ?? [])]);
}

function isolateOf(word: string | undefined): 'auto' | 'overlay' | 'clone' {
  if (word === undefined || word === 'auto') return 'auto';
  if (word === 'overlay' || word === 'clone') return word;
  throw new Failure('input', `--isolate ${word}: expected auto, overlay or clone`);
}

/** The branch that the run itself worked on. */
function ownBranch(run: RunRecord): Branch {
  const made = branchesOf(run);
  const own = made.find(({ run_id }) => run_id === run.id) ?? (made.length === 1 ? made[0] : undefined);
  if (own === undefined)
    throw new Failure('input', `the run ${shortRunId(run.id)} did no work itself: name one of the runs below it`);
  return own;
}

function baseOf({ outcome }: RunRecord, { parent_branch_id: parent }: Branch): string | undefined {
  const { start_branch_id: start, branches } = outcome?.lineage ?? { branches: [] };
  return branches.find(({ branch_id }) => branch_id === (start ?? parent))?.commit;
}
