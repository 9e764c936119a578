import { describe, expect, it } from 'vitest';
import { findDialect } from '../../src/dialects/registry.ts';
import { Framer } from '../../src/pipeline/framer.ts';
import { jsonl, pass } from '../support/pipeline.ts';
import { loadRecording } from '../support/recordings.ts';
import { handWritten } from '../support/whole-runs.ts';
import { tables } from './expected/index.ts';

const scenarios = ['multi-tool', 'denied', 'error-401', 'disconnect-always'];
const recorded = tables.flatMap(({ folder, classes }) =>
  scenarios.flatMap((scenario) =>
    scenario in classes ? [[`${folder}/${scenario}`, loadRecording(folder, scenario).stdout] as const] : [],
  ),
);
const written = Object.entries(handWritten).map(
  ([name, lines]) => [name, new TextEncoder().encode(jsonl(lines))] as const,
);

/** Lines of older and newer versions than those that there are recordings of. */
const others: Record<string, object[]> = {
  'claude, first version': [
    {
      type: 'system',
      subtype: 'init',
      session_id: 's',
      tools: ['Bash'],
      mcp_servers: [],
      claude_code_version: '1.0.51',
    },
    { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Hi.' }] }, session_id: 's' },
    {
      type: 'result',
      subtype: 'success',
      is_error: false,
      num_turns: 1,
      result: 'Hi.',
      session_id: 's',
      total_cost_usd: 0.1,
    },
  ],
  'claude, a session file': [
    { type: 'summary', summary: 'Greeting', leafUuid: 'u2' },
    { type: 'file-history-snapshot', messageId: 'u1', snapshot: {} },
    {
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      sessionId: 's',
      session_id: 's',
      message: { role: 'user', content: 'Hi.' },
    },
    { type: 'system', subtype: 'turn_duration', durationMs: 5, uuid: 'u2', parentUuid: 'u1', sessionId: 's' },
    { type: 'custom-title', customTitle: 'Greeting', sessionId: 's' },
  ],
  'codex, a command that starts': [
    { type: 'thread.started', thread_id: 't' },
    { type: 'item.started', item: { id: 'item_0', type: 'command_execution', command: 'ls' } },
  ],
};

describe.each([
  ...recorded,
  ...written,
  ...Object.entries(others).map(([name, lines]) => [name, new TextEncoder().encode(jsonl(lines))] as const),
])('%s', (_name, stdout) => {
  it('is valid, for all of it is understood', async () => {
    const { outcome } = pass({ stdout: new TextDecoder().decode(stdout) });
    const { dialect, unknown_lines } = outcome.provenance;
    expect(unknown_lines).toBe(0);
    if (dialect === 'unknown') return;
    const schema = await findDialect(dialect).schema();
    const refused: object[] = [];
    const framer = new Framer({
      value: (wire) => void (schema.safeParse(wire).success ? undefined : refused.push(wire)),
      text: () => {},
      note: () => {},
    });
    framer.push(stdout);
    framer.end();
    expect(refused).toEqual([]);
  });
});
