import { priceLoader } from '../../builtin/config/price.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findReader } from '../../dialects/registry.ts';
import { compareWith } from '../../expect/against.ts';
import { Expectations } from '../../expect/expectations.ts';
import { checkCode, judgedBy } from '../../expect/judged.ts';
import { Failure } from '../../failure.ts';
import { namedRun } from '../../ledger/find.ts';
import { endReading, tapeOf } from '../../ledger/run-tape.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { present } from '../../json/present.ts';
import { Reader, type ReaderOptions } from '../../pipeline/reader.ts';
import { folderItself, judgesIn } from '../../run/judges.ts';
import type { Context } from '../context.ts';
import { noSuchLedger, useLedger } from '../runs/ledger.ts';
import { readSharedFlags, redaction, sourcesOf } from '../streams.ts';
import { readRules } from './read-rules.ts';
import { tellCheck, writeJunit } from './tell.ts';

export interface StoredCheck {
  values: {
    readonly expect?: readonly string[];
    readonly against?: string;
    readonly from?: string;
    readonly stderr?: string;
    readonly 'process-exit'?: string;
    readonly 'no-redact'?: boolean;
    readonly ledger?: string;
    readonly tapes?: string;
    readonly junit?: string;
  };
  factor: number;
  isText: boolean;
}

export async function checkStored(
  { values, factor, isText }: StoredCheck,
  name: string | undefined,
  context: Context,
): Promise<number> {
  const rules = await readRules(values.expect ?? [], context);
  const expectations = new Expectations(rules, { isRedacted: values['no-redact'] !== true });
  const outcome = await readOutcome(name, values, context, { onRecord: (record) => expectations.record(record) });
  const judges = judgesIn({
    workspace: folderItself(context.cwd),
    env: context.env,
    passEnv: [],
    variables: {},
    signal: new AbortController().signal,
  });
  const checked = await expectations.judge(outcome, judges);
  const base =
    values.against === undefined
      ? undefined
      : await readOutcome(values.against, { ledger: values.ledger, tapes: values.tapes }, context, {});
  const judged = judgedBy([...checked, ...(base === undefined ? [] : compareWith(base, outcome, factor))], outcome);
  const code = checkCode(judged);
  await tellCheck(judged, code, isText, context);
  if (values.junit !== undefined) await writeJunit(values.junit, [judged], context);
  return code;
}

/** Reads a file if it exists, else a run from the ledger; without a name, stdin. */
export async function readOutcome(
  name: string | undefined,
  values: Omit<StoredCheck['values'], 'ledger' | 'tapes'> & {
    readonly ledger?: string | undefined;
    readonly tapes?: string | undefined;
  },
  context: Context,
  options: Pick<ReaderOptions, 'onRecord'>,
): Promise<RunOutcome> {
  const { process, stderr } = readSharedFlags(values, context);
  const reader = new Reader({
    ...options,
    ...redaction(values['no-redact'], context),
    ...(values.from === undefined ? {} : { dialect: findReader(values.from) }),
  });
  if (name !== undefined && name !== '-' && !existsSync(resolve(context.cwd, name))) {
    return useLedger(
      present({ ledger: values.ledger, tapes: values.tapes }),
      context,
      async ({ store, tapes }) => {
        const found = await tapeOf(tapes, await namedRun(store, name));
        if ('missing' in found) throw new Failure('input', found.missing);
        for await (const chunk of found.tape.read()) reader.stdout(chunk);
        return endReading(reader, undefined, priceLoader(context));
      },
      noSuchLedger,
    );
  }
  for (const source of sourcesOf(name === undefined ? [] : [name], context))
    for await (const chunk of source.bytes) reader.stdout(chunk);
  for await (const chunk of stderr() ?? []) reader.stderr(chunk);
  return endReading(reader, process, priceLoader(context));
}
