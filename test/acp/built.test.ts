import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { live } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { linesOf } from '../support/pipeline.ts';

const fake = join(import.meta.dirname, '..', 'support', 'acp', 'fake-agent.ts');
const quiet = ['--ledger', 'none', '--quiet'];

it('is a command that a user runs, in both directions', async () => {
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } };
  const [quoted, after, served, none] = await Promise.all([
    live(['run', ...quiet, '--agent', `acp:'${process.execPath}' ${fake} text`, 'Hello']),
    live(['run', ...quiet, '--agent', 'acp', 'Hello', '--to', 'acp', '--', process.execPath, fake, 'refusal']),
    live(['acp', '--model', 'replay/none.jsonl', '--ledger', 'none'], {
      stdin: `${JSON.stringify(hello)}\nnonsense\n`,
    }),
    live(['run', ...quiet, '--agent', 'acp', 'Hello']),
  ]);
  expect([quoted.status, quoted.stdout]).toEqual([0, 'You said: Hello\n']);
  expect(after.status).toBe(4);
  expect(after.stdout).toContain('"stopReason":"refusal"');
  const lines = served.stdout.split('\n').filter((line) => line !== '');
  // Answers come in any order.
  const answered = new Set(lines.map((line) => (JSON.parse(line) as { id: unknown }).id));
  expect([served.status, answered]).toEqual([0, new Set([1, null])]);
  expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('acp needs the command of an agent')]);
});

const bin = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');
const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;

interface Client {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** The next line that says this. */
  hears(words: string): Promise<string>;
  /** Exit code and stderr. */
  left: Promise<[number | null, string]>;
}

/** A client that is none of the protocol's own. */
function rude(ledger: string, mode: string): Client {
  const args = ['acp', '--ledger', ledger, '--agent', `acp:'${process.execPath}' ${fake} ${mode}`];
  const env = { PATH: process.env['PATH'], HOME: folder(), RUNWIRE_PATIENCE: '0.1' };
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder(), env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {});
  let [stdout, stderr] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
  const left = new Promise<[number | null, string]>(
    (resolve) => void child.once('exit', (code) => resolve([code, stderr])),
  );
  const hears = (words: string): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = stdout.split('\n').find((each) => each.includes(words));
        if (found === undefined) return;
        child.stdout.off('data', take);
        child.stdout.pause();
        resolve(found);
      };
      const take = (chunk: Buffer): void => {
        stdout += chunk.toString();
        look();
      };
      child.stdout.on('data', take).resume();
      look();
    });
  return { child, hears, left };
}

/** The id of a session that is at work. */
async function atWork({ child, hears }: Client): Promise<string> {
  child.stdin.write(line({ id: 1, method: 'session/new', params: { cwd: folder(), mcpServers: [] } }));
  const { result } = JSON.parse(await hears('"sessionId"')) as { result: { sessionId: string } };
  child.stdin.write(
    line({ id: 2, method: 'session/prompt', params: { ...result, prompt: [{ type: 'text', text: 'Do it' }] } }),
  );
  return result.sessionId;
}

async function verdicts(ledger: string): Promise<unknown[]> {
  const { stdout } = await live(['runs', 'list', '--json', '--ledger', ledger]);
  return linesOf(stdout).map((run) => [run['status'], run['class']]);
}

it.concurrent('ends its agents, and the ledger knows, when the client goes in the middle', async () => {
  const ledger = join(folder(), 'ledger.db');
  const client = rude(ledger, 'hang');
  await atWork(client);
  await client.hears('I begin.');
  client.child.stdin.end();
  expect((await client.left)[0]).toBe(0);
  expect(await verdicts(ledger)).toEqual([['cancelled', 'cancelled']]);
});

it.concurrent('leaves a client that does not read, with what it was told still unread', async () => {
  const ledger = join(folder(), 'ledger.db');
  const client = rude(ledger, 'endless');
  await atWork(client);
  for (let each = 0; each < 20; each += 1)
    client.child.stdin.write(line({ id: `${each}${'x'.repeat(50_000)}`, method: 'tea' }));
  await client.hears('"look"');
  client.child.stdin.end();
  expect((await client.left)[0]).toBe(0);
  expect(await verdicts(ledger)).toEqual([['cancelled', 'cancelled']]);
});

it.concurrent('keeps no more than so much for a client that asks and does not read', async () => {
  const client = rude('none', 'text');
  const id = 'x'.repeat(1 << 20);
  for (let each = 0; each < 80; each += 1) client.child.stdin.write(line({ id: `${each}${id}`, method: 'tea' }));
  const [code, stderr] = await client.left;
  expect([code, stderr]).toEqual([0, 'runwire: the client does not read its messages: disconnecting from it\n']);
});
