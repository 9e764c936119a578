import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { runwire } from '../support/command.ts';
import { loadRecording } from '../support/recordings.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-kept-'));
const { stdout } = loadRecording('codex@0.166.0', 'denied');
const text = Buffer.from(stdout).toString();
const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');

function keep(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const kept = [
  keep('plain.jsonl', stdout),
  keep('run.jsonl.gz', gzipSync(stdout)),
  keep('two-members.gz', Buffer.concat([gzipSync(stdout.subarray(0, 500)), gzipSync(stdout.subarray(500))])),
  keep('run.jsonl.zst', zstdCompressSync(stdout)),
  keep('powershell.txt', utf16),
  keep('without-mark.txt', Buffer.from(text, 'utf16le')),
  keep('big-endian-without-mark.txt', Buffer.from(text, 'utf16le').swap16()),
  keep('big-endian.txt', Buffer.from(utf16).swap16()),
  keep('powershell.txt.gz', gzipSync(utf16)),
];

it('reads a stream however it is kept', async () => {
  const judged = await runwire(['outcome', '--notes', 'none', ...kept]);
  const outcomes = judged.stdout.trimEnd().split('\n');
  expect({ status: judged.status, outcomes: outcomes.length, stderr: judged.stderr }).toEqual({
    status: 0,
    outcomes: kept.length,
    stderr: '',
  });
  expect(new Set(outcomes).size).toBe(1);
  const converted = await runwire(['convert', '--to', 'codex', '--notes', 'none', ...kept]);
  const runs = converted.stdout.split(/(?<=\n)(?=\{"type":"thread\.started")/);
  expect({ status: converted.status, runs: runs.length }).toEqual({ status: 0, runs: kept.length });
  expect(new Set(runs).size).toBe(1);
});

it.each(['powershell.txt', 'without-mark.txt', 'big-endian-without-mark.txt', 'big-endian.txt'])(
  'reads an agent that prints UTF-16 while it runs: %s',
  async (name) => {
    const run = async (file: string) => {
      const { stdout: out } = await runwire([
        'run',
        '--ledger',
        'none',
        '--format',
        'codex',
        '--',
        'cat',
        join(folder, file),
      ]);
      return out;
    };
    expect(await run(name)).toBe(await run('plain.jsonl'));
  },
);

it('reads a compressed stream from a pipe', async () => {
  const { stdout: outcome, status } = await runwire(['outcome', '--exit-code'], { stdin: gzipSync(stdout) });
  expect({ status, dialect: (JSON.parse(outcome) as { provenance: { dialect: string } }).provenance.dialect }).toEqual({
    status: 0,
    dialect: 'codex',
  });
});

it('says that a file cannot be decompressed, and which', async () => {
  const whole = gzipSync(stdout);
  whole[whole.length >> 1] = (whole[whole.length >> 1] ?? 0) ^ 0xff;
  const path = keep('damaged.gz', whole);
  const { stderr, status } = await runwire(['outcome', path]);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining(`${path}: it cannot be decompressed`) as string,
  });
});
