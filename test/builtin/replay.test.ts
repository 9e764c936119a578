import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/event.ts';
import {
  providers,
  removeTemporaryFolders,
  type Run,
  runAgent,
  type RunInput,
  temporaryFolder,
} from '../support/agent.ts';
import { startModelServer, type ModelServer, type TurnInput } from '../support/model-server/index.ts';

const open: ModelServer[] = [];
async function serve(turns: readonly TurnInput[]): Promise<ModelServer> {
  const server = await startModelServer({ turns });
  open.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(removeTemporaryFolders);

const [chat] = providers;
const usage = { input: 100, cached: 30, output: 20, reasoning: 5 };

interface Recorded {
  run: Run;
  file: string;
  text: string;
}

/** Runs against a server and keeps what the model said. */
async function record(turns: readonly TurnInput[], input: RunInput = {}): Promise<Recorded> {
  const file = join(temporaryFolder(), 'model.jsonl');
  const run = await runAgent({ provider: chat, server: await serve(turns), recordModel: file, ...input });
  return { run, file, text: readFileSync(file, 'utf8') };
}

/** What is the same in two runs of one recording: all but times, places (the instructions name one) and the session. */
function essence({ events }: Run, cwd: string): unknown {
  const texts = new Map<string, string>();
  const rest = events.flatMap((event): unknown[] => {
    if (event.type === 'text.delta' || event.type === 'reasoning.delta') {
      texts.set(event.block_id, (texts.get(event.block_id) ?? '') + event.text);
      return [];
    }
    if (event.type === 'thread.completed' || event.type === 'thread.started') return [];
    return [{ ...event, system: undefined, duration_ms: undefined, delay_ms: undefined }];
  });
  return JSON.parse(JSON.stringify([rest, [...texts]]).replaceAll(cwd, '<cwd>'));
}

const mismatch = (run: Run): unknown =>
  run.of('error').map(({ scope, code, fatal, name, message }) => ({ scope, code, fatal, name, message }));

describe.each(providers)('$format', (provider) => {
  it('is played again in another place, without a key', async () => {
    const [here, there] = [temporaryFolder(), temporaryFolder()];
    const turns: TurnInput[] = [
      {
        reasoning: 'Where am I?',
        text: `In ${here}.`,
        calls: [
          { name: 'echo', args: { text: `${here}/a.txt` } },
          { name: 'fail', args: {} },
        ],
        usage,
        chunkSize: 5,
      },
      { text: 'Done ½ 🦊.', usage, fault: { status: 429, retryAfter: 0.01, times: 1 } },
    ];
    const { run, file, text } = await record(turns, { provider, cwd: here, server: await serve(turns) });
    expect(text).not.toContain(here);
    const again = await runAgent({ model: `replay/${file}`, cwd: there, prompt: 'go' });
    expect(essence(again, there)).toEqual(essence(run, here));
    expect(again.of('item.started')[0]?.args).toEqual({ text: `${there}/a.txt` });
    expect(again.outcome).toMatchObject({
      message: 'Done ½ 🦊.',
      verdict: { class: 'success', exit_code: 0 },
      metrics: { model_name: provider.model, input_tokens: 200, output_tokens: 40 },
    });
  });

  it('fails again as it failed', async () => {
    const { run, file } = await record(
      [{ text: 'one two three', chunkSize: 4, fault: { type: 'disconnect', after: 2 } }],
      {
        provider,
        server: await serve([{ text: 'one two three', chunkSize: 4, fault: { type: 'disconnect', after: 2 } }]),
        retries: 1,
      },
    );
    const again = await runAgent({ model: `replay/${file}`, retries: 1 });
    expect(essence(again, '-')).toEqual(essence(run, '-'));
    expect(again.outcome.verdict).toMatchObject({ class: 'provider', code: 'network' });
  });
});

const twoTurns: TurnInput[] = [
  { calls: [{ name: 'echo', args: { text: 'one' } }], usage },
  { text: 'Done.', usage },
];

it('does not mind another prompt or another output', async () => {
  const { file } = await record(twoTurns);
  const again = await runAgent({ model: `replay/${file}`, prompt: 'something else' });
  expect(again.outcome.message).toBe('Done.');
});

it('says where the conversation left the recording', async () => {
  const { file } = await record(twoTurns);
  const denied = await runAgent({
    model: `replay/${file}`,
    permissions: { mode: 'full', allow: [], deny: ['echo'], directories: [] },
  });
  expect(mismatch(denied)).toEqual([
    {
      scope: 'config',
      code: 'config',
      fatal: true,
      name: 'ReplayMismatch',
      message: `the conversation left the recording ${file} at model call 2: expected results of echo (ok), but got results of echo (denied)`,
    },
  ]);
  expect([denied.outcome.verdict.class, denied.of('retry.scheduled')]).toEqual(['config', []]);
});

it('says when there is no more', async () => {
  const { file } = await record([{ text: 'Done.', usage }]);
  const schema = { type: 'object' };
  const longer = await runAgent({ model: `replay/${file}`, outputSchema: schema });
  expect(longer.outcome.error_details?.message).toBe(
    `the conversation left the recording ${file} at model call 2: expected the end of the recording after 1 calls, but got another call`,
  );
});

it('says when the recorded run was stopped', async () => {
  const stop = new AbortController();
  const onEvent = ({ type }: AgentEvent): void => void (type === 'text.delta' && stop.abort());
  const { file } = await record([{ text: 'one two three', chunkSize: 4, delayMs: 20 }], {
    signal: stop.signal,
    onEvent,
  });
  const again = await runAgent({ model: `replay/${file}` });
  expect([again.outcome.message, again.outcome.error_details?.message]).toEqual([
    'one',
    `the conversation left the recording ${file} at model call 1: expected no more, because the recorded run was stopped here, but got a run that goes on`,
  ]);
});

it('holds no key and no secret, also where it is cut in pieces', async () => {
  const key = ['sk', 'live', 'a'.repeat(20)].join('-');
  const secret = 'hunter2hunter2';
  const turns: TurnInput[] = [
    {
      reasoning: `I see ${key}`,
      text: `It is ${key} and ${secret}.`,
      calls: [{ name: 'echo', args: { text: `${key} ${secret}` } }],
      chunkSize: 3,
    },
    { text: 'Done.', fault: { status: 500, times: 1, body: { error: { message: `bad ${secret}` } } } },
  ];
  const redact = (text: string): string => text.replaceAll(secret, '[hidden]');
  const { file, text } = await record(turns, { prompt: `Use ${key}.`, env: { RUNWIRE_API_KEY: key }, redact });
  expect([text.includes(key), text.includes(secret), text.includes('[redacted]'), text.includes('[hidden]')]).toEqual([
    false,
    false,
    true,
    true,
  ]);
  const again = await runAgent({ model: `replay/${file}` });
  expect(again.of('text.completed').map(({ text: said }) => said)).toEqual(['It is [redacted] and [hidden].', 'Done.']);
});

it('keeps its time when it is asked to', async () => {
  const { file, text } = await record([{ text: 'one two three', chunkSize: 4, usage }]);
  // Each part a minute after the one before it, whatever the clock said while it was recorded.
  let minutes = 0;
  writeFileSync(
    file,
    text.replaceAll(/\[\d+,(?=\{"type":)/g, () => `[${60_000 * minutes++},`),
  );
  const waits = async (model: string, env: Record<string, string> = {}): Promise<number[]> => {
    const waited: number[] = [];
    const pause = async (ms: number): Promise<boolean> => waited.push(ms) > 0;
    expect((await runAgent({ model, env, pause })).outcome.message).toBe('one two three');
    return waited;
  };
  const each = (ms: number): number[] => Array.from({ length: minutes - 1 }, () => ms);
  expect(minutes).toBeGreaterThan(3);
  expect(await waits(`replay/${file}?timing=real`)).toEqual(each(60_000));
  expect(await waits(`replay/${file}`, { RUNWIRE_REPLAY_SPEED: '2' })).toEqual(each(30_000));
  expect(await waits(`replay/${file}`)).toEqual([]);
});

it('does not wait unless it is asked to', async () => {
  const { file } = await record([{ text: 'one two three', chunkSize: 4, delayMs: 20, usage }]);
  // The same answer, an hour later: who waited for it would still be waiting.
  const slow = readFileSync(file, 'utf8').replaceAll(
    /\[(\d+),(?=\{"type":)/g,
    (_, ms: string) => `[${Number(ms) + 3_600_000},`,
  );
  expect(slow).not.toBe(readFileSync(file, 'utf8'));
  writeFileSync(file, slow);
  expect((await runAgent({ model: `replay/${file}` })).outcome.message).toBe('one two three');
});

it('is stopped in the middle of a recording', async () => {
  const { file } = await record([{ text: 'one two three', chunkSize: 4, delayMs: 60, usage }]);
  const stop = new AbortController();
  const onEvent = ({ type }: AgentEvent): void => void (type === 'text.delta' && stop.abort());
  const run = await runAgent({ model: `replay/${file}?timing=real`, signal: stop.signal, onEvent });
  expect([run.outcome.message, run.outcome.verdict.class]).toEqual(['one', 'cancelled']);
});

it.each([
  ['missing.jsonl', undefined, {}, /^cannot read the recording .*missing\.jsonl: ENOENT$/],
  ['r.jsonl', 'hello', {}, /^r\.jsonl is not a recording of a model; make one with --record-model$/],
  [
    'r.jsonl',
    '{"runwire":"model-recording","version":1,"model":"a/b"}\n{"call":1}\n',
    {},
    /^r\.jsonl line 2 is not a recorded call: after: Invalid input: expected number, received undefined$/,
  ],
  [
    'r.jsonl',
    '{"runwire":"model-recording","version":1,"model":"a/b"}\n',
    { RUNWIRE_REPLAY_SPEED: 'fast' },
    /^RUNWIRE_REPLAY_SPEED is "fast" \(expected a number such as 1 or 10, or max\)$/,
  ],
])('says what is wrong with %s holding %j', async (name, content, env, message) => {
  const cwd = temporaryFolder();
  if (content !== undefined) writeFileSync(join(cwd, name), content);
  const run = await runAgent({ model: `replay/${name}`, cwd, env });
  expect(run.of('agent.finished').map(({ status, code, message: said }) => ({ status, code, said }))).toEqual([
    { status: 'failed', code: 'config', said: expect.stringMatching(message) },
  ]);
});

it('says when it cannot write', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'folder'));
  const server = await serve(twoTurns);
  const run = await runAgent({ provider: chat, server, cwd, recordModel: 'folder' });
  expect([run.outcome.error_details?.message, server.served.requests]).toEqual([
    `cannot write the recording ${join(cwd, 'folder')}: EISDIR`,
    [],
  ]);
});
