import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { specOf } from '../../../src/run/ask.ts';
import { start } from '../../../src/run/run.ts';
import { withEditor } from '../../acp/client.ts';

const all = mkdtempSync(join(tmpdir(), 'runwire-claude-'));
afterAll(() => rmSync(all, { recursive: true, force: true }));

/** A home with a Claude Code that keeps its bill as the real one does. */
function newHome(): { home: string; env: Record<string, string> } {
  const home = mkdtempSync(join(all, 'home-'));
  const fake = join(import.meta.dirname, '..', '..', 'support', 'fake-claude.ts');
  writeFileSync(
    join(home, 'claude'),
    `#!/bin/sh\n[ "$1" = --version ] && echo '2.1.200 (Claude Code)' && exit\nexec '${process.execPath}' '${fake}' "$@"\n`,
  );
  chmodSync(join(home, 'claude'), 0o755);
  return { home, env: { PATH: `${home}:/usr/bin:/bin`, HOME: home } };
}

const figures = ({ metrics }: RunOutcome): unknown[] => [
  metrics.input_tokens,
  metrics.output_tokens,
  metrics.cost,
  metrics.cost_source,
  ...(metrics.cost_is === undefined ? [] : [metrics.cost_is]),
];
const own = [107, 53, 0.75, 'reported'];

it.each<[string[], string, unknown[]]>([
  [['whole', 'whole'], 'by the totals that the session had before', own],
  [['whole', 'other'], 'also if it is the first of another model', own],
  [['since', 'since'], 'by what it tells of this run alone', own],
  [['own', 'own'], 'by totals that are its own', own],
  // What was before is not known, so the totals are no help; the calls that it told are.
  [['forgetful', 'whole'], 'by its messages, if nothing says what was before', [100, 50, undefined, 'unknown']],
  [['forgetful', 'other'], 'also if it is the first of another model', [100, 50, undefined, 'unknown']],
  [['whole', 'sum'], 'by its total cost alone, without what the session had cost before', [100, 50, 0.75, 'reported']],
  [['whole', 'twice'], 'also if it tells it twice', [100, 50, 0.75, 'reported']],
  [['forgetful', 'sum'], 'at no cost, if its total alone includes what nothing tells', [100, 50, undefined, 'unknown']],
  [
    ['forgetful', 'twice'],
    'at least what the total grew by, from one result to the next',
    [100, 50, 0.25, 'reported', 'at_least'],
  ],
  [['whole', 'cut'], 'by its messages, if it ends before its result', [100, 50, undefined, 'unknown']],
])('a resumed run of Claude Code counts what it used itself: %j', async (manners, _, last) => {
  const { home, env } = newHome();
  const told: unknown[][] = [];
  let resume: string | undefined;
  for (const manner of manners) {
    const ask = { prompt: `${manner} it`, agent: 'claude', ...(resume === undefined ? {} : { resume }) };
    const outcome = await start(specOf(ask, { cwd: home, passEnv: [] }), { env }).outcome;
    resume = outcome.session_id;
    told.push(figures(outcome));
  }
  expect(told).toEqual([own, last]);
});

it.each([[['endless']], [['whole', 'endless']]])(
  'a run of Claude Code that is stopped counts what its messages came to: %j',
  async (manners) => {
    const { home, env } = newHome();
    let resume: string | undefined;
    let outcome: RunOutcome | undefined;
    for (const manner of manners) {
      const ask = { prompt: `${manner} it`, agent: 'claude', ...(resume === undefined ? {} : { resume }) };
      const run = start(specOf(ask, { cwd: home, passEnv: [] }), { env });
      // The last that it tells is the beginning of its sub-agent's message.
      for await (const record of run) if (record.type === 'usage.reported' && record.input_tokens === 20) run.cancel();
      outcome = await run.outcome;
      resume = outcome.session_id;
    }
    expect([outcome?.status, outcome?.metrics.input_tokens, outcome?.metrics.output_tokens]).toEqual([
      'cancelled',
      120,
      80,
    ]);
  },
);

it('each prompt of an editor counts what it used itself', async () => {
  const { home, env } = newHome();
  await withEditor(
    ['--agent', 'claude', '--ledger', join(home, 'ledger.db')],
    { cwd: home, env },
    async ({ agent }) => {
      const { sessionId } = await agent.request('session/new', { cwd: home, mcpServers: [] });
      for (const manner of ['whole', 'since', 'whole', 'whole']) {
        const { _meta } = await agent.request('session/prompt', {
          sessionId,
          prompt: [{ type: 'text', text: `${manner} it` }],
        });
        expect([manner, ...figures((_meta as { runwire: { outcome: RunOutcome } }).runwire.outcome)]).toEqual([
          manner,
          ...own,
        ]);
      }
    },
  );
});

it('a fork of a live session counts what is its own, though the file of the session never comes in', () => {
  const { home, env } = newHome();
  const bin = join(import.meta.dirname, '..', '..', '..', 'bin', 'runwire.js');
  const runwire = (...args: string[]): string =>
    execFileSync(process.execPath, [bin, ...args], {
      cwd: home,
      env: { ...env, RUNWIRE_LEDGER: join(home, 'ledger.db') },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  runwire('run', '--agent', 'claude', '--output-format', 'json', 'own it');
  const folder = join(home, '.claude', 'projects', '-work');
  const [name = ''] = readdirSync(folder);
  const [line = ''] = readFileSync(join(folder, name), 'utf8').split('\n');
  const copied = { ...(JSON.parse(line) as { message: object }), sessionId: 'fork', uuid: 'copy' };
  const message = {
    ...copied.message,
    id: 'm-fork',
    usage: { input_tokens: 5, output_tokens: 2 },
    stop_reason: 'end_turn',
  };
  const added = { ...copied, uuid: 'own', parentUuid: 'copy', requestId: 'req-fork', message };
  const fork = join(home, 'fork.jsonl');
  writeFileSync(fork, `${JSON.stringify(copied)}\n${JSON.stringify(added)}\n`);
  runwire('runs', 'import', fork);
  const listed = runwire('runs', 'list', '--json').trimEnd().split('\n');
  const counted = listed.map((run) => (JSON.parse(run) as { input_tokens: number }).input_tokens);
  expect(counted.toSorted((a, b) => a - b)).toEqual([5, 107]);
});
