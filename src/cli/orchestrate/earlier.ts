import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { loadSession } from '../../builtin/session.ts';
import { Failure } from '../../failure.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { stateFolder } from '../../files/xdg.ts';
import { isWholeId, shortRunId } from '../../ids/run-id.ts';
import { parseJson } from '../../json/parse.ts';
import { present } from '../../json/present.ts';
import { ChildSums } from '../../ledger/child-sums.ts';
import { namedRun } from '../../ledger/find.ts';
import type { Left } from '../../orchestrate/resumed.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import type { RunRecord } from '../../stores/run-store.ts';
import type { Environment } from '../../words/vocabulary.ts';
import type { Context } from '../context.ts';
import { type LedgerFlags, noSuchLedger, useLedger } from '../runs/ledger.ts';

/** The flags that an orchestration needs again when it goes on. Everything else is about one start of it, or may hold a secret. */
const keptNames = new Set(
  [
    'model base-url agents isolate dirty setup copy protect verify verify-timeout agent-timeout publish remote',
    'concurrency permission-mode allow deny max-cost-usd max-tokens timeout price budget max-repeats label project-name',
  ].flatMap((line) => line.split(' ')),
);

const Flag = z.union([z.string(), z.boolean(), z.array(z.string())]);
const Used = z.object({ cost: z.number().optional(), tokens: z.number().optional() });
const Saved = z.object({ version: z.literal(1), flags: z.record(z.string(), Flag), before: Used });
type Flags = Readonly<Record<string, unknown>>;
/** What an orchestration has used in all its earlier starts. */
export type Used = z.infer<typeof Used>;

const folderOf = (env: Environment): string => join(stateFolder(env), 'orchestrations');

/** Keeps the flags of an orchestration for one that goes on with it; one with a secret is left out. */
export function saveFlags(run: string, flags: Flags, before: Used, env: Environment): void {
  const redact = new Redactor({ values: secretValues(env) });
  const isClean = (value: unknown): boolean => redact.text(String(value)) === String(value);
  const kept = Object.entries(flags).filter(
    ([name, value]) => keptNames.has(name) && value !== undefined && [value].flat().every(isClean),
  );
  try {
    makeFolder(folderOf(env));
    const text = JSON.stringify({ version: 1, flags: Object.fromEntries(kept), before });
    writeFileSync(join(folderOf(env), `${run}.json`), `${text}\n`, { mode: 0o600 });
  } catch {
    // Without a state folder nothing can be resumed; that is no reason not to work.
  }
}

/** An orchestration that goes on: its flags, its conversation, what it left and what it has used. */
export interface Earlier {
  task: string;
  cwd: string | undefined;
  flags: Flags;
  /** Unset: it ended before its first turn was over. */
  session: string | undefined;
  left: Left;
  used: Used;
}

export async function findEarlier(word: string, ledger: LedgerFlags, context: Context): Promise<Earlier> {
  const run = await useLedger(
    ledger,
    context,
    async ({ store }) => new ChildSums(store).complete(await namedRun(store, word)),
    noSuchLedger,
  );
  const { outcome } = run;
  if (outcome === undefined || run.status === 'running')
    throw new Failure('input', `the run ${shortRunId(run.id)} has not ended: there is nothing to resume yet`);
  const { start_branch_id: start, branches = [] } = outcome.lineage ?? {};
  if (start === undefined || run.parent_run_id !== undefined)
    throw new Failure('input', `the run ${shortRunId(run.id)} is not an orchestration; --resume names one`);
  const { flags, before } = savedOf(run, context.env);
  const session = outcome.session_id;
  const hasSession = await loadSession(session, context.env).then(
    () => true,
    () => false,
  );
  return {
    task: outcome.metadata.initial_prompt,
    cwd: run.cwd,
    flags,
    session: hasSession ? session : undefined,
    left: {
      why: outcome.error_details?.message ?? outcome.verdict.evidence[0]?.detail ?? outcome.verdict.class,
      base: branches.find(({ branch_id }) => branch_id === start)?.commit,
      branches: branches.filter(({ branch_id }) => branch_id !== start),
    },
    used: sumOf([before, usedBy(run)]),
  };
}

function savedOf({ id }: RunRecord, env: Environment): z.infer<typeof Saved> {
  let text = '';
  try {
    // The id comes from the ledger, and is the name of a file.
    if (isWholeId(id)) text = readFileSync(join(folderOf(env), `${id}.json`), 'utf8');
  } catch {
    // Made on another machine, or by an earlier version: its flags have to be given again.
  }
  return Saved.safeParse(parseJson(text)).data ?? { version: 1, flags: {}, before: {} };
}

function usedBy({ children, ...run }: RunRecord): Used {
  return sumOf(
    [run, children].flatMap((each) => [
      present({ cost: each?.cost, tokens: each?.input_tokens }),
      present({ tokens: each?.output_tokens }),
    ]),
  );
}

function sumOf(parts: readonly Used[]): Used {
  const sum = (name: keyof Used): number | undefined => {
    const known = parts.flatMap((each) => each[name] ?? []);
    return known.length === 0 ? undefined : Number(known.reduce((all, each) => all + each, 0).toPrecision(12));
  };
  return present({ cost: sum('cost'), tokens: sum('tokens') });
}

/** What is left of a limit on the whole orchestration. */
export function leftOf(limit: number | undefined, used: number | undefined, flag: string): number | undefined {
  if (limit === undefined || used === undefined) return limit;
  const left = Number((limit - used).toPrecision(12));
  if (left > 0) return left;
  throw new Failure('input', `${flag} ${limit} is used up (${used} so far); give a larger ${flag} to go on`);
}
