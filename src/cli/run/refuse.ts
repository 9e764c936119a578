import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../../failure.ts';
import { present } from '../../json/present.ts';
import { Writer } from '../../pipeline/writer.ts';
import { specOf } from '../../run/ask.ts';
import { start } from '../../run/run.ts';
import { responseSink } from '../../run/sinks/dialect.ts';
import { Outlet } from '../../run/sinks/outlet.ts';
import { Scratchpad, scratchpadHome, scratchpadName } from '../../run/sinks/scratchpad.ts';
import type { Sink } from '../../run/sinks/sink.ts';
import type { Context } from '../context.ts';
import { isFolder } from '../is-folder.ts';
import { wantsDocuments } from './document-flags.ts';
import { documentOptions, runOptions } from './options.ts';
import { unwritten } from './follow.ts';
import { promptOrStdin } from './prompt.ts';
import { loadWriter } from './writers.ts';

interface Refused {
  prompt: string;
  model: string | undefined;
  /** As it was typed. */
  cwd: string | undefined;
  /** Whether it would have worked in a private copy. */
  isIsolated: boolean;
}

/** Reports a run that cannot begin as the response that `--json` promises, with a scratchpad that holds only the query. */
export async function refuse(
  refusal: Failure,
  { prompt, model, cwd, isIsolated }: Refused,
  context: Context,
): Promise<number> {
  const writer = await loadWriter({ flag: '--json' });
  if (writer === undefined) throw refusal;
  const outlet = new Outlet(context.print);
  const here = folderHere(context);
  const place = resolve(here, cwd ?? '.');
  const spec = specOf({ prompt, model }, { cwd: isFolder(place) ? place : here, passEnv: [] });
  const name = scratchpadName(prompt, context.now());
  const { scratchpad, problem } = openScratchpad(scratchpadHome(spec.cwd, isIsolated, context.env), name, context);
  const sinks: Sink[] = [
    outlet,
    ...(scratchpad === undefined ? [] : [scratchpad]),
    responseSink(new Writer(...writer), outlet, scratchpad?.name ?? name),
  ];
  await start(spec, {
    env: context.env,
    sinks: async () => sinks,
    clock: context.now,
    outside: { onSignal: context.onSignal, onCrash: context.onCrash, watchTime: (ms) => context.watchTime(ms) },
    refusal:
      problem === undefined || refusal.message.includes(problem)
        ? refusal
        : new Failure(refusal.code, `${refusal.message}; ${problem}`),
  }).outcome;
  return outlet.problem === undefined ? 1 : unwritten(outlet.problem, { flag: '--json' }, context);
}

/** The run is refused in any case: without a working directory, its scratchpad goes where files may always be. */
function folderHere(context: Context): string {
  try {
    return context.cwd;
  } catch {
    return tmpdir();
  }
}

function openScratchpad(cwd: string, name: string, { warn }: Context): { scratchpad?: Scratchpad; problem?: string } {
  try {
    return { scratchpad: new Scratchpad(cwd, name, (message) => warn(`runwire: warning: ${message}`)) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { problem: error.message };
  }
}

const otherFormats = /^(?:--(?:output-format|format|stream-json|to)(?:=|$)|-t)/;

/** The same for words that cannot be parsed as flags: if `--json` is the only format among them, there is a response. */
export async function refuseWords(failure: Failure, words: readonly string[], context: Context): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: runOptions,
    allowPositionals: true,
    strict: false,
  });
  const { documents, text } = documentsIn(values);
  const typed = text(values.prompt) ?? (positionals.length === 0 ? undefined : positionals.join(' '));
  if (wantsDocuments(documents, context.env))
    await (await import('./documents.ts')).documentRefusal(failure, { values: documents, prompt: typed }, context);
  if (!words.includes('--json') || words.some((word) => otherFormats.test(word))) throw failure;
  const prompt = await promptOrStdin(typed, context);
  try {
    const isIsolated = values.isolate !== undefined;
    return await refuse(failure, { prompt, model: text(values.model), cwd: text(values.cwd), isIsolated }, context);
  } finally {
    context.leaveSoon();
  }
}

/** The same for a command that writes documents but no response, such as a race. */
export async function refuseCrew(failure: Failure, words: readonly string[], context: Context): Promise<never> {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { ...documentOptions, ...promptOptions },
    allowPositionals: true,
    strict: false,
  });
  const { documents, text } = documentsIn(values);
  const prompt = text(values['prompt']) ?? text(values['task']) ?? (positionals.join(' ') || undefined);
  if (wantsDocuments(documents, context.env))
    await (await import('./documents.ts')).documentRefusal(failure, { values: documents, prompt }, context);
  throw failure;
}

const promptOptions = {
  prompt: { type: 'string', short: 'p' },
  task: { type: 'string' },
  model: { type: 'string', short: 'm' },
} as const;

/** The documents that are requested by a command line that may be wrong elsewhere. */
function documentsIn(values: Readonly<Record<string, unknown>>) {
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' && !value.startsWith('-') ? value : undefined;
  const documents = present({
    outcome: values['outcome'] === '-' ? '-' : text(values['outcome']),
    'report-md': text(values['report-md']),
    'report-html': text(values['report-html']),
    junit: text(values['junit']),
    github: values['github'] === true ? true : undefined,
    'no-github': values['no-github'] === true ? true : undefined,
    model: text(values['model']),
  });
  return { documents, text };
}
