import { childEnvironment } from '../../agents/environment.ts';
import type { RunAgent } from '../../builtin/agent.ts';
import { Failure } from '../../failure.ts';
import type { Context } from '../context.ts';
import { readFlags, readFormat, type RunValues } from './flags.ts';
import { follow, refuse } from './follow.ts';
import { readPrompt } from './prompt.ts';
import { readInputs, specOfFlags } from './settings.ts';
import { loadWriter } from './writers.ts';

export interface StartOptions {
  /** What followed `--`. */
  command?: readonly string[] | undefined;
  /** Unset: the built-in one. */
  loadAgent?: () => Promise<RunAgent>;
}

/** From the flags to the exit code. What is wrong with the command line is said before anything else is looked at. */
export async function startRun(
  values: RunValues,
  operands: readonly string[],
  context: Context,
  { command, loadAgent }: StartOptions = {},
): Promise<number> {
  const format = readFormat(values);
  const words = values.prompt ?? (operands.length === 0 ? undefined : operands.join(' '));
  let prompt: string | undefined;
  try {
    const flags = readFlags(values, operands);
    const writer = await loadWriter(format);
    const inputs = await readInputs(flags, context);
    // A command has its own prompt; else, where one is demanded, stdin may hold it, but an open pipe that stays silent does not.
    prompt =
      command === undefined
        ? await readPrompt(words, context, words === undefined && format.flag !== '--output-format json')
        : (words ?? '');
    if (prompt === '' && command === undefined) throw new Failure('input', missing[format.flag] ?? noPrompt);
    const spec = specOfFlags(flags, { ...inputs, prompt, command }, context);
    // Before anything is started that could look.
    context.hideEnvironment(new Set(Object.keys(childEnvironment(context.env, { pass: [], set: {} }))));
    return await follow({ flags, spec, writer, loadAgent }, context);
  } catch (error) {
    if (format.flag !== '--json' || !(error instanceof Failure)) throw error;
    return await refuse(error, prompt ?? (await readPrompt(words, context)), values.model, context);
  } finally {
    context.leaveSoon();
  }
}

const noPrompt = 'no prompt: give one as an argument, with -p, or on stdin; see "runwire run --help"';
const missing: Partial<Record<string, string>> = {
  '--json': 'No query: give one as an argument, with -p, or on stdin',
  '--output-format json': '--output-format json requires --prompt, such as: runwire -p "fix the tests" --output-format json',
};
