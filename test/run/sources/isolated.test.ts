import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { specOf } from '../../../src/run/ask.ts';
import { start } from '../../../src/run/run.ts';
import { makeCheckout } from '../../support/checkouts.ts';

const place = makeCheckout();
afterAll(() => place.remove());

const session = '01a1e0b1-c58f-7421-a9fd-258a6e1794ee';
const lines = (...wires: object[]): string => wires.map((wire) => `${JSON.stringify(wire)}\n`).join('');

it('finds the model of an agent that does not print it, in a private copy too', async () => {
  const stream = lines(
    { type: 'thread.started', thread_id: session },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Done.' } },
    { type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 0, output_tokens: 10 } },
  );
  const rollout = join(place.env['HOME'] ?? '', '.codex', 'sessions', `rollout-${session}.jsonl`);
  mkdirSync(dirname(rollout), { recursive: true });
  writeFileSync(
    rollout,
    lines(
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        type: 'session_meta',
        payload: { id: session, cwd: '/', cli_version: '0.166.0' },
      },
      { timestamp: '2026-01-01T00:00:00.000Z', type: 'turn_context', payload: { cwd: '/', model: 'gpt-5.4' } },
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        type: 'response_item',
        payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
      },
    ),
  );
  const codex = join(place.folder, 'bin', 'codex');
  mkdirSync(dirname(codex));
  writeFileSync(
    codex,
    `#!/bin/sh\n[ "$1" = --version ] && echo codex-cli 0.166.0 && exit\ncat <<'END'\n${stream}END\n`,
  );
  chmodSync(codex, 0o755);
  const env = { ...place.env, PATH: `${dirname(codex)}:${place.env['PATH'] ?? ''}` };
  const cwd = place.checkout('project');
  const models = [undefined, 'clone' as const].map(async (isolate) => {
    const workspace = isolate === undefined ? {} : { workspace: { isolate, dirty: 'refuse' as const, copy: [] } };
    const spec = { ...specOf({ prompt: 'Do it', agent: 'codex' }, { cwd, passEnv: [] }), ...workspace };
    const { verdict, metrics } = await start(spec, { env }).outcome;
    return [verdict.class, metrics.model_name];
  });
  expect(await Promise.all(models)).toEqual([
    ['success', 'gpt-5.4'],
    ['success', 'gpt-5.4'],
  ]);
});
