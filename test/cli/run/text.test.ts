import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../src/events/event.ts';
import { isSweep } from '../../support/sweep.ts';
import { runwire } from '../../support/command.ts';
import { endings, folder, goodRun, ok, runScripted, started, telling } from './scripted.ts';

const ESC = '\u001b';
const saying = (text: string): Draft[] => [
  started,
  { type: 'turn.started' },
  { type: 'text.completed', text },
  { type: 'turn.completed' },
  ok,
];
const withoutTime = (text: string): string => text.replace(/\d+\.\d s/g, 'T s').replace(/in \/\S+/, 'in CWD');

describe('text mode', () => {
  it('writes the answer to stdout, and what happens to stderr', async () => {
    const { status, stdout, stderr } = await runScripted(['Do it'], telling(...goodRun));
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'All done ✓\n' });
    expect(withoutTime(stderr))
      .toBe(`runwire: agent runwire  model acme/large  in CWD  session 5f0c4a52-5c5e-4f3c-9a52-0d2f8f1c7a11
  | I look at both.
runwire: › read  a.txt
runwire: › write  b.txt
runwire: created b.txt  +1 -0
runwire: tokens  1,000 in 40 out  $0.0100
runwire: tokens  1,100 in 10 out  $0.0200
runwire: changed b.txt  +1 -0
runwire: success
runwire: T s · 2 turns · 2 tool calls · 2,100 in 50 out · $0.0300 · 1 changed file
runwire: next: runwire --model acme/large --resume 5f0c4a52-5c5e-4f3c-9a52-0d2f8f1c7a11 continue
`);
  });

  it('shows the end of what a program printed in no format, and says how it can be read', async () => {
    const file = join(folder(), 'plain.txt');
    const printed = Array.from({ length: 12 }, (_, index) => `step ${index + 1}\u001b[31m done`);
    writeFileSync(file, `${printed.join('\n')}\n`);
    const { status, stdout, stderr } = await runwire(['run', '--', 'cat', file]);
    expect({ status, stdout }).toEqual({ status: 8, stdout: '' });
    expect(withoutTime(stderr).split('\n').slice(0, -1)).toEqual([
      'runwire: agent unknown  in CWD',
      ...printed.slice(-8).map((line) => `  | ${line.replace(ESC, String.raw`\x1b`)}`),
      'runwire: failed: incomplete: no output in a known format was received (exit code 8)',
      'runwire: T s',
      'runwire: next: a program that prints plain text is read with --wire, from what its model answers; --from DIALECT names a format',
    ]);
  });

  it('tells of retries, denials, failures, warnings and limits', async () => {
    const { stderr } = await runScripted(
      ['Do it'],
      telling(
        started,
        { type: 'turn.started' },
        { type: 'retry.scheduled', attempt: 1, max_attempts: 4, delay_ms: 2000, cause: 'HTTP 429' },
        { type: 'item.started', item_id: 'a', kind: 'command', name: 'bash', args: { command: 'make\nmore' } },
        { type: 'item.completed', item_id: 'a', status: 'error', output: 'no rule', exit_code: 2, duration_ms: 65_000 },
        { type: 'item.started', item_id: 'c', kind: 'command', name: 'bash', args: { command: 'npm test' } },
        {
          type: 'item.completed',
          item_id: 'c',
          status: 'error',
          output: `${'ok\n'.repeat(900)}\n2 failed\r\n\nexpected 1\u001b[2J\n     got 2\n`,
          exit_code: 1,
        },
        { type: 'item.started', item_id: 'b', kind: 'file_edit', name: 'write', args: { path: '/etc/passwd' } },
        { type: 'item.completed', item_id: 'b', status: 'denied', error: 'outside the working directory' },
        { type: 'log', stream: 'agent', level: 'warning', text: 'nearly full' },
        { type: 'log', stream: 'agent', level: 'info', text: 'compacted: freed ~900 tokens' },
        { type: 'error', scope: 'mcp', code: 'network', message: 'no answer', fatal: false },
        { type: 'limit.reached', limit: 'turns', message: 'the turn limit of 1 was reached' },
        { type: 'agent.finished', status: 'failed', code: 'turn_limit', message: 'the turn limit of 1 was reached' },
      ),
    );
    expect(withoutTime(stderr).split('\n').slice(1, -1)).toEqual([
      'runwire: retry 1 of 4 in T s  HTTP 429',
      'runwire: › bash  make more',
      'runwire: ✗ bash  make more  exit 2  1 min 5 s  no rule',
      'runwire: › bash  npm test',
      'runwire: ✗ bash  npm test  exit 1',
      ...Array<string>(5).fill('    ok'),
      '    2 failed',
      '    expected 1\\x1b[2J',
      '    got 2',
      'runwire: › write  /etc/passwd',
      'runwire: ✗ write  /etc/passwd  denied  outside the working directory',
      'runwire: warning: nearly full',
      'runwire: notice: compacted: freed ~900 tokens',
      'runwire: warning: mcp: no answer',
      'runwire: limit reached: the turn limit of 1 was reached',
      'runwire: failed: turn_limit: the turn limit of 1 was reached (exit code 6)',
      'runwire: T s · 1 turn · 3 tool calls',
      'runwire: denied: 1 attempt; --allow RULE would allow it',
      'runwire: next: a larger --max-turns lets it go further',
      "runwire: next: --allow 'write(/etc/passwd)' permits what was denied, --permission-mode full everything",
      'runwire: next: runwire --model acme/large --resume 5f0c4a52-5c5e-4f3c-9a52-0d2f8f1c7a11 continue',
    ]);
  });

  it.each(endings)('%s exits with %d; only a success has an answer', async (name, code, drafts) => {
    const { status, stdout, stderr } = await runScripted(['Do it'], telling(...drafts));
    expect({ status, stdout }).toEqual({ status: code, stdout: name === 'success' ? 'All done ✓\n' : '' });
    expect(stderr).toContain(name === 'success' ? 'runwire: success\n' : `runwire: failed: ${name}: `);
  });

  it('has colours on a terminal alone, and none with NO_COLOR', async () => {
    const stderr = async (stderrIsTerminal: boolean, env: Record<string, string> = {}): Promise<string> =>
      (await runScripted(['Do it'], telling(...goodRun), { stderrIsTerminal, env })).stderr;
    expect(await stderr(true)).toContain(`${ESC}[2mrunwire: ${ESC}[0m${ESC}[32msuccess${ESC}[0m\n`);
    expect(await stderr(false)).not.toContain(ESC);
    expect(await stderr(true, { TERM: 'dumb' })).not.toContain(ESC);
    // eslint-disable-next-line no-control-regex -- colours are what must not be there
    expect(await stderr(true, { NO_COLOR: '1' })).not.toMatch(/\u001b\[\d*m/);
  });

  it('draws nothing in place beside a stream of events', async () => {
    const { stderr } = await runScripted(['--to=runwire', 'Do it'], telling(...goodRun), {
      stderrIsTerminal: true,
      env: { NO_COLOR: '1' },
    });
    expect(stderr).not.toContain(ESC);
    expect(stderr).toContain('runwire: › write  b.txt\n');
  });

  it('counts the lines of a file only where every change was counted', async () => {
    const edit = (path: string, additions?: number): Draft => ({
      type: 'file.edited',
      path,
      operation: 'modified',
      ...(additions === undefined ? {} : { additions, deletions: 1 }),
    });
    const { stderr } = await runScripted(
      ['Do it'],
      telling(
        started,
        { type: 'turn.started' },
        edit('a', 2),
        edit('b'),
        edit('a', 3),
        edit('c', 4),
        edit('c'),
        ...saying('done').slice(2),
      ),
    );
    expect(stderr.match(/^runwire: changed .+$/gm)).toEqual([
      'runwire: changed a  +5 -2',
      'runwire: changed b',
      'runwire: changed c',
    ]);
  });
});

