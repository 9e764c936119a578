import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import type { RunRecord } from '../../src/stores/run-store.ts';
import { inside, live, project } from '../cli/run/live.ts';
import { type Agents, codex, handClock, scriptedAgents, type Step } from '../support/scripted-agents.ts';

const start = '2026-11-18T14:30:00Z';
const init = {
  type: 'system',
  subtype: 'init',
  session_id: 'claude-1',
  cwd: '/',
  tools: [],
  mcp_servers: [],
  model: 'claude-sonnet-4-5',
};
const result = (text: string, more: object): object => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: text,
  session_id: 'claude-1',
  num_turns: 1,
  total_cost_usd: 0.01,
  usage: { input_tokens: 50, output_tokens: 7 },
  ...more,
});
/** As Claude Code prints it in place of a model's answer. */
const synthetic = {
  type: 'assistant',
  session_id: 'claude-1',
  error: 'rate_limit',
  message: {
    id: 'm0',
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'text', text: "You've hit your session limit · resets 6:30pm" }],
    usage: { input_tokens: 0, output_tokens: 0 },
  },
};
const begins = {
  type: 'assistant',
  session_id: 'claude-1',
  message: {
    id: 'm1',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: 'I begin.' }],
    usage: { input_tokens: 50, output_tokens: 7 },
  },
};
const claude = {
  good: { lines: [init, result('Done by Claude.', {})] },
  spent: {
    lines: [init, begins, synthetic, result("You've hit your session limit · resets 6:30pm", { is_error: true })],
    exit: 1,
  },
  broken: { lines: [], stderr: 'API Error: 529 Overloaded\n', exit: 1 },
} satisfies Record<string, Step>;
const noKey: Step = {
  lines: [...codex.began('session-1'), codex.done(40, 2), ...codex.failed('401 Unauthorized: invalid api key')],
  exit: 1,
};

async function runWith(
  scripts: Readonly<Record<string, readonly Step[]>>,
  flags: readonly string[],
  { cwd }: { cwd?: string } = {},
) {
  const agents = scriptedAgents(scripts);
  const { clock, waits } = handClock(start);
  const ran = await inside(['run', '--to', 'runwire', '--wire', 'off', ...flags, 'Fix it'], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...agents.env, TZ: 'UTC' },
    clock,
  });
  const records = recordsIn(ran.stdout);
  const last = records.at(-1);
  const outcome = (last?.type === 'thread.completed' ? last.final_report : {}) as unknown as RunOutcome;
  return { ...ran, records, outcome, agents, waited: waits.reduce((sum, ms) => sum + ms, 0) };
}

const recordsIn = (stdout: string): EventRecord[] =>
  stdout
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as EventRecord);

const argsOf = (agents: Agents, agent: string): string[] => agents.starts(agent).map(({ args }) => args.join(' '));

