import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { present } from '../json/present.ts';
import { Brake } from './brake.ts';
import { Frost } from './frost.ts';
import { exitOf } from './child.ts';
import { startGuarded, type Guarded } from './guarded.ts';
import type { Start } from './mark.ts';
import type { ProcessTree } from './process-tree.ts';
import { patient } from './patience.ts';
import { StandardStreams } from './standard-streams.ts';
import { startFailure } from './start-failure.ts';
import type { Ended, Graces, Supervise, Supervised } from './supervised.ts';

const usualGraces: Graces = { stop: patient(5000), leftover: patient(1000), drain: 500 };
/** A process that is already exiting gets this long before it counts as left running. */
const timeToGo = 100;

type Exit = Pick<Ended, 'exit_code' | 'signal'>;

/** Starts a process that cannot outlive us; it never waits for us to read its output, and no output is lost. */
export const supervise: Supervise = async (order, graces) => {
  const folder = join(tmpdir(), `runwire-${randomBytes(16).toString('hex')}`);
  let streams: StandardStreams | undefined;
  try {
    const start = (process: Start): ChildProcess => {
      streams = new StandardStreams(folder, order);
      return startProcess(process, streams);
    };
    const { child, tree, end } = startGuarded(order, start, { folder });
    const exit = exitOf(child).then(({ code, signal }): Exit => ({ exit_code: code, signal }));
    if (child.pid === undefined || tree === undefined || streams === undefined) {
      const cause = await exit.catch((error: unknown) => error);
      await end(0);
      throw cause;
    }
    return new Supervision({
      pid: child.pid,
      input: child.stdin,
      exit,
      tree,
      end,
      streams,
      graces: { ...usualGraces, ...graces },
    });
  } catch (error) {
    await streams?.finish();
    throw startFailure(order, error);
  }
};

function startProcess({ command, args, cwd, env }: Start, streams: StandardStreams): ChildProcess {
  try {
    return spawn(command, [...args], { cwd, env, stdio: [...streams.stdio], detached: true });
  } finally {
    streams.closeCopies();
  }
}

interface Parts {
  pid: number;
  /** The stdin of a process that talks. */
  input: Writable | null;
  exit: Promise<Exit>;
  tree: ProcessTree;
  end: Guarded<ChildProcess>['end'];
  streams: StandardStreams;
  graces: Graces;
}

class Supervision implements Supervised {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  readonly #tree: ProcessTree;
  readonly #graces: Graces;
  readonly #input: Writable | null;
  readonly #streams: StandardStreams;
  readonly #brake: Brake;
  readonly #frost: Frost;
  #state: 'running' | 'ending' | 'gone' = 'running';
  #requested: Ended['requested_signal'];
  #patience: NodeJS.Timeout | undefined;
  #killing: Promise<void> | undefined;
  /** The caller wants it to end now. */
  #isHurried = false;
  #goneAt = Infinity;
  #cutting: NodeJS.Timeout | undefined;

  constructor({ pid, input, exit, tree, end, streams, graces }: Parts) {
    this.pid = pid;
    this.#input = input;
    // A process that no longer reads its stdin is ending; its exit status says how.
    input?.on('error', () => {});
    this.#tree = tree;
    this.#graces = graces;
    this.#streams = streams;
    this.#frost = new Frost(tree);
    const flood = { freeze: () => this.#frost.add('flood'), thaw: () => this.#frost.remove('flood') };
    this.#brake = new Brake(flood, () => this.#kill());
    streams.onUnread((bytes) => this.#brake.unread(bytes));
    this.ended = this.#follow(exit, end);
  }

  stop(signal: 'SIGINT' | 'SIGTERM'): void {
    if (this.#state !== 'running' || this.#requested !== undefined) return;
    this.#requested = signal;
    this.#tree.signalGroup(signal);
    this.#frost.end();
    this.#brake.release(this.#streams.unread);
    this.#patience = setTimeout(() => this.#kill(), this.#graces.stop);
  }

  kill(): void {
    this.#isHurried = true;
    if (this.#state === 'gone') return this.#cutSoon();
    this.#requested ??= 'SIGKILL';
    this.#kill();
  }

  freeze(): void {
    if (this.#state === 'running' && this.#requested === undefined) this.#frost.add('caller');
  }

  thaw(): void {
    this.#frost.remove('caller');
  }

  send(text: string): number {
    if (this.#input?.writable === true) this.#input.write(text);
    return this.#input?.writableLength ?? 0;
  }

  hangUp(): void {
    this.#input?.end();
  }

  #kill(): void {
    if (this.#state !== 'gone') this.#killing ??= this.#tree.kill();
  }

  #cutSoon(): void {
    const left = this.#graces.drain - (performance.now() - this.#goneAt);
    this.#cutting ??= setTimeout(() => this.#streams.cut(), Math.max(0, left));
  }

  async #follow(exit: Promise<Exit>, end: Parts['end']): Promise<Ended> {
    const streams = this.#streams;
    let failure: { listener_error: unknown } | undefined;
    streams.onFailure((listener_error) => {
      failure ??= { listener_error };
      this.#kill();
    });
    const main = await exit;
    this.#state = 'ending';
    this.#frost.end();
    clearTimeout(this.#patience);
    this.#brake.release(streams.unread);
    await this.#killing;
    const left_running = await end(this.#graces.leftover, timeToGo);
    await this.#killing;
    this.#state = 'gone';
    this.#goneAt = performance.now();
    this.#input?.destroy();
    if (this.#isHurried) this.#cutSoon();
    await streams.finish();
    clearTimeout(this.#cutting);
    const unread_bytes = failure === undefined && streams.unread > 0 ? streams.unread : undefined;
    return { ...main, ...present({ requested_signal: this.#requested, unread_bytes }), left_running, ...failure };
  }
}
