import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { homeFolder } from '../../files/xdg.ts';
import { parseObject } from '../../json/parse.ts';
import { list, object, string } from '../../json/read.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { claude } from '../read/claude.ts';
import { codex } from '../read/codex.ts';
import { codeBuddy, copilot, geminiLines, grok, kimi, kimiCode, pi, qwen } from '../read/line-agents.ts';
import {
  amp,
  clineTask,
  continueSession,
  crush,
  droid,
  geminiDocument,
  goose,
  hermes,
  openCodeDatabase,
  openCodeMessage,
} from '../read/whole-agents.ts';
import type { Formats, Store } from './store.ts';

export const formats = {
  claude,
  codex,
  pi,
  qwen,
  geminiLines,
  geminiDocument,
  openCodeDatabase,
  openCodeMessage,
  clineTask,
  continueSession,
  goose,
  copilot,
  amp,
  droid,
  crush,
  kimi,
  kimiCode,
  grok,
  codeBuddy,
  hermes,
} as const satisfies Formats;

const inHome = (env: Environment, ...path: string[]): string => join(homeFolder(env), ...path);
/** The XDG rules: a relative path in such a variable is ignored. */
const xdg = (env: Environment, variable: string, ...otherwise: string[]): string => {
  const given = env[variable];
  return given !== undefined && isAbsolute(given) ? given : inHome(env, ...otherwise);
};
const dataHome = (env: Environment, ...path: string[]): string =>
  join(xdg(env, 'XDG_DATA_HOME', '.local', 'share'), ...path);
const configHome = (env: Environment, ...path: string[]): string =>
  join(xdg(env, 'XDG_CONFIG_HOME', '.config'), ...path);

/** Several folders may stand in one variable, with commas between them. */
function foldersIn(text: string | undefined, ...otherwise: string[]): string[] {
  const given = (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  return given.length > 0 ? given : otherwise;
}

/** Where VS Code and its relatives keep what an extension stores for its user. */
function extensionFolders(env: Environment, ...extensions: string[]): string[] {
  const editors = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];
  const users = [
    ...editors.flatMap((name) => [
      configHome(env, name, 'User'),
      inHome(env, 'Library', 'Application Support', name, 'User'),
    ]),
    inHome(env, '.vscode-server', 'data', 'User'),
    inHome(env, '.cursor-server', 'data', 'User'),
  ];
  return users.flatMap((user) => extensions.map((name) => join(user, 'globalStorage', name, 'tasks')));
}

const isTask = (path: string): 'clineTask' | undefined => (path.endsWith('ui_messages.json') ? 'clineTask' : undefined);

/** The databases of Crush are in the folders that it was used in, which it lists. */
function crushDatabases(env: Environment): string[] {
  const data = foldersIn(env['CRUSH_GLOBAL_DATA'], dataHome(env, 'crush'));
  return data.flatMap((folder) => {
    try {
      const { projects } = object(parseObject(readFileSync(join(folder, 'projects.json'), 'utf8')));
      return list(projects)
        .map(object)
        .flatMap(({ path, data_dir: own }) => {
          const place = string(own) ?? (string(path) === undefined ? undefined : join(string(path) ?? '', '.crush'));
          return place === undefined ? [] : [join(place, 'crush.db')];
        });
    } catch {
      return [];
    }
  });
}