describe('falling back, with all that may come with it', () => {
  it('resumes the session of the agent that waits, never that of another', async () => {
    const { status, agents, outcome, waited } = await runWith({ codex: [noKey], claude: [claude.spent, claude.good] }, [
      '--agent',
      'codex,claude',
      '--on-limit',
      'wait',
      '--max-waits',
      '1',
      '--retries',
      '2',
      '--retry-delay',
      '1s',
    ]);
    expect(status).toBe(0);
    expect(waited).toBe(4 * 3_600_000 + 60_000);
    const starts = argsOf(agents, 'claude');
    expect(starts).toHaveLength(2);
    expect(starts[0]).not.toMatch(/session-1|claude-1/);
    expect(starts[1]).toContain('claude-1');
    expect(starts.join(' ')).not.toContain('session-1');
    expect(outcome.message).toBe('Done by Claude.');
  });

  it('gives an agent that failed before it named a session none of the agent before', async () => {
    const { status, agents } = await runWith({ codex: [noKey], claude: [claude.broken, claude.good] }, [
      '--agent',
      'codex,claude',
      '--retries',
      '1',
      '--retry-delay',
      '1s',
    ]);
    expect(status).toBe(0);
    const starts = argsOf(agents, 'claude');
    expect(starts).toHaveLength(2);
    expect(starts.join(' ')).not.toContain('session-1');
  });

  it('passes on no session that was meant for the first', async () => {
    const { agents } = await runWith({ codex: [noKey], claude: [claude.good] }, [
      '--agent',
      'codex',
      '--resume',
      'session-0',
      '--fallback',
      'claude',
    ]);
    expect(argsOf(agents, 'codex')[0]).toContain('session-0');
    expect(argsOf(agents, 'claude')[0]).not.toMatch(/session-[01]/);
  });

  it('adds up what each of them used', async () => {
    const { outcome } = await runWith({ codex: [noKey], claude: [claude.good] }, ['--agent', 'qwen,codex,claude']);
    expect(outcome.agents?.map(({ agent, tokens_used: tokens }) => [agent, tokens])).toEqual([
      ['qwen', undefined],
      ['codex', 42],
      ['claude', 57],
    ]);
    expect(outcome.metrics).toMatchObject({ input_tokens: 90, output_tokens: 9 });
  });

  it('starts nobody whom the limits leave nothing', async () => {
    const { status, agents } = await runWith({ codex: [noKey], claude: [claude.good] }, [
      '--agent',
      'codex,claude',
      '--max-tokens',
      '42',
    ]);
    expect(status).not.toBe(0);
    expect(agents.starts('claude')).toEqual([]);
  });

  it('waits for a limit in the copy in which the first began', async () => {
    const cwd = project();
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'one');
    const begun: Step = { ...noKey, files: { 'begun.txt': 'half\n' } };
    const { status, agents, outcome } = await runWith(
      { codex: [begun], claude: [claude.spent, { ...claude.good, files: { 'rest.txt': 'rest\n' } }] },
      [
        '--agent=codex,claude',
        '--on-limit=wait:5h',
        '--isolate=clone',
        '--max-tokens=9000',
        '--max-cost-usd=1',
        '--retries=1',
      ],
      { cwd },
    );
    expect(status).toBe(0);
    const places = [...agents.starts('codex'), ...agents.starts('claude')].map(({ cwd: place }) => place);
    expect(new Set(places).size).toBe(1);
    const { branches = [], start_branch_id: from } = outcome.lineage ?? {};
    const branch = branches.find(({ branch_id: id }) => id !== from)?.branch_id ?? '';
    expect(git('ls-tree', '--name-only', branch)).toMatch(/begun\.txt[^]*rest\.txt/);
  });

  it('ends with Ctrl-C while the second waits, and starts nobody more', async () => {
    const agents = scriptedAgents({ codex: [noKey], claude: [claude.spent, claude.good] });
    const ran = await live(
      ['run', '--to', 'runwire', '--wire', 'off', '--agent', 'codex,claude', '--on-limit', 'wait', 'Fix it'],
      {
        env: { ...agents.env, TZ: 'UTC' },
        watch: (child, stdout) => void (stdout.includes('"type":"run.paused"') && child.kill('SIGINT')),
      },
    );
    expect(ran.status).toBe(130);
    expect([agents.starts('codex').length, agents.starts('claude').length]).toEqual([1, 1]);
  });

  it('goes on with the agent that waited when its process was killed meanwhile', async () => {
    const agents = scriptedAgents({ codex: [noKey], claude: [claude.spent, claude.good] });
    const env = { ...agents.env, TZ: 'UTC' };
    const flags = ['--wire', 'off', '--agent', 'codex,claude', '--on-limit', 'wait'];
    const killed = await live(['run', '--to', 'runwire', ...flags, 'Fix it'], {
      env,
      watch: (child, stdout) => void (stdout.includes('"type":"run.paused"') && child.kill('SIGKILL')),
    });
    const paused = recordsIn(killed.stdout).find(({ type }) => type === 'run.paused');
    const until = paused?.type === 'run.paused' ? (paused.until_ms ?? 0) : 0;
    const ran = await inside(['runs', 'resume', 'last'], {
      env,
      clock: handClock(new Date(until - 60_000).toISOString()).clock,
    });
    expect(ran.status).toBe(0);
    expect(argsOf(agents, 'codex')).toHaveLength(1);
    expect(argsOf(agents, 'claude')).toHaveLength(2);
    expect(argsOf(agents, 'claude')[1]).toContain('claude-1');
    const shown = JSON.parse((await inside(['runs', 'show', 'last', '--json'], { env })).stdout) as RunRecord;
    expect(shown).toMatchObject({ status: 'success', agent: 'claude' });
  });
});
