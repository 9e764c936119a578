import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder } from '../cli/run/scripted.ts';
import { brokenProject, serveModels } from './crew.ts';

const bin = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');
const hasTmux = spawnSync('tmux', ['-V']).status === 0;

it.runIf(hasTmux)(
  'at a terminal, an answer is shown before the next task is asked for, and nothing is drawn over the prompt',
  async () => {
    const server = await serveModels({ brain: [{ text: 'The first answer.' }, { text: 'The second answer.' }] });
    const socket = join(folder(), 'tmux');
    const tmux = (...args: string[]): string => execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' });
    const rows = (): string[] =>
      tmux('capture-pane', '-p', '-S', '-')
        .split('\n')
        .map((row) => row.trimEnd())
        .filter((row) => row !== '');
    const shown = async (end: RegExp): Promise<void> => {
      await expect.poll(() => rows().at(-1)).toMatch(end);
    };
    const flags = `--agents builtin --model openai-compatible/brain --base-url ${server.baseUrl('chat')} --ledger none`;
    const env = Object.entries({ PATH: process.env['PATH'], HOME: folder(), TERM: 'screen' }).map(
      ([name, value]) => `${name}='${value}'`,
    );
    const command = `exec env -i ${env.join(' ')} '${process.execPath}' '${bin}' orchestrate --interactive --task Begin ${flags}`;
    try {
      tmux(
        '-f',
        '/dev/null',
        'new-session',
        '-d',
        '-x',
        '100',
        '-y',
        '40',
        '-c',
        brokenProject(),
        command,
        ';',
        'set',
        '-w',
        'remain-on-exit',
        'on',
      );
      await shown(/^>$/);
      expect(rows().at(-2)).toContain('The first answer.');
      tmux('send-keys', '-l', 'And then?');
      await shown(/^> And then\?$/);
      tmux('send-keys', 'Enter');
      await shown(/^>$/);
      expect(rows().at(-2)).toContain('The second answer.');
      expect(rows()).toContain('> And then?');
      tmux('send-keys', 'C-d');
      await expect.poll(() => rows().join('\n')).toContain('"message": "The second answer."');
    } finally {
      spawnSync('tmux', ['-S', socket, 'kill-server']);
    }
  },
);
