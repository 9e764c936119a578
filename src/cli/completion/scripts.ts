import { shellScript } from '../../files/shell-script.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

/** Each script asks the command for candidates: first the kind of paths allowed there, then one word per line, with its meaning after a tab. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: shellScript(import.meta.dirname, 'runwire.bash'),
  zsh: shellScript(import.meta.dirname, 'runwire.zsh'),
  fish: shellScript(import.meta.dirname, 'runwire.fish'),
};
