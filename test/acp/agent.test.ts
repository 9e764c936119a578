import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type McpServer, RequestError } from '@agentclientprotocol/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { folder } from '../cli/run/scripted.ts';
import { modelAt, project, serve, twoTurns } from '../cli/run/live.ts';
import { startModelServer, type TurnInput } from '../support/model-server/index.ts';
import { initialize, said, text, withEditor } from './client.ts';

const usage = { input: 10, output: 10 };
const bash = (command: string): TurnInput => ({ calls: [{ name: 'bash', args: { command } }], usage });
const say = (words: string): TurnInput => ({ text: words, usage });
const fake = join(import.meta.dirname, '..', 'support', 'acp', 'fake-agent.ts');

/** A model that tells what it was asked. */
async function listening(...answers: TurnInput[]) {
  const heard: string[] = [];
  const server = await startModelServer({
    turns: (request) => {
      heard.push(JSON.stringify(request));
      return answers[heard.length - 1] ?? say('');
    },
  });
  onTestFinished(() => server.close());
  return { heard, server };
}

const outcomeIn = (meta: unknown): RunOutcome => (meta as { runwire: { outcome: RunOutcome } }).runwire.outcome;

describe('an editor', () => {
  it('has a run for each prompt, told while it happens, with its outcome', async () => {
    const server = await serve(twoTurns);
    const cwd = project();
    await withEditor([...modelAt(server), '--ledger', 'none'], { cwd }, async ({ agent, updates, asked }) => {
      const hello = await agent.request('initialize', initialize);
      expect(hello).toMatchObject({
        protocolVersion: 1,
        agentInfo: { name: 'runwire' },
        agentCapabilities: { loadSession: true },
      });
      const { sessionId, modes } = await agent.request('session/new', { cwd, mcpServers: [] });
      expect(modes?.availableModes.map(({ id }) => id)).toEqual(['read-only', 'edit', 'full']);
      const { stopReason, _meta } = await agent.request('session/prompt', { sessionId, prompt: text('Do it') });
      expect(stopReason).toBe('end_turn');
      expect(outcomeIn(_meta)).toMatchObject({
        verdict: { class: 'success' },
        message: 'All\ndone ✓',
        metrics: { input_tokens: 2100 },
      });
      expect(said(updates)).toBe('I look at both.All\ndone ✓');
      const calls = updates.flatMap(({ update }) => (update.sessionUpdate === 'tool_call' ? [update] : []));
      expect(calls).toMatchObject([
        { title: 'read a.txt', kind: 'read', locations: [{ path: join(cwd, 'a.txt') }] },
        { title: 'write b.txt', kind: 'edit' },
      ]);
      const diff = updates.flatMap(({ update }) =>
        update.sessionUpdate === 'tool_call_update' ? (update.content ?? []) : [],
      );
      expect(diff).toContainEqual(
        expect.objectContaining({ type: 'diff', path: join(cwd, 'b.txt'), newText: 'new\n' }),
      );
      expect(asked).toEqual([]);
      expect(readFileSync(join(cwd, 'b.txt'), 'utf8')).toBe('new\n');
    });
  });

  it('has its runs recorded where the flags say', async () => {
    const server = await serve([say('Done.')]);
    const cwd = project();
    await withEditor([...modelAt(server), '--ledger', 'none', '--otel', 'spans.jsonl'], { cwd }, async ({ agent }) => {
      await agent.request('initialize', initialize);
      const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
      await agent.request('session/prompt', { sessionId, prompt: text('Do it') });
    });
    expect(readFileSync(join(cwd, 'spans.jsonl'), 'utf8')).toContain('"resourceSpans"');
    const lost = withEditor([...modelAt(server), '--ledger', 'none', '--tapes', 'elsewhere'], { cwd }, async () => {});
    await expect(lost).rejects.toThrow('invalid place for tapes');
  });

  it('is asked what nothing allows, and not what a rule denies', async () => {
    const server = await serve([bash('touch yes'), bash('touch no'), bash('rm a.txt'), say('Done.')]);
    const cwd = project();
    const allows = ({ toolCall }: { toolCall: { title?: string | null } }): boolean =>
      toolCall.title === 'bash touch yes';
    await withEditor(
      [...modelAt(server), '--deny', 'bash(rm:*)', '--ledger', 'none'],
      { cwd, allows },
      async ({ agent, asked }) => {
        await agent.request('initialize', initialize);
        const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
        const { _meta } = await agent.request('session/prompt', { sessionId, prompt: text('Do it') });
        expect(asked.map(({ toolCall }) => toolCall.title)).toEqual(['bash touch yes', 'bash touch no']);
        expect([existsSync(join(cwd, 'yes')), existsSync(join(cwd, 'no'))]).toEqual([true, false]);
        expect(outcomeIn(_meta).tool_calls.map(({ status, reason }) => reason ?? status)).toEqual([
          'completed',
          'denied',
          'denied',
        ]);
      },
    );
  });

  it('chooses the mode, and is not asked in mode full', async () => {
    const server = await serve([bash('touch x'), say('Done.')]);
    const cwd = project();
    await withEditor([...modelAt(server), '--ledger', 'none'], { cwd }, async ({ agent, asked }) => {
      await agent.request('initialize', initialize);
      const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
      await agent.request('session/set_mode', { sessionId, modeId: 'full' });
      await agent.request('session/prompt', { sessionId, prompt: text('Do it') });
      expect([asked, existsSync(join(cwd, 'x'))]).toEqual([[], true]);
      await expect(agent.request('session/set_mode', { sessionId, modeId: 'yolo' })).rejects.toThrow(RequestError);
    });
  });

  it('cancels one session while another goes on', async () => {
    const server = await serve([{ text: 'Slow words', fault: { type: 'stall', after: 1 } }]);
    const other = await serve([say('Fast.')]);
    const cwd = project();
    await withEditor([...modelAt(server), '--ledger', 'none'], { cwd }, async ({ agent, updates }) => {
      await agent.request('initialize', initialize);
      const [one, two] = await Promise.all([1, 2].map(() => agent.request('session/new', { cwd, mcpServers: [] })));
      const first = agent.request('session/prompt', { sessionId: one?.sessionId ?? '', prompt: text('Slow') });
      await expect.poll(() => updates.length).toBeGreaterThan(2);
      await expect(
        agent.request('session/prompt', { sessionId: one?.sessionId ?? '', prompt: text('Again') }),
      ).rejects.toThrow('still being worked on');
      expect(two?.sessionId).not.toBe(one?.sessionId);
      await agent.notify('session/cancel', { sessionId: one?.sessionId ?? '' });
      const { stopReason, _meta } = await first;
      expect([stopReason, outcomeIn(_meta).verdict.class]).toEqual(['cancelled', 'cancelled']);
    });
    await withEditor([...modelAt(other), '--ledger', 'none'], { cwd }, async ({ agent, updates }) => {
      const sessions = await Promise.all([1, 2].map(() => agent.request('session/new', { cwd, mcpServers: [] })));
      await agent.request('session/prompt', { sessionId: sessions[1]?.sessionId ?? '', prompt: text('Fast') });
      expect(new Set(updates.map(({ sessionId }) => sessionId))).toEqual(new Set([sessions[1]?.sessionId]));
    });
  });

  it('is told of a failure by an error, and of a limit by its reason', async () => {
    const server = await serve([{ fault: { status: 401 } }]);
    const cwd = project();
    await withEditor([...modelAt(server), '--ledger', 'none'], { cwd }, async ({ agent }) => {
      const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
      const error: unknown = await agent
        .request('session/prompt', { sessionId, prompt: text('Do it') })
        .catch((each: unknown) => each);
      expect(error).toMatchObject({
        code: -32000,
        data: { runwire: { outcome: { verdict: { class: 'provider', code: 'auth' } } } },
      });
    });
    const endless = await serve([bash('true'), bash('true'), bash('true')]);
    await withEditor(
      [...modelAt(endless), '--max-turns', '1', '--allow', 'bash(true)', '--ledger', 'none'],
      { cwd },
      async ({ agent }) => {
        const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
        const { stopReason, _meta } = await agent.request('session/prompt', { sessionId, prompt: text('Do it') });
        expect([stopReason, outcomeIn(_meta).verdict.exit_code]).toEqual(['max_turn_requests', 6]);
      },
    );
  });

  it('goes on with a session, in this process and in the next', async () => {
    const { heard, server } = await listening(say('First.'), say('Second.'), say('Third.'));
    const cwd = project();
    const env = { HOME: folder() };
    const ledger = join(folder(), 'ledger.sqlite');
    const args = [...modelAt(server), '--ledger', ledger];
    let sessionId = '';
    await withEditor(args, { cwd, env }, async ({ agent }) => {
      await expect(agent.request('session/load', { sessionId: 'none-such', cwd, mcpServers: [] })).rejects.toThrow(
        'no such session',
      );
      expect(existsSync(ledger)).toBe(false);
      ({ sessionId } = await agent.request('session/new', { cwd, mcpServers: [] }));
      await agent.request('session/prompt', { sessionId, prompt: text('One') });
      await agent.request('session/prompt', { sessionId, prompt: text('Two') });
    });
    await withEditor(args, { cwd, env }, async ({ agent, updates }) => {
      await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
      expect(said(updates)).toBe('First.Second.');
      expect(
        updates.flatMap(({ update }) => (update.sessionUpdate === 'user_message_chunk' ? [update.content] : [])),
      ).toEqual([...text('One'), ...text('Two')]);
      await agent.request('session/prompt', { sessionId, prompt: text('Three') });
      expect(said(updates)).toBe('First.Second.Third.');
      await expect(agent.request('session/load', { sessionId: 'none-such', cwd, mcpServers: [] })).rejects.toThrow(
        'no such session',
      );
    });
    for (const words of ['One', 'First.', 'Two', 'Second.', 'Three']) expect(heard.at(-1)).toContain(words);
  });

  it('reaches an agent of ACP through us, and answers what it asks', async () => {
    const cwd = project();
    const allows = ({ toolCall }: { toolCall: { title?: string | null } }): boolean =>
      toolCall.title?.endsWith('ls') === true;
    const command = [process.execPath, fake, 'permission'];
    await withEditor(['--agent', 'acp', '--ledger', 'none'], { cwd, command, allows }, async ({ agent, updates }) => {
      const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [] });
      const { _meta } = await agent.request('session/prompt', { sessionId, prompt: text('execute:ls\nexecute:rm') });
      expect(said(updates)).toBe('execute:ls yes\nexecute:rm no');
      expect(outcomeIn(_meta).provenance).toMatchObject({ agent: 'fake-agent', dialect: 'acp' });
    });
  });

  it('that says anything at all gets an answer, and breaks nothing', async () => {
    const { heard, server } = await listening(say('Hello.'));
    const cwd = project();
    await withEditor(
      [...modelAt(server), '--ledger', 'none'],
      { cwd },
      async ({ agent, write, lines, updates, stderr }) => {
        const refused = async (method: string, params: object): Promise<number> =>
          agent.request(method, params).then(
            () => 0,
            (error: unknown) => (error instanceof RequestError ? error.code : 1),
          );
        write(
          'not json\n\n[]\n{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0","id":[],"method":"initialize"}\n{"id":5,"result":{}}\n',
        );
        expect(await refused('session/new', { cwd: 'relative', mcpServers: [] })).toBe(-32602);
        expect(await refused('session/new', { cwd: '/no/such/folder', mcpServers: [] })).toBe(-32602);
        expect(await refused('session/new', { cwd: 5, mcpServers: [] })).toBe(-32602);
        expect(await refused('session/prompt', { sessionId: 'x', prompt: text('Hi') })).toBe(-32602);
        expect(await refused('session/fork', {})).toBe(-32601);
        const server1: McpServer = { name: 's', command: 'x', args: [], env: [] };
        const { sessionId } = await agent.request('session/new', { cwd, mcpServers: [server1] });
        expect(stderr()).toContain("the editor's 1 MCP server cannot be passed on");
        expect(await refused('session/prompt', { sessionId, prompt: [] })).toBe(-32602);
        expect(
          await refused('session/prompt', { sessionId, prompt: [{ type: 'image', data: '', mimeType: 'image/png' }] }),
        ).toBe(-32602);
        await agent.notify('session/cancel', { sessionId });
        await agent.request('session/prompt', {
          sessionId,
          prompt: [
            ...text('Look'),
            { type: 'resource_link', name: 'a.txt', uri: `file://${cwd}/a.txt` },
            { type: 'resource', resource: { uri: 'x', text: 'inside' } },
          ],
        });
        expect(said(updates)).toBe('Hello.');
        expect(heard[0]).toContain('inside');
        expect(lines().filter(({ id, error }) => id === null && error !== undefined)).toHaveLength(4);
      },
    );
  });
});
