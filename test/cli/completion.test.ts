import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { candidates, type Values } from '../../src/cli/completion/answer.ts';
import { asBashWrote, forBash } from '../../src/cli/completion/bash-words.ts';
import { complete } from '../../src/cli/completion/complete.ts';
import { scripts } from '../../src/cli/completion/scripts.ts';
import { loadCommands } from '../../src/cli/commands.ts';

const root = join(import.meta.dirname, '..', '..');

const values: Values = {
  agents: async () => candidates(['builtin', 'codex', 'claude']),
  models: async (current) =>
    candidates(current.includes('/') ? ['openai/gpt-5', 'openai/o3'] : ['anthropic/', 'openai/']),
  dialects: (areWritten, andText) =>
    candidates([...(andText ? ['text'] : []), ...(areWritten ? ['codex', 'claude:json'] : ['codex'])]),
  schemas: async () => candidates(['run', 'run-stats', 'outcome']),
  runs: async () => candidates(['last', '0a1b2c3d']),
  sessions: async () => candidates(['session-1']),
  budgets: async () => candidates(['team-a']),
};

describe('the words that may follow', () => {
  it.each<[typed: string, words: string[], paths?: string]>([
    ['--agent c', ['codex', 'claude']],
    ['run --agent=b', ['--agent=builtin']],
    ['race --agents codex,cl', ['codex,claude']],
    ['--model o', ['openai/']],
    ['run --model openai/g', ['openai/gpt-5']],
    ['--to cl', ['claude:json']],
    ['runs tail --to t', ['text']],
    ['run --from c', ['codex']],
    ['convert --from code', ['codex']],
    ['--permission-mode r', ['read-only']],
    ['--fail-on tool,e', ['tool,empty']],
    ['--resume ', ['session-1']],
    ['--budget ', ['team-a']],
    ['budget remove t', ['team-a']],
    ['runs s', ['show', 'stats']],
    ['runs show ', ['last', '0a1b2c3d']],
    ['runs diff last 0', ['0a1b2c3d']],
    ['apply l', ['last']],
    ['check --against l', ['last'], 'files'],
    ['outcome l', ['last'], 'files'],
    ['schema run', ['run', 'run-stats']],
    ['doctor co', ['codex']],
    ['completion z', ['zsh']],
    ['help sch', ['schema']],
    ['runs stats --by mod', ['model']],
    ['convert ', [], 'files'],
    ['run --cwd ', [], 'folders'],
    ['run --max-turns ', []],
    ['run -- code', [], 'files'],
    ['--otel n', ['none'], 'files'],
    ['--vers', ['--version']],
    ['schema --a', ['--all']],
    ['conv', ['convert']],
    ['run', ['run', 'runs']],
    ['runs stats --b', ['--by']],
    ['runs stats --by mo', ['model', 'month']],
    ['runs --lim', ['--limit']],
    ['convert --str', ['--strict']],
    ['outcome --process-e', ['--process-exit']],
  ])('%s', async (typed, words, paths = 'none') => {
    const answer = await complete(typed.split(' '), values);
    expect({ words: answer.candidates.map(({ value }) => value), paths: answer.paths }).toEqual({ words, paths });
  });

  it('every flag of every command is offered under it', async () => {
    for (const command of await loadCommands()) {
      const { candidates: found } = await complete([...command.name.split(' '), '--'], values);
      expect(found.map(({ value }) => value)).toEqual([
        ...Object.keys(command.options).map((name) => `--${name}`),
        '--help',
      ]);
    }
  });

  it('bash takes words apart at = and :', () => {
    expect(asBashWrote(['run', '--agent', '=', 'co'])).toEqual(['run', '--agent=co']);
    expect(asBashWrote(['--to', 'claude', ':', ''])).toEqual(['--to', 'claude:']);
    expect(asBashWrote(['run', '--agent', '='])).toEqual(['run', '--agent=']);
    expect(forBash('--agent=codex', '--agent=co')).toBe('codex');
    expect(forBash('claude:json', 'claude:j')).toBe('json');
    expect(forBash('codex', 'co')).toBe('codex');
  });
});

const found = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const start: Record<keyof typeof scripts, (script: string) => string> = {
  bash: (script) => `bash --rcfile ${script} -i`,
  zsh: (script) => `ZDOTDIR=${dirname(script)} zsh -i`,
  fish: (script) => `fish --no-config -C 'source ${script}; function fish_prompt; echo -n "ready> "; end'`,
};

describe.each(['bash', 'zsh', 'fish'] as const)('TAB in %s', (shell) => {
  const folder = mkdtempSync(join(tmpdir(), `runwire-tab-${shell}-`));
  const socket = join(folder, 'tmux');
  const tmux = (...args: string[]): string => execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' });
  const isMissing = ['tmux', shell].filter((program) => !found(program));

  beforeAll(() => {
    if (isMissing.length > 0) return;
    mkdirSync(join(folder, 'bin'));
    symlinkSync(join(root, 'bin', 'runwire.js'), join(folder, 'bin', 'runwire'));
    const script = join(folder, shell === 'zsh' ? '.zshrc' : 'script');
    const before = shell === 'zsh' ? 'autoload -Uz compinit; compinit -u -D\n' : '';
    writeFileSync(script, `${before}${scripts[shell]}${shell === 'fish' ? '' : "PS1='ready> '\n"}`);
    const path = `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
    // A login shell of tmux sets its own PATH.
    const env = `PATH='${path}' HOME=${folder} XDG_CONFIG_HOME=${folder} RUNWIRE_LEDGER=none`;
    tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      '120',
      '-y',
      '40',
      '-c',
      folder,
      `exec env ${env} ${start[shell](script)}`,
    );
  });
  afterAll(() => void spawnSync('tmux', ['-S', socket, 'kill-server']));

  it.skipIf(isMissing.length > 0).each([
    ['runwire schema outc', 'runwire schema outcome'],
    ['runwire --model anthr', 'runwire --model anthropic/'],
    ['runwire --agent=cod', 'runwire --agent=codex'],
    ['runwire orch', 'runwire orchestrate'],
  ])(`%s${isMissing.length > 0 ? ` (skipped: no ${isMissing.join(', ')} here)` : ''}`, async (typed, whole) => {
    await expect.poll(() => tmux('capture-pane', '-p')).toContain('ready>');
    tmux('send-keys', 'C-u');
    tmux('send-keys', '-l', typed);
    // Keys that come in one burst are taken as pasted text.
    await expect.poll(() => tmux('capture-pane', '-p')).toContain(typed);
    tmux('send-keys', 'Tab');
    await expect
      .poll(
        () =>
          tmux('capture-pane', '-p')
            .trimEnd()
            .split('\n')
            .findLast((line) => line.includes(typed)) ?? '',
      )
      .toContain(whole);
  });
});
