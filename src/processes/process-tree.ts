import { setTimeout as wait } from 'node:timers/promises';
import { limitOf } from './mark.ts';
import {
  readEnvironment,
  readLimits,
  readProcess,
  readProcessTable,
  type Process,
  type ProcessTable,
} from './process-table.ts';

/** Not even SIGKILL ends a process that the kernel cannot wake; we wait for it no longer than this. */
const killing = 10_000;
const slowestScan = 50;

/**
 * A process with all its descendants: its group and session, their children, and every process that carries the run's mark in its
 * environment or limits, which is how to find a daemon that has left its group, session and parents behind.
 */
export class ProcessTree {
  readonly #leader: number;
  readonly #started: number;
  readonly #run: string;
  readonly #limit: string;
  /** Members seen before, by pid and start time: a former child stays a member after its parent has exited. */
  readonly #known = new Map<number, number>();
  // A pid is not reused while a group or session has its number. Once both are empty, the number may belong to a stranger.
  #groupIsOurs = true;

  /** To be created right after the start, before the leader can have been reaped. */
  constructor(leader: number, run: string) {
    this.#leader = leader;
    this.#started = readProcess(leader)?.started ?? 0;
    this.#run = run;
    this.#limit = limitOf(run);
  }

  /** When the leader was started, as the kernel counts it; 0 if unknown. */
  get started(): number {
    return this.#started;
  }

  /** Only while the leader has not been reaped, when its pid is certain to be ours. */
  signalGroup(signal: NodeJS.Signals): void {
    send(-this.#leader, signal);
  }

  /**
   * Asks all members to end with SIGTERM and kills those still there after the grace period. Members that are already exiting may be
   * given some time to do so unasked. Returns how many had to be asked.
   */
  async end(grace: number, timeToGo = 0): Promise<number> {
    const left = await this.#afterAWhile(timeToGo);
    for (const pid of left) send(pid, 'SIGTERM');
    if (left.length > 0 && (await this.#afterAWhile(grace)).length > 0) await this.kill();
    return left.length;
  }

  /** Kills until no members are left. */
  async kill(): Promise<void> {
    const deadline = performance.now() + killing;
    for (let pause = 2; performance.now() < deadline; pause = Math.min(pause * 2, slowestScan)) {
      const members = await this.#members();
      if (members.length === 0) return;
      this.#killAll(members);
      await wait(pause);
    }
  }

  /** Stops all current members, until `thaw`. Only while the leader has not been reaped. */
  freeze(): void {
    this.signalGroup('SIGSTOP');
    for (const pid of this.#scan().members) send(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of this.#scan().members) send(pid, 'SIGCONT');
  }

  /** Kills all current members, for when there is no time left to wait. */
  killAtOnce(): void {
    this.#killAll(this.#scan().members);
  }

  #killAll(members: readonly number[]): void {
    // A whole group is signalled at once, so that no member can fork and escape while the others are being killed.
    if (this.#groupIsOurs) send(-this.#leader, 'SIGKILL');
    for (const pid of members) send(pid, 'SIGKILL');
  }

  /** The members still there after `time`; returns as soon as there are none. */
  async #afterAWhile(time: number): Promise<number[]> {
    const deadline = performance.now() + time;
    for (let pause = 2; ; pause = Math.min(pause * 2, slowestScan)) {
      const members = await this.#members();
      const left = deadline - performance.now();
      if (members.length === 0 || left <= 0) return members;
      await wait(Math.min(pause, left));
    }
  }

  async #members(): Promise<number[]> {
    for (let tries = 0; ; tries += 1) {
      const { members, isSure } = this.#scan();
      if (members.length > 0 || isSure || tries === 3) return members;
      await wait(5);
    }
  }

  #scan(): { members: number[]; isSure: boolean } {
    const table = readProcessTable();
    if (table === undefined) return { members: send(-this.#leader, 0) ? [-this.#leader] : [], isSure: true };
    this.#groupIsOurs &&= this.#hasGroup(table);
    const candidates = this.#candidates(table);
    const members = new Set<number>();
    let isSure = table.isWhole;
    for (const each of candidates) {
      const kinship = this.#isKnown(each) || this.#carriesMark(each);
      if (kinship === true) members.add(each.pid);
      else if (kinship === undefined) isSure = false;
    }
    addDescendants(members, candidates);
    for (const pid of members) this.#known.set(pid, table.processes.get(pid)?.started ?? 0);
    return { members: [...members], isSure };
  }

  #hasGroup({ processes }: ProcessTable): boolean {
    const leader = processes.get(this.#leader);
    if (leader !== undefined) return leader.started === this.#started;
    return processes.values().some((each) => this.#isInGroup(each));
  }

  #isInGroup({ group, session }: Process): boolean {
    return group === this.#leader || session === this.#leader;
  }

  /** The processes that we may signal at all: none that is older than the run, and none of our own ancestors. */
  #candidates({ processes }: ProcessTable): Process[] {
    const ancestors = new Set([0, 1]);
    for (let pid = process.pid; !ancestors.has(pid); pid = processes.get(pid)?.parent ?? 0) ancestors.add(pid);
    return [...processes.values()].filter(
      (each) => each.started >= this.#started && !each.isGone && !each.isKernel && !ancestors.has(each.pid),
    );
  }

  #isKnown(each: Process): boolean {
    return (this.#groupIsOurs && this.#isInGroup(each)) || this.#known.get(each.pid) === each.started;
  }

  /** Undefined: not known yet, since a process that is just being executed briefly shows no environment. */
  #carriesMark({ pid }: Process): boolean | undefined {
    if (readLimits(pid)?.includes(this.#limit) === true) return true;
    const environment = readEnvironment(pid);
    return environment === '' ? undefined : (environment?.includes(this.#run) ?? false);
  }
}

function addDescendants(members: Set<number>, candidates: readonly Process[]): void {
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const each of candidates) if (members.has(each.parent)) members.add(each.pid);
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
