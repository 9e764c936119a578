import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelAnswer } from '../../src/wire/exchange.ts';
import { present } from '../../src/json/present.ts';
import { startModelServer, type ModelServer, type TurnInput } from '../support/model-server/index.ts';
import { apis, receive, type Received } from './support/clients.ts';
import { openGateway } from './support/gateway.ts';
import { type ModelApi, modelApis } from '../../src/words/vocabulary.ts';

const usage = { input: 900, cached: 700, cacheWrite: 50, output: 120, reasoning: 80 };
const said: TurnInput = {
  text: 'Grüße 🚀, "usage" and\n\n"error": \u2028 all of it.',
  reasoning: 'I think of "stop_reason".',
  usage,
};
const called: TurnInput = { ...said, calls: [{ name: 'add', args: { a: 1, b: '"model"' } }] };

type Expected = Partial<Pick<ModelAnswer, 'status' | 'ended' | 'isServed'>> & {
  usage?: ModelAnswer['reading']['usage'];
  finish?: string;
  code?: string;
};
interface Scenario {
  turn: TurnInput;
  /** Where all APIs, streamed and whole, are alike; else by name. */
  want: Expected | ((api: ModelApi, isStreamed: boolean) => Expected);
}

const whole: Expected = { status: 200, ended: 'complete', isServed: true, usage: 'final' };
const refused = (status: number, code: string): Expected => ({
  status,
  ended: 'complete',
  isServed: false,
  usage: 'unknown',
  code,
});
/** What is counted when an answer stops in the middle: some APIs count from the start, some only at the end. */
const cut = (api: ModelApi, isStreamed: boolean): Expected => ({
  status: 200,
  ended: 'cut_by_provider',
  isServed: true,
  usage: isStreamed && (api === 'messages' || api === 'gemini') ? 'partial' : 'unknown',
});

const scenarios: Record<string, Scenario> = {
  'an answer': { turn: said, want: { ...whole, finish: 'stop' } },
  'an answer of another model': { turn: { ...said, model: 'another-model-7' }, want: whole },
  'a call': { turn: called, want: { ...whole, finish: 'tool_calls' } },
  'byte by byte': { turn: { ...called, writeSize: 1, chunkSize: 5 }, want: whole },
  'an answer that is too long': { turn: { ...said, finish: 'length' }, want: { ...whole, finish: 'length' } },
  'a filtered answer': { turn: { ...said, finish: 'content_filter' }, want: { ...whole, finish: 'content_filter' } },
  'no answer at all': { turn: { usage, fault: { type: 'empty' } }, want: whole },
  'a connection that breaks': {
    turn: { ...said, fault: { type: 'disconnect', after: 2 } },
    want: (api, isStreamed) => ({ ...cut(api, isStreamed), code: 'network' }),
  },
  'an answer without its end': {
    turn: { ...said, fault: { type: 'cut', after: 2 } },
    want: (api, isStreamed) => ({ ...cut(api, isStreamed), ...(isStreamed ? {} : { code: 'network' }) }),
  },
  'an error in the middle': {
    turn: { ...said, fault: { type: 'stream-error', after: 2 } },
    want: (api, isStreamed) => (isStreamed ? { ...cut(api, true), code: 'server' } : refused(529, 'server')),
  },
  'an event that is no JSON': {
    turn: { ...said, fault: { type: 'bad-json', after: 2 } },
    want: (api, isStreamed) => (isStreamed ? whole : cut(api, false)),
  },
  'a wrong key': { turn: { fault: { status: 401 } }, want: refused(401, 'auth') },
  'too many requests': { turn: { fault: { status: 429, retryAfter: 7 } }, want: refused(429, 'rate_limit') },
  'a server that fails': { turn: { fault: { status: 500 } }, want: refused(500, 'server') },
  'an overloaded server': { turn: { fault: { status: 529 } }, want: refused(529, 'server') },
  'a page instead of an error': {
    turn: { fault: { status: 502, body: '<html>Bad Gateway</html>' } },
    want: refused(502, 'server'),
  },
};

async function served(turn: TurnInput): Promise<ModelServer> {
  const server = await startModelServer({ turns: [turn] });
  onTestFinished(() => server.close());
  return server;
}

/** The gateway's answer, and the one that the agent would have got without it. */
async function ask(
  api: ModelApi,
  isStreamed: boolean,
  turn: TurnInput,
): Promise<{ direct: Received; passed: Received; answer: ModelAnswer }> {
  const { format, path, body } = apis[api];
  const [alone, behind] = await Promise.all([served(turn), served(turn)]);
  const { gateway, ended } = await openGateway([{ name: 'own', upstream: behind.baseUrl(format) }]);
  const order = { body: JSON.stringify(body(isStreamed)) };
  const direct = await receive(alone.baseUrl(format) + path(isStreamed), order);
  const passed = await receive(gateway.address('own') + path(isStreamed), order);
  const [one] = await ended(1);
  return { direct, passed, answer: one?.answer as ModelAnswer };
}

describe.each(modelApis)('%s', (api) => {
  describe.each([
    ['streamed', true],
    ['whole', false],
  ] as const)('%s', (_name, isStreamed) => {
    it.each(Object.entries(scenarios))('%s', async (_title, { turn, want }) => {
      const { direct, passed, answer } = await ask(api, isStreamed, turn);
      expect(passed).toEqual(direct);
      const expected = typeof want === 'function' ? want(api, isStreamed) : want;
      const { status, ended, isServed, reading, error } = answer;
      const seen = present({
        status,
        ended,
        isServed,
        usage: reading.usage,
        finish: reading.finish,
        code: error?.code,
      });
      expect(seen).toMatchObject(expected);
      expect(error?.code).toBe(expected.code);
      if (expected.usage === 'final') {
        const facts = apis[api].body(isStreamed).model ?? 'gemini-3-pro';
        expect(reading.model).toBe(turn.model ?? facts);
        expect(reading.tokens).toEqual(tokensOf(api));
      }
      // The input is known from the beginning; what was said up to the cut is not.
      if (expected.usage === 'partial') expect(reading.tokens.input).toBe(usage.input);
      if (expected.usage === 'unknown') expect(reading.tokens).toEqual({});
      if (turn.fault !== undefined && 'retryAfter' in turn.fault) expect(answer.retryAfterMs).toBe(7000);
      expect(answer.bytes).toBe(passed.body.length);
    });
  });
});

/** Google tells nothing of what is written to a cache. */
function tokensOf(api: ModelApi): object {
  const { input, cached, cacheWrite, output, reasoning } = usage;
  return { input, cacheRead: cached, ...(api === 'gemini' ? {} : { cacheWrite }), output, reasoning };
}

it('a chat that does not ask for its usage is not told it', async () => {
  const server = await served(said);
  const { gateway, ended } = await openGateway([{ name: 'own', upstream: server.baseUrl('chat') }]);
  const { stream_options: _none, ...body } = apis.chat.body(true);
  await receive(`${gateway.address('own')}/chat/completions`, { body: JSON.stringify(body) });
  const [passed] = await ended(1);
  expect(passed?.answer).toMatchObject({
    ended: 'complete',
    isServed: true,
    reading: { usage: 'unknown', tokens: {}, finish: 'stop' },
  });
});
