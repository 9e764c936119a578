import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { childEnvironment } from '../../agents/environment.ts';
import { exitCodes, Failure } from '../../failure.ts';
import type { PlayOptions } from '../../replay/play.ts';
import { oneLine } from '../../terminal/plain.ts';
import type { Values } from '../command.ts';
import type { Context } from '../context.ts';
import type { replayOptions } from './options.ts';

export type ReplayValues = Values<typeof replayOptions>;

/** What the flags say of how runs are run again. Throws `Failure` where they are wrong. */
export function playOptions(values: ReplayValues, context: Context): PlayOptions {
  const { network = 'model', tape } = values;
  if (network !== 'model' && network !== 'open')
    throw new Failure('input', `--network ${network}: expected model or open`);
  return {
    env: context.env,
    network,
    program: values.with === undefined ? undefined : programAt(resolve(context.cwd, values.with), values.with),
    tape: tape === undefined ? undefined : resolve(context.cwd, tape),
    warn: (message) => context.warn(`runwire: ${oneLine(message, 400)}`),
    outside: {
      onSignal: context.onSignal,
      onCrash: context.onCrash,
      watchTime: (ms, onBlocked) =>
        context.watchTime(ms, () => {
          onBlocked();
          return { stdout: '', exitCode: exitCodes.time_limit };
        }),
    },
    now: context.now,
  };
}

function programAt(path: string, given: string): string {
  try {
    accessSync(path, constants.X_OK);
    if (statSync(path).isFile()) return path;
  } catch {
    // Said below.
  }
  throw new Failure('input', `--with ${given}: there is no program that can be started`);
}

/** Before anything is started that could read them. */
export function hideKeys(context: Context): void {
  context.hideEnvironment(new Set(Object.keys(childEnvironment(context.env, { pass: [], set: {} }))));
}

export const isText = ({ json, text }: ReplayValues, context: Context): boolean =>
  json !== true && (text === true || context.stdoutIsTerminal);
