import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { live, modelAt, project, serve } from './live.ts';

/** A shell in which `runwire` is the built command; answers what it wrote to stdout. */
function paste(line: string, cwd: string, env: Record<string, string>): Promise<string> {
  const bin = join(mkdtempSync(join(tmpdir(), 'runwire-next-')), 'runwire');
  writeFileSync(
    bin,
    `#!/bin/sh\nexec '${process.execPath}' '${join(import.meta.dirname, '..', '..', '..', 'bin', 'runwire.js')}' "$@"\n`,
  );
  chmodSync(bin, 0o755);
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/sh', ['-c', line], {
      cwd,
      env: { ...env, PATH: `${join(bin, '..')}:${process.env['PATH']}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (stderr += text));
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (stdout += text));
    child.on('error', reject).on('close', () => resolve(stdout === '' ? stderr : stdout));
  });
}

it('the next: line works when it is pasted: model, address, folder and rules, quoted', async () => {
  const server = await serve([{ text: 'first' }, { text: 'second' }]);
  const cwd = project();
  const env = { HOME: join(cwd, 'home') };
  mkdirSync(join(cwd, "it's $HOME"));
  const { stderr } = await live(
    [...modelAt(server), '--cwd', "it's $HOME", '--allow', 'bash(npm test:*)', '--ledger', 'none', 'Begin'],
    {
      cwd,
      env,
    },
  );
  const line = /^runwire: next: (runwire .+)$/m.exec(stderr)?.[1] ?? '';
  expect(await paste(line, cwd, env)).toBe('second\n');
  // The model server counts the answers that a conversation already holds.
  expect(server.served.requests[1]).toMatchObject({ turn: 1, system: expect.stringContaining("it's $HOME") as string });
});
