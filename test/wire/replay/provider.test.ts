import { describe, expect, it, onTestFinished } from 'vitest';
import { type ModelApi, modelApis } from '../../../src/words/vocabulary.ts';
import type { ModelAnswer } from '../../../src/wire/exchange.ts';
import { Recorder } from '../../../src/wire/recording/recorder.ts';
import { RecordingReader, RecordingWriter } from '../../../src/wire/recording/recording.ts';
import { readEvents, writeEvents } from '../../../src/wire/recording/events.ts';
import { departureText } from '../../../src/wire/replay/departure.ts';
import { Matcher } from '../../../src/wire/replay/matcher.ts';
import { ReplayProvider } from '../../../src/wire/replay/provider.ts';
import { startModelServer, type TurnInput } from '../../support/model-server/index.ts';
import { apis, receive, type Received } from '../support/clients.ts';
import { openGateway } from '../support/gateway.ts';

const usage = { input: 900, cached: 700, cacheWrite: 50, output: 120, reasoning: 80 };
const turns: Record<string, TurnInput> = {
  'an answer': { text: 'Grüße 🚀, "usage"\n\n\u2028 and all.', reasoning: 'I think.', usage },
  'a call': { text: 'I look.', calls: [{ name: 'add', args: { a: 1, b: '"model"' } }], usage },
  'a connection that breaks': {
    text: 'This is cut somewhere in the middle.',
    usage,
    fault: { type: 'disconnect', after: 2 },
  },
  'a wrong key': { fault: { status: 401 } },
  'too many requests': { fault: { status: 429, retryAfter: 7 } },
};

const clean = (text: string): string => text;

/** What one request to a gateway comes to. */
async function ask(
  upstream: string,
  api: ModelApi,
  isStreamed: boolean,
  recorder?: Recorder,
): Promise<{ received: Received; answer: ModelAnswer | undefined }> {
  const { gateway, ended } = await openGateway([{ name: 'p', upstream }], {}, recorder);
  const { path, body } = apis[api];
  const received = await receive(`${gateway.address('p')}${path(isStreamed)}`, {
    body: JSON.stringify(body(isStreamed)),
  });
  const [passed] = await ended(1);
  return { received, answer: passed?.answer };
}

/** Records one request to a model that answers so, and plays it back. */
async function playedBack(turn: TurnInput, api: ModelApi, isStreamed: boolean) {
  const server = await startModelServer({ turns: [turn] });
  onTestFinished(() => server.close());
  const reader = new RecordingReader();
  const recorder = new Recorder(
    () => new RecordingWriter({}, clean, (line) => reader.line(JSON.stringify(line))),
    () => 0,
  );
  const recorded = await ask(server.baseUrl(apis[api].format), api, isStreamed, recorder);
  const replay = await replayOf(reader);
  return { recorded, replayed: await ask(replay.address, api, isStreamed), reader };
}

async function replayOf(reader: RecordingReader): Promise<{ address: string; heard: string[]; matcher: Matcher }> {
  const heard: string[] = [];
  const matcher = new Matcher(reader.exchanges, { rules: {}, clean, recordedIn: {}, folders: {} });
  const provider = new ReplayProvider(matcher, {
    answered: (number, isLoose) => void heard.push(`${number}${isLoose ? ' loosely' : ''}`),
    departed: (departure) => void heard.push(departureText(departure, matcher.size)),
  });
  await provider.open();
  onTestFinished(() => provider.close());
  return { address: provider.address, heard, matcher };
}

/** Without what a clock decides. */
function facts({ answer, received }: Awaited<ReturnType<typeof ask>>) {
  const {
    firstByteMs: _first,
    durationMs: _duration,
    bytes: _bytes,
    quotas: _quotas,
    ...rest
  } = answer ?? { durationMs: 0 };
  return {
    ...rest,
    status: received.status,
    isBroken: received.isBroken,
    body: writeEvents(readEvents(Buffer.from(received.body, 'latin1').toString())),
  };
}

describe.each(modelApis)('%s', (api) => {
  it.each(Object.entries(turns))('plays back %s, streamed and whole', async (_name, turn) => {
    for (const isStreamed of [true, false]) {
      const { recorded, replayed } = await playedBack(turn, api, isStreamed);
      expect(facts(replayed)).toEqual(facts(recorded));
    }
  });
});

it('refuses what was not recorded, in the words of the provider, and says where it differs', async () => {
  const { reader } = await playedBack(turns['an answer'] ?? {}, 'messages', true);
  const { address, heard } = await replayOf(reader);
  const { gateway } = await openGateway([{ name: 'p', upstream: address }]);
  const body = { ...apis.messages.body(true), messages: [{ role: 'user', content: 'stop' }] };
  const received = await receive(`${gateway.address('p')}/messages`, { body: JSON.stringify(body) });
  const words = 'departed at request 1 of 1: messages.0.content differs\n  recorded  go\n  now       stop';
  expect({ status: received.status, body: JSON.parse(received.body) as unknown, heard }).toEqual({
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error', message: words } },
    heard: [words],
  });
});

it('gives nothing to who does not know its address', async () => {
  const { reader } = await playedBack(turns['an answer'] ?? {}, 'chat', false);
  const { address, matcher } = await replayOf(reader);
  const { origin } = new URL(address);
  const received = await receive(`${origin}/guess/chat/completions`, { body: JSON.stringify(apis.chat.body(false)) });
  expect({ status: received.status, given: matcher.given }).toEqual({ status: 404, given: 0 });
});
