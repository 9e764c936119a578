import { priceLoader } from '../../builtin/config/price.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findDialect } from '../../dialects/registry.ts';
import type { EventRecord } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import { namedRun } from '../../ledger/find.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { endReading } from '../../ledger/run-tape.ts';
import { treeRecords } from '../../ledger/tail-tree.ts';
import { Reader } from '../../pipeline/reader.ts';
import { deliver } from '../../telemetry/deliver.ts';
import { contentIdOf } from '../../telemetry/ids.ts';
import { readTelemetry, type TelemetryTarget } from '../../telemetry/settings.ts';
import type { SpanFold } from '../../telemetry/span-fold.ts';
import { SpanWriter } from '../../telemetry/span-writer.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { readSharedFlags, redaction, sourcesOf, streamOptions } from '../streams.ts';
import { ledgerOption, noSuchLedger, useLedger } from './ledger.ts';

export const otel = command({
  name: 'runs otel',
  summary: 'Export the spans of runs, for OpenTelemetry',
  operands: 'ID|FILE…',
  description: `Writes a run in the ledger and all runs below it, from their tapes, or any stored stream, as spans of the GenAI conventions:
one for the run, for each model call and for each tool call. They are the same spans, with the same ids, that "runwire run --otel"
sends. stdout gets OTLP/JSON, one request per line. Prompts, answers, arguments and results are sent only on request: see
docs/telemetry.md.`,
  options: {
    to: {
      type: 'string',
      short: 't',
      value: 'FILE|URL',
      help: 'Append to this file, or send to this collector, with the headers from the OTEL_* variables',
    },
    from: streamOptions.from,
    stderr: streamOptions.stderr,
    'process-exit': streamOptions['process-exit'],
    'no-redact': streamOptions['no-redact'],
    ...ledgerOption,
  },
  examples: [
    ["runwire runs otel last | jq '.resourceSpans[].scopeSpans[].spans | map(.name)'", 'The spans of the last run'],
    ['runwire runs otel last --to http://localhost:4318', 'Show it in Jaeger, or in whatever listens there'],
    ['runwire runs otel --from codex run.jsonl --to spans.jsonl', 'A stored stream, as a file for a collector'],
  ],
  async run(values, operands, context) {
    if (operands.length === 0)
      throw new Failure('input', 'no run: give an id, last, or a file; see "runwire runs otel --help"');
    const { request, warnings } = readTelemetry(values.to ?? '-', context.env, (name) => resolve(context.cwd, name));
    for (const each of warnings) complain(each, context);
    if (request === undefined)
      throw new Failure('input', `--to ${values.to}: expected a file, or the address of a collector`);
    const { capturesContent, resource, queue, target } = request;
    const out = new SpanWriter({
      capturesContent,
      resource: redaction(false, context).redact?.json(resource) ?? resource,
      batch: queue.batch,
      write: writerTo(values.to === undefined ? undefined : target, context),
    });
    for (const word of operands) {
      const isFile = word === '-' || existsSync(resolve(context.cwd, word));
      if (isFile) await tellFile(word, values, out, context);
      else await useLedger(values, context, (ledger) => tellRun(ledger, word, out, context), noSuchLedger);
    }
    await out.end();
    return 0;
  },
});

/** The run and all runs below it: each has its own spans, and knows its parent span. */
async function tellRun(ledger: Ledger, word: string, out: SpanWriter, context: Context): Promise<void> {
  const top = await namedRun(ledger.store, word);
  let fold: { run: string; spans: SpanFold } | undefined;
  for await (const news of treeRecords(ledger, top)) {
    const { run } = news;
    if ('missing' in news) {
      if (run.id === top.id) throw new Failure('input', news.missing);
      complain(news.missing, context);
    } else if ('records' in news) {
      if (fold?.run !== run.id) fold = { run: run.id, spans: out.fold(run.id, run.started_at) };
      for (const { record } of news.records) fold.spans.record(record);
      await out.flush();
    }
  }
}

async function tellFile(
  name: string,
  values: {
    readonly from?: string;
    readonly stderr?: string;
    readonly 'process-exit'?: string;
    readonly 'no-redact'?: boolean;
  },
  out: SpanWriter,
  context: Context,
): Promise<void> {
  const { process, stderr } = readSharedFlags(values, context);
  let fold: SpanFold | undefined;
  const reader = new Reader({
    ...redaction(values['no-redact'], context),
    ...(values.from === undefined ? {} : { dialect: findDialect(values.from) }),
    onRecord: (record: EventRecord) => fold?.record(record),
  });
  for (const source of sourcesOf([name], context))
    for await (const chunk of source.bytes) {
      fold ??= out.fold(contentIdOf(chunk), context.now());
      reader.stdout(chunk);
      await out.flush();
    }
  for await (const chunk of stderr() ?? []) reader.stderr(chunk);
  await endReading(reader, process, priceLoader(context));
  if (reader.dialect === undefined)
    throw new Failure('input', `${name}: no known dialect in it; name one with --from (see "runwire dialects")`);
}

/** Writes to stdout, or to the target of --to. */
function writerTo(target: TelemetryTarget | undefined, context: Context): (body: string) => Promise<void> {
  if (target === undefined) return (body) => context.print(`${body}\n`);
  return async (body) => {
    const delivery = await deliver(body, target, new AbortController().signal);
    if (delivery.kind !== 'taken')
      throw new Failure('config', `OpenTelemetry did not accept the spans: ${delivery.why}`);
    if (delivery.remark !== undefined) complain(`OpenTelemetry: ${delivery.remark}`, context);
  };
}

function complain(message: string, context: Context): void {
  context.warn(`runwire: warning: ${message}`);
}
