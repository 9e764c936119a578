import { resolve } from 'node:path';
import type { RunAgent } from '../../agent/agent.ts';
import type { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import type { Price } from '../../outcome/usage.ts';
import { Writer } from '../../pipeline/writer.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import { perform, type Sink, type Source } from '../../runner/perform.ts';
import { Stop } from '../../runner/stop.ts';
import { Tape } from '../../runner/tape.ts';
import type { Context } from '../context.ts';
import type { RunFlags } from './flags.ts';
import { gitPlace } from './git.ts';
import { Narrator } from './narrator.ts';
import { runOnEnd } from './on-end.ts';
import { Outlet } from './outlet.ts';
import { Scratchpad, scratchpadName } from './scratchpad.ts';
import type { Inputs } from './settings.ts';
import { answerSink, dialectSink, reportSink, responseSink } from './sinks.ts';
import { chooseSource } from './source.ts';
import type { loadWriter } from './writers.ts';

export interface Execution {
  flags: RunFlags;
  prompt: string;
  /** What followed `--`. */
  command: readonly string[] | undefined;
  inputs: Inputs;
  writer: Awaited<ReturnType<typeof loadWriter>>;
  loadAgent: (() => Promise<RunAgent>) | undefined;
}

/** Runs an agent on a prompt; answers the exit code. */
export async function execute(execution: Execution, context: Context): Promise<number> {
  const { flags } = execution;
  const stop = new Stop(context, flags.limits.timeoutMs);
  try {
    const outcome = await run(execution, stop, context);
    return flags.format.flag === '--json' ? Number(outcome.status !== 'success') : outcome.verdict.exit_code;
  } finally {
    stop.dispose();
  }
}

async function run(execution: Execution, stop: Stop, context: Context): Promise<RunOutcome> {
  const { flags, prompt, inputs, writer } = execution;
  const { cwd } = inputs;
  const git = gitPlace(cwd);
  const place = { projectName: flags.projectName ?? git.projectName, parentBranchId: flags.parentBranchId ?? git.parentBranchId };
  const outlet = new Outlet(context.print, () => stop.now({ kind: 'pipe' }));
  // Who closed stdout does not want to hear more, on stderr either.
  const say = (line: string): void => void (stop.cause?.kind !== 'pipe' && context.warn(line));
  const redact = flags.redact ? redactorFor(flags, context) : undefined;
  const { source, agent, limits } = await chooseSource(
    execution,
    { ...place, redact, complain: (message) => say(warning(message)) },
    context,
  );
  const sinks = openSinks({ flags, prompt, cwd, writer, outlet, say }, context);
  const outcome = await perform({
    introduction: {
      ...(prompt === '' ? {} : { task: prompt }),
      cwd,
      project_name: place.projectName,
      parent_branch_id: place.parentBranchId,
      headless: true,
      ...agent,
      ...(flags.model === undefined ? {} : { model: flags.model }),
    },
    source,
    sinks,
    stop,
    limits,
    retries: flags.retries,
    retryDelayMs: flags.retryDelayMs,
    redact,
    failOn: flags.failOn,
    clock: context.now,
    loadPrice: () => loadPrice(flags),
  });
  await outlet.drained();
  for (const command of flags.onEnd)
    await runOnEnd(command, outcome, { cwd: context.cwd, env: context.env, complain: (message) => say(warning(message)) });
  return outcome;
}

const warning = (message: string): string => `runwire: warning: ${message}`;

interface Ways extends Pick<Execution, 'flags' | 'prompt' | 'writer'> {
  cwd: string;
  outlet: Outlet;
  say: (line: string) => void;
}

function openSinks({ flags, prompt, cwd, writer, outlet, say }: Ways, context: Context): Sink[] {
  const { flag } = flags.format;
  const complain = (message: string): void => say(warning(message));
  const sinks: Sink[] = [{ ready: () => outlet.full() }];
  if (writer === undefined) sinks.push(answerSink(outlet));
  else if (flag === '--json') {
    const name = scratchpadName(prompt, context.now());
    sinks.push(new Scratchpad(cwd, name, complain), responseSink(new Writer(...writer), outlet, name));
  } else if (flag === '--stream-json') sinks.push(reportSink(new Writer(...writer), outlet));
  else sinks.push(dialectSink(new Writer(...writer), outlet));
  if (flags.tape !== undefined) sinks.push(new Tape(resolve(context.cwd, flags.tape), complain));
  const quiet = flag === '--json' || flag === '--stream-json';
  const colours = context.stderrIsTerminal && !context.env.NO_COLOR;
  sinks.push(new Narrator({ say, colours, tell: quiet ? 'errors' : 'all' }));
  return sinks;
}

/** Secrets that are given to the agent on the command line are as secret as those of the environment. */
function redactorFor(flags: RunFlags, { env }: Context): Redactor {
  return new Redactor({ values: secretValues({ ...env, ...flags.env.set }) });
}

/** Only where the agent itself could not tell the cost. */
async function loadPrice({ price }: RunFlags): Promise<Price> {
  if (price === undefined) return (await import('../../outcome/price-table.ts')).loadPrices();
  return (_model, { input = 0, output = 0, cacheRead = 0 }) =>
    ((input - cacheRead) * price.input + cacheRead * (price.cacheRead ?? price.input) + output * price.output) / 1e6;
}

/** A run that cannot begin, told as the response that `--json` promises. */
export async function refuse(failure: Failure, prompt: string, model: string | undefined, context: Context): Promise<number> {
  const { loadWriter } = await import('./writers.ts');
  const writer = await loadWriter({ flag: '--json' });
  if (writer === undefined) throw failure;
  const stop = new Stop(context, undefined);
  const outlet = new Outlet(context.print, () => {});
  const source: Source = { dialect: 'runwire', canResume: false, attempt: () => Promise.reject(failure) };
  await perform({
    introduction: { ...(prompt === '' ? {} : { task: prompt }), ...(model === undefined ? {} : { model }) },
    source,
    sinks: [dialectSink(new Writer(...writer), outlet)],
    stop,
    limits: {},
    retries: 0,
    retryDelayMs: 0,
    redact: new Redactor({ values: secretValues(context.env) }),
    failOn: [],
    clock: context.now,
    loadPrice: async () => () => undefined,
  });
  await outlet.drained();
  stop.dispose();
  return 1;
}
