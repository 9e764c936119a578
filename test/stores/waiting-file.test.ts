import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { thisProcess } from '../../src/processes/owner.ts';
import { keepWaiting, leftWaiting, takeWaiting, type WaitingFile } from '../../src/stores/waiting-file.ts';

const home = mkdtempSync(join(tmpdir(), 'runwire-waiting-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = '01m7tyfexcpxwgrsrxs1n0j2n8';
const env = { HOME: home, XDG_STATE_HOME: home };
const folder = join(home, 'runwire', 'waiting');

it('is taken once by those who found it at the same time, whoever writes when', () => {
  keepWaiting(env, { run, until: 5000 }, 1000);
  const left: WaitingFile = { run, until: 5000, owner: thisProcess(), kept_at: 1000 };
  expect(takeWaiting(env, left, 2000)).toBe(true);
  // What the other one found is no longer what stands there.
  expect(takeWaiting(env, left, 3000)).toBe(false);
  expect(readdirSync(folder)).toEqual([`${run}.json`]);
});

it('is not taken while another process claims it, and is when that one was killed', () => {
  keepWaiting(env, { run, until: 5000 }, 1000);
  const left: WaitingFile = { run, until: 5000, owner: thisProcess(), kept_at: 1000 };
  const claim = join(folder, `${run}.json.claim`);
  const claimedBy = (owner: WaitingFile['owner']): void =>
    writeFileSync(claim, JSON.stringify({ ...left, owner, kept_at: Date.now() }));
  claimedBy(thisProcess());
  expect(takeWaiting(env, left, Date.now())).toBe(false);
  claimedBy({ ...thisProcess(), process_started: 'another' });
  expect(takeWaiting(env, left, Date.now())).toBe(true);
  expect(leftWaiting(env, Date.now())).toEqual([]);
});
