import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { agents } from '../../../src/agents/registry.ts';
import { agentSource } from '../../../src/run/sources/agent.ts';
import type { Requested } from '../../../src/contract/requested.ts';
import { specOf } from '../../../src/run/ask.ts';
import { start } from '../../../src/run/run.ts';

const home = mkdtempSync(join(tmpdir(), 'runwire-agent-source-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

for (const [name, version] of Object.entries({
  cline: '3.0.65',
  cn: '1.5.47',
  amp: '1.0.0',
  codex: '0.166.0',
  copilot: '1.0.102',
  goose: '1.9.0',
  kimi: '1.0.0',
  openhands: '1.0.0',
  auggie: '0.1.0',
})) {
  writeFileSync(join(home, name), `#!/bin/sh\necho ${version}\n`);
  chmodSync(join(home, name), 0o755);
}

const env = { PATH: `${home}:/usr/bin:/bin`, HOME: home };
const chosen = (ask: Requested, more = {}) =>
  agentSource(specOf({ prompt: 'Do it', ...ask }, { cwd: home, passEnv: [] }), { env: { ...env, ...more }, set: {} });

it('keeps a mode that an agent does not have by a stricter one, and says so', async () => {
  const { warnings } = await chosen({ agent: 'cline', permission_mode: 'edit' });
  expect(warnings).toContain('Cline has no flag for the permission mode edit: it may only read; full lets it edit.');
});

it('refuses a mode that no stricter one keeps', async () => {
  await expect(chosen({ agent: 'amp', permission_mode: 'read-only' })).rejects.toThrow(
    '--permission-mode read-only: Amp has edit, full',
  );
});

it.each([
  ['cline', 130_000, 'Cline takes a prompt as an argument only, and this one is too long for that (127.0 KiB)'],
  ['continue', 1_000_000, 'Continue drops a prompt of this size (976.6 KiB) without a word'],
])('refuses a prompt that %s cannot take', async (agent, length, message) => {
  await expect(chosen({ agent, prompt: 'x'.repeat(length) })).rejects.toThrow(message);
});

it.each<[string, Requested['limits'], string[]]>([
  [
    'codex',
    { max_tokens: 1, max_cost_usd: 1 },
    ['Codex reports its usage only at its end: --max-cost-usd, --max-tokens cannot stop it before that.'],
  ],
  ['codex', { max_turns: 1 }, []],
  [
    'continue',
    { max_turns: 1, max_tokens: 1 },
    ['Continue reports its usage only at its end: --max-turns, --max-tokens cannot stop it before that.'],
  ],
  ...agents
    .filter(({ tellsUsage }) => tellsUsage === 'never')
    .map(({ id, title }): [string, Requested['limits'], string[]] => [
      id,
      { max_cost_usd: 1, max_tokens: 1 },
      [`${title} does not report its usage: --max-cost-usd, --max-tokens cannot be enforced.`],
    ]),
])('says before the start which limits %s cannot keep', async (agent, limits, sentences) => {
  const hasModes = agents.some(({ id, abilities }) => id === agent && abilities.permissionModes.length > 0);
  const ask: Requested = { agent, limits, ...(hasModes ? { permission_mode: 'full' } : {}) };
  // An agent without modes says that as well.
  expect((await chosen(ask)).warnings).toEqual(hasModes ? sentences : expect.arrayContaining(sentences));
});

it('does not start an agent without a key that would wait for a login in silence', async () => {
  const lack = 'Amp has no key: AMP_API_KEY is not set, and there is no ~/.local/share/amp/secrets.json';
  await expect(chosen({ agent: 'amp' })).rejects.toMatchObject({ code: 'config', message: lack });
  await expect(chosen({ agent: 'amp' }, { AMP_API_KEY: 'k' })).resolves.toMatchObject({
    introduction: { agent: 'amp' },
  });
  const secrets = join(mkdtempSync(join(home, 'home-')), '.local', 'share', 'amp');
  mkdirSync(secrets, { recursive: true });
  writeFileSync(join(secrets, 'secrets.json'), '{}');
  await expect(chosen({ agent: 'amp' }, { HOME: join(secrets, '..', '..', '..') })).resolves.toMatchObject({
    introduction: { agent: 'amp' },
  });
});

it('says that an agent is broken whose install lacks a part, and does not start it again', async () => {
  const script = `echo "Error: claude native binary not installed.

Either postinstall did not run, or the platform has no build.
Run the postinstall by hand, or install again:
  npm install -g @anthropic-ai/claude-code
  1
  2" >&2; exit 1`;
  writeFileSync(join(home, 'claude'), `#!/bin/sh\n[ "$1" = --version ] && echo 2.1.63 && exit\n${script}\n`);
  chmodSync(join(home, 'claude'), 0o755);
  const spec = specOf({ prompt: 'Do it', agent: 'claude', retries: 2, retry_delay_ms: 1 }, { cwd: home, passEnv: [] });
  const { verdict, metadata } = await start(spec, { env }).outcome;
  expect([verdict.class, verdict.evidence[0]?.detail, metadata.attempt_number]).toEqual([
    'config',
    'the program does not work as it is installed: Error: claude native binary not installed.',
    1,
  ]);
});

it('says that a session cannot be resumed', async () => {
  const { source, warnings } = await chosen({ agent: 'cline', resume: 'x' });
  expect(source.canResume).toBe(false);
  expect(warnings).toContain('Cline cannot resume a session by its id; this is a new one.');
});
