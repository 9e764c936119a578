import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellQuote } from '../../../src/terminal/shell-quote.ts';
import { isSweep } from '../../support/sweep.ts';
import { ScreenModel } from '../../support/screen.ts';
import { folder, goodRun, outside, runScripted, telling } from './scripted.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const recording = (name: string): string => join(root, 'test', 'recordings', name, 'stdout.jsonl');

it('draws no word of an agent as anything but text', async () => {
  const bad = fc.constantFrom(
    '\u001b[2J',
    '\r',
    '\u009b',
    '\u202e',
    '\u2028',
    '\n',
    'runwire: success',
    '日本',
    '\u200d',
    '\t',
    'x'.repeat(90),
    '\ud800',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(bad, { maxLength: 12 }), async (pieces) => {
      const words = pieces.join('');
      const { stderr } = await runScripted(
        ['Do it'],
        telling(
          { type: 'thread.started', agent: words, agent_version: words, model: words, session_id: words },
          { type: 'turn.started' },
          { type: 'text.completed', text: words },
          { type: 'item.started', item_id: 'a', kind: 'command', name: words, args: { command: words } },
          { type: 'item.output', item_id: 'a', chunk: words },
          { type: 'item.completed', item_id: 'a', status: 'success', output: words },
          { type: 'file.edited', path: words, operation: 'created' },
          { type: 'permission.requested', permission_id: 'p', what: words },
          { type: 'text.completed', text: 'end', message_id: 'last' },
          { type: 'agent.finished', status: 'ok' },
        ),
        { stderrIsTerminal: true },
      );
      const model = new ScreenModel(100);
      model.write(stderr);
      for (const row of model.text.split('\n'))
        expect(row).toMatch(
          /^(?:runwire: |(?:agent|created|changed|warning:)(?: |$)|[✓✗](?: |$)|\d|next: | {2}\|| {4}|$)/,
        );
      expect(model.text.match(/^runwire: success/gm)).toHaveLength(1);
    }),
    { numRuns: isSweep ? 60 : 20 },
  );
});

it('has no word for a good end with --quiet, and one for a bad end', async () => {
  expect(
    (await runScripted(['-q', 'Do it'], telling(...goodRun), { stderrIsTerminal: true, env: { NO_COLOR: '1' } }))
      .stderr,
  ).toBe('');
  expect((await runScripted(['-q', 'Do it'], telling(), outside())).stderr).toMatch(
    /^runwire: failed: incomplete: .+\n$/,
  );
});

describe.skipIf(spawnSync('script', ['--version']).status !== 0)('in a real terminal', () => {
  it('the answer and the lines stay, the status is gone', () => {
    const cwd = folder();
    const slowly = join(cwd, 'slowly.mjs');
    writeFileSync(
      slowly,
      `import { readFileSync } from 'node:fs';
for (const line of readFileSync(${JSON.stringify(recording('codex@0.166.0/multi-tool'))}, 'utf8').trimEnd().split('\\n')) {
  process.stdout.write(line + '\\n');
  await new Promise((next) => setTimeout(next, 120));
}`,
    );
    const command = shellQuote([
      process.execPath,
      join(root, 'bin', 'runwire.js'),
      'run',
      '--',
      process.execPath,
      slowly,
    ]);
    const { stdout, status } = spawnSync('script', ['-qec', `stty cols 120 rows 20; ${command}`, '/dev/null'], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, TERM: 'xterm-256color' },
      encoding: 'utf8',
    });
    expect({ status, drew: stdout.includes('⠋') || stdout.includes(' · ') }).toEqual({ status: 0, drew: true });
    const model = new ScreenModel(120);
    model.write(stdout);
    expect(model.text).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/u);
    // How long things take is not known beforehand.
    expect(
      model.text
        .replace(/(?: {2})?\d+\.\d s(?: · )?/g, '')
        .split('\n')
        .slice(1),
    ).toEqual([
      '  | Reading the README first.',
      "✓ command_execution  /bin/bash -lc 'cat README.md'  3 lines",
      '  | Now I write the notes.',
      '✓ file_change  /workspace/notes.txt',
      'created /workspace/notes.txt',
      "✓ command_execution  /bin/bash -lc 'cat notes.txt'  3 lines",
      '  | One word must change.',
      '✓ file_change  /workspace/notes.txt',
      'modified /workspace/notes.txt',
      "✓ command_execution  /bin/bash -lc 'cat notes.txt && git status --short'  4 lines",
      'I wrote notes.txt and changed bravo to BRAVO.',
      'changed /workspace/notes.txt',
      'runwire: success',
      '1 turn · 5 tool calls · 13,161 in 178 out · cost unknown · 1 changed file',
    ]);
  });
});
