import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { claimJobs } from '../../../src/fleet/claim-jobs.ts';
import type { Job } from '../../../src/fleet/job.ts';
import { openQueue } from '../../../src/fleet/queue.ts';
import type { PostgresDatabase } from '../../stores/support/postgres.ts';
import type { Result } from '../../support/command.ts';
import { compiled } from '../../support/compiled.ts';
import { inProcess } from './in-process.ts';

const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'runwire.js');
/** With what another one has compiled: a worker gives its runs no variables. */
const agent = [
  '/usr/bin/env',
  `NODE_COMPILE_CACHE=${compiled.NODE_COMPILE_CACHE}`,
  process.execPath,
  join(import.meta.dirname, 'agent.ts'),
];
/** A lease that a busy machine keeps: whoever is late with a word for that long has lost the run. */
const hasty = ['--poll', '0.1s', '--lease', '6s'];

export function temporary(): string {
  return mkdtempSync(join(tmpdir(), 'runwire-fleet-'));
}

/** With nothing in its tables, also at the second try of a test. */
export async function newFleet(server: PostgresDatabase, schema: string): Promise<Fleet> {
  const client = new pg.Client({ connectionString: server.url(schema).replace(/\?.*/, '') });
  await client.connect();
  await client.query(`drop schema if exists "${schema}", "${schema}_queue" cascade`).finally(() => client.end());
  return new Fleet(server.url(schema));
}

/** The machines of a team: a ledger, and folders of their own for each. */
export class Fleet {
  readonly url: string;
  readonly folder = temporary();
  /** Where agents of the test write down when they begin and end. */
  readonly log = join(this.folder, 'log');
  readonly #workers: ChildProcess[] = [];

  /** More variables of all machines. */
  readonly #variables: Record<string, string>;

  constructor(url: string, variables: Record<string, string> = {}) {
    this.url = url;
    this.#variables = variables;
    writeFileSync(this.log, '');
  }

  env(machine = 'here'): Record<string, string> {
    const state = join(this.folder, machine);
    mkdirSync(state, { recursive: true });
    return {
      RUNWIRE_LEDGER: this.url,
      XDG_STATE_HOME: state,
      RUNWIRE_REPORT: '',
      FLEET_LOG: this.log,
      ...this.#variables,
    };
  }

  runwire(args: readonly string[], stdin?: string): Promise<Result> {
    return inProcess(args, { env: this.env(), cwd: this.folder, ...(stdin === undefined ? {} : { stdin }) });
  }

  /** Queues what an agent of the test does: `sleep MS`, `fail`, `write FILE TEXT`, … Answers the id. */
  async enqueue(flags: readonly string[], ...does: string[]): Promise<string> {
    const { stdout, stderr } = await this.runwire([
      'enqueue',
      '--cwd',
      this.folder,
      ...flags,
      '--',
      ...agent,
      this.log,
      ...does,
    ]);
    if (stdout === '') throw new Error(stderr);
    return (JSON.parse(stdout) as { id: string }).id;
  }

  /** The same as a line for `enqueue -`. */
  line(order: object, ...does: string[]): string {
    return `${JSON.stringify({ cwd: this.folder, command: [...agent, this.log, ...does], ...order })}\n`;
  }

  /** A worker that takes one run, here: what becomes of its process is no matter. */
  async once(flags: readonly string[] = []): Promise<number | null> {
    const args = ['worker', ...hasty, '--once', ...flags];
    return (await inProcess(args, { env: this.env('there'), cwd: this.folder })).status;
  }

  worker(flags: readonly string[] = [], machine = 'there'): RunningWorker {
    return this.start(['worker', ...hasty, ...flags], machine);
  }

  /** A command in a process of its own, heard while it runs. */
  start(args: readonly string[], machine = 'here'): RunningWorker {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: this.folder,
      env: { ...process.env, ...this.env(machine) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#workers.push(child);
    return new RunningWorker(child);
  }

  /** As if one worker after another had taken the run and gone silent. */
  async loseWorkers(run: string, times: number): Promise<void> {
    const queue = await openQueue(this.url);
    const client = new pg.Client({ connectionString: this.url.replace(/\?.*/, '') });
    await client.connect();
    const schema = `${new URL(this.url).searchParams.get('schema') ?? ''}_queue`;
    for (let lost = 0; lost < times; lost += 1) {
      await claimJobs(queue, { count: 1, labels: [], worker: `lost:${lost}`, leaseMs: 1 });
      await client.query(`update ${schema}.jobs set heard_at = 'epoch', lease_ms = 0 where run = $1`, [run]);
    }
    await client.end();
    await queue.close();
  }

  async jobs(): Promise<Job[]> {
    const { stdout } = await this.runwire(['queue', 'list', '--all', '--limit', '1000', '--json']);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Job);
  }

  async job(run: string): Promise<Job> {
    const found = (await this.jobs()).find((each) => each.run === run);
    if (found === undefined) throw new Error(`no job ${run}`);
    return found;
  }

  /** Whatever happens to a test, nothing of it runs on. */
  end(): void {
    for (const child of this.#workers) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  }
}

export class RunningWorker {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => void (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (this.stderr += text));
    this.ended = new Promise((resolve) => void child.once('close', (code) => resolve(code)));
  }

  get events(): { event: string; run: string; attempt: number; exit_code?: number }[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { event: string; run: string; attempt: number });
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** Looks until it is so; says what it was looking for if it never is. It counts its looks: on a busy machine each of them takes longer. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, looks = 4000): Promise<void> {
  for (let look = 0; look < looks; look += 1, await sleep(50)) if (await isSo()) return;
  throw new Error(`it never came to this: ${what}`);
}

/** A repository with a remote, as people have it. */
export function newRepository(): { checkout: string; remote: string; git: (...args: string[]) => string } {
  const folder = temporary();
  const [checkout, remote] = [join(folder, 'web'), join(folder, 'team', 'web.git')];
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: checkout,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  mkdirSync(checkout);
  mkdirSync(join(folder, 'team'));
  git('init', '-q', '-b', 'main');
  writeFileSync(join(checkout, 'a.txt'), 'one\n');
  git('add', '.');
  git('commit', '-qm', 'one');
  git('clone', '-q', '--bare', checkout, remote);
  git('remote', 'add', 'origin', remote);
  git('fetch', '-q', 'origin');
  return { checkout, remote, git };
}
