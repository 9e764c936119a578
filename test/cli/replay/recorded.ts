import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { messageOf } from '../../../src/failure.ts';
import { OwnNetwork } from '../../../src/network/own-network.ts';
import type { ReplayReport } from '../../../src/replay/report.ts';
import { atFileEnd } from '../../support/at-file-end.ts';
import { makeCheckout, type Place } from '../../support/checkouts.ts';
import { startModelServer, type ModelServer, type TurnInput } from '../../support/model-server/index.ts';
import { inside, type Live } from '../run/live.ts';

/** Why this system has no networks for single processes; undefined: it has them. */
const lack = await OwnNetwork.open().then(
  (network): undefined => void network.close(),
  (error: unknown) => messageOf(error),
);
export const networkFlags: readonly string[] = lack === undefined ? [] : ['--network', 'open'];

/**
 * An agent of a few lines: it asks its model, does what that says, and asks again with the result, until the model calls nothing.
 * What `quirks.json` in the home folder says, it does otherwise.
 */
const agent = `
  import { existsSync, readFileSync, writeFileSync } from 'node:fs';
  import { join } from 'node:path';
  import { setTimeout as sleep } from 'node:timers/promises';
  const path = join(process.env.HOME, 'quirks.json');
  const quirks = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const tell = (line) => console.log(JSON.stringify(line));
  const base = process.argv.flatMap((word) => /base_url="(.*)"/.exec(word)?.[1] ?? [])[0] ?? process.env.OPENAI_BASE_URL;
  if (process.argv[2] === '--version') {
    console.log('codex-cli ' + (quirks.version ?? '1.0.0'));
    process.exit(0);
  }
  tell({ type: 'thread.started', thread_id: 'its-own' });
  tell({ type: 'turn.started' });
  if (quirks.event) tell({ type: quirks.event, what: 'new' });
  let count = 0;
  const ask = async (messages, more = {}) => {
    const answer = await fetch(base + (quirks.path ?? '/chat/completions'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.RIG_API_KEY },
      body: JSON.stringify({
        model: 'gpt-5',
        messages,
        tools: ['read', 'write', ...(quirks.tools ?? [])].map((name) => ({ type: 'function', function: { name, description: quirks.description ?? 'A tool' } })),
        ...(quirks.random ? { trace: String(Math.random()) } : {}),
        ...quirks.parameters,
        ...more,
      }),
    });
    const body = await answer.text();
    if (answer.status !== 200) throw new Error('HTTP ' + answer.status + ' ' + body);
    return JSON.parse(body).choices[0].message;
  };
  const tools = {
    read: ({ path }) => readFileSync(path, 'utf8') + (quirks.read ?? ''),
    write: ({ path, content }) => {
      writeFileSync(path, content + (quirks.write ?? ''));
      return quirks.written ?? 'written';
    },
    wait: async () => {
      await sleep(60_000);
      return 'waited';
    },
    parallel: async () => {
      const names = ['one', 'two', 'three'].toSorted(() => Math.random() - 0.5);
      const answers = await Promise.all(names.map((name) => ask([{ role: 'user', content: 'fact ' + name }])));
      return answers.map(({ content }) => content).toSorted().join(', ');
    },
  };
  let text = '';
  try {
    const messages = [
      { role: 'system', content: quirks.system ?? 'You are an agent.\\nBe brief.' },
      { role: 'user', content: (quirks.prompt ?? 'go') },
    ];
    for (;;) {
      const said = await ask(messages);
      messages.push({ role: 'assistant', content: said.content, tool_calls: said.tool_calls });
      text = said.content ?? '';
      if ((said.tool_calls ?? []).length === 0) break;
      for (const { id, function: { name, arguments: args } } of said.tool_calls) {
        const output = await tools[name](JSON.parse(args));
        const item = { id: 'item_' + ++count, type: 'command_execution', command: name, aggregated_output: output, exit_code: 0, status: 'completed' };
        tell({ type: 'item.completed', item });
        messages.push({ role: 'tool', tool_call_id: id, content: output });
      }
    }
    tell({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: quirks.answer ?? text } });
    tell({ type: 'turn.completed', usage: { input_tokens: quirks.tokens ?? 4000, cached_input_tokens: 0, output_tokens: 200 } });
    process.exitCode = quirks.exit ?? 0;
  } catch (error) {
    tell({ type: 'turn.failed', error: { message: String(error.message) } });
    process.exitCode = 1;
  }
`;

