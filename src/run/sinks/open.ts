import type { TelemetryRequest } from '../../telemetry/settings.ts';
import type { LedgerRequest, LedgerSink } from './ledger.ts';
import type { ReportRequest } from './report/report.ts';
import { closingOnFailure, type RunFacts, type Sink } from './sink.ts';

/** Where a run is shown and kept, whoever starts it. */
export interface SinkRequests {
  /** The caller's own; opened once the run listens for signals. */
  sinks?: () => Promise<readonly Sink[]>;
  /** A file for all its records, and who is told if it cannot be written. */
  tape?: { path: string; onTrouble: (message: string) => void } | undefined;
  /** Where the run is remembered; unset: nowhere. */
  ledger?: LedgerRequest | undefined;
  /** A server that the run is also reported to. */
  report?: ReportRequest | undefined;
  /** Where its spans go; unset: where those of its parent run go. */
  telemetry?: TelemetryRequest | undefined;
}

interface Facts extends RunFacts {
  /** Removes secrets from data that is not part of the records: labels, places, names. */
  clean: <Value>(value: Value) => Value;
  /** Of the trace that its spans belong to. */
  traceState: string | undefined;
}

export interface OpenSinks {
  all: readonly Sink[];
  ledger: LedgerSink | undefined;
}

/** Opens what a run is told to; each kind is loaded only when it is asked for. Throws `Failure` when one cannot be opened. */
export async function openSinks(
  { sinks, tape, ledger, report, telemetry }: SinkRequests,
  facts: Facts,
  log: Sink | undefined,
): Promise<OpenSinks> {
  const own: Sink[] = [];
  return closingOnFailure(own, async () => {
    own.push(...((await sinks?.()) ?? []));
    if (tape !== undefined) own.push(await openTape(tape));
    const recorded =
      ledger === undefined ? undefined : new (await import('./ledger.ts')).LedgerSink({ ...ledger, ...facts });
    const reported =
      report === undefined
        ? undefined
        : new (await import('./report/report.ts')).ReportSink({ target: report, ...facts });
    const spans = telemetry === undefined ? undefined : await openTelemetry(telemetry, facts);
    // Where nothing of a run is kept, this is not either.
    const quota = ledger === undefined ? undefined : new (await import('./quota.ts')).QuotaSink(facts);
    const all = [...own, log, recorded, reported, spans, quota].filter((sink) => sink !== undefined);
    return { all: keepersFirst(all), ledger: recorded };
  });
}

async function openTape({ path, onTrouble }: NonNullable<SinkRequests['tape']>): Promise<Sink> {
  const [{ TapeSink }, { fileTape }] = await Promise.all([import('./tape.ts'), import('../../tapes/file-tape.ts')]);
  return new TapeSink(fileTape(path), onTrouble);
}

async function openTelemetry(
  request: TelemetryRequest,
  { id: runId, startedAt, traceState, clean, warn }: Facts,
): Promise<Sink> {
  const { TelemetrySink } = await import('./telemetry.ts');
  return new TelemetrySink({ request, runId, startedAt, traceState, clean, warn });
}

/** Nothing is shown that a kill could make unknown: who shows records has them kept first, by sinks that already have them. */
function keepersFirst(sinks: readonly Sink[]): Sink[] {
  const keepers = sinks.filter((sink) => sink.keep !== undefined);
  const keep = (): void => keepers.forEach((sink) => sink.keep?.());
  for (const sink of sinks) sink.showAfter?.(keep);
  return [...keepers, ...sinks.filter((sink) => sink.keep === undefined)];
}
