import { Failure } from '../failure.ts';
import type { Environment } from '../words/vocabulary.ts';

/**
 * What every child process gets: who and where the user is, how to use the terminal and the network, where tools are. None
 * of it is secret, except a proxy's password, without which nothing could be reached. `PREFIX_*` is a prefix.
 */
const everyChild: readonly string[] = [
  'PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP TZ XDG_*',
  'LANG LANGUAGE LC_* TERM COLORTERM TERM_PROGRAM NO_COLOR FORCE_COLOR COLUMNS LINES',
  'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy',
  'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO',
  // Not GIT_DIR, GIT_WORK_TREE or GIT_INDEX_FILE: inside a git hook they would point the agent's own git at another
  // repository. Not GIT_CONFIG_KEY_n and GIT_CONFIG_VALUE_n: they may carry a header with a token.
  'GIT_AUTHOR_* GIT_COMMITTER_* GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_SSH GIT_SSH_COMMAND GIT_TERMINAL_PROMPT',
  'SSH_AUTH_SOCK GPG_TTY GNUPGHOME EDITOR VISUAL PAGER',
  // Whether it is CI, not what CI knows.
  'CI CONTINUOUS_INTEGRATION GITHUB_ACTIONS GITLAB_CI BUILDKITE CIRCLECI TF_BUILD TEAMCITY_VERSION TRAVIS',
  // Where the user's tools are: an agent that runs the tests needs the same ones.
  'JAVA_HOME GOPATH GOROOT GOBIN CARGO_HOME RUSTUP_HOME NVM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL',
  'VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT RBENV_ROOT GEM_HOME ANDROID_HOME DOTNET_ROOT NIX_PATH NIX_PROFILES',
  'LD_LIBRARY_PATH PKG_CONFIG_PATH DOCKER_HOST',
  // On Windows hardly anything starts without these.
  'SystemRoot SYSTEMROOT ComSpec PATHEXT APPDATA LOCALAPPDATA USERPROFILE Path',
].flatMap((line) => line.split(' '));

export interface Passed {
  /** Names of variables, `PREFIX_*` for all with this prefix, `*` for all. */
  pass: readonly string[];
  /** Values that we set; they override what is passed on. */
  set: Readonly<Record<string, string>>;
}

/** The variables of a child process: those that every child gets, and those that are named. */
export function childEnvironment(env: Environment, { pass, set }: Passed): Record<string, string> {
  const isPassed = matcher([...everyChild, ...pass]);
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isPassed(name) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(passed), ...set };
}

/** Names of variables that are set, were asked for, and are allowed. */
export function allowedNames(env: Environment, wanted: readonly string[], allowed: readonly string[]): string[] {
  const [isWanted, isAllowed] = [matcher(wanted), matcher(allowed)];
  return Object.keys(env).filter((name) => isWanted(name) && isAllowed(name));
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns);
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
const passPattern = /^(?:[A-Za-z_][A-Za-z0-9_]*)?\*?$/;

/** Reads what a user wrote: `NAME`, `NAME=VALUE`, `PREFIX_*` or `*`. */
export function readEnvironmentWords(words: readonly string[]): Passed {
  const pass: string[] = [];
  const set: Record<string, string> = {};
  for (const word of words) {
    const equals = word.indexOf('=');
    const name = equals === -1 ? word : word.slice(0, equals);
    if (name === '' || !(equals === -1 ? passPattern : namePattern).test(name)) {
      // The message does not quote the word: it may be a secret that was put in the wrong place.
      throw new Failure(
        'input',
        'an environment variable is NAME, NAME=VALUE, PREFIX_* or *, with letters, digits and _ in its name',
      );
    }
    if (equals === -1) pass.push(name);
    else set[name] = word.slice(equals + 1);
  }
  return { pass, set };
}
