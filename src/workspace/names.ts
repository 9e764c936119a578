import { shellScript } from '../files/shell-script.ts';
import { flatName, freeName } from './branch-name.ts';
import { noHooks } from './git.ts';
import type { CopyPlan } from './isolation.ts';
import { addressSettings, isAddress } from './local-remotes.ts';
import type { Repository } from './repository.ts';

/** What a repository calls its branches, remotes and settings, as far as a copy of it is concerned. */
interface Names {
  /** A free branch name. */
  branch: string;
  /** Settings with addresses of remotes. */
  addresses: CopyPlan['settings'];
  /** Where the user has hooks, if not in the usual folder. */
  hooks: string | undefined;
  /** Those that matter for keeping work: they are taken from here, since a worktree shares its config with its agent. */
  settings: CopyPlan['settings'];
}

/** The arguments of `namesScript`: which settings to list, and git patterns for branches that could conflict with a name. */
export function wordsFor(wanted: string): string[] {
  const [first = ''] = wanted.split('/');
  return [addressSettings, settingsKept, `refs/heads/${first}`, `refs/heads/${flatName(wanted)}*`];
}

export function namesIn(listed: string, wanted: string): Names {
  const [names = '', config = ''] = listed.split('\n\n\n');
  const entries = config
    .split('\0')
    .map((entry) => [entry.slice(0, entry.indexOf('\n')), entry.slice(entry.indexOf('\n') + 1)] as const);
  const addresses = entries.filter(([key]) => isAddress(key));
  // Our own setting is among them.
  const hooks = entries.findLast(([key, value]) => key === 'core.hookspath' && value !== noHooks)?.[1];
  const settings = entries.filter(([key]) => key !== '' && key !== 'core.hookspath' && !isAddress(key));
  return { branch: freeName(wanted, names.split('\n')), addresses, hooks, settings };
}

/** What git does with files, and who commits; nothing that names a program but filters, which are only run where the work is confined. */
const settingsKept = [
  'core\\.(filemode|ignorecase|symlinks|precomposeunicode|autocrlf|eol|sparsecheckout|sparsecheckoutcone|bigfilethreshold|longpaths|excludesfile|attributesfile)',
  'extensions\\.(objectformat|refstorage)',
  '(user|author|committer)\\.(name|email)',
  'i18n\\.commitencoding',
  'filter\\..*\\.(clean|process|required)',
].join('|');

export const namesScript = shellScript(import.meta.dirname, 'scripts/names.sh');

/** A free branch name, as close to the wanted one as possible. */
export async function freeBranch({ git }: Pick<Repository, 'git'>, wanted: string): Promise<string> {
  return namesIn(await git.script(namesScript, wordsFor(wanted)), wanted).branch;
}
