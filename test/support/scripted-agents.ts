import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Context } from '../../src/cli/context.ts';
import { folder } from '../cli/run/scripted.ts';

/** What a scripted agent does when it is started: what it prints, what it runs, how it exits. */
export interface Step {
  /** Lines of its dialect. */
  lines: readonly object[];
  stderr?: string;
  exit?: number;
  /** Files that it writes, relative to its working folder. */
  files?: Readonly<Record<string, string>>;
  /** It stays until it is stopped, with a process that it has started. */
  stays?: boolean;
}

export interface Agents {
  /** For the environment of a run. */
  env: Record<string, string>;
  home: string;
  /** How each start was asked for: the arguments, and what came on stdin. */
  /** Its process, and those that it started. */
  processes(agent: string): { pid: number; state: string }[];
  starts(agent: string): { args: string[]; stdin: string; cwd: string }[];
}

const program = `#!${process.execPath}
const fs = require('node:fs');
const path = require('node:path');
const args = process.argv.slice(2);
if (args.includes('--version')) { console.log('VERSION'); process.exit(0); }
const place = PLACE;
const stdin = fs.fstatSync(0).isFile() || fs.fstatSync(0).isFIFO() ? fs.readFileSync(0, 'utf8') : '';
const log = path.join(place, 'starts.jsonl');
const count = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\\n').length - 1 : 0;
fs.appendFileSync(log, JSON.stringify({ args, stdin, cwd: process.cwd() }) + '\\n');
const steps = JSON.parse(fs.readFileSync(path.join(place, 'steps.json'), 'utf8'));
const step = steps[Math.min(count, steps.length - 1)];
for (const [name, text] of Object.entries(step.files ?? {})) fs.writeFileSync(name, text);
for (const line of step.lines) console.log(JSON.stringify(line));
if (step.stderr) process.stderr.write(step.stderr);
fs.writeFileSync(path.join(place, 'pid'), String(process.pid));
if (step.stays) {
  require('node:child_process').spawn('sleep', ['600'], { stdio: 'ignore' });
  setInterval(() => {}, 1000);
}
else process.exitCode = step.exit ?? 0;
`;

const versions: Readonly<Record<string, string>> = {
  codex: 'codex-cli 0.166.0',
  claude: '2.1.201 (Claude Code)',
  opencode: '1.18.33',
  qwen: '0.24.4',
};

/** Programs with the names of agents that do what they are told, start by start; the last step is repeated. */
export function scriptedAgents(scripts: Readonly<Record<string, readonly Step[]>>): Agents {
  const root = folder();
  const bin = join(root, 'bin');
  const home = join(root, 'home');
  for (const each of [bin, home]) mkdirSync(each);
  const placeOf = (agent: string): string => join(root, agent);
  for (const [agent, steps] of Object.entries(scripts)) {
    mkdirSync(placeOf(agent));
    writeFileSync(join(placeOf(agent), 'steps.json'), JSON.stringify(steps));
    const path = join(bin, agent);
    writeFileSync(
      path,
      program.replace('VERSION', versions[agent] ?? '1.0.0').replace('PLACE', JSON.stringify(placeOf(agent))),
    );
    chmodSync(path, 0o755);
  }
  return {
    home,
    env: {
      HOME: home,
      PATH: [bin, process.env['PATH'] ?? ''].join(delimiter),
      OPENAI_API_KEY: 'key-for-tests',
      ANTHROPIC_API_KEY: 'key-for-tests',
    },
    processes(agent) {
      const pid = Number(readFileSync(join(placeOf(agent), 'pid'), 'utf8'));
      const below = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter(Boolean)
        .map(Number);
      return [pid, ...below].map((each) => ({
        pid: each,
        state: /\) (\S)/.exec(readFileSync(`/proc/${each}/stat`, 'utf8'))?.[1] ?? '',
      }));
    },
    starts(agent) {
      const log = join(placeOf(agent), 'starts.jsonl');
      if (!existsSync(log)) return [];
      return readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ReturnType<Agents['starts']>[number]);
    },
  };
}

/** What Codex prints. */
export const codex = {
  began: (session: string) => [{ type: 'thread.started', thread_id: session }, { type: 'turn.started' }],
  says: (text: string, id = 'item_0') => ({ type: 'item.completed', item: { id, type: 'agent_message', text } }),
  ran: (command: string, id = 'item_1') => [
    {
      type: 'item.started',
      item: { id, type: 'command_execution', command, aggregated_output: '', exit_code: null, status: 'in_progress' },
    },
    {
      type: 'item.completed',
      item: { id, type: 'command_execution', command, aggregated_output: 'ok', exit_code: 0, status: 'completed' },
    },
  ],
  done: (input: number, output: number) => ({
    type: 'turn.completed',
    usage: { input_tokens: input, cached_input_tokens: 0, output_tokens: output },
  }),
  failed: (message: string) => [
    { type: 'error', message },
    { type: 'turn.failed', error: { message } },
  ],
};

/** A clock that only goes on when somebody waits for it, and remembers what was waited for. */
export function handClock(start: string): {
  clock: Pick<Context, 'now' | 'sleep' | 'pause'>;
  waits: number[];
  jump(ms: number): void;
} {
  let now = Date.parse(start);
  const waits: number[] = [];
  const step = async (ms: number): Promise<void> => {
    waits.push(ms);
    now += ms;
  };
  return {
    clock: {
      now: () => now,
      sleep: async () => {},
      pause: async (ms, signal) => {
        if (signal.aborted) return false;
        await step(ms);
        return !signal.aborted;
      },
    },
    waits,
    jump: (ms) => void (now += ms),
  };
}
