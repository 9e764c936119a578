import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { present } from '../../json/present.ts';
import { Redactor } from '../../redact/redactor.ts';
import { secretValues } from '../../redact/secrets.ts';
import { specAfter } from '../../run/fallback.ts';
import { addUsed, type BegunWait, type Parked } from '../../run/parked.ts';
import type { StartOptions } from '../../run/run.ts';
import type { Sink } from '../../run/sinks/sink.ts';
import { limitsToGoOn } from '../../contract/limits-left.ts';
import type { RunSpec } from '../../contract/spec.ts';
import type { Attempt } from '../../stores/run-store.ts';
import { dropWaiting, keepWaiting, leftWaiting, takeWaiting, type WaitingFile } from '../../stores/waiting-file.ts';
import type { Context } from '../context.ts';
import type { RunValues } from './options.ts';

/** What the command line says, so that another process can ask for the same. */
export interface CommandLine {
  values: RunValues;
  prompt: string;
  command?: readonly string[] | undefined;
}

/** A run in the foreground that waits for a limit, as it is on the disk meanwhile. */
export interface LeftRun extends WaitingFile, CommandLine, BegunWait, Parked {
  cwd: string;
  attempts: readonly Attempt[];
  /** Where its work is, if it has a private copy. */
  branch?: string;
}

const mostNamed = 3;

/** Keeps a run where another process finds it, while it waits: its own process may be killed, and the machine may restart. */
export class Wait {
  readonly #commandLine: CommandLine;
  readonly #context: Context;
  readonly #complain: (message: string) => void;
  readonly #before: LeftRun | undefined;
  readonly #attempts: Attempt[];
  #branch: string | undefined;
  /** Known once it has begun. */
  run = '';

  constructor(
    { commandLine, before }: { commandLine: CommandLine; before: LeftRun | undefined },
    context: Context,
    complain: (message: string) => void,
  ) {
    this.#commandLine = commandLine;
    this.#before = before;
    this.#attempts = [...(before?.attempts ?? [])];
    this.#branch = before?.branch;
    this.#context = context;
    this.#complain = complain;
  }

  readonly sink: Sink = {
    record: (record) => {
      if (record.type === 'branch.updated' && record.is_start !== true && record.commit !== undefined)
        this.#branch = record.branch_id;
    },
    attempt: (attempt) =>
      void this.#attempts.push({ ...attempt, number: attempt.number + (this.#before?.attempts.length ?? 0) }),
  };

  readonly change = (parked: Parked | undefined): void => {
    const { env, now } = this.#context;
    if (parked === undefined) return dropWaiting(env, this.run);
    const { values, ...commandLine } = this.#commandLine;
    const left: Omit<LeftRun, 'owner' | 'kept_at'> = {
      ...commandLine,
      // Values are never stored.
      values: { ...values, ...present({ env: values.env?.map((each) => each.split('=', 1)[0] ?? '') }) },
      cwd: this.#context.cwd,
      run: this.run,
      ...parked,
      since: now(),
      fallbacks: (parked.fallbacks ?? 0) + (this.#before?.fallbacks ?? 0),
      used: addUsed(parked.used, this.#before?.used),
      attempts: this.#attempts,
      ...present({ branch: this.#branch }),
    };
    const text = JSON.stringify(left);
    if (values['no-redact'] !== true && new Redactor({ values: secretValues(env) }).text(text) !== text)
      return this.#complain('if this process is killed, nothing goes on: the prompt or a flag holds a secret');
    try {
      keepWaiting(env, left, now());
    } catch {
      this.#complain('if this process is killed, nothing goes on: the state folder cannot be written');
    }
  };
}

/** What is left of it, for the process that goes on. */
export function specLeft(whole: RunSpec, { used, branch, fallbacks }: LeftRun): RunSpec {
  const spec = specAfter(whole, fallbacks);
  const { workspace } = spec;
  return {
    ...spec,
    limits: { ...spec.limits, ...limitsToGoOn(spec.limits, { ...used, cost: used.cost ?? 0 }) },
    ...(workspace === undefined ? {} : { workspace: { ...workspace, ...present({ from: branch }) } }),
  };
}

export function startOfLeft(left: LeftRun): Pick<StartOptions, 'id' | 'parked' | 'begunWait'> {
  const { run: id, waits, waited_ms, since, until, cause, session } = left;
  return { id, parked: { waits, waited_ms }, begunWait: { since, until, cause, session } };
}

/** The run with this id, if its process is gone while it waited. */
export function leftRun(word: string, { env, now }: Context): LeftRun | undefined {
  const all = leftWaiting(env, now()) as LeftRun[];
  const meant = all.filter(({ run }) => run === word || shortRunId(run).startsWith(word));
  return meant.length === 1 ? meant[0] : undefined;
}

/** Goes on with it, in this process; resolves to its exit code. */
export async function goOnWith(left: LeftRun, context: Context): Promise<number> {
  const { values, prompt, command, cwd } = left;
  const missing = (values.env ?? []).filter((name) => !name.endsWith('*') && context.env[name] === undefined);
  if (missing.length > 0)
    throw new Failure(
      'input',
      `${shortRunId(left.run)} was started with --env ${missing.join(', --env ')}: set ${missing.length === 1 ? 'it' : 'them'} in the environment`,
    );
  if (!takeWaiting(context.env, left, context.now()))
    throw new Failure('input', `${shortRunId(left.run)}: another process goes on with it already`);
  const { startRun } = await import('./start.ts');
  const there: Context = { ...context, cwd, readFile: (path) => context.readFile(resolve(cwd, path)) };
  const words = values.prompt === undefined ? { ...values, prompt } : values;
  return startRun(words, [], there, { command, left });
}

/** Tells of runs that wait for nobody: their processes are gone. */
export function tellLeft({ env, now }: Context, warn: (message: string) => void): void {
  const all = leftWaiting(env, now());
  for (const { run, until } of all.slice(0, mostNamed)) {
    const when = until > now() ? `waits until ${timeOf(until)}` : `waited until ${timeOf(until)}`;
    warn(
      `the run ${shortRunId(run)} ${when}, and its process is gone; to go on: runwire runs resume ${shortRunId(run)}`,
    );
  }
  if (all.length > mostNamed) warn(`and ${all.length - mostNamed} more such runs, see "runwire runs list"`);
}

function timeOf(at: number): string {
  return new Date(at).toLocaleString('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' });
}
