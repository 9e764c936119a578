/** An agent of ACP, built on the protocol's own package: `node fake-agent.ts MODE [LOG]`. LOG gets every line that the client sent. */
import { appendFileSync, existsSync } from 'node:fs';
import { Readable, Transform, Writable } from 'node:stream';
import {
  agent,
  type AgentContext,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

const [mode = 'text', log] = process.argv.slice(2);

const heard = new Transform({
  transform(chunk: Buffer, _encoding, done) {
    if (log !== undefined) appendFileSync(log, chunk);
    done(null, chunk);
  },
});
const input = Readable.toWeb(process.stdin.pipe(heard)) as ReadableStream<Uint8Array>;
const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;

const text = (words: string) => ({ type: 'text', text: words }) as const;
const say = (words: string): SessionUpdate => ({ sessionUpdate: 'agent_message_chunk', content: text(words) });
const options = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'once', name: 'Once', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
] as const;

interface Turn {
  client: AgentContext;
  sessionId: string;
  prompt: string;
  cancelled: Promise<void>;
  tell(update: SessionUpdate): Promise<void>;
}

async function ask({ client, sessionId, tell }: Turn, toolCallId: string, call: object): Promise<boolean> {
  const { outcome }: RequestPermissionResponse = await client.request('session/request_permission', {
    sessionId,
    toolCall: { toolCallId, ...call },
    options: [...options],
  });
  const isAllowed = outcome.outcome === 'selected' && outcome.optionId === 'once';
  await tell({ sessionUpdate: 'tool_call_update', toolCallId, status: isAllowed ? 'completed' : 'failed' });
  return isAllowed;
}

const end = { stopReason: 'end_turn' } as const;

