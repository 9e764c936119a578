import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('real agents that only the user can install are left out where there are none', () => {
  const script = join(import.meta.dirname, '..', '..', 'scripts', 'test-agents.ts');
  const { status, stderr } = spawnSync(process.execPath, [script, '--agent', 'claude', '--agent', 'copilot'], {
    encoding: 'utf8',
    env: { PATH: import.meta.dirname },
  });
  expect([stderr, status]).toEqual([
    'Claude Code is not installed here: left out\nCopilot CLI is not installed here: left out\n',
    0,
  ]);
});
