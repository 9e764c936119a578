import { describe, expect, it } from 'vitest';
import { childEnvironment, readEnvironmentWords } from '../../src/agents/environment.ts';
import { agents, findAgent } from '../../src/agents/registry.ts';

const env = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_ALL: 'C.UTF-8',
  XDG_STATE_HOME: '/state',
  https_proxy: 'http://proxy',
  GIT_AUTHOR_NAME: 'me',
  GIT_DIR: '/elsewhere/.git',
  GIT_CONFIG_VALUE_0: 'AUTHORIZATION: basic secret',
  CI: 'true',
  GITHUB_TOKEN: 'ghp_secret',
  CI_JOB_TOKEN: 'secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  OPENAI_API_KEY: 'sk-secret',
  ANTHROPIC_API_KEY: 'sk-ant-secret',
  CODEX_HOME: '/codex',
  CLAUDECODE: '1',
  CLAUDE_CODE_ENTRYPOINT: 'cli',
  NODE_OPTIONS: '--inspect',
  LD_PRELOAD: '/x.so',
  MY_APP_KEY: 'secret',
  MY_APP_NAME: 'app',
  UNSET: undefined,
};

const common = {
  PATH: '/bin',
  HOME: '/home/me',
  LC_ALL: 'C.UTF-8',
  XDG_STATE_HOME: '/state',
  https_proxy: 'http://proxy',
  GIT_AUTHOR_NAME: 'me',
  CI: 'true',
};

describe('childEnvironment', () => {
  it('passes no secret and nothing that changes how programs start', () => {
    expect(childEnvironment(env, { pass: [], set: {} })).toEqual(common);
  });

  it('passes what the agent needs, and only that', () => {
    expect(childEnvironment(env, { pass: findAgent('codex').passEnv, set: {} })).toEqual({
      ...common,
      CODEX_HOME: '/codex',
      OPENAI_API_KEY: 'sk-secret',
    });
    expect(childEnvironment(env, { pass: findAgent('claude').passEnv, set: {} })).toEqual({
      ...common,
      ANTHROPIC_API_KEY: 'sk-ant-secret',
    });
  });

  it.each([
    ['a name', ['MY_APP_KEY'], { MY_APP_KEY: 'secret' }],
    ['a prefix', ['MY_APP_*'], { MY_APP_KEY: 'secret', MY_APP_NAME: 'app' }],
    ['a name that is not set', ['NOT_THERE', 'UNSET'], {}],
    ['a value', ['MY_APP_NAME=other=x', 'EMPTY='], { MY_APP_NAME: 'other=x', EMPTY: '' }],
  ])('passes what the user names: %s', (_, words, expected) => {
    expect(childEnvironment(env, readEnvironmentWords(words))).toEqual({ ...common, ...expected });
  });

  it('passes everything for a star', () => {
    const { UNSET: _, ...all } = env;
    expect(childEnvironment(env, readEnvironmentWords(['*']))).toEqual(all);
  });

  it('lets values of our own win', () => {
    expect(childEnvironment(env, { pass: ['CODEX_*'], set: { CODEX_HOME: '/other', CI: '' } })).toEqual({
      ...common,
      CODEX_HOME: '/other',
      CI: '',
    });
  });

  it.each(['', '=x', 'A-B', '1A', 'A B=x', '*A', 'A*B', '**', 'A*=x'])('refuses %j, without showing it', (word) => {
    expect(() => readEnvironmentWords([word])).toThrow(/^an environment variable is NAME, NAME=VALUE/);
  });
});

it('has a variable or a login for every key that is looked for', () => {
  for (const agent of agents) {
    const passed = childEnvironment(Object.fromEntries(agent.keys.map((name) => [name, 'x'])), {
      pass: agent.passEnv,
      set: {},
    });
    expect({ agent: agent.id, keys: Object.keys(passed) }).toEqual({ agent: agent.id, keys: [...new Set(agent.keys)] });
  }
});
