import {
  spawn,
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
} from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../words/vocabulary.ts';
import { startGuarded, type Guarded } from './guarded.ts';

/** A program to start. It, and everything that it starts, ends with us at the latest. */
export interface Program {
  command: string;
  args: readonly string[];
  /** Default: our own. */
  cwd?: string;
  env: Environment;
}

export type Printing = ChildProcessByStdio<null, Readable, Readable>;
export type Talking = ChildProcessWithoutNullStreams;
export type Listening = ChildProcessByStdio<Writable, null, null>;

/** Starts a program that gets no input, and whose output we read. */
export function startPrinting(program: Program): Guarded<Printing> {
  return startGuarded(program, ({ command, args, cwd, env }) =>
    spawn(command, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true }),
  );
}

/** Starts a program that we write to and read from. */
export function startTalking(program: Program): Guarded<Talking> {
  return startGuarded(program, ({ command, args, cwd, env }) =>
    spawn(command, [...args], { cwd, env, stdio: 'pipe', detached: true }),
  );
}

/** Starts a program that we write to; what it prints goes to our stderr. */
export function startListening(program: Program): Guarded<Listening> {
  const { stderr } = process;
  return startGuarded(program, ({ command, args, cwd, env }) =>
    spawn(command, [...args], { cwd, env, stdio: ['pipe', stderr, stderr], detached: true }),
  );
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** How it ended; rejects when it could not be started. */
export function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}
