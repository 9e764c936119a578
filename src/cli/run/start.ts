import { childEnvironment } from '../../agents/environment.ts';
import type { RunAgent } from '../../builtin/agent.ts';
import { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { acpAgent } from '../../words/vocabulary.ts';
import type { Context } from '../context.ts';
import { wantsDocuments } from './document-flags.ts';
import { readFlags } from './flags.ts';
import { readFormat } from './format-flags.ts';
import type { LeftRun } from './left-run.ts';
import type { RunValues } from './options.ts';
import { follow } from './follow.ts';
import { promptOrStdin, readPrompt } from './prompt.ts';
import { readInputs, specOfFlags } from './settings.ts';
import { loadWriter } from './writers.ts';

export interface StartOptions {
  /** What followed `--`. */
  command?: readonly string[] | undefined;
  /** Unset: the built-in one. */
  loadAgent?: () => Promise<RunAgent>;
  /** Receives the outcome of the run. */
  onOutcome?: (outcome: RunOutcome) => void;
  /** A run to go on with, which was left by its process while it waited; its prompt is known. */
  left?: LeftRun;
}

/** From the flags to the exit code. Mistakes on the command line are reported before anything else is looked at. */
export async function startRun(
  values: RunValues,
  operands: readonly string[],
  context: Context,
  { command, loadAgent, onOutcome, left }: StartOptions = {},
): Promise<number> {
  const format = readFormat(values);
  const words = values.prompt ?? (operands.length === 0 ? undefined : operands.join(' '));
  let prompt: string | undefined;
  try {
    if (words?.trim() === '-')
      throw new Failure('input', `"-" is not a prompt: stdin is read without it, such as: runwire < prompt.txt`);
    const flags = readFlags(values, operands);
    const writer = await loadWriter(format);
    const inputs = await readInputs(flags, context);
    const hasOwnPrompt = command !== undefined && flags.request.agent !== acpAgent;
    // A command has its own prompt. Else stdin may hold it, but where --prompt is required, an open pipe that stays silent is not waited for.
    prompt = hasOwnPrompt
      ? (words ?? '')
      : left !== undefined
        ? left.prompt
        : await readPrompt(words, context, words === undefined && format.flag !== '--output-format json');
    if (prompt === '' && !hasOwnPrompt)
      throw new Failure('input', missing[format.flag] ?? (isBare(values, operands) ? firstSteps : noPrompt));
    const spec = specOfFlags(flags, { ...inputs, prompt, command }, context);
    // Before anything is started that could read it.
    context.hideEnvironment(new Set(Object.keys(childEnvironment(context.env, { pass: [], set: {} }))));
    const commandLine = { values, prompt, command };
    const { code, outcome } = await follow(
      { flags, spec, writer, directorOf: () => ({ loadAgent }), commandLine, left },
      context,
    );
    onOutcome?.(outcome);
    return code;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (wantsDocuments(values, context.env))
      await (await import('./documents.ts')).documentRefusal(error, { values, prompt: prompt ?? words }, context);
    if (format.flag !== '--json') throw error;
    const { refuse } = await import('./refuse.ts');
    const { model, cwd, isolate } = values;
    const text = prompt ?? (await promptOrStdin(words, context));
    return await refuse(error, { prompt: text, model, cwd, isIsolated: isolate !== undefined }, context);
  } finally {
    context.leaveSoon();
  }
}

/** The command line is empty. */
function isBare(values: RunValues, operands: readonly string[]): boolean {
  return operands.length === 0 && Object.keys(values).length === 0;
}

const noPrompt = 'no prompt: give one as an argument, with -p, or on stdin; see "runwire run --help"';
const firstSteps = `no prompt: give one as an argument, with -p, or on stdin

What works here, and what is missing:
  runwire doctor

A first run, with an agent that is installed, or with a model and its key:
  runwire --agent claude "explain this repository"
  runwire --model anthropic/claude-sonnet-4-5 "explain this repository"

What an agent really did, from what it printed:
  codex exec --json "fix the tests" | runwire outcome

What was run before, and everything else:
  runwire runs
  runwire --help`;
const missing: Partial<Record<string, string>> = {
  '--json': 'No query: give one as an argument, with -p, or on stdin',
  '--output-format json':
    '--output-format json requires --prompt, such as: runwire -p "fix the tests" --output-format json',
};
