import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { body, plantedSecrets } from '../../support/secrets.ts';
import { isSweep, some, sweep } from '../../support/sweep.ts';
import { folder } from './scripted.ts';
import { inside, live, modelAt, project, serve } from './live.ts';

const kinds = new Set(plantedSecrets.map(({ name }) => name));
const everySecret = plantedSecrets.map(({ text }) => text).join('\n\n');
const ofTheHouse = 'correct-horse-battery-staple';

/** Every place of a run that words can come from: prompt, text, reasoning, arguments, a file, a command, a diff, an error. */
async function runWithSecrets(flags: readonly string[], failing: boolean, command: typeof inside) {
  const cwd = project();
  writeFileSync(join(cwd, 'keys.txt'), `${everySecret}\n${ofTheHouse}\n`);
  const server = await serve([
    {
      reasoning: `I think of ${everySecret} and ${ofTheHouse}.`,
      text: `I saw ${everySecret} and ${ofTheHouse}.`,
      calls: [
        { name: 'read', args: { path: 'keys.txt' } },
        { name: 'bash', args: { command: 'cat keys.txt; cat keys.txt >&2' } },
        { name: 'write', args: { path: 'b.txt', content: everySecret } },
        { name: 'grep', args: { pattern: ofTheHouse } },
        { name: 'nothing-like-it', args: { deep: [{ [ofTheHouse]: everySecret }] } },
      ],
      usage: { input: 10, output: 10 },
      chunkSize: 149,
    },
    {
      calls: [{ name: 'edit', args: { path: 'keys.txt', old_string: ofTheHouse, new_string: `${ofTheHouse}!` } }],
      usage: { input: 10, output: 10 },
    },
    failing
      ? {
          fault: {
            status: 400,
            kind: 'invalid_request',
            body: { error: { message: `No to ${everySecret} and ${ofTheHouse}`, type: 'invalid_request_error' } },
          },
        }
      : { text: `They are ${everySecret} and ${ofTheHouse}.`, usage: { input: 10, output: 10 }, chunkSize: 101 },
  ]);
  const home = folder();
  const tape = join(home, 'run.tape');
  const recording = join(home, 'model.jsonl');
  const { stdout, stderr } = await command(
    [
      ...flags,
      ...modelAt(server),
      '--permission-mode',
      'full',
      '--tape',
      tape,
      '--record-model',
      recording,
      '-p',
      `Keep ${everySecret} and ${ofTheHouse}`,
    ],
    { cwd, env: { MY_SECRET: ofTheHouse, HOME: home, XDG_STATE_HOME: join(home, 'state') } },
  );
  const files = [...filesBelow(home), ...filesBelow(join(cwd, '.dexter'))].map(
    (path) => [path.slice(home.length), readFileSync(path, 'utf8')] as const,
  );
  return { places: new Map([['stdout', stdout], ['stderr', stderr], ...files]), stdout };
}

function filesBelow(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isFile() ? [path] : readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}

/** What may be looked for: the secret as it is, and as JSON spells it. */
const needles = [...new Set([...plantedSecrets.map(({ secret }) => secret), ofTheHouse])].flatMap((secret) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
]);

const inAProcess = new Set(['--json', 'a tape']);
const outputs: readonly (readonly [name: string, flags: readonly string[]])[] = [
  ['text', ['--output-format', 'text']],
  ['--json', ['--json']],
  ['--output-format json', ['--output-format', 'json']],
  ['--format json', ['--format', 'json']],
  ['--stream-json', ['--stream-json']],
  ['a tape', ['--to', 'runwire']],
  ['claude', ['--to', 'claude']],
];
const endings = ['succeeds', 'fails'] as const;
const runs = sweep(outputs, endings).map(([[name, flags], ending]) => [name, ending, flags] as const);

it('plants at least 30 kinds', () => expect(kinds.size).toBeGreaterThanOrEqual(30));

it.each(some(runs, 3))('%s shows no secret of a run that %s, in no stream and no file', async (name, ending, flags) => {
  const { places, stdout } = await runWithSecrets(
    flags,
    ending === 'fails',
    isSweep || inAProcess.has(name) ? live : inside,
  );
  const leaks = [...places].flatMap(([place, text]) =>
    needles.filter((needle) => text.includes(needle)).map((needle) => `${place}: ${needle.slice(0, 24)}`),
  );
  expect(leaks).toEqual([]);
  expect([...places.keys()].some((place) => place.endsWith('run.tape'))).toBe(true);
  expect([...places.keys()].some((place) => place.endsWith('model.jsonl'))).toBe(true);
  expect(stdout + (places.get('stderr') ?? '')).toContain('[redacted:');
});

it('tells the model no credentials of git and no withheld value', async () => {
  const cwd = project();
  const token = body(32, 'hex');
  mkdirSync(join(cwd, '.git'));
  writeFileSync(
    join(cwd, '.git', 'config'),
    `[remote "origin"]\n\turl = https://x-access-token:${token}@example.com/o/r.git\n`,
  );
  writeFileSync(join(cwd, 'notes.txt'), `${ofTheHouse}\n`);
  const server = await serve([
    {
      calls: [
        { name: 'read', args: { path: '.git/config' } },
        { name: 'bash', args: { command: 'cat .git/config' } },
        { name: 'read', args: { path: 'notes.txt' } },
      ],
      usage: { input: 10, output: 10 },
    },
    { text: 'Done.', usage: { input: 10, output: 10 } },
  ]);
  const { status } = await live([...modelAt(server), '--permission-mode', 'full', '-p', 'look'], {
    cwd,
    env: { MY_SECRET: ofTheHouse },
  });
  expect(status).toBe(0);
  const told = JSON.stringify(server.requests.at(-1));
  expect(told).toContain('[redacted:url-password]@example.com');
  expect(told).toContain('[redacted:secret-value]');
  expect([token, ofTheHouse].filter((secret) => told.includes(secret))).toEqual([]);
});
