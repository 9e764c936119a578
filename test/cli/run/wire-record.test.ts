import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/events/event.ts';
import type { ModelApi } from '../../../src/words/vocabulary.ts';
import { inside, live, project, serve } from './live.ts';
import { some } from '../../support/sweep.ts';

const key = 'sk-proj-0123456789abcdefghijABCDEFGHIJ0123456789';
/** The id of a call, which only looks like a key. */
const callId = 'sk-proj-ABCDEFGHIJ0123456789abcdefghij0123456789';

const src = join(import.meta.dirname, '..', '..', '..', 'src');
/** What agents send most of: files that were read. */
const files = ['wire/exchange.ts', 'wire/gateway.ts', 'run/sources/wired.ts', 'wire/recording/recording.ts'].map(
  (name) => readFileSync(join(src, name), 'utf8'),
);
const questions = files.map((_, index) => index + 1);

/** Asks for each file, each time with all that was said before and a file more, by one of the four APIs. */
const program = `
  import { readFileSync } from 'node:fs';
  const [api] = process.argv.slice(2);
  const tell = (line) => console.log(JSON.stringify(line));
  const files = JSON.parse(readFileSync('files.json', 'utf8'));
  const message = (text) =>
    api === 'gemini' ? { role: 'user', parts: [{ text }] } : { role: 'user', content: text };
  const result = (output) =>
    ({
      chat: { role: 'tool', tool_call_id: '${callId}', content: output },
      responses: { type: 'function_call_output', call_id: '${callId}', output },
      messages: { role: 'user', content: [{ type: 'tool_result', tool_use_id: '${callId}', content: output }] },
      gemini: { role: 'user', parts: [{ functionResponse: { id: '${callId}', name: 'read', response: { output } } }] },
    })[api];
  const field = { gemini: 'contents', responses: 'input' }[api] ?? 'messages';
  const [name, path] = {
    chat: ['OPENAI_BASE_URL', '/chat/completions'],
    responses: ['OPENAI_BASE_URL', '/responses'],
    messages: ['ANTHROPIC_BASE_URL', '/v1/messages'],
    gemini: ['GOOGLE_GEMINI_BASE_URL', '/v1beta/models/gpt-5:streamGenerateContent?alt=sse'],
  }[api];
  tell({ type: 'thread.started', thread_id: 'its-own' });
  tell({ type: 'turn.started' });
  const talk = [];
  for (let each = 1; each <= files.length; each += 1) {
    talk.push(message('question ' + each + ' with ${key}'), result('file ' + each + '\\n' + files[each - 1]));
    const answer = await fetch(process.env[name] + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5', stream: true, [field]: talk, max_tokens: 100, stream_options: { include_usage: true } }),
    });
    await answer.text();
  }
  tell({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Done.' } });
  tell({ type: 'turn.completed', usage: { input_tokens: 4000, cached_input_tokens: 0, output_tokens: 200 } });
`;

const apis: readonly ModelApi[] = ['chat', 'responses', 'messages', 'gemini'];

async function recorded(api: ModelApi, flags: readonly string[] = []) {
  const server = await serve([{ text: 'Hello from the model.', usage: { input: 1000, output: 50 } }]);
  const cwd = project();
  writeFileSync(join(cwd, 'agent.mjs'), program);
  writeFileSync(join(cwd, 'files.json'), JSON.stringify(files));
  const variable = { gemini: 'GOOGLE_GEMINI_BASE_URL', messages: 'ANTHROPIC_BASE_URL' }[api as string];
  const env = {
    [variable ?? 'OPENAI_BASE_URL']: server
      .baseUrl(api === 'messages' ? 'anthropic' : api)
      .replace(/\/v1(?:beta)?$/, variable === undefined ? '$&' : ''),
    RUNWIRE_LEDGER: join(cwd, 'runs.db'),
  };
  const command = [process.execPath, 'agent.mjs', api];
  const run = ['run', '--wire', 'record', '--to', 'runwire', '--tape', 'run.tape', ...flags, '--', ...command];
  const { stdout, stderr, status } = await live(run, { cwd, env });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const tape = readFileSync(join(cwd, 'run.tape'), 'utf8');
  return { cwd, env, stdout, tape, server };
}

const linesOf = (text: string): EventRecord[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as EventRecord);

describe.each(some(apis))('a recording of requests by %s', (api) => {
  it('is on the tape alone, without secrets, and shown request by request', async () => {
    const { cwd, env, stdout, tape, server } = await recorded(api);
    expect(server.served.requests.length).toBe(files.length);
    expect(stdout).not.toContain('wire.recorded');
    const kept = linesOf(tape).filter(({ type }) => type === 'wire.recorded');
    expect(kept.length).toBeGreaterThan(5);
    expect(tape).not.toContain(key);
    expect(tape).toContain(callId);
    // The last request holds all that was said; what is sent again costs nothing.
    const sizes = linesOf(tape).flatMap((each) => (each.type === 'model.requested' ? [each.request_bytes] : []));
    const last = Math.max(...sizes);
    const lines = kept.map((each) => JSON.stringify(each)).join('\n');
    expect(lines.length).toBeLessThan(1.2 * last);
    const shown = await inside(['runs', 'show', 'last', '--wire', '--json'], { cwd, env });
    const { requests } = JSON.parse(shown.stdout) as {
      requests: { request: number; new: string[]; text: string; input_tokens: number }[];
    };
    expect(requests.map(({ request, text, input_tokens }) => ({ request, text, input_tokens }))).toEqual(
      questions.map((request) => ({ request, text: 'Hello from the model.', input_tokens: 1000 })),
    );
    expect(requests.map((each) => each.new.map((text) => /question \d|file \d/.exec(text)?.[0]))).toEqual(
      questions.map((each) => [`question ${each}`, `file ${each}`]),
    );
    const text = await inside(['runs', 'show', 'last', '--wire', '--text'], { cwd, env });
    expect(text.stdout).toContain('back Hello from the model.');
    const har = await inside(['runs', 'export', 'last', '--format', 'har'], { cwd, env });
    const { log } = JSON.parse(har.stdout) as { log: { entries: { request: { postData: { text: string } } }[] } };
    expect(log.entries.length).toBe(files.length);
    expect(log.entries.at(-1)?.request.postData.text).toContain('question 1');
    expect(har.stdout).not.toContain(key);
  });
});

describe('a run without a recording', () => {
  it('says so', async () => {
    const { cwd, env } = await recorded('chat', ['--wire', 'meter']);
    const { status, stderr } = await inside(['runs', 'show', 'last', '--wire'], { cwd, env });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('it was not run with --wire record'),
    });
  });
});
