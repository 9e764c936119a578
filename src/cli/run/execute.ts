import { resolve } from 'node:path';
import type { RunAgent } from '../../agent/agent.ts';
import type { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { Writer } from '../../pipeline/writer.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import { conduct, refusing } from '../../runner/conduct.ts';
import { perform, type Sink } from '../../runner/perform.ts';
import { Stop } from '../../runner/stop.ts';
import { Tape } from '../../runner/tape.ts';
import type { Context } from '../context.ts';
import type { RunFlags } from './flags.ts';
import { Narrator } from './narrator.ts';
import { runOnEnd } from './on-end.ts';
import { Outlet } from './outlet.ts';
import { Scratchpad, scratchpadName } from './scratchpad.ts';
import { type Inputs, requestOf } from './settings.ts';
import { answerSink, dialectSink, reportSink, responseSink } from './sinks.ts';
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
  const outlet = new Outlet(context.print, () => stop.now({ kind: 'pipe' }));
  // Who closed stdout does not want to hear more, on stderr either.
  const say = (line: string): void => void (stop.cause?.kind !== 'pipe' && context.warn(line));
  const complain = (message: string): void => say(`runwire: warning: ${message}`);
  const sinks = openSinks({ flags, prompt, cwd: inputs.cwd, writer, outlet, say, complain }, context);
  const request = requestOf(flags, { ...inputs, prompt, command }, context);
  const outcome = await conduct(request, { sinks, stop, clock: context.now, complain, loadAgent });
  await outlet.drained();
  for (const each of flags.onEnd) await runOnEnd(each, outcome, { cwd: context.cwd, env: context.env, complain });
  return outcome;
}

interface Ways extends Pick<Execution, 'flags' | 'prompt' | 'writer'> {
  cwd: string;
  outlet: Outlet;
  say: (line: string) => void;
  complain: (message: string) => void;
}

function openSinks({ flags, prompt, cwd, writer, outlet, say, complain }: Ways, context: Context): Sink[] {
  const { flag } = flags.format;
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
