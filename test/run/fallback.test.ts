import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { exitCodes } from '../../src/failure.ts';
import { onlyLooks } from '../../src/run/effects.ts';
import { inside, project } from '../cli/run/live.ts';
import { type Agents, codex, handClock, scriptedAgents, type Step } from '../support/scripted-agents.ts';

const noKey: Step = {
  lines: [...codex.began('session-1'), ...codex.failed('unexpected status 401 Unauthorized: invalid api key')],
  exit: 1,
};
const spent: Step = {
  lines: [...codex.began('session-1'), ...codex.failed("You've hit your usage limit. Try again in 3 hours.")],
  exit: 1,
};
const claude = {
  says: (text: string): Step => ({
    lines: [
      {
        type: 'system',
        subtype: 'init',
        session_id: 'claude-1',
        cwd: '/',
        tools: [],
        mcp_servers: [],
        model: 'claude-sonnet-4-5',
      },
      {
        type: 'assistant',
        session_id: 'claude-1',
        message: {
          id: 'm1',
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'text', text }],
          usage: { input_tokens: 50, output_tokens: 7 },
        },
      },
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: text,
        session_id: 'claude-1',
        num_turns: 1,
        total_cost_usd: 0.01,
        usage: { input_tokens: 50, output_tokens: 7 },
      },
    ],
  }),
};

async function runWith(
  scripts: Readonly<Record<string, readonly Step[]>>,
  flags: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
) {
  const agents = scriptedAgents(scripts);
  const { clock } = handClock('2026-11-18T14:30:00Z');
  const ran = await inside(['run', '--to', 'runwire', ...flags, 'Fix it'], {
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...agents.env, TZ: 'UTC', ...options.env },
    clock,
  });
  const records =
    ran.stdout.trim() === ''
      ? []
      : ran.stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as EventRecord);
  const last = records.at(-1);
  const outcome = (last?.type === 'thread.completed' ? last.final_report : {}) as unknown as RunOutcome;
  return { ...ran, records, outcome, agents };
}

const told = (agents: Agents, agent: string): string =>
  agents
    .starts(agent)
    .map(({ args, stdin }) => [...args, stdin].join('\n'))
    .join('\n');