const usage = { input: 1000, output: 50 };

/** What the model says: it reads a file, writes another, and is done. */
export const reading: readonly TurnInput[] = [
  { text: 'I read.', calls: [{ name: 'read', args: { path: 'README.md' } }], usage },
  { text: 'I write.', calls: [{ name: 'write', args: { path: 'notes.txt', content: 'alpha\n' } }], usage },
  { text: 'I wrote the notes.', usage },
];

export interface Recorded {
  place: Place;
  cwd: string;
  env: Record<string, string>;
  server: ModelServer;
  /** What the agent does otherwise from now on. */
  quirk(quirks: Record<string, unknown>): void;
  /** The command, in that checkout. */
  runwire(...args: readonly string[]): Promise<Live>;
  /** What `runwire replay` says of the last run, and how it exits. */
  replay(
    ...flags: readonly string[]
  ): Promise<{ status: number | null; stderr: string; report: ReplayReport | undefined }>;
  record(flags?: readonly string[]): Promise<Live>;
}

/** A checkout, an agent and its model; `record` records a run of it. */
export async function stage(turns: readonly TurnInput[] = reading, isCodex = false): Promise<Recorded> {
  const place = makeCheckout('runwire-replay-');
  atFileEnd(() => place.remove());
  const cwd = place.checkout('project');
  const server = await startModelServer({ turns, select: 'sequential' });
  atFileEnd(() => server.close());
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const home = join(place.folder, 'home');
  const bin = join(place.folder, 'bin');
  write(join(home, 'agent.mjs'), agent);
  write(join(bin, 'codex'), `#!/bin/sh\nexec "${process.execPath}" "$HOME/agent.mjs" "$@"\n`);
  chmodSync(join(bin, 'codex'), 0o755);
  write(
    join(home, '.codex/config.toml'),
    `model_provider = "rig"\n[model_providers.rig]\nname = "Rig"\nbase_url = "${server.baseUrl('chat')}"\nenv_key = "RIG_API_KEY"\n`,
  );
  const env = {
    ...place.env,
    PATH: `${bin}:${place.env['PATH'] ?? ''}`,
    OPENAI_BASE_URL: server.baseUrl('chat'),
    RIG_API_KEY: 'sk-rig-0123456789',
    RUNWIRE_LEDGER: join(place.folder, 'runs.db'),
  };
  const runwire = (...args: readonly string[]): Promise<Live> => inside(args, { cwd, env });
  const quirk = (quirks: Record<string, unknown>): void => write(join(home, 'quirks.json'), JSON.stringify(quirks));
  return {
    place,
    cwd,
    env,
    server,
    quirk,
    runwire,
    async replay(...flags) {
      const { status, stdout, stderr } = await runwire('replay', 'last', '--json', ...networkFlags, ...flags);
      return { status, stderr, report: stdout === '' ? undefined : (JSON.parse(stdout) as ReplayReport) };
    },
    async record(flags = []) {
      const what = isCodex
        ? ['--agent', 'codex', '--env', 'RIG_API_KEY', '--prompt', 'go']
        : ['--', process.execPath, join(home, 'agent.mjs')];
      const told = await runwire('run', '--wire', 'record', '--to', 'runwire', ...flags, ...what);
      expect(told.stderr).not.toContain('bypassed');
      return told;
    },
  };
}

/** Back to the files of the last commit, as whoever records another run would. */
export function clean({ place, cwd }: Recorded): void {
  place.git(cwd, 'clean', '-fdq');
  place.git(cwd, 'checkout', '-q', '.');
}