export const stores: readonly Store[] = [
  {
    agent: 'claude',
    places: (env) =>
      foldersIn(env['CLAUDE_CONFIG_DIR'], configHome(env, 'claude'), inHome(env, '.claude')).map((folder) =>
        join(folder, 'projects'),
      ),
    formatOf: (path) => (path.endsWith('.jsonl') ? 'claude' : undefined),
  },
  {
    agent: 'codex',
    places: (env) =>
      foldersIn(env['CODEX_HOME'], inHome(env, '.codex')).flatMap((folder) => [
        join(folder, 'sessions'),
        join(folder, 'archived_sessions'),
      ]),
    formatOf: (path) => (/\.jsonl(?:\.zst|\.gz)?$/.test(path) ? 'codex' : undefined),
  },
  {
    agent: 'opencode',
    places: (env) => foldersIn(env['OPENCODE_DATA_DIR'], dataHome(env, 'opencode')),
    formatOf: (path) =>
      path === 'opencode.db'
        ? 'openCodeDatabase'
        : /^storage\/message\/.+\.json$/.test(path)
          ? 'openCodeMessage'
          : undefined,
    depth: 4,
  },
  {
    agent: 'gemini',
    places: (env) => foldersIn(env['GEMINI_DATA_DIR'], inHome(env, '.gemini', 'tmp')),
    formatOf: (path) =>
      !path.includes('chats/')
        ? undefined
        : path.endsWith('.jsonl')
          ? 'geminiLines'
          : path.endsWith('.json')
            ? 'geminiDocument'
            : undefined,
    depth: 4,
  },
  {
    agent: 'qwen',
    places: (env) => foldersIn(env['QWEN_RUNTIME_DIR'], inHome(env, '.qwen')).map((folder) => join(folder, 'projects')),
    formatOf: (path) => (path.includes('chats/') && path.endsWith('.jsonl') ? 'qwen' : undefined),
  },
  {
    agent: 'pi',
    places: (env) =>
      foldersIn(env['PI_CODING_AGENT_DIR'], inHome(env, '.pi', 'agent')).map((folder) => join(folder, 'sessions')),
    formatOf: (path) => (path.endsWith('.jsonl') ? 'pi' : undefined),
  },
  {
    agent: 'cline',
    places: (env) => [
      ...foldersIn(env['CLINE_DIR'], inHome(env, '.cline')).map((folder) => join(folder, 'data', 'tasks')),
      ...extensionFolders(env, 'saoudrizwan.claude-dev'),
    ],
    formatOf: isTask,
    depth: 2,
  },
  { agent: 'roo', places: (env) => extensionFolders(env, 'rooveterinaryinc.roo-cline'), formatOf: isTask, depth: 2 },
  { agent: 'kilo', places: (env) => extensionFolders(env, 'kilocode.kilo-code'), formatOf: isTask, depth: 2 },
  {
    agent: 'kilo',
    places: (env) => [dataHome(env, 'kilo')],
    formatOf: (path) => (path === 'kilo.db' ? 'openCodeDatabase' : undefined),
    depth: 1,
  },
  {
    agent: 'continue',
    places: (env) =>
      foldersIn(env['CONTINUE_GLOBAL_DIR'], inHome(env, '.continue')).map((folder) => join(folder, 'sessions')),
    formatOf: (path) => (path.endsWith('.json') && path !== 'sessions.json' ? 'continueSession' : undefined),
    depth: 1,
  },
  {
    agent: 'goose',
    places: (env) =>
      env['GOOSE_PATH_ROOT']
        ? [join(env['GOOSE_PATH_ROOT'], 'data', 'sessions')]
        : [
            dataHome(env, 'goose', 'sessions'),
            dataHome(env, 'Block', 'goose', 'sessions'),
            inHome(env, 'Library', 'Application Support', 'goose', 'sessions'),
          ],
    formatOf: (path) => (path === 'sessions.db' ? 'goose' : undefined),
    depth: 1,
  },
  {
    agent: 'copilot',
    places: (env) =>
      foldersIn(env['COPILOT_HOME'], inHome(env, '.copilot')).map((folder) => join(folder, 'session-state')),
    formatOf: (path) => (path.endsWith('.jsonl') ? 'copilot' : undefined),
    depth: 2,
  },
  {
    agent: 'amp',
    places: (env) => foldersIn(env['AMP_DATA_DIR'], dataHome(env, 'amp')).map((folder) => join(folder, 'threads')),
    formatOf: (path) => (path.endsWith('.json') ? 'amp' : undefined),
  },
  {
    agent: 'droid',
    places: (env) => foldersIn(env['DROID_SESSIONS_DIR'], inHome(env, '.factory', 'sessions')),
    formatOf: (path) => (path.endsWith('.settings.json') ? 'droid' : undefined),
  },
  { agent: 'crush', places: crushDatabases, formatOf: (path) => (path === '' ? 'crush' : undefined) },
  {
    agent: 'kimi',
    places: (env) => foldersIn(env['KIMI_DATA_DIR'], inHome(env, '.kimi')).map((folder) => join(folder, 'sessions')),
    formatOf: (path) => (path.endsWith('wire.jsonl') ? 'kimi' : undefined),
  },
  {
    agent: 'kimi',
    places: (env) =>
      foldersIn(env['KIMI_CODE_HOME'], inHome(env, '.kimi-code')).map((folder) => join(folder, 'sessions')),
    formatOf: (path) => (/\/agents\/[^/]+\/wire\.jsonl$/.test(path) ? 'kimiCode' : undefined),
  },
  {
    agent: 'grok',
    places: (env) => [join(env['GROK_HOME'] || inHome(env, '.grok'), 'sessions')],
    formatOf: (path) => (path.endsWith('/updates.jsonl') ? 'grok' : undefined),
  },
  {
    // It is built on pi; its earlier names are still in use.
    agent: 'openclaw',
    places: (env) =>
      foldersIn(
        env['OPENCLAW_DIR'],
        ...['openclaw', 'clawdbot', 'moltbot', 'moldbot'].map((name) => inHome(env, `.${name}`)),
      ).map((folder) => join(folder, 'agents')),
    // What was reset or deleted has been used all the same.
    formatOf: (path) => (/\/sessions\/[^/.]+\.jsonl(?:\.(?:deleted|reset)\.[^/]+)?$/.test(path) ? 'pi' : undefined),
  },
  {
    agent: 'codebuddy',
    places: (env) =>
      foldersIn(env['CODEBUDDY_DIR'], inHome(env, '.codebuddy')).map((folder) => join(folder, 'projects')),
    formatOf: (path) => (path.endsWith('.jsonl') && !path.includes('/memory/') ? 'codeBuddy' : undefined),
  },
  {
    agent: 'hermes',
    places: (env) => foldersIn(env['HERMES_HOME'], inHome(env, '.hermes')),
    formatOf: (path) => (path === 'state.db' ? 'hermes' : undefined),
    depth: 1,
  },
];
