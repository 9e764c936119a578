import { resolve } from 'node:path';
import { readEnvironmentWords } from '../agents/environment.ts';
import type { Rule } from '../expect/rule.ts';
import { parseRule } from '../expect/words.ts';
import { readTelemetry } from '../telemetry/settings.ts';
import type { Environment } from '../words/vocabulary.ts';
import { requestOf } from '../contract/requested.ts';
import type { RequestOptions } from '../contract/run-options.ts';
import { specOf } from './ask.ts';
import { givenPrice } from './given-price.ts';
import { checkNodeVersion } from './node-version.ts';
import { checkOptions } from './options.ts';
import type { Run } from './handle.ts';
import { start } from './run.ts';
import { ledgerRequest } from './sinks/ledger-request.ts';

export interface RunOptions extends RequestOptions {
  /** What is expected of the run: rules in words, such as `must run npm test`, or as data. */
  expect?: readonly (string | Rule)[];
  /** Default: the working directory of this process. */
  cwd?: string;
  /** Default: the environment of this process. An agent's process gets the usual variables from it, the agent's own, and those named in `passEnv`. */
  env?: Environment;
  /** `NAME`, `NAME=VALUE`, `PREFIX_*` or `*`. */
  passEnv?: readonly string[];
  /** Where the run is remembered: a file, `postgres://…`; default: nowhere. */
  ledger?: string;
  /** Where its OpenTelemetry spans go: a file, or a collector's address, with headers and other settings from `OTEL_*`; default: nowhere. */
  otel?: string;
  /** Where its tape is kept: `s3://bucket/prefix`, `postgres` or `files`; default: `RUNWIRE_TAPES`, else with the ledger. */
  tapes?: string;
  /** The run that this one is part of: it waits for this one, counts its cost separately, and cancels it when it is cancelled itself. */
  parent?: Run;
  /** Aborting it cancels the run. */
  signal?: AbortSignal;
}

/** Runs an agent. It starts at once; read its records, await its outcome, or both. Throws `Failure` when the request makes no sense. */
export function run(options: RunOptions): Run {
  checkNodeVersion(process.versions.node);
  checkOptions(options);
  const {
    cwd = process.cwd(),
    env = process.env,
    passEnv = [],
    ledger = 'none',
    tapes,
    otel,
    parent,
    signal,
    expect,
    price,
    ...given
  } = options;
  const rules = expect?.map((rule) => (typeof rule === 'string' ? parseRule(rule) : rule));
  const request = { ...requestOf(given), expect: rules, price: price === undefined ? undefined : givenPrice(price) };
  const { pass, set } = readEnvironmentWords(passEnv);
  const work = start(specOf(request, { cwd, passEnv: [...pass, ...Object.keys(set)] }), {
    env,
    variables: set,
    parent,
    ledger: ledger === 'none' ? undefined : ledgerRequest({ ledger, tapes, keepsTape: true }, env, cwd),
    telemetry: otel === undefined ? undefined : readTelemetry(otel, env, (name) => resolve(cwd, name)).request,
  });
  if (signal !== undefined) cancelOn(signal, work);
  return work;
}

function cancelOn(signal: AbortSignal, work: Run): void {
  const cancel = (): void => work.cancel();
  if (signal.aborted) return cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const release = (): void => signal.removeEventListener('abort', cancel);
  work.outcome.then(release, release);
}
