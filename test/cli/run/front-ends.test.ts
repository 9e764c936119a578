import { HttpAgent } from '@ag-ui/client';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { runwire } from '../../support/command.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const bin = mkdtempSync(join(tmpdir(), 'runwire-front-ends-'));
const recording = join(root, 'examples', 'codex-run.jsonl');
writeFileSync(
  join(bin, 'runwire'),
  `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin', 'runwire.js')}' "$@"\n`,
);
chmodSync(join(bin, 'runwire'), 0o755);
vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH']}`);
vi.stubEnv('XDG_STATE_HOME', join(bin, 'state'));
vi.stubEnv('RUNWIRE_FLAGS', `-- cat ${recording}`);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(bin, { recursive: true, force: true });
});

type Handler = { POST: (request: Request) => Promise<Response> };
const serving =
  ({ POST }: Handler) =>
  (_url: unknown, init?: RequestInit): Promise<Response> =>
    POST(new Request('http://127.0.0.1/', init));

it('a route of Next.js: useChat gets the answer of an agent', async () => {
  const route = (await import('../../../examples/front-ends/next-route.ts')) as Handler;
  const transport = new DefaultChatTransport<UIMessage>({ fetch: serving(route) as typeof fetch });
  const asked: UIMessage = { id: '1', role: 'user', parts: [{ type: 'text', text: 'Say BRAVO.' }] };
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'c',
    messageId: undefined,
    messages: [asked],
    abortSignal: undefined,
  });
  let message: UIMessage | undefined;
  for await (const each of readUIMessageStream({ stream })) message = each;
  expect(message?.parts.findLast(({ type }) => type === 'text')).toMatchObject({
    text: expect.stringContaining('BRAVO'),
    state: 'done',
  });
  expect(message?.parts.filter(({ type }) => type === 'dynamic-tool').length).toBeGreaterThan(0);
  expect(message?.metadata).toMatchObject({ agent: 'codex', verdict: { class: 'success' } });
});

it('an endpoint of AG-UI: a client gets the messages of an agent', async () => {
  const endpoint = (await import('../../../examples/front-ends/ag-ui-endpoint.ts')) as Handler;
  const agent = new HttpAgent({ url: 'http://127.0.0.1/', fetch: serving(endpoint) as typeof fetch });
  agent.addMessage({ id: '1', role: 'user', content: 'Say BRAVO.' });
  const { newMessages } = await agent.runAgent();
  expect(newMessages.findLast(({ role }) => role === 'assistant')).toMatchObject({
    content: expect.stringContaining('BRAVO'),
  });
  expect(newMessages.filter(({ role }) => role === 'tool').length).toBeGreaterThan(0);
});

it('names what can only be written, and checks it', async () => {
  const [refused, written] = await Promise.all([
    runwire(['convert', '--from', 'ag-ui', recording]),
    runwire(['convert', '--to', 'ai-sdk-ui', '--notes', 'none', recording]),
  ]);
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining('ag-ui can be written but not read') });
  const checked = await runwire(['validate', '--from', 'ai-sdk-ui'], { stdin: written.stdout });
  expect(checked).toMatchObject({ status: 0, stdout: '', stderr: expect.stringContaining('0 problems') });
});
