import { resolve } from 'node:path';
import type { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import type { Price } from '../../outcome/usage.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import { Writer } from '../../pipeline/writer.ts';
import type { Context } from '../context.ts';
import type { LoadAgent } from './agent.ts';
import type { RunFlags } from './flags.ts';
import { gitPlace } from './git.ts';
import { Narrator } from './narrator.ts';
import { Outlet } from './outlet.ts';
import { perform, type Sink } from './perform.ts';
import { Scratchpad, scratchpadName } from './scratchpad.ts';
import { agentOptions, type Inputs } from './settings.ts';
import { answerSink, dialectSink, reportSink, responseSink } from './sinks.ts';
import { Stop } from './stop.ts';
import { Tape } from './tape.ts';
import { loadWriter } from './writers.ts';

export interface Execution {
  flags: RunFlags;
  prompt: string;
  inputs: Inputs;
  writer: Awaited<ReturnType<typeof loadWriter>>;
  loadAgent: LoadAgent;
}

/** Runs the built-in agent on a prompt; answers the exit code. */
export async function execute(execution: Execution, context: Context): Promise<number> {
  const { flags } = execution;
  const stop = new Stop(context, flags.timeoutMs);
  try {
    const outcome = await runBuiltIn(execution, stop, context);
    return flags.format.flag === '--json' ? Number(outcome.status !== 'success') : outcome.verdict.exit_code;
  } finally {
    stop.dispose();
  }
}

async function runBuiltIn({ flags, prompt, inputs, writer, loadAgent }: Execution, stop: Stop, context: Context): Promise<RunOutcome> {
  const { cwd } = inputs;
  const git = gitPlace(cwd);
  const place = { projectName: flags.projectName ?? git.projectName, parentBranchId: flags.parentBranchId ?? git.parentBranchId };
  const outlet = new Outlet(context.print, () => stop.now({ kind: 'pipe' }));
  // Who closed stdout does not want to hear more, on stderr either.
  const say = (line: string): void => void (stop.cause?.kind !== 'pipe' && context.warn(line));
  const sinks = openSinks({ flags, prompt, cwd, writer, outlet, say }, context);
  const redact = flags.redact ? redactorFor(context) : undefined;
  const outcome = await perform({
    introduction: {
      task: prompt,
      cwd,
      project_name: place.projectName,
      parent_branch_id: place.parentBranchId,
      headless: true,
      ...(flags.model === undefined ? {} : { model: flags.model }),
    },
    sinks,
    stop,
    redact,
    failOn: flags.failOn,
    clock: context.now,
    loadPrice: () => loadPrice(flags),
    async work(emit) {
      const around = { ...inputs, ...place, prompt, signal: stop.signal, redact: redact?.text.bind(redact) };
      const options = await agentOptions(flags, around, context);
      const runAgent = await loadAgent();
      await runAgent(options, emit);
    },
  });
  await outlet.drained();
  return outcome;
}

interface Ways extends Pick<Execution, 'flags' | 'prompt' | 'writer'> {
  cwd: string;
  outlet: Outlet;
  say: (line: string) => void;
}

function openSinks({ flags, prompt, cwd, writer, outlet, say }: Ways, context: Context): Sink[] {
  const { flag } = flags.format;
  const complain = (message: string): void => say(`runwire: warning: ${message}`);
  const sinks: Sink[] = [];
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

function redactorFor({ env }: Context): Redactor {
  return new Redactor({ values: secretValues(env) });
}

/** Only where the agent itself could not tell the cost. */
async function loadPrice({ price }: RunFlags): Promise<Price> {
  if (price === undefined) return (await import('../../outcome/price-table.ts')).loadPrices();
  return (_model, { input = 0, output = 0, cacheRead = 0 }) =>
    ((input - cacheRead) * price.input + cacheRead * (price.cacheRead ?? price.input) + output * price.output) / 1e6;
}

/** A run that cannot begin, told as the response that `--json` promises. */
export async function refuse(failure: Failure, prompt: string, model: string | undefined, context: Context): Promise<number> {
  const writer = await loadWriter({ flag: '--json' });
  if (writer === undefined) throw failure;
  const stop = new Stop(context, undefined);
  const outlet = new Outlet(context.print, () => {});
  await perform({
    introduction: { ...(prompt === '' ? {} : { task: prompt }), ...(model === undefined ? {} : { model }) },
    sinks: [dialectSink(new Writer(...writer), outlet)],
    stop,
    redact: redactorFor(context),
    failOn: [],
    clock: context.now,
    loadPrice: async () => () => undefined,
    work: () => Promise.reject(failure),
  });
  await outlet.drained();
  stop.dispose();
  return 1;
}
