import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UsageDocument } from '../../src/usage/document.ts';
import { live } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { homeWith, usageOf } from './stores.ts';

const root = join(import.meta.dirname, '..', '..');
const bin = join(root, 'bin', 'runwire.js');
const isRoot = process.getuid?.() === 0;
const session = (number: number): string => `.claude/projects/-w/s-${number}.jsonl`;

function lineOf(file: number, call: number): string {
  const id = `${file}-${call}`;
  return `${JSON.stringify({
    type: 'assistant',
    sessionId: `s-${file}`,
    uuid: `u-${id}`,
    cwd: '/w',
    timestamp: new Date(Date.UTC(2026, 10, 1, 10, 0, call % 60)).toISOString(),
    requestId: `req-${id}`,
    message: {
      id: `m-${id}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'x'.repeat(2000) }],
      usage: { input_tokens: 100, output_tokens: 10 },
    },
  })}\n`;
}

const linesOf = (file: number, from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => lineOf(file, from + index)).join('');
/** So many files with so many calls each, of 2 KB. */
const storeOf = (files: number, calls: number): string =>
  homeWith(Object.fromEntries(Array.from({ length: files }, (_, file) => [session(file), linesOf(file, 0, calls)])));
const counts = ({ total, repeated_calls }: UsageDocument) => [total.calls, total.input_tokens, repeated_calls];

it('is right after it was killed at any moment of counting', async () => {
  const home = storeOf(30, 200);
  const full = [6000, 600_000, 0];
  let hasIndex = false;
  for (let wait = 40; wait < 640; wait += 60) {
    const child = spawn(process.execPath, [bin, 'usage', '--json'], {
      env: { PATH: process.env.PATH, HOME: home },
      stdio: 'ignore',
    });
    await new Promise((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), wait);
      child.once('close', () => {
        clearTimeout(timer);
        resolve(undefined);
      });
    });
    const state = join(home, '.local/state/runwire');
    hasIndex ||= readdirSync(home).includes('.local') && readdirSync(state).includes('usage.index');
    if (hasIndex) break;
  }
  expect(counts(await usageOf(home))).toEqual(full);
  // The half of an index that a killed process leaves behind.
  const index = join(home, '.local/state/runwire/usage.index');
  const whole = readFileSync(index);
  for (const part of [0.1, 0.5, 0.9]) {
    writeFileSync(index, whole.subarray(0, Math.floor(whole.length * part)));
    expect(counts(await usageOf(home))).toEqual(full);
    expect(counts(await usageOf(home))).toEqual(full);
  }
});

it('never counts more than there is while a store grows, and everything in the end', async () => {
  const home = storeOf(4, 20);
  let written = 80;
  let before = 80;
  for (let round = 0; round < 12; round += 1) {
    const counting = Array.from({ length: 2 }, () => live(['usage', '--json'], { env: { HOME: home } }));
    for (let file = 0; file < 4; file += 1) {
      const text = linesOf(file, 20 + round * 5, 25 + round * 5);
      const half = Math.floor(text.length / 2);
      appendFileSync(join(home, session(file)), text.slice(0, half));
      await new Promise((resolve) => setImmediate(resolve));
      appendFileSync(join(home, session(file)), text.slice(half));
      written += 5;
    }
    for (const { stdout } of await Promise.all(counting)) {
      const { total } = JSON.parse(stdout) as UsageDocument;
      expect(total.calls).toBeGreaterThanOrEqual(before);
      expect(total.calls).toBeLessThanOrEqual(written);
    }
    before = written;
    expect(counts(await usageOf(home))).toEqual([written, written * 100, 0]);
  }
});

describe('a store that may not be read', () => {
  /** As somebody who may not read everything. */
  const asUser = (home: string): UsageDocument => {
    const user = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : ['env'];
    const { stdout, stderr } = spawnSync(user[0] ?? '', [...user.slice(1), process.execPath, bin, 'usage', '--json'], {
      env: { PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: join(home, 'state') },
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as UsageDocument;
  };

  it('is named with its path, and the rest is counted', () => {
    const home = storeOf(3, 5);
    mkdirSync(join(home, '.codex/sessions'), { recursive: true });
    mkdirSync(join(home, 'state'));
    for (const path of ['', '.claude', '.claude/projects', '.claude/projects/-w', '.codex'])
      chmodSync(join(home, path), 0o755);
    for (const path of [0, 1, 2].map(session)) chmodSync(join(home, path), 0o644);
    chmodSync(join(home, 'state'), 0o777);
    const all = asUser(home);
    expect(counts(all)).toEqual([15, 1500, 0]);
    expect(all.incomplete).toEqual([]);
    chmodSync(join(home, session(1)), 0);
    chmodSync(join(home, '.codex/sessions'), 0);
    appendFileSync(join(home, session(1)), lineOf(1, 5));
    const some = asUser(home);
    expect(counts(some)).toEqual([10, 1000, 0]);
    expect(some.incomplete.map(({ what, path }) => [/EACCES/.test(what), path])).toEqual([
      [true, join(home, '.codex/sessions')],
      [true, join(home, session(1))],
    ]);
    chmodSync(join(home, session(1)), 0o644);
    chmodSync(join(home, '.codex/sessions'), 0o755);
    expect(counts(asUser(home))).toEqual([16, 1600, 0]);
  });
});

it.runIf(process.platform === 'linux')(
  'counts on a full disk, says that it could not note it, and goes on when there is room',
  () => {
    const home = storeOf(20, 40);
    const script = `mount -t tmpfs -o size=64k tmpfs "$1" && export XDG_STATE_HOME="$1" HOME="$4" &&
    cat /dev/zero > "$1/fill" 2> "$1/none"; "$2" "$3" usage --json && "$2" "$3" usage --json &&
    rm "$1/fill" && mount -o remount,size=8m "$1" && "$2" "$3" usage --json && "$2" "$3" usage --json && ls "$1/runwire"`;
    const args = [isRoot ? '-m' : '-rm', 'sh', '-c', script, 'sh', folder(), process.execPath, bin, home];
    const { stdout, stderr, status } = spawnSync('unshare', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    const lines = stdout.trimEnd().split('\n');
    const last = lines.indexOf('usage.index');
    expect(last).toBeGreaterThan(0);
    const documents = lines.slice(0, last).map((text) => JSON.parse(text) as UsageDocument);
    expect(documents.map(counts)).toEqual(Array.from({ length: 4 }, () => [800, 80_000, 0]));
    expect(stderr.match(/all files are read anew/g)).toHaveLength(2);
  },
);
