import type { RunAgent } from '../builtin/agent.ts';
import { Failure } from '../failure.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { costAt } from '../outcome/price.ts';
import type { Price } from '../outcome/usage.ts';
import { Redactor } from '../redact/redactor.ts';
import { secretValues } from '../redact/secrets.ts';
import { chooseSource } from './sources/choose.ts';
import { gitPlace } from './git.ts';
import type { LedgerRequest, RunLedger } from './sinks/run-ledger.ts';
import { perform, type Sink, type Source } from './perform.ts';
import type { RunRequest } from './spec.ts';
import type { Stop } from './stop.ts';

export interface Surroundings {
  sinks: readonly Sink[];
  stop: Stop;
  clock: () => number;
  /** A sentence for people. */
  complain(message: string): void;
  /** Takes the place of the built-in agent. */
  loadAgent?: (() => Promise<RunAgent>) | undefined;
}

/** A request to its outcome: what the command line and the library both do. */
export async function conduct(request: RunRequest, around: Surroundings): Promise<RunOutcome> {
  const { prompt, cwd } = request;
  const git = gitPlace(cwd);
  const place = { projectName: request.projectName ?? git.repo, parentBranchId: request.parentBranchId ?? git.branch };
  // What is given to the agent on the command line is as secret as what is in the environment.
  const redact = request.redact ? new Redactor({ values: secretValues({ ...request.env, ...request.extraEnv.set }) }) : undefined;
  const { source, agent, limits } = await chosen();
  const ledger = request.ledger === undefined ? undefined : await openLedger(request.ledger);
  const outcome = await perform({
    introduction: {
      ...(prompt === '' ? {} : { task: prompt }),
      cwd,
      project_name: place.projectName,
      parent_branch_id: place.parentBranchId,
      headless: true,
      ...agent,
      ...(request.model === undefined ? {} : { model: request.model }),
    },
    source,
    sinks: ledger === undefined ? around.sinks : [...around.sinks, ledger.sink],
    stop: around.stop,
    limits,
    retries: request.retries,
    retryDelayMs: request.retryDelayMs,
    redact,
    failOn: request.failOn,
    clock: around.clock,
    loadPrice: () => loadPrice(request),
  });
  await ledger?.close();
  if (outcome.provenance.notes.some(({ kind }) => kind === 'unrecognised')) {
    const { recordUnknownShapes } = await import('../agents/unknown-shapes.ts');
    await recordUnknownShapes(outcome, request.env, around.clock());
  }
  return outcome;

  async function openLedger(asked: LedgerRequest): Promise<RunLedger> {
    const { RunLedger } = await import('./sinks/run-ledger.ts');
    const { agent: name, command, model, env } = request;
    const known = { agent: command?.[0] ?? name, model, cwd, git, env, clock: around.clock, warn: around.complain };
    return new RunLedger(asked, known);
  }

  /** An agent that is not there is the outcome of the run, told like any other. */
  async function chosen(): ReturnType<typeof chooseSource> {
    try {
      return await chooseSource({ ...request, ...place }, { ...around, redact });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'config') throw error;
      return { source: refusing(error), agent: { agent: request.agent }, limits: {} };
    }
  }
}

/** A source that cannot begin. */
export function refusing(failure: Failure): Source {
  return { dialect: 'runwire', canResume: false, attempt: () => Promise.reject(failure) };
}

/** Only where the agent itself could not tell the cost. */
async function loadPrice({ price }: RunRequest): Promise<Price> {
  if (price === undefined) return (await import('../outcome/price-table.ts')).loadPrices();
  return (_model, tokens) => costAt(price, tokens);
}
