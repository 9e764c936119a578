import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunSummary } from '../../src/stores/run-store.ts';
import type { UsageDocument } from '../../src/usage/document.ts';
import { stores } from '../../src/usage/stores/registry.ts';
import { realAgents } from './agents/index.ts';
import { perform } from './perform.ts';
import { scenarios, type ScenarioName } from './scenarios.ts';

const { REAL_AGENTS = '[]', REAL_AGENTS_SCENARIOS = '', REAL_AGENTS_STORES = '' } = process.env;
const folders = new Map(JSON.parse(REAL_AGENTS) as [id: string, folder: string][]);
const wanted = REAL_AGENTS_SCENARIOS.split(',').filter((name) => name !== '');

/** Agents whose sessions are imported as well. */
const imported: ReadonlySet<string> = new Set(['claude', 'codex', 'opencode', 'qwen', 'pi']);
const usual: ReadonlySet<string> = new Set(['plain', 'multi-tool', 'parallel', 'reasoning', 'shell', 'failing-shell']);

const cases = (REAL_AGENTS_STORES === '' ? [] : realAgents).flatMap((agent) => {
  const folder = folders.get(agent.id);
  if (folder === undefined || !stores.some((store) => store.agent === agent.id)) return [];
  const names = (Object.keys(scenarios) as ScenarioName[]).filter(
    (name) =>
      (wanted.length > 0 ? wanted.includes(name) : usual.has(name)) &&
      agent.cannot?.[name] === undefined &&
      scenarios[name].resumeWith === undefined,
  );
  return names.map((name) => ({ agent, folder, name }));
});

interface Tokens {
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  cache_read_tokens?: number | undefined;
}

const sum = (all: readonly Tokens[]) => ({
  input: all.reduce((whole, { input_tokens: count = 0 }) => whole + count, 0),
  output: all.reduce((whole, { output_tokens: count = 0 }) => whole + count, 0),
  cached: all.reduce((whole, { cache_read_tokens: count = 0 }) => whole + count, 0),
});

for (const { agent, folder, name } of cases) {
  it.concurrent(`${agent.id}: ${name}, live, imported and counted`, async ({ signal }) => {
    let used: UsageDocument | undefined;
    const runs: RunSummary[] = [];
    const [run] = await perform(
      {
        agent,
        scenario: scenarios[name],
        folder,
        wire: undefined,
        after: async (command, { work }) => {
          const counted = await command('usage', '--agent', agent.id, '--json');
          expect(counted.stderr).toBe('');
          used = JSON.parse(counted.stdout) as UsageDocument;
          if (!imported.has(agent.id)) return;
          const ledger = join(work, '..', 'other.db');
          await command('runs', 'import', '--ledger', ledger, join(work, '..', 'home'));
          const listed = await command('runs', 'list', '--json', '--ledger', ledger);
          for (const line of listed.stdout.split('\n')) if (line !== '') runs.push(JSON.parse(line) as RunSummary);
        },
      },
      signal,
    );
    const metrics = run?.outcome?.metrics;
    const live = metrics?.tokens_used === undefined ? undefined : sum([metrics]);
    const counted = used === undefined ? undefined : sum([used.total]);
    if (agent.tellsNoTokens !== true) expect(live).toBeDefined();
    expect({
      counted,
      imported: imported.has(agent.id) ? sum(runs.filter(({ agent: of }) => of === agent.id)) : undefined,
    }).toEqual({ counted: live ?? counted, imported: imported.has(agent.id) ? (live ?? counted) : undefined });
  });
}
