import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findDialect } from '../../dialects/registry.ts';
import type { EventRecord } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { endReading, tapeOf } from '../../ledger/run-tape.ts';
import { runRecords } from '../../ledger/tail.ts';
import { runsBelow } from '../../ledger/tree.ts';
import { Reader } from '../../pipeline/reader.ts';
import type { RunSummary } from '../../stores/run-store.ts';
import { deliver } from '../../telemetry/deliver.ts';
import { contentIdOf } from '../../telemetry/ids.ts';
import { traceRequest } from '../../telemetry/otlp.ts';
import { readTelemetry, type TelemetryRequest } from '../../telemetry/settings.ts';
import type { Span } from '../../telemetry/span.ts';
import { SpanFold } from '../../telemetry/span-fold.ts';
import { SpanQueue } from '../../telemetry/span-queue.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { readSharedFlags, redaction, sourcesOf, streamOptions } from '../streams.ts';
import { ledgerOption, namedRun, noSuchLedger, useLedger } from './ledger.ts';

export const otel = command({
  name: 'runs otel',
  summary: 'The spans of runs, for OpenTelemetry',
  operands: 'ID|FILE…',
  description: `A run of the ledger with all below it, from their tapes, or any stored stream, as spans of the GenAI conventions:
the run, each call of the model, each call of a tool. They are the same spans, with the same ids, that "runwire run --otel" sends.
stdout gets OTLP/JSON, one request a line. Prompts, answers, arguments and results are sent only on request: see
docs/telemetry.md.`,
  options: {
    to: {
      type: 'string',
      short: 't',
      value: 'FILE|URL',
      help: 'Append to this file, or send to this collector, with the headers that OTEL_* names',
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
    if (operands.length === 0) throw new Failure('input', 'no run: give an id, last, or a file; see "runwire runs otel --help"');
    const { request, warnings } = readTelemetry(values.to ?? '-', context.env, (name) => resolve(context.cwd, name));
    for (const each of warnings) context.warn(`runwire: warning: ${each}`);
    if (request === undefined) throw new Failure('input', `--to ${values.to}: expected a file, or the address of a collector`);
    const out = new SpanWriter(request, values.to !== undefined, context);
    for (const word of operands) {
      const isFile = word === '-' || existsSync(resolve(context.cwd, word));
      if (isFile) await tellFile(word, values, out, context);
      else await useLedger(values, context, (ledger) => tellRun(ledger, word, out), noSuchLedger);
    }
    await out.end();
    return 0;
  },
});

/** The run and all below it: each tells its own spans, and knows the span that it is below of. */
async function tellRun(ledger: Ledger, word: string, out: SpanWriter): Promise<void> {
  const run = await namedRun(ledger.store, word);
  const found = await tapeOf(ledger.tapes, run);
  if ('missing' in found) throw new Failure('input', found.missing);
  for (const each of [run, ...(await runsBelow(ledger.store, run))]) await tellTape(ledger, each, out);
}

async function tellTape(ledger: Ledger, run: RunSummary, out: SpanWriter): Promise<void> {
  const found = await tapeOf(ledger.tapes, run);
  if ('missing' in found) return out.complain(found.missing);
  const fold = out.fold(run.id, run.started_at);
  for await (const records of runRecords(ledger, run, found.tape)) {
    for (const record of records) fold.record(record);
    await out.flush();
  }
}

async function tellFile(
  name: string,
  values: { readonly from?: string; readonly stderr?: string; readonly 'process-exit'?: string; readonly 'no-redact'?: boolean },
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
  await endReading(reader, process);
  if (reader.dialect === undefined)
    throw new Failure('input', `${name}: no known dialect in it; name one with --from (see "runwire dialects")`);
}

/** Spans on their way, a batch at a time. */
class SpanWriter {
  readonly #request: TelemetryRequest;
  readonly #isSent: boolean;
  readonly #context: Context;
  readonly #waiting: SpanQueue;

  constructor(request: TelemetryRequest, isSent: boolean, context: Context) {
    this.#request = request;
    this.#isSent = isSent;
    this.#context = context;
    // Nothing is dropped: what is read waits.
    this.#waiting = new SpanQueue({ most: Infinity, characters: Infinity, batch: request.queue.batch });
  }

  fold(runId: string, startedAt: number): SpanFold {
    const { capturesContent } = this.#request;
    return new SpanFold({ runId, startedAt, capturesContent, onSpan: (span) => this.#waiting.add(span) });
  }

  complain(message: string): void {
    this.#context.warn(`runwire: warning: ${message}`);
  }

  async flush(): Promise<void> {
    while (this.#waiting.isFull) await this.#write(this.#waiting.take());
  }

  async end(): Promise<void> {
    while (this.#waiting.length > 0) await this.#write(this.#waiting.take());
  }

  async #write(spans: readonly Span[]): Promise<void> {
    const { target, resource } = this.#request;
    const { redact } = redaction(false, this.#context);
    const body = traceRequest(spans, redact?.json(resource) ?? resource);
    if (!this.#isSent) return this.#context.print(`${body}\n`);
    const told = await deliver(body, target, new AbortController().signal);
    if (told.kind !== 'taken') throw new Failure('config', `OpenTelemetry did not take the spans: ${told.why}`);
    if (told.remark !== undefined) this.complain(`OpenTelemetry: ${told.remark}`);
  }
}
