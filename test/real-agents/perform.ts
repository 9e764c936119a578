import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { EventRecord } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { fingerprint } from '../support/checkouts.ts';
import { startModelServer, type ModelServer } from '../support/model-server/index.ts';
import type { Served } from '../support/recordings.ts';
import { key, noNotes, type Place, type RealAgent } from './agent.ts';
import { processesOf } from './processes.ts';
import type { Scenario } from './scenarios.ts';
import { addressesIn, keysIn } from './wire.ts';

const bin = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');
const patience = 120_000;

/** Everything that one run of the command told, and what its surroundings know. */
export interface Performed {
  status: number | null;
  stderr: string;
  records: EventRecord[];
  outcome: RunOutcome | undefined;
  /** Of this run alone. */
  served: Served;
  /** How many results of tools came back to the model. */
  results: number;
  work: string;
  /** Files that git sees as new, changed or gone, and which of the three: in the checkout and, after work in a copy, on its branch. */
  changed: string[];
  /** What work in a copy did to the checkout and its repository, all the same. */
  touched: string[];
  left: string[];
  /** Where the real key was found while the agent ran through the wire, and which of the user's files have an address of it. */
  keys: string[];
}

interface Stage extends Place {
  base: string;
  home: string;
  /** Whether its requests pass through the wire; unset: they do not. */
  wire: 'meter' | 'record' | undefined;
  /** Runwire's own process. */
  pid?: number | undefined;
  keys: Set<string>;
}

function setUp(agent: RealAgent, url: string, wire: Stage['wire']): Stage {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'runwire-real-')));
  const place = { url, work: join(base, 'work'), started: join(base, 'started') };
  const stage: Stage = { ...place, base, home: join(base, 'home'), wire, keys: new Set() };
  mkdirSync(stage.work);
  for (const [path, text] of Object.entries(agent.home(stage))) {
    mkdirSync(dirname(join(stage.home, path)), { recursive: true });
    writeFileSync(join(stage.home, path), text);
  }
  writeFileSync(join(stage.work, 'README.md'), '# Sample\n\nA small sample project.\n');
  writeFileSync(join(stage.work, 'hello.sh'), 'echo hello\n', { mode: 0o755 });
  const git = (...args: string[]): void => {
    const author = ['-c', 'user.name=Rig', '-c', 'user.email=rig@example.com', '-c', 'init.defaultBranch=main'];
    execFileSync('git', [...author, ...args], { cwd: stage.work, stdio: 'ignore' });
  };
  git('init');
  git('add', '.');
  git('commit', '-m', 'A sample');
  return stage;
}

const operations: Record<string, string> = { '?': 'created', A: 'created', M: 'modified', D: 'deleted' };
const linesOf = (work: string, ...args: string[]): string[] =>
  execFileSync('git', args, { cwd: work, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
const changedIn = (work: string): string[] =>
  linesOf(work, 'status', '--porcelain', '--untracked-files=all').map(
    (line) => `${line.slice(3)} ${operations[line.charAt(1)]}`,
  );
const changedOn = (work: string, branch: string): string[] =>
  linesOf(work, 'diff', '--name-status', '--no-renames', 'HEAD', branch).map(
    (line) => `${line.slice(2)} ${operations[line.charAt(0)]}`,
  );

export const differences = (before: Record<string, string>, after: Record<string, string>): string[] =>
  Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path]);

function agentFlags({ id, flags = [] }: RealAgent, { acp }: Scenario): string[] {
  if (acp === undefined) return ['--agent', id];
  if (acp === 'direct') return ['--agent', `acp:${id}`];
  const inner = [
    process.execPath,
    bin,
    'acp',
    '--agent',
    id,
    '--permission-mode',
    'full',
    '--ledger',
    'none',
    ...flags,
  ];
  return ['--agent', `acp:${inner.join(' ')}`, '--env', '*'];
}

function start(agent: RealAgent, scenario: Scenario, stage: Stage, folder: string): ChildProcess {
  const { prompt, onStdin, flags = [] } = scenario;
  const args = [
    'run',
    ...agentFlags(agent, scenario),
    '--to',
    'runwire',
    '--tape',
    join(stage.base, 'tape'),
    '--wire',
    stage.wire ?? 'off',
    ...(agent.pass ?? []).flatMap((name) => ['--env', name]),
    ...(flags.includes('--permission-mode') ? [] : ['--permission-mode', 'full']),
    ...(scenario.acp === 'bridge' ? [] : (agent.flags ?? [])),
    ...flags,
    ...(onStdin === true ? [] : ['--prompt', prompt]),
  ];
  return runwire(args, agent, stage, folder, onStdin === true ? `${prompt}\n` : '');
}