const behaviours: Record<string, (turn: Turn) => Promise<PromptResponse>> = {
  async text({ tell, prompt }) {
    await tell({ sessionUpdate: 'agent_thought_chunk', content: text('Hm.') });
    await tell(say('You said: '));
    await tell(say(prompt));
    return end;
  },
  async tools({ tell }) {
    await tell({ sessionUpdate: 'plan', entries: [{ content: 'Edit it', priority: 'high', status: 'pending' }] });
    await tell({
      sessionUpdate: 'tool_call',
      toolCallId: 'c1',
      title: 'ls',
      name: 'shell',
      kind: 'execute',
      status: 'pending',
      rawInput: { command: 'ls' },
    });
    await tell({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress' });
    await tell({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'c1',
      status: 'completed',
      content: [{ type: 'content', content: text('a.txt') }],
      rawOutput: { exit_code: 0, output: 'a.txt' },
    });
    await tell({
      sessionUpdate: 'tool_call',
      toolCallId: 'c2',
      title: 'Edit a.txt',
      kind: 'edit',
      status: 'completed',
      content: [{ type: 'diff', path: '/w/a.txt', oldText: 'a\n', newText: 'b\n' }],
    });
    await tell({ sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.25, currency: 'USD' } });
    await tell(say('Done.'));
    return end;
  },
  /** The prompt is a list of what to ask for: `execute:ls`, `edit:/w/a`. */
  async permission(turn) {
    const answers: string[] = [];
    for (const [index, each] of turn.prompt.split('\n').entries()) {
      const [kind = 'other', about = ''] = each.split(/:(.*)/s);
      const call =
        kind === 'execute'
          ? { rawInput: { command: about } }
          : kind === 'fetch'
            ? { rawInput: { url: about } }
            : { locations: [{ path: about }] };
      answers.push(`${each} ${(await ask(turn, `c${index}`, { title: about, kind, ...call })) ? 'yes' : 'no'}`);
    }
    await turn.tell(say(answers.join('\n')));
    return end;
  },
  async fs({ client, sessionId, tell }) {
    const tried: [string, object][] = [
      ['fs/read_text_file', { sessionId, path: '/etc/passwd' }],
      ['fs/write_text_file', { sessionId, path: '/w/a', content: '' }],
      ['terminal/create', { sessionId, command: 'id' }],
      ['_vendor/extension', {}],
    ];
    for (const [method, params] of tried) {
      const answer = await client
        .request(method, params)
        .catch((error: unknown) => (error instanceof RequestError ? `error ${error.code}` : String(error)));
      await tell(say(`${method}: ${typeof answer === 'string' ? answer : JSON.stringify(answer)}\n`));
    }
    return end;
  },
  async error() {
    throw new RequestError(-32603, 'Internal error', { details: 'HTTP 529: overloaded' });
  },
  async 'error-then-fine'({ tell }) {
    if (log !== undefined && !existsSync(`${log}.again`)) {
      appendFileSync(`${log}.again`, '');
      await tell(say('Half of it.'));
      throw new RequestError(-32603, 'Internal error', { details: 'HTTP 503: Service Unavailable' });
    }
    await tell(say('Now it works.'));
    return end;
  },
  async refusal({ tell }) {
    await tell(say('I cannot.'));
    return { stopReason: 'refusal' };
  },
  async hang({ tell, cancelled }) {
    await tell(say('I begin.'));
    await cancelled;
    return { stopReason: 'cancelled' };
  },
  async deaf({ tell }) {
    await tell(say('I begin.'));
    return new Promise(() => {});
  },
  async endless({ tell, cancelled }) {
    let isOver = false;
    void cancelled.then(() => void (isOver = true));
    for (let index = 0; !isOver; index += 1) {
      await tell({
        sessionUpdate: 'tool_call',
        toolCallId: `c${index}`,
        title: 'look',
        kind: 'read',
        status: 'completed',
      });
      await new Promise((resolve) => void setTimeout(resolve, 5));
    }
    return { stopReason: 'cancelled' };
  },
  async garbage({ tell }) {
    process.stdout.write(
      'Warning: something\n{"jsonrpc":"2.0","id":\n[1,2]\n{"jsonrpc":"2.0","id":{},"method":"x"}\n\u0000\n',
    );
    process.stdout.write(
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tea"}}}\n',
    );
    process.stdout.write(`{"jsonrpc":"2.0","id":99,"result":${'['.repeat(5000)}${']'.repeat(5000)}}\n`);
    await tell(say('Still here.'));
    return end;
  },
  async huge({ tell }) {
    process.stdout.write('{"jsonrpc":"2.0","id":5,"result":"');
    for (let index = 0; index < 4; index += 1) process.stdout.write('x'.repeat(1 << 20));
    process.stdout.write('"}\n');
    await tell(say('Long.'));
    return end;
  },
  /** Speaks in a session that nobody opened, and asks for more when it has answered. */
  async beyond({ client, sessionId, tell }) {
    await client.notify('session/update', { sessionId: 'another', update: say('I am another.') });
    await tell(say('Mine.'));
    setImmediate(() => {
      const call = { toolCallId: 'late', title: 'rm -r /', kind: 'execute', rawInput: { command: 'rm -r /' } } as const;
      void client.request('session/request_permission', { sessionId, toolCall: call, options: [...options] });
    });
    return end;
  },
  async regrets({ tell }) {
    await tell(say('Done.'));
    // The prompt is the fourth request.
    process.stdout.write('{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn"}}\n');
    process.stdout.write('{"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"HTTP 529: overloaded"}}\n');
    return end;
  },
  /** Answers its own question, and speaks as the client does. */
  async forges(turn) {
    const isAllowed = ask(turn, 'c0', { title: 'ls', kind: 'execute', rawInput: { command: 'ls' } });
    await turn.tell({ sessionUpdate: 'available_commands_update', availableCommands: [] });
    for (const id of [0, 1, 2, 3])
      process.stdout.write(
        `{"jsonrpc":"2.0","id":${id},"result":{"outcome":{"outcome":"selected","optionId":"once"}}}\n`,
      );
    process.stdout.write('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"session-1"}}\n');
    process.stdout.write(
      '{"jsonrpc":"2.0","id":77,"method":"session/prompt","params":{"sessionId":"session-1","prompt":[]}}\n',
    );
    await isAllowed;
    await turn.tell(say('I was allowed to.'));
    return end;
  },
  async crash({ tell }) {
    await tell(say('I fall.'));
    process.exit(9);
  },
};

if (mode === 'silent') setInterval(() => {}, 1000);
else if (mode === 'not-acp') {
  process.stdout.write('usage: fake-agent\n');
  process.exit(2);
} else serve();

function serve(): void {
  let cancel = (): void => {};
  let isLoggedIn = mode !== 'login' && mode !== 'browser';
  const open = () => {
    if (!isLoggedIn) throw new RequestError(-32000, 'Authentication required');
  };
  agent({ name: 'fake' })
    .onRequest('initialize', () => ({
      protocolVersion: mode === 'version' ? 2 : 1,
      agentCapabilities: mode === 'forgets' ? {} : { loadSession: true },
      agentInfo: { name: 'fake-agent', version: '1.0.0' },
      authMethods:
        mode === 'login'
          ? [{ id: 'api-key', name: 'API key' }]
          : mode === 'browser'
            ? [{ id: 'oauth', name: 'Browser' }]
            : [],
    }))
    .onRequest('authenticate', ({ params }) => {
      isLoggedIn = params.methodId === 'api-key';
      return {};
    })
    .onRequest('session/new', () => {
      open();
      const modes = {
        currentModeId: 'auto',
        availableModes: [
          { id: 'auto', name: 'Auto' },
          { id: 'default', name: 'Default' },
        ],
      };
      const option = {
        id: 'model',
        name: 'Model',
        category: 'model',
        type: 'select',
        currentValue: 'small',
        options: [
          { value: 'small', name: 'S' },
          { value: 'large', name: 'L' },
        ],
      } as const;
      return { sessionId: 'session-1', modes, configOptions: [{ ...option, options: [...option.options] }] };
    })
    .onRequest('session/load', async ({ params, client }) => {
      await client.notify('session/update', { sessionId: params.sessionId, update: say('Words of yesterday.') });
      return {};
    })
    .onRequest('session/set_mode', () => ({}))
    .onRequest('session/set_config_option', () => ({ configOptions: [] }))
    .onRequest('session/prompt', ({ params, client }) => {
      const { sessionId } = params;
      const cancelled = new Promise<void>((resolve) => void (cancel = resolve));
      const prompt = params.prompt.map((each) => (each.type === 'text' ? each.text : '')).join('');
      const tell = (update: SessionUpdate): Promise<void> => client.notify('session/update', { sessionId, update });
      return (behaviours[mode] ?? (behaviours['text'] as never))({ client, sessionId, prompt, cancelled, tell });
    })
    .onNotification('session/cancel', () => cancel())
    .connect(ndJsonStream(output, input));
  // It leaves when its stdin ends, unless it is the one that never does.
  process.stdin.on('end', () => void (mode === 'stays' ? setInterval(() => {}, 1000) : process.exit()));
}
