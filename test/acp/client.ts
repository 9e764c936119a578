import { parseArgs } from 'node:util';
import {
  client,
  type ClientContext,
  type ContentBlock,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { expect } from 'vitest';
import { serveAcp } from '../../src/cli/acp/start.ts';
import { runOptions, type RunValues } from '../../src/cli/run/options.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { outside } from '../cli/run/scripted.ts';
import { faultsOf } from '../support/acp/schema.ts';
import { linesOf } from '../support/pipeline.ts';

export interface Editor {
  agent: ClientContext;
  updates: SessionNotification[];
  asked: RequestPermissionRequest[];
  /** Bytes for the agent, as they are. */
  write(text: string): void;
  /** Lines of the agent, as they are. */
  lines(): JsonObject[];
  cwd: string;
  stderr(): string;
}

interface Given {
  cwd?: string;
  env?: Record<string, string>;
  command?: readonly string[];
  /** What the person at the editor says. */
  allows?: (request: RequestPermissionRequest) => boolean;
}

/** `runwire acp`, with the protocol's own client at the other end; all that it sends is valid by the protocol's own schema. */
export async function withEditor(
  args: readonly string[],
  given: Given,
  use: (editor: Editor) => Promise<void>,
): Promise<void> {
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const toEditor = new TransformStream<Uint8Array, Uint8Array>();
  const input = toAgent.writable.getWriter();
  const output = toEditor.writable.getWriter();
  let sent = '';
  const heard: JsonObject[] = [];
  const { context, told, cwd } = outside({
    cwd: given.cwd ?? process.cwd(),
    env: { PATH: process.env['PATH'] ?? '', ...given.env },
    async print(text) {
      const whole = typeof text === 'string' ? text : text.join('');
      sent += whole;
      await output.write(new TextEncoder().encode(whole));
    },
  });
  const { values } = parseArgs({ args: [...args], options: runOptions, strict: true });
  const stdin = toAgent.readable as unknown as AsyncIterable<Uint8Array>;
  const serving = serveAcp(values as RunValues, given.command, { ...context, stdin });
  const editorStream = new WritableStream<Uint8Array>({
    async write(chunk) {
      heard.push(...linesOf(new TextDecoder().decode(chunk)));
      await input.write(chunk);
    },
  });
  const [updates, asked]: [SessionNotification[], RequestPermissionRequest[]] = [[], []];
  const app = client({ name: 'editor' })
    .onNotification('session/update', ({ params }) => void updates.push(params))
    .onRequest('session/request_permission', ({ params }) => {
      asked.push(params);
      const optionId = (given.allows ?? (() => false))(params) ? 'allow' : 'reject';
      return { outcome: { outcome: 'selected', optionId } };
    });
  try {
    await app.connectWith(ndJsonStream(editorStream, toEditor.readable), (agent) =>
      use({
        agent,
        updates,
        asked,
        write: (text) => void input.write(new TextEncoder().encode(text)),
        lines: () => linesOf(sent),
        cwd,
        stderr: () => told.stderr,
      }),
    );
  } finally {
    await input.close().catch(() => {});
    expect(await serving).toBe(0);
  }
  const methods = new Map(heard.flatMap(({ id, method }) => (method === undefined ? [] : [[id, method]])));
  expect(linesOf(sent).flatMap((line) => faultsOf(line, String(methods.get(line.id))))).toEqual([]);
}

export const initialize = { protocolVersion: 1, clientCapabilities: {} };
export const text = (words: string): ContentBlock[] => [{ type: 'text', text: words }];

/** Words of the agent. */
export function said(updates: readonly { update: SessionUpdate }[]): string {
  return updates
    .flatMap(({ update }) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? [update.content.text] : [],
    )
    .join('');
}