/** The command as the user of an agent types it. */
function runwire(args: readonly string[], agent: RealAgent, stage: Stage, folder: string, stdin = ''): ChildProcess {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: stage.work,
    env: {
      PATH: [join(folder, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: stage.home,
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      TERM: 'dumb',
      TMPDIR: tmpdir(),
      ...agent.env(stage),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin);
  return child;
}

async function interrupt(
  child: ChildProcess,
  { interrupt: how }: Scenario,
  stage: Stage,
  server: ModelServer,
): Promise<void> {
  if (how === undefined) return;
  const stalled = (): boolean =>
    server.served.requests.some(({ fault }) => fault !== undefined && 'type' in fault && fault.type === 'stall');
  const due = (): boolean => (how.during === 'tool' ? existsSync(stage.started) : stalled());
  await vi.waitUntil(() => due() || child.exitCode !== null, { timeout: patience, interval: 50 });
  child.kill(how.signal);
}

/** The agent waits meanwhile: its tool ends when the order has been given. */
async function order(
  child: ChildProcess,
  { order: words }: Scenario,
  agent: RealAgent,
  stage: Stage,
  folder: string,
): Promise<void> {
  if (words === undefined) return;
  await vi.waitUntil(() => existsSync(stage.started) || child.exitCode !== null, { timeout: patience, interval: 50 });
  const { status, stderr } = await told(runwire(words, agent, stage, folder));
  writeFileSync(`${stage.started}.done`, '');
  if (status !== 0) throw new Error(`runwire ${words.join(' ')} ended with ${status}: ${stderr}`);
}

async function told(
  child: ChildProcess,
  readAfterMs = 0,
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const text = { stdout: '', stderr: '' };
  const ended = once(child, 'close') as Promise<[number | null]>;
  child.stderr?.setEncoding('utf8').on('data', (more: string) => void (text.stderr += more));
  if (readAfterMs > 0) await sleep(readAfterMs);
  child.stdout?.setEncoding('utf8').on('data', (more: string) => void (text.stdout += more));
  const [status] = await ended;
  return { status, ...text };
}

async function performOnce(
  agent: RealAgent,
  scenario: Scenario,
  { stage, server, folder, signal }: { stage: Stage; server: ModelServer; folder: string; signal: AbortSignal },
): Promise<Performed> {
  const before = server.served.requests.length;
  const isInCopy = scenario.flags?.includes('--isolate') === true;
  const untouched = isInCopy ? fingerprint(stage.work) : {};
  const child = start(agent, scenario, stage, folder);
  stage.pid = child.pid;
  const kill = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', kill);
  const [{ status, stdout, stderr }] = await Promise.all([
    told(child, scenario.readAfterMs),
    interrupt(child, scenario, stage, server),
    order(child, scenario, agent, stage, folder),
  ]).finally(() => signal.removeEventListener('abort', kill));
  const left = processesOf(stage.base);
  await server.settled();
  const requests = server.served.requests.slice(before);
  const records = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => EventRecord.parse(JSON.parse(line)) as EventRecord);
  const end = records.at(-1);
  const outcome = end?.type === 'thread.completed' ? (end.final_report as RunOutcome) : undefined;
  // Its branch is not kept if nothing was changed, but its commit is there.
  const branch = outcome?.lineage?.branches.find(({ isolation }) => isolation !== undefined)?.commit;
  return {
    status,
    stderr,
    records,
    outcome,
    served: { requests: requests as Served['requests'] },
    results: requests.flatMap(({ fault, toolResults = [] }) => (fault === undefined ? toolResults : [])).length,
    work: stage.work,
    changed: [...changedIn(stage.work), ...(branch === undefined ? [] : changedOn(stage.work, branch))].toSorted(),
    touched: isInCopy ? differences(untouched, fingerprint(stage.work)) : [],
    left,
    keys: [...stage.keys, ...(stage.wire !== undefined ? addressesIn(stage.home, Object.keys(agent.home(stage))) : [])],
  };
}

export interface Performance {
  agent: RealAgent;
  scenario: Scenario;
  /** Where the agents are installed. */
  folder: string;
  wire: Stage['wire'];
  /** Called when all has been done, with the model gone: more commands in the same place. */
  after?: (command: (...args: string[]) => Promise<Awaited<ReturnType<typeof told>>>, place: Place) => Promise<void>;
}

/** Runs a scenario with a fresh home, a fresh repository and a fresh model. */
export async function perform(
  { agent, scenario, folder, wire, after }: Performance,
  signal: AbortSignal,
): Promise<Performed[]> {
  type Turn = Exclude<ReturnType<Scenario['turns']>[number], (...args: never) => unknown>;
  let turns: ReturnType<Scenario['turns']> = [];
  const stages: Stage[] = [];
  const server = await startModelServer({
    ...(wire === undefined ? {} : { requireKey: key }),
    turns: (request, index) => {
      // The agent waits for this answer: what it has now, it has.
      if (wire !== undefined)
        for (const { base, pid, keys } of stages)
          for (const place of keysIn(key, base, { except: pid, memory: index === 0 && agent.keyInFile !== true }))
            keys.add(place);
      // Through the wire, a refusal of the last request is the end of the run.
      const last: Turn =
        wire !== undefined && agent.takesNotes === true
          ? { text: noNotes }
          : { fault: { status: 400, kind: 'invalid_request' } };
      const turn = turns[index] ?? last;
      return typeof turn === 'function' ? turn(request) : turn;
    },
    // By order: an agent that goes on after a cut sends the piece it has as an answer of its own.
    select: 'sequential',
    // Names for a session, notes for later runs: what agents ask beside their work.
    side: { text: 'A title', maxSystem: 100_000 },
  });
  const stage = setUp(agent, server.url, wire);
  stages.push(stage);
  turns = scenario.turns(agent.hands, stage);
  const around = { stage, server, folder, signal };
  let isServed = true;
  try {
    const first = await performOnce(agent, scenario, around);
    if (after !== undefined) {
      await server.close();
      isServed = false;
      await after((...args) => told(runwire(args, agent, stage, folder)), stage);
    }
    if (scenario.resumeWith === undefined) return [first];
    const flags = [...(scenario.flags ?? []), '--resume', first.outcome?.session_id ?? ''];
    return [first, await performOnce(agent, { ...scenario, prompt: scenario.resumeWith, flags }, around)];
  } finally {
    if (isServed) await server.close();
    rmSync(stage.base, { recursive: true, force: true, maxRetries: 3 });
  }
}
