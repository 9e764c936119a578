import { Failure } from '../../failure.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command } from '../command.ts';
import { asBashWrote, forBash } from '../completion/bash-words.ts';
import { scripts, type Shell } from '../completion/scripts.ts';

const longestAbout = 72;

export const completion = command({
  name: 'completion',
  summary: 'Print a completion script for bash, zsh or fish',
  operands: 'bash|zsh|fish',
  takesCommand: true,
  description: `The script completes commands, flags and their values: agents, models, dialects, schemas, and the runs, sessions and budgets of the ledger.
It asks this command for the words: "runwire completion bash -- WORDS…" prints what may replace the last one.`,
  options: {},
  examples: [
    ['eval "$(runwire completion bash)"', 'In ~/.bashrc'],
    ['runwire completion zsh > "${fpath[1]}/_runwire"', 'For zsh'],
    ['runwire completion fish > ~/.config/fish/completions/runwire.fish', 'For fish'],
    ['runwire completion fish -- run --agent co', 'What the shell receives'],
  ],
  async run(_values, operands, context, typed) {
    const [shell = ''] = operands;
    if (!isShell(shell))
      throw new Failure(
        'input',
        `completion needs a shell: bash, zsh or fish${shell === '' ? '' : `, not "${shell}"`}`,
      );
    if (typed === undefined) {
      await context.print(scripts[shell]);
      return 0;
    }
    const [{ complete }, { valuesOf }] = await Promise.all([
      import('../completion/complete.ts'),
      import('../completion/values.ts'),
    ]);
    const words = shell === 'bash' ? asBashWrote(typed) : typed;
    const { candidates, paths } = await complete(words, valuesOf(words, context));
    const last = words.at(-1) ?? '';
    const lines = candidates.map(({ value, about }) => {
      const word = oneLine(shell === 'bash' ? forBash(value, last) : value, value.length);
      return about === undefined ? word : `${word}\t${oneLine(about, longestAbout)}`;
    });
    await context.print(`${[paths, ...lines].join('\n')}\n`);
    return 0;
  },
});

function isShell(word: string): word is Shell {
  return Object.hasOwn(scripts, word);
}
