import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/events/event.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import type { TurnInput } from '../../support/model-server/index.ts';
import { inside, live, project, serve } from './live.ts';

/** A program of somebody's own: it asks as often as it is told, and prints what Codex would. */
const program = `
  const [times, said] = process.argv.slice(2);
  const tell = (line) => console.log(JSON.stringify(line));
  tell({ type: 'thread.started', thread_id: 'its-own' });
  tell({ type: 'turn.started' });
  for (let each = 0; each < Number(times); each += 1) {
    const answer = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY },
      body: JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'go' }] }),
    });
    await answer.text();
  }
  tell({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'Done.' } });
  tell({ type: 'turn.completed', usage: { input_tokens: Number(said), cached_input_tokens: 0, output_tokens: 5 } });
`;

const answer: TurnInput = { text: 'Hello.', usage: { input: 1000, output: 50 } };

interface Asked {
  turns: readonly TurnInput[];
  times: number;
  /** How many input tokens the program says that it used. */
  said: number;
  flags?: readonly string[];
  cwd?: string;
}

async function asked(run: typeof inside | typeof live, { turns, times, said, flags = [], cwd = project() }: Asked) {
  const server = await serve(turns, 'sk-its-own-key');
  writeFileSync(join(cwd, 'agent.mjs'), program);
  const command = [process.execPath, 'agent.mjs', String(times), String(said)];
  const { stdout, stderr, status } = await run(
    [
      'run',
      '--wire',
      'meter',
      '--ledger',
      'none',
      '--to',
      'runwire',
      '--env',
      'OPENAI_API_KEY',
      ...flags,
      '--',
      ...command,
    ],
    { cwd, env: { OPENAI_BASE_URL: server.baseUrl('chat'), OPENAI_API_KEY: 'sk-its-own-key' } },
  );
  const records = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as EventRecord);
  const last = records.at(-1);
  const outcome = (last?.type === 'thread.completed' ? last.final_report : undefined) as unknown as RunOutcome;
  return { records, outcome, stderr, status, server };
}

const price = ['--price', 'input=10,output=100'];

describe('the requests of any command', () => {
  it.each([
    ['in this process', inside],
    ['as a user runs it', live],
  ])('are counted, %s', async (_name, run) => {
    const { records, outcome, status, server } = await asked(run, {
      turns: [answer],
      times: 3,
      said: 3000,
      flags: price,
    });
    expect({ status, metrics: outcome.metrics }).toMatchObject({
      status: 0,
      metrics: { input_tokens: 3000, output_tokens: 150, cost: 0.045, cost_source: 'wire', model_name: 'gpt-5' },
    });
    expect(outcome).toMatchObject({ session_id: 'its-own', models_served: ['gpt-5'], wire: { requests: 3 } });
    expect(outcome.warnings).toEqual(['the agent reported 5 output tokens; 150 were served']);
    expect(server.served.requests.length).toBe(3);
    const passed = records.filter(({ source }) => source === 'wire');
    expect(passed.map(({ type }) => type)).toEqual(
      Array.from({ length: 3 }, () => ['model.requested', 'model.responded']).flat(),
    );
    expect(passed[1]).toMatchObject({
      request: 1,
      api: 'chat',
      route: 'openai',
      status: 200,
      ended: 'complete',
      usage: 'final',
      input_tokens: 1000,
    });
    expect(JSON.stringify(records)).not.toContain('sk-its-own-key');
  });

  it('contradict a program that says it is done after its last one failed', async () => {
    const { outcome, status } = await asked(inside, { turns: [{ fault: { status: 503 } }], times: 1, said: 0 });
    expect({ status, class: outcome.verdict.class, code: outcome.verdict.code }).toEqual({
      status: 4,
      class: 'provider',
      code: 'server',
    });
    expect(outcome.wire).toMatchObject({ requests: 1, failed: 1 });
  });

  it('show which model answered', async () => {
    const turns: TurnInput[] = [{ ...answer, model: 'gpt-5-mini' }];
    const { outcome, status } = await asked(inside, { turns, times: 1, said: 1000, flags: ['--fail-on', 'model'] });
    expect({ status, served: outcome.models_served }).toEqual({ status: 4, served: ['gpt-5-mini'] });
    expect(outcome.warnings).toContain('gpt-5 was asked for, and gpt-5-mini answered');
  });

  it.each([
    ['cost', ['--max-cost-usd', '0.025', ...price]],
    ['tokens', ['--max-tokens', '1500']],
  ])('stop a program that reports nothing until its end at its limit: %s', async (_name, flags) => {
    const { outcome, status, server } = await asked(inside, { turns: [answer], times: 50, said: 50_000, flags });
    expect({ status, class: outcome.verdict.class }).toEqual({ status: 5, class: 'cost_limit' });
    // A second request that takes as much as the first would exceed it, and no provider sees it.
    expect(server.served.requests.length).toBe(1);
    expect(outcome.wire?.requests).toBe(1);
    expect(outcome.wire?.refused).toBeGreaterThan(0);
  });

  it('are missed where there are none', async () => {
    const { outcome, status } = await asked(inside, { turns: [answer], times: 0, said: 10 });
    expect(status).toBe(0);
    expect(outcome.wire).toBeUndefined();
    expect(outcome.warnings).toEqual(['wire: bypassed: nothing was asked at the addresses that the command was given']);
    expect(outcome.metrics).toMatchObject({ input_tokens: 10, output_tokens: 5 });
  });
});

