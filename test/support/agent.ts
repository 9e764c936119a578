import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { agentWith, type AgentOptions, type RunAgent } from '../../src/builtin/agent.ts';
import type { Tool, ToolResult } from '../../src/builtin/tools/tool.ts';
import type { AgentEvent, EventOf, EventType } from '../../src/events/event.ts';
import { AgentEvent as EventSchema } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import type { Price } from '../../src/outcome/price.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import type { FormatId, ModelServer } from './model-server/index.ts';
import { eventOf } from './records.ts';

export interface Provider {
  format: FormatId;
  model: string;
  /** The variable that holds its key. */
  variable: string;
}

export const providers: readonly Provider[] = [
  { format: 'chat', model: 'openai-compatible/gpt-5', variable: 'RUNWIRE_API_KEY' },
  { format: 'responses', model: 'openai/gpt-5', variable: 'OPENAI_API_KEY' },
  { format: 'anthropic', model: 'anthropic/claude-sonnet-4-5', variable: 'ANTHROPIC_API_KEY' },
  { format: 'gemini', model: 'google/gemini-3-pro-preview', variable: 'GEMINI_API_KEY' },
];

function define<Input>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

const until = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => void signal.addEventListener('abort', () => resolve(), { once: true }));

/** Small tools whose behaviour a test can foresee. */
const tools: readonly Tool[] = [
  define({
    name: 'echo',
    kind: 'read',
    description: 'Says what it is told.',
    input: z.strictObject({ text: z.string() }),
    need: ({ text }) => ({ access: 'read', subject: text }),
    run: ({ text }, { itemId, emit }) => {
      emit({ type: 'item.output', item_id: itemId, stream: 'stdout', chunk: text });
      return Promise.resolve<ToolResult>({ status: 'success', output: `echo: ${text}` });
    },
  }),
  define({
    name: 'fail',
    kind: 'command',
    description: 'Fails, or throws.',
    input: z.strictObject({ throws: z.boolean().optional() }),
    need: () => ({ access: 'execute', subject: 'false' }),
    run: async ({ throws }) => {
      if (throws === true) throw new Error('it broke');
      return { status: 'error', output: 'no luck', exit_code: 1 };
    },
  }),
  define({
    name: 'note',
    kind: 'file_edit',
    description: 'Writes after a while.',
    input: z.strictObject({ text: z.string(), ms: z.number() }),
    need: ({ text }) => ({ access: 'write', subject: text }),
    run: async ({ text, ms }, { itemId, emit }) => {
      await sleep(ms);
      emit({ type: 'file.edited', path: text, operation: 'created', item_id: itemId });
      return { status: 'success', output: `noted ${text}` };
    },
  }),
  define({
    name: 'wait',
    kind: 'command',
    description: 'Waits until it is stopped.',
    input: z.strictObject({}),
    need: () => ({ access: 'execute', subject: 'sleep' }),
    run: async (_, { signal }) => {
      await until(signal);
      return { status: 'error', output: 'stopped' };
    },
  }),
];

export interface Run {
  events: AgentEvent[];
  outcome: RunOutcome;
  /** Every event of these types, in order. */
  of<Type extends EventType>(type: Type): EventOf<Type>[];
  sessionId: string;
}

const smallAgent = agentWith(() =>
  Promise.resolve({
    tools,
    decide: (rules, tool) =>
      rules.deny.includes(tool)
        ? { allowed: false, reason: `${tool} is not allowed` }
        : { allowed: true, reason: 'allowed' },
    close: () => Promise.resolve(),
  }),
);

const folders: string[] = [];
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-agent-'));
  folders.push(folder);
  return folder;
}
export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface RunInput extends Partial<AgentOptions> {
  /** Absent: the agent with the small tools. */
  agent?: RunAgent;
  provider?: Provider | undefined;
  server?: ModelServer;
  priceTable?: Price;
  /** Hears every event as it is told. */
  onEvent?: (event: AgentEvent) => void;
}

/** Runs the agent and judges it like any run. Every event is checked against its schema. */
export async function runAgent({
  agent = smallAgent,
  provider,
  server,
  priceTable,
  onEvent,
  ...given
}: RunInput): Promise<Run> {
  const cwd = given.cwd ?? temporaryFolder();
  const events: AgentEvent[] = [];
  const thread = new Thread({
    onRecord: (record) => {
      const event = eventOf(record);
      if (record.synthetic) throw new Error(`the agent left ${event.type} to the repair`);
      events.push(EventSchema.parse(event));
      onEvent?.(event);
    },
  });
  const env = {
    HOME: cwd,
    XDG_STATE_HOME: join(cwd, 'state'),
    ...(provider === undefined ? {} : { [provider.variable]: 'test-key' }),
    ...given.env,
  };
  await agent(
    {
      prompt: 'go',
      model: provider?.model ?? 'openai/gpt-5',
      signal: new AbortController().signal,
      permissions: { mode: 'full', allow: [], deny: [], directories: [] },
      ...(provider === undefined || server === undefined ? {} : { baseUrl: server.baseUrl(provider.format) }),
      retryDelayMs: 1,
      ...given,
      cwd,
      env,
    },
    (draft) => thread.emit(draft),
  );
  const outcome = thread.end('runwire', undefined, priceTable);
  const of = <Type extends EventType>(type: Type): EventOf<Type>[] =>
    events.filter((event): event is EventOf<Type> => event.type === type);
  return { events, outcome, of, sessionId: of('thread.started')[0]?.session_id ?? '' };
}