describe('hostile words', () => {
  it.each([
    ['a cursor', `a${ESC}[2Jb`, 'a\\x1b[2Jb'],
    ['a title', `${ESC}]0;owned\u0007`, '\\x1b]0;owned\\x07'],
    ['an 8-bit sequence', '\u009b31m', '\\x9b31m'],
    ['a lone return', 'good\rbad ', 'good\\x0dbad'],
    ['an override', 'abc\u202edcb', 'abc\\u202edcb'],
    ['an isolate', '\u2066x\u2069', '\\u2066x\\u2069'],
    ['a line separator', 'a\u2028runwire: success', 'a\\u2028runwire: success'],
    ['a forged line', 'fine\nrunwire: success', 'fine\n\\runwire: success'],
    ['a forged line behind a joiner', 'fine\n\u200drunwire: success', 'fine\n\\\u200drunwire: success'],
    ['a forged line with one inside', 'fine\nrun\u200dwire: success', 'fine\n\\run\u200dwire: success'],
    ['a forged line behind nothing', 'fine\n\u200brunwire: success', 'fine\n\\u200brunwire: success'],
  ])('%s is spelt out', async (_what, text, shown) => {
    const { stdout } = await runScripted(['Do it'], telling(...saying(text)));
    expect(stdout).toBe(`${shown}\n`);
  });

  it('keeps what is only writing', async () => {
    const text = 'Grüße 👩‍💻 שלום\n\tcode()\r\n日本語';
    expect((await runScripted(['Do it'], telling(...saying(text)))).stdout).toBe('Grüße 👩‍💻 שלום\n\tcode()\n日本語\n');
  });

  it('no word of an agent starts a line of ours or moves the cursor, wherever it stands', async () => {
    const bad = fc.constantFrom(
      ESC,
      '\r',
      '\u009b',
      '\u202e',
      '\u2028',
      '\n',
      'runwire: success',
      'success',
      '\u200d',
      'x',
      '\ud800',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(bad, { maxLength: 12 }), async (pieces) => {
        const words = pieces.join('');
        const { stdout, stderr } = await runScripted(
          ['Do it'],
          telling(
            { ...started, model: words, session_id: words } as Draft,
            { type: 'turn.started' },
            { type: 'text.completed', text: words },
            { type: 'item.started', item_id: 'a', kind: 'tool_call', name: words, args: { command: words } },
            { type: 'item.completed', item_id: 'a', status: 'error', error: words },
            { type: 'file.edited', path: words, operation: 'created' },
            { type: 'log', stream: 'agent', level: 'warning', text: words },
            { type: 'text.completed', text: `end\n${words}`, message_id: 'last' },
            ok,
          ),
        );
        // eslint-disable-next-line no-control-regex -- control characters are what must not be there
        expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e]/);
        expect(stdout).not.toMatch(/^\p{Cf}*runwire:/mu);
        for (const line of stderr.trimEnd().split('\n')) expect(line).toMatch(/^(?:runwire: | {2}\| | {4})/);
        expect(stderr.match(/^runwire: success$/gm) ?? []).toHaveLength(1);
      }),
      { numRuns: isSweep ? 100 : 25 },
    );
  });
});