describe('an agent that Runwire starts itself', () => {
  const key = 'sk-the-real-key-000000000000';
  const codex = `#!${process.execPath}
    const asked = process.argv.find((word) => word.startsWith('--config=model_providers.corp.base_url='));
    const base = JSON.parse(asked.slice(asked.indexOf('=', 10) + 1));
    const tell = (line) => console.log(JSON.stringify(line));
    const answer = await fetch(base + '/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.CORP_KEY },
      body: JSON.stringify({ model: 'gpt-5', input: 'go', stream: true }),
    });
    await answer.text();
    tell({ type: 'thread.started', thread_id: 'its-own' });
    tell({ type: 'turn.started' });
    tell({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'My key: ' + process.env.CORP_KEY.length } });
    tell({ type: 'turn.completed', usage: { input_tokens: 1000, cached_input_tokens: 0, output_tokens: 50 } });
  `;

  it.each([
    ['where that is asked for', ['--wire', 'meter']],
    ['by default', []],
  ])('is sent through the wire with a token for a key, %s', async (_name, flags) => {
    const server = await serve([answer], key);
    const cwd = project();
    const home = join(cwd, 'home');
    mkdirSync(join(home, '.codex'), { recursive: true });
    for (const name of ['bin', 'tmp']) mkdirSync(join(cwd, name));
    writeFileSync(join(cwd, 'bin', 'package.json'), '{"type":"module"}');
    writeFileSync(join(cwd, 'bin', 'codex'), codex, { mode: 0o755 });
    const settings = `model_provider = "corp"\n[model_providers.corp]\nbase_url = "${server.baseUrl('responses')}"\nenv_key = "CORP_KEY"\n`;
    writeFileSync(join(home, '.codex', 'config.toml'), settings);
    const { status, stdout, stderr } = await live(
      ['run', '--agent', 'codex', ...flags, '--ledger', 'none', '--env', 'CORP_KEY', '--outcome', 'outcome.json', 'go'],
      {
        cwd,
        env: {
          PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`,
          HOME: home,
          TMPDIR: join(cwd, 'tmp'),
          CORP_KEY: key,
        },
      },
    );
    const outcome = JSON.parse(readFileSync(join(cwd, 'outcome.json'), 'utf8')) as RunOutcome;
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('warning') });
    // The server takes nothing but the real key; the agent had another one.
    expect(outcome.wire?.requests).toBe(1);
    expect(stdout).not.toContain(`My key: ${key.length}`);
    expect(readFileSync(join(home, '.codex', 'config.toml'), 'utf8')).toBe(settings);
    expect(readdirSync(join(cwd, 'tmp')).filter((name) => name.startsWith('runwire-wire-'))).toEqual([]);
  });

  it.each<[string, object, { CODEX_API_KEY?: string }, string[]?]>([
    ['a login', { tokens: { access_token: 'eyJ' } }, {}],
    ['no key at all', {}, {}],
    ['the wire switched off', {}, { CODEX_API_KEY: key }, ['--wire', 'off']],
  ])('is left as it is with %s', async (_name, login, env, flags = []) => {
    const cwd = project();
    const home = join(cwd, 'home');
    mkdirSync(join(home, '.codex'), { recursive: true });
    mkdirSync(join(cwd, 'bin'));
    writeFileSync(join(home, '.codex', 'auth.json'), JSON.stringify(login));
    writeFileSync(
      join(cwd, 'bin', 'codex'),
      `#!${process.execPath}\nif (process.argv[2] === 'exec') require('fs').writeFileSync('told.json', JSON.stringify({ args: process.argv.slice(2), key: process.env.CODEX_API_KEY }));`,
      { mode: 0o755 },
    );
    const given = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, HOME: home, ...env };
    const { stderr } = await inside(['run', '--agent', 'codex', '--ledger', 'none', ...flags, 'go'], {
      cwd,
      env: given,
    });
    const told = JSON.parse(readFileSync(join(cwd, 'told.json'), 'utf8')) as { args: string[]; key?: string };
    expect(told.args.filter((word) => word.includes('base_url'))).toEqual([]);
    expect(told.key).toBe(env.CODEX_API_KEY);
    expect(stderr).not.toMatch(/the wire|bypassed/);
  });

  it.each([
    [
      'cannot be sent there',
      ['--agent', 'cursor'],
      1,
      'Cursor cannot be sent through the wire: it talks to its own servers',
    ],
    ['is not a program', ['--model', 'replay/none'], 2, 'not for builtin'],
  ])('is refused before anything starts if it %s', async (_, flags, expected, said) => {
    const cwd = project();
    mkdirSync(join(cwd, 'bin'));
    writeFileSync(join(cwd, 'bin', 'cursor-agent'), '#!/bin/sh\necho 2026.01.23', { mode: 0o755 });
    const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}` };
    const { status, stderr } = await inside(['run', '--wire', 'meter', '--ledger', 'none', ...flags, 'hello'], {
      cwd,
      env,
    });
    expect({ status, stderr }).toEqual({ status: expected, stderr: expect.stringContaining(said) });
  });
});
