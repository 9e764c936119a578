import { expect, it } from 'vitest';
import { live, modelAt, serve } from './live.ts';

const secrets = {
  GITHUB_TOKEN: 'ghs_0123456789abcdefghijklmnopqrstuvwxyz',
  SOME_SETTING: 'nobody-else-may-know',
  RUNWIRE_RUNS: 'outer-run',
};
/** Who started it, and who started them, as far as Runwire: the test itself has no secrets. */
const ancestors =
  'pid=$PPID; while [ "$pid" -gt 1 ] 2>/dev/null; do tr "\\0" "\\n" < /proc/$pid/environ; set -- $(cut -d" " -f4 /proc/$pid/stat); pid=$1; done; echo LOOKED';
const leaked = /ghs_|nobody-else/;

it.runIf(process.platform === 'linux').each(['on', 'off'])(
  'with namespaces %s, shows no variable to a command of the model that looks at those who started it',
  async (namespaces) => {
    const server = await serve([{ calls: [{ name: 'bash', args: { command: ancestors } }] }, { text: 'Done.' }]);
    const { status, stdout } = await live(
      ['--to', 'runwire', '--permission-mode', 'full', '--no-redact', ...modelAt(server), 'Look'],
      {
        env: { ...secrets, RUNWIRE_NAMESPACE: namespaces },
      },
    );
    expect({ status, looked: stdout.includes('LOOKED') }).toEqual({ status: 0, looked: true });
    expect(`${stdout}${server.requests.map(({ body }) => body).join('\n')}`).not.toMatch(leaked);
  },
);

it.runIf(process.platform === 'linux')(
  'shows none to a supervised agent either, but the mark of an outer run',
  async () => {
    const { stdout } = await live(['run', '--to', 'runwire', '--no-redact', '--', 'sh', '-c', ancestors], {
      env: secrets,
    });
    expect(stdout).toContain('LOOKED');
    expect(stdout).not.toMatch(leaked);
    expect(stdout).toContain('RUNWIRE_RUNS=outer-run');
  },
);

it('still has its variables itself', async () => {
  const server = await serve([{ text: 'Done.' }], 'the-key-of-the-server');
  const { status } = await live([...modelAt(server), 'Hello'], { env: { RUNWIRE_API_KEY: 'the-key-of-the-server' } });
  expect(status).toBe(0);
});

it.runIf(process.platform === 'linux')('does its work where nothing of its own can be kept', async () => {
  const server = await serve([{ text: 'Done.' }]);
  // A folder that can be looked up and not made: Node.js tries such a one for ever.
  const { status, stdout, stderr } = await live([...modelAt(server), 'Look'], {
    env: { XDG_STATE_HOME: '/proc/none' },
  });
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'Done.\n' });
  expect(stderr).toContain(
    "warning: this run may be missing from the ledger: ENOENT: no such file or directory, mkdir '/proc/none'",
  );
});
