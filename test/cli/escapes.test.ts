import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { shellQuote } from '../../src/terminal/shell-quote.ts';
import { runwire } from '../support/command.ts';
import { some } from '../support/sweep.ts';
import { fill, newLedger, sample, temporary } from './runs/ledger.ts';

const root = join(import.meta.dirname, '..', '..');
/** A colour of ours, a clear screen in both spellings, a title, a link, a carriage return and an override of direction. */
const hostile = '\u001b[31mA\u001b[2J\u009b2J\u001b]0;t\u0007\u001b]8;;http://x\u001b\\l\u001b]8;;\u001b\\\rB\u202eC';
const lines = `${hostile}\nrunwire: success`;
// eslint-disable-next-line no-control-regex -- what a terminal obeys is what this looks for
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const folder = temporary();
const ledger = newLedger();
const bin = join(folder, `bin${hostile.replaceAll(/[/:]/g, '')}`);
const stream = join(folder, `${hostile.replaceAll('/', '')}.jsonl`);
const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: folder, NO_COLOR: '1', RUNWIRE_LEDGER: ledger };

beforeAll(async () => {
  mkdirSync(bin);
  const version = join(bin, 'codex');
  writeFileSync(
    version,
    `#!${process.execPath}\nprocess.stdout.write(${JSON.stringify(`codex-cli 1.2.3-${hostile}\n`)});\n`,
  );
  chmodSync(version, 0o755);
  writeFileSync(
    stream,
    [
      hostile,
      JSON.stringify({ type: 'thread.started', thread_id: 1, [hostile]: 1 }),
      JSON.stringify({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text: lines, [hostile]: {} } }),
      JSON.stringify({ type: hostile, usage: lines }),
      JSON.stringify({
        type: 'turn.completed',
        usage: { input_tokens: 1, output_tokens: 1, cached_input_tokens: hostile },
      }),
      '',
    ].join('\n'),
  );
  const hostileRun = {
    prompt: lines,
    answer: lines,
    cwd: lines,
    host: hostile,
    labels: { team: lines },
    attempts: [
      { number: 1, status: 'error' as const, class: 'provider' as const, reason: lines, started_at: 1, ended_at: 2 },
      { number: 2, status: 'success' as const, class: 'success' as const, started_at: 2, ended_at: 3 },
    ],
    more: {
      session_id: hostile,
      warnings: [lines],
      artifacts: [{ path: lines, operation: 'created' as const }],
      tool_calls: [{ name: lines, inputs: {}, outputs: lines, status: 'error' as const, reason: 'denied' as const }],
      provenance: {
        agent: hostile,
        version: hostile,
        dialect: hostile,
        runwire_version: '0.1.0',
        unknown_lines: 0,
        notes: [],
      },
    },
    metrics: { model_name: hostile },
  };
  await fill(ledger, [
    sample(1, hostileRun),
    sample(2, { ...hostileRun, answer: `${hostile} again`, verdict: 'tool' }),
  ]);
});

/** What each command says to people, in a pipe too. */
const forPeople: readonly (readonly string[])[] = [
  ['runs', 'show', 'last', '--text'],
  ['runs', 'list', '--text'],
  ['doctor', 'codex'],
  ['agents'],
  ['agents', 'codex'],
  ['validate', '--from', 'codex', stream],
  ['validate', hostile],
  ['outcome', `${lines}.jsonl`],
  ['convert', '--to', hostile, stream],
  ['convert', '--from', hostile, stream],
  // It names nothing: by itself it would be the session of both runs.
  ['runs', 'show', `${hostile}?`],
  ['runs', 'list', '--status', hostile],
  ['runs', 'list', '--ledger', `/nowhere/${hostile}`],
  ['runs', 'import', `/nowhere/${hostile}`],
  ['runs', 'prune', '--older-than', hostile],
  ['runs', hostile],
  ['help', hostile],
  ['doctor', hostile],
  ['schema', hostile],
  ['run', '--ledger', 'none', `--${hostile}`],
  ['run', '--ledger', 'none', '--model', hostile, 'x'],
  ['run', '--ledger', 'none', '--agent', hostile, 'x'],
  ['run', '--ledger', 'none', '--timeout', hostile, 'x'],
  ['run', '--ledger', 'none', '--cwd', `/nowhere/${hostile}`, 'x'],
  ['run', '--ledger', 'none', '--', `/nowhere/${hostile}`],
];

/** What is data in a pipe. */
const data: readonly (readonly string[])[] = [
  ['runs', 'export', '--format', 'csv'],
  ['runs', 'stats', '--by', 'model', '--format', 'csv'],
  ['runs', 'list', '--json'],
  ['runs', 'show', 'last', '--json'],
  ['runs', 'export'],
  ['runs', 'diff', 'last', 'last', '--json'],
  ['validate', '--json', '--from', 'codex', stream],
  ['outcome', '--from', 'codex', stream],
  ['outcome', '--from', 'codex', '--notes', 'json', stream],
  ['convert', '--from', 'codex', '--to', 'claude', stream],
  ['convert', '--from', 'codex', '--to', 'runwire', stream],
];

describe('text of others in what is said to people', () => {
  it.each(some(forPeople).map((args) => [args]))('%j', async (args) => {
    const { stdout, stderr } = await runwire(args, { env });
    expect(stdout + stderr).not.toBe('');
    expect(stderr).not.toMatch(obeyed);
    expect(stdout).not.toMatch(obeyed);
    expect(`${stdout}\n${stderr}`).not.toMatch(/^runwire: success/m);
  });
});

describe.skipIf(spawnSync('script', ['--version']).status !== 0)('on a terminal', () => {
  const onTerminal = (args: readonly string[], more: Record<string, string> = {}): string => {
    const command = shellQuote([process.execPath, join(root, 'bin', 'runwire.js'), ...args]);
    const { stdout } = spawnSync('script', ['-qec', `stty cols 120 rows 20; ${command}`, '/dev/null'], {
      cwd: root,
      env: { ...process.env, ...env, TERM: 'xterm-256color', ...more },
      encoding: 'utf8',
    });
    return stdout.replaceAll('\r\n', '\n');
  };

  it.each(some([...data, ['runs', 'diff', 'last', 'last'], ['runs', 'stats', '--by', 'model']]).map((args) => [args]))(
    '%j',
    (args) => {
      expect(onTerminal(args)).not.toMatch(obeyed);
    },
  );

  it('JSON stays the same JSON', () => {
    const told = onTerminal(['runs', 'show', 'last', '--json']);
    expect(JSON.parse(told)).toMatchObject({ prompt: lines, outcome: { message: `${hostile} again` } });
  });

  it('colours of ours stay', () => {
    const told = onTerminal(['runs', 'show', 'last'], { NO_COLOR: '' });
    expect(told).toContain('\u001b[1mTries\u001b[0m');
    // eslint-disable-next-line no-control-regex -- the colours are what may stay
    expect(told.replaceAll(/\u001b\[(?:[0-2]|3[1-3])m/g, '')).not.toMatch(obeyed);
    expect(told).not.toContain('\u001b[31mA');
  });
});

it('data in a pipe stays as it is', async () => {
  const { stdout } = await runwire(['runs', 'export', '--format', 'csv'], { env });
  expect(stdout).toContain(hostile);
});
