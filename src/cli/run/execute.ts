import { resolve } from 'node:path';
import type { RunAgent } from '../../builtin/agent.ts';
import type { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { Writer } from '../../pipeline/writer.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import { conduct, refusing } from '../../run/conduct.ts';
import { perform } from '../../run/perform.ts';
import type { Sink } from '../../run/sinks/sink.ts';
import { Stop } from '../../run/stop.ts';
import { TapeSink } from '../../run/sinks/tape.ts';
import { fileTape } from '../../stores/file-tape.ts';
import type { Context } from '../context.ts';
import type { RunFlags } from './flags.ts';
import { type Narration, narrate } from '../../run/sinks/narration/narration.ts';
import { runOnEnd } from './on-end.ts';
import { Outlet } from '../../run/sinks/outlet.ts';
import { Scratchpad, scratchpadName } from '../../run/sinks/scratchpad.ts';
import { type Inputs, requestOf } from './settings.ts';
import { answerSink, dialectSink, reportSink, responseSink } from '../../run/sinks/dialect.ts';
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

async function run({ flags, prompt, command, inputs, writer, loadAgent }: Execution, stop: Stop, context: Context): Promise<RunOutcome> {
  const quiet = flags.quiet || flags.format.flag === '--json' || flags.format.flag === '--stream-json';
  // Who reads events from a pipe may show them on the same terminal, line by line in the middle of what is drawn there.
  const draws = writer === undefined;
  const agent = command === undefined ? flags.agent : undefined;
  const narration = await narrate({ tell: quiet ? 'errors' : 'all', draws, agent }, context);
  const { complain } = narration;
  const print = (text: string): Promise<void> => {
    narration.hide();
    return context.print(text);
  };
  const outlet = new Outlet(print, () => {
    // Who closed stdout does not want to hear more, on stderr either.
    narration.mute();
    stop.now({ kind: 'pipe' });
  });
  try {
    const sinks = openSinks({ flags, prompt, cwd: inputs.cwd, writer, outlet, narration }, context);
    const request = requestOf(flags, { ...inputs, prompt, command }, context);
    const outcome = await conduct(request, { sinks, stop, clock: context.now, complain, loadAgent });
    await outlet.drained();
    for (const each of flags.onEnd) await runOnEnd(each, outcome, { cwd: context.cwd, env: context.env, complain });
    return outcome;
  } finally {
    narration.close();
  }
}

interface Ways extends Pick<Execution, 'flags' | 'prompt' | 'writer'> {
  cwd: string;
  outlet: Outlet;
  narration: Narration;
}

function openSinks({ flags, prompt, cwd, writer, outlet, narration }: Ways, context: Context): Sink[] {
  const { flag } = flags.format;
  const { complain } = narration;
  const sinks: Sink[] = [{ ready: () => outlet.full() }];
  if (writer === undefined) sinks.push(answerSink(outlet));
  else if (flag === '--json') {
    const name = scratchpadName(prompt, context.now());
    sinks.push(new Scratchpad(cwd, name, complain), responseSink(new Writer(...writer), outlet, name));
  } else if (flag === '--stream-json') sinks.push(reportSink(new Writer(...writer), outlet));
  else sinks.push(dialectSink(new Writer(...writer), outlet));
  if (flags.tape !== undefined) sinks.push(new TapeSink(fileTape(resolve(context.cwd, flags.tape)), complain));
  return [...sinks, narration.sink];
}

/** A run that cannot begin, told as the response that `--json` promises. */
export async function refuse(failure: Failure, prompt: string, model: string | undefined, context: Context): Promise<number> {
  const { loadWriter } = await import('./writers.ts');
  const writer = await loadWriter({ flag: '--json' });
  if (writer === undefined) throw failure;
  const stop = new Stop(context, undefined);
  const outlet = new Outlet(context.print, () => {});
  await perform({
    introduction: { ...(prompt === '' ? {} : { task: prompt }), ...(model === undefined ? {} : { model }) },
    source: refusing(failure),
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
