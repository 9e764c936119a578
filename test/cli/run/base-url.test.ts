import { expect, it } from 'vitest';
import { inside, live } from './live.ts';

const password = 'hunter2-staple';

it.each([
  `http://user:${password}@127.0.0.1:9/v1`,
  `http://user:${password}@127.0.0.1:99999999`,
  `ftp://user:${password}@127.0.0.1:9`,
  `http://user:${password}@a@127.0.0.1:9`,
  `user:${password}@host`,
])('the password in --base-url %s is never told', async (url) => {
  for (const more of [['--to', 'runwire'], ['--json'], ['--no-redact']]) {
    const run = await inside([
      'run',
      '--ledger',
      'none',
      '--model',
      'openai-compatible/m',
      '--base-url',
      url,
      ...more,
      'hi',
    ]);
    expect(run.status).not.toBe(0);
    expect(run.stdout + run.stderr).not.toContain(password);
  }
});

it('nor by an agent that was given it', async () => {
  const url = `http://user:${password}@127.0.0.1:9/v1`;
  const command = [process.execPath, '-e', `console.log('the password is ${password}')`];
  const run = await live(['run', '--ledger', 'none', '--base-url', url, '--to', 'runwire', '--', ...command]);
  expect(run.stdout + run.stderr).not.toContain(`is ${password}`);
});

it('says why the built-in agent does not take it', async () => {
  const run = await live([
    'run',
    '--ledger',
    'none',
    '--model',
    'openai-compatible/m',
    '--base-url',
    'http://u:p@127.0.0.1:9',
    'hi',
  ]);
  expect(run.stderr).toContain(
    'the address of a model server cannot hold a user name or password: "http://***@127.0.0.1:9"',
  );
  expect(run.status).toBe(1);
});
