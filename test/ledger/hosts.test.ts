import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const world = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const missing = ((): string | undefined => {
  if (process.env['RUNWIRE_TEST_HOSTS'] === undefined) return 'npm run test:hosts';
  if (process.platform !== 'linux') return 'there are no namespaces';
  if (process.getuid?.() !== 0) return 'only root makes machines of namespaces';
  const made = spawnSync('unshare', [
    ...world,
    'sh',
    '-ec',
    'mount -t tmpfs none /run; mkdir /run/netns; ip netns add a; ip link add name wire type bridge',
  ]);
  return made.status === 0 ? undefined : `namespaces cannot be made here: ${String(made.stderr)}`;
})();

it.skipIf(missing !== undefined)(
  `three machines, one cut off in mid-run and back: nothing is lost, nothing wrongly closed${missing === undefined ? '' : ` (${missing})`}`,
  async () => {
    const child = spawn('unshare', [...world, process.execPath, join(import.meta.dirname, 'support', 'world.ts')], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
    const status = await new Promise((resolve) => void child.on('close', resolve));
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const told = JSON.parse(stdout) as Record<string, unknown>;
    expect(told).toMatchObject({
      meanwhile: {
        steady: { status: 'running', on: 'alpha' },
        cut: { status: 'running', on: 'beta' },
        lost: { status: 'running', on: 'beta' },
      },
      // Closed with what is known, for a reason that is true; what goes on elsewhere is let be.
      silent: {
        steady: { status: 'running' },
        // Its tape is in the ledger, as far as it came.
        cut: {
          status: 'incomplete',
          session: 's-1',
          answer: expect.stringMatching(/step/),
          why: expect.stringMatching(
            /^nothing was heard of it from beta for 11 min; its tape has \d+ records, the last at \S+$/,
          ),
        },
        lost: {
          status: 'incomplete',
          session: 's-1',
          why: 'nothing was heard of it from beta for 11 min; its tape is not on this machine',
        },
      },
      back: {
        cut: { status: 'running' },
        lost: {
          status: 'incomplete',
          why: expect.stringMatching(/^the process that ran it is gone; its tape has \d+ records/),
          answer: expect.stringMatching(/step/),
        },
        short: { status: 'success', on: 'beta' },
      },
      after: {
        steady: { status: 'success' },
        cut: { status: 'success', answer: 'Done.' },
        lost: { status: 'incomplete' },
        short: { status: 'success' },
      },
      statuses: [0, 0],
    });
  },
);
