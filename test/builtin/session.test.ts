import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelMessage } from 'ai';
import { afterAll, expect, it } from 'vitest';
import { loadSession, saveSession } from '../../src/builtin/session.ts';
import { Failure } from '../../src/failure.ts';
import { removeTemporaryFolders, runAgent, temporaryFolder } from '../support/agent.ts';

afterAll(removeTemporaryFolders);

const messages: ModelMessage[] = [
  { role: 'user', content: 'my secret is hunter2' },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hunter2?', providerOptions: { anthropic: { signature: 'signed hunter2' } } },
      {
        type: 'tool-call',
        toolCallId: 'c',
        toolName: 'echo',
        input: { text: 'hunter2', deep: [{ n: 1, none: null }] },
      },
    ],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'echo', output: { type: 'text', value: 'ok' } }],
  },
];

it('gives back what it was given, for its owner alone', async () => {
  const env = { XDG_STATE_HOME: temporaryFolder() };
  await saveSession({ id: 'one', model: 'some/model', messages }, env);
  const folder = join(env.XDG_STATE_HOME, 'runwire', 'sessions');
  expect(await loadSession('one', env)).toEqual({ id: 'one', model: 'some/model', messages });
  expect({
    files: readdirSync(folder),
    mode: statSync(join(folder, 'one.json')).mode & 0o777,
    folder: statSync(folder).mode & 0o777,
  }).toEqual({
    files: ['one.json'],
    mode: 0o600,
    folder: 0o700,
  });
});

it('is written without secrets, but with what a provider signed', async () => {
  const env = { XDG_STATE_HOME: temporaryFolder() };
  await saveSession({ id: 'one', model: 'some/model', messages }, env, (text) =>
    text.replaceAll('hunter2', '[hidden]'),
  );
  const { messages: saved } = await loadSession('one', env);
  expect(JSON.stringify(saved)).toBe(
    JSON.stringify(messages).replaceAll('hunter2', '[hidden]').replace('signed [hidden]', 'signed hunter2'),
  );
});

it('is found below HOME where no other place is named', async () => {
  const env = { HOME: temporaryFolder(), XDG_STATE_HOME: 'relative/is/ignored' };
  await saveSession({ id: 'one', model: 'some/model', messages: [] }, env);
  expect(readdirSync(join(env.HOME, '.local', 'state', 'runwire', 'sessions'))).toEqual(['one.json']);
});

it('says where it looked', async () => {
  const env = { XDG_STATE_HOME: temporaryFolder() };
  const folder = join(env.XDG_STATE_HOME, 'runwire', 'sessions');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bad.json'), '{"version":1,"id":"bad"}');
  await expect(loadSession('lost', env)).rejects.toEqual(new Failure('config', `no session lost in ${folder}`));
  await expect(loadSession('../../etc/passwd', env)).rejects.toEqual(
    new Failure('config', `not a session id: "../../etc/passwd"; sessions are kept in ${folder}`),
  );
  await expect(loadSession('bad', env)).rejects.toThrow(/bad\.json is not a session: /);
});

it('an unknown session is an error of the config, and nothing is sent', async () => {
  const run = await runAgent({ resume: 'lost', env: { OPENAI_API_KEY: 'k' } });
  expect(run.of('error').map(({ scope, code, fatal }) => ({ scope, code, fatal }))).toEqual([
    { scope: 'config', code: 'config', fatal: true },
  ]);
  expect([run.sessionId, run.outcome.verdict.class, run.of('turn.started')]).toEqual(['lost', 'config', []]);
});
