import { Failure } from '../../failure.ts';
import { brainOf } from '../../orchestrate/brain.ts';
import { Crew } from '../../orchestrate/crew.ts';
import type { Context } from '../context.ts';
import type { RunValues } from '../run/options.ts';
import { promptOrStdin } from '../run/prompt.ts';
import { isUnchanged } from '../../outcome/lineage.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { present } from '../../json/present.ts';
import { shortRunId } from '../../ids/run-id.ts';
import type { LedgerFlags } from '../runs/ledger.ts';
import { findEarlier, leftOf, saveFlags } from './earlier.ts';
import { readCrewFlags } from './flags.ts';
import { Lines } from './lines.ts';
import { checkAgents, conduct } from './start.ts';

interface OrchestrationRequest {
  task: string | undefined;
  values: OrchestrationValues;
  isInteractive: boolean;
  /** An earlier run that it goes on with. */
  resume: string | undefined;
}

type OrchestrationValues = Omit<RunValues, 'resume'> & Parameters<typeof readCrewFlags>[0];

export async function conductOrchestration(
  { task: named, values: given, isInteractive, resume }: OrchestrationRequest,
  context: Context,
): Promise<number> {
  const earlier = resume === undefined ? undefined : await findEarlier(resume, ledgerFlags(given), context);
  const task = named ?? earlier?.task;
  const values: OrchestrationValues & RunValues = {
    ...(earlier === undefined ? {} : { ...earlier.flags, ...present({ cwd: earlier.cwd }) }),
    ...given,
    ...present({ resume: earlier?.session }),
  };
  const crewFlags = readCrewFlags(values, context.cwd);
  await checkAgents(crewFlags.agents, context.env);
  const lines = isInteractive ? new Lines(context) : undefined;
  const prompt = (lines === undefined ? await promptOrStdin(task, context) : (task ?? (await lines.next()))) ?? '';
  if (prompt.trim() === '')
    throw new Failure('input', 'no task: give one with --task, with -p, or on stdin; see "runwire orchestrate --help"');
  let id = '';
  const { code, outcome, flags } = await conduct(
    {
      values,
      crewFlags,
      prompt,
      hasBrain: true,
      baseCommit: earlier?.left.base,
      limitsOf: (limits) => ({
        ...limits,
        ...present({
          max_cost_usd: leftOf(limits.max_cost_usd, earlier?.used.cost, '--max-cost-usd'),
          max_tokens: leftOf(limits.max_tokens, earlier?.used.tokens, '--max-tokens'),
        }),
      }),
      directorOf: (settings, _limits, people) => ({
        async loadAgent(run) {
          id = run.id;
          saveFlags(id, values, earlier?.used ?? {}, context.env);
          const brain = brainOf(new Crew(settings, run), earlier?.left);
          if (lines === undefined) return brain;
          return (options, emit) => {
            const ask = (): Promise<string | undefined> => Promise.race([lines.next(), aborted(options.signal)]);
            return brain({ ...options, nextPrompt: () => people.around(ask) }, emit);
          };
        },
      }),
    },
    context,
  );
  if (!flags.quiet && flags.ledger !== 'none') context.draw(endOf(outcome, id));
  return code;
}

/** On which branch the work is, and what to do next. */
function endOf({ status, lineage, verdict }: RunOutcome, id: string): string {
  const branch = lineage?.branches.find(({ winner }) => winner === true);
  if (status === 'success')
    return branch === undefined || lineage === undefined || isUnchanged(lineage, branch)
      ? ''
      : `The work is on ${branch.branch_id}.\nnext: "runwire apply ${shortRunId(id)}" takes it into your checkout, "runwire drop ${shortRunId(id)}" discards the rest\n`;
  if (id === '' || verdict.class === 'config' || verdict.class === 'input') return '';
  return `next: "runwire orchestrate --resume ${shortRunId(id)}" goes on with its conversation and branches; add a larger limit if one was reached\n`;
}

function ledgerFlags({ ledger, tapes }: OrchestrationValues): LedgerFlags {
  return present({ ledger, tapes });
}

/** Nobody waits for a line once the run is to stop. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}
