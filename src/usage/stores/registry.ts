import { join } from 'node:path';
import { homeFolder } from '../../files/xdg.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { claude } from '../read/claude.ts';
import { codex } from '../read/codex.ts';
import type { Formats, Store } from './store.ts';

export const formats = { claude, codex } as const satisfies Formats;

const inHome = (env: Environment, ...path: string[]): string => join(homeFolder(env), ...path);
const configHome = (env: Environment): string => env['XDG_CONFIG_HOME'] || inHome(env, '.config');

/** Several folders in one variable, separated by commas. */
function foldersIn(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

export const stores: readonly Store[] = [
  {
    agent: 'claude',
    places: (env) => {
      const given = foldersIn(env['CLAUDE_CONFIG_DIR']);
      const folders = given.length > 0 ? given : [join(configHome(env), 'claude'), inHome(env, '.claude')];
      return folders.map((folder) => join(folder, 'projects'));
    },
    formatOf: (path) => (path.endsWith('.jsonl') ? 'claude' : undefined),
  },
  {
    agent: 'codex',
    places: (env) => {
      const given = foldersIn(env['CODEX_HOME']);
      const folders = given.length > 0 ? given : [inHome(env, '.codex')];
      return folders.flatMap((folder) => [join(folder, 'sessions'), join(folder, 'archived_sessions')]);
    },
    formatOf: (path) => (/\.jsonl(?:\.zst|\.gz)?$/.test(path) ? 'codex' : undefined),
  },
];