describe('an agent that cannot go on', () => {
  it.each(['--agent=codex,claude', '--agent=codex --fallback=claude'])('is followed by another: %s', async (flags) => {
    const { status, outcome, records, agents } = await runWith(
      { codex: [noKey], claude: [claude.says('Done by Claude.')] },
      flags.split(' '),
    );
    expect(status).toBe(0);
    expect(outcome).toMatchObject({ status: 'success', message: 'Done by Claude.', session_id: 'claude-1' });
    expect(outcome.provenance.agent).toBe('claude');
    expect(outcome.agents).toMatchObject([
      { agent: 'codex', class: 'provider', code: 'auth' },
      { agent: 'claude', class: 'success', tokens_used: 57, cost: 0.01 },
    ]);
    expect(outcome.verdict.evidence).toContainEqual({
      signal: 'fallback',
      detail: expect.stringContaining('codex could not go on: provider: '),
    });
    expect(records.filter(({ type }) => type === 'thread.completed')).toHaveLength(1);
    // Nothing was done, so there is nothing to tell.
    expect(told(agents, 'claude')).toContain('Fix it');
    expect(told(agents, 'claude')).not.toContain('Another agent');
  });

  it('is followed by one with a model of its own, and without what was meant for the first', async () => {
    const { agents, outcome } = await runWith({ codex: [noKey], claude: [claude.says('ok')] }, [
      '--agent',
      'codex',
      '--model',
      'gpt-5',
      '--agent-arg=--search',
      '--fallback',
      'claude=opus',
    ]);
    expect(outcome.status).toBe('success');
    expect(told(agents, 'claude')).toContain('opus');
    expect(told(agents, 'claude')).not.toMatch(/gpt-5|--search/);
  });

  it('is followed by one that is told what was done, in the same private copy', async () => {
    const cwd = project();
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd });
    execFileSync('git', ['add', '.'], { cwd });
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one'], { cwd });
    const worked: Step = {
      files: { 'begun.txt': 'half\n' },
      lines: [
        ...codex.began('session-1'),
        {
          type: 'item.completed',
          item: {
            id: 'item_0',
            type: 'file_change',
            changes: [{ path: 'begun.txt', kind: 'add' }],
            status: 'completed',
          },
        },
        codex.says('I wrote half of it.', 'item_1'),
        ...codex.failed("You've hit your usage limit. Try again in 3 hours."),
      ],
      exit: 1,
    };
    const finish: Step = { ...claude.says('Finished.'), files: { 'rest.txt': 'rest\n' } };
    const { status, agents, outcome } = await runWith(
      { codex: [worked], claude: [finish] },
      ['--agent', 'codex,claude', '--isolate', 'clone'],
      { cwd },
    );
    expect(status).toBe(0);
    expect(told(agents, 'claude')).toMatch(/Another agent \(codex\)[^]*begun\.txt[^]*I wrote half of it\./);
    expect(agents.starts('claude')[0]?.cwd).toBe(agents.starts('codex')[0]?.cwd);
    const { branches = [], start_branch_id: from } = outcome.lineage ?? {};
    const branch = branches.find(({ branch_id }) => branch_id !== from)?.branch_id ?? '';
    const files = execFileSync('git', ['ls-tree', '--name-only', branch], { cwd, encoding: 'utf8' });
    expect(files).toContain('begun.txt');
    expect(files).toContain('rest.txt');
  });

  it('is not followed after work that cannot be undone, unless that was asked for', async () => {
    const acted: Step = {
      lines: [...codex.began('s'), ...codex.ran('npm publish'), ...codex.failed('503 Service Unavailable')],
      exit: 1,
    };
    const scripts = { codex: [acted], claude: [claude.says('ok')] };
    const { status, agents, outcome } = await runWith(scripts, ['--agent', 'codex,claude']);
    expect(status).not.toBe(0);
    expect(agents.starts('claude')).toEqual([]);
    expect(outcome.warnings.join('\n')).toContain('it ran npm publish; --fallback-after-work lets it');
    const after = await runWith(scripts, ['--agent', 'codex,claude', '--fallback-after-work']);
    expect(after.status).toBe(0);
    expect(told(after.agents, 'claude')).toContain('npm publish');
  });

  it('is not followed after an edit outside its private copy', async () => {
    const cwd = project();
    execFileSync('git', ['init', '-q', '-b', 'main'], { cwd });
    execFileSync('git', ['add', '.'], { cwd });
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one'], { cwd });
    const edits = (path: string): Step => ({
      lines: [
        ...codex.began('session-1'),
        {
          type: 'item.completed',
          item: { id: 'item_0', type: 'file_change', changes: [{ path, kind: 'update' }], status: 'completed' },
        },
        ...codex.failed('503 Service Unavailable'),
      ],
      exit: 1,
    });
    for (const path of [join(cwd, 'app.ts'), '../../elsewhere.txt']) {
      const { agents, outcome } = await runWith(
        { codex: [edits(path)], claude: [claude.says('ok')] },
        ['--agent', 'codex,claude', '--isolate', 'clone'],
        { cwd },
      );
      expect(agents.starts('claude')).toEqual([]);
      expect(outcome.warnings.join('\n')).toContain(`it edited ${path}`);
    }
  });

  it('is not followed after a sub-agent of whose work nobody knows', async () => {
    const [begun = {}] = claude.says('ok').lines;
    const task = (id: string, ...children: object[]): Step => ({
      lines: [
        begun,
        { type: 'assistant', message: { content: [{ type: 'tool_use', id, name: 'Task', input: { prompt: 'x' } }] } },
        ...children,
        { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] } },
      ],
      exit: 1,
    });
    const child = {
      type: 'assistant',
      parent_tool_use_id: 'toolu_2',
      message: { content: [{ type: 'tool_use', id: 'toolu_3', name: 'Read', input: { file_path: 'a' } }] },
    };
    const after = async (step: Step): Promise<number> => {
      const scripts = { claude: [step], codex: [{ lines: [...codex.began('s'), codex.says('ok'), codex.done(1, 1)] }] };
      return (await runWith(scripts, ['--agent', 'claude,codex'])).agents.starts('codex').length;
    };
    expect(await after(task('toolu_1'))).toBe(0);
    expect(await after(task('toolu_2', child))).toBe(1);
  });

  it('that is not installed is followed by the next', async () => {
    const { status, outcome } = await runWith({ claude: [claude.says('ok')] }, ['--agent', 'qwen,claude']);
    expect(status).toBe(0);
    expect(outcome.agents).toMatchObject([
      { agent: 'qwen', class: 'config' },
      { agent: 'claude', class: 'success' },
    ]);
  });

  it('whose followers cannot either ends with the exit code of the last, and all are named', async () => {
    const { status, outcome } = await runWith(
      { codex: [noKey], claude: [{ lines: [], stderr: 'API Error: 529 Overloaded\n', exit: 1 }] },
      ['--agent', 'codex,claude,qwen,codex'],
    );
    expect(outcome.agents?.map(({ agent }) => agent)).toEqual(['codex', 'claude', 'qwen', 'codex']);
    expect(outcome.verdict.class).toBe('provider');
    expect(status).toBe(exitCodes.provider);
  });

  it('of a limit is followed by another before anything is waited for', async () => {
    const { status, outcome, agents } = await runWith({ codex: [spent], claude: [claude.says('ok')] }, [
      '--agent',
      'codex,claude',
      '--on-limit',
      'wait',
    ]);
    expect(status).toBe(0);
    expect(outcome.metrics.waited_ms).toBeUndefined();
    expect(agents.starts('codex')).toHaveLength(1);
  });

  it('that failed at its task is not followed', async () => {
    const { status, agents } = await runWith(
      { codex: [{ lines: [...codex.began('s'), codex.says('Done.'), codex.done(5, 5)] }], claude: [claude.says('ok')] },
      ['--agent', 'codex,claude', '--expect', 'answer contains NEVER'],
    );
    expect(status).toBe(9);
    expect(agents.starts('claude')).toEqual([]);
  });

  it('has followers whose names are known before anything starts', async () => {
    const { status, stderr, agents } = await runWith({ codex: [noKey] }, ['--agent', 'codex', '--fallback', 'cluade']);
    expect(status).toBe(exitCodes.config);
    expect(stderr).toContain('cluade');
    expect(agents.starts('codex')).toEqual([]);
    // Nobody begins, whoever of them could.
    const last = await runWith({ claude: [claude.says('ok')] }, ['--agent', 'qwen,cluade,claude']);
    expect(last.status).toBe(exitCodes.config);
    expect(last.stderr).not.toMatch(/falling back|config: config/);
    expect(last.agents.starts('claude')).toEqual([]);
  });

  it.each(['codex,,claude', ',claude', 'codex,'])('is not followed by nobody: --agent %s', async (names) => {
    const { status, stderr } = await runWith({ codex: [noKey] }, ['--agent', names]);
    expect(status).toBe(exitCodes.input);
    expect(stderr).toContain(`--agent ${names}: expected names`);
  });
});

it.each([
  ['ls -la', true],
  ['git status --short', true],
  ["bash -lc 'cat package.json'", true],
  ['rg TODO src', true],
  ['git push', false],
  ['git -c alias.status=!sh status', false],
  ['git diff --output=x', false],
  ['cat a > b', false],
  ['ls && rm -rf x', false],
  ["bash -lc 'npm test'", false],
  ['rg --pre=evil x', false],
  ['sort -o out in', false],
  ['tree -oout.txt', false],
  ['tree -aofile', false],
  ['uniq in out', false],
  ['date -s 12:00', false],
  ['rg --hostname-bin=./evil x', false],
  ['ls --color -l', true],
  ['grep -no x a', true],
  ['', false],
])('%s only looks: %s', (command, looks) => expect(onlyLooks(command)).toBe(looks));
