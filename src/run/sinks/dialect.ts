import type { RunOutcome } from '../../outcome/outcome.ts';
import type { Writer } from '../../pipeline/writer.ts';
import { writeEnding } from '../../dialects/dev-agent/write/ending.ts';
import { escapeToAscii } from '../../dialects/kit/wire-text.ts';
import type { Outlet } from './outlet.ts';
import type { Sink } from './sink.ts';
import { plain } from '../../terminal/plain.ts';

export interface AnswerOutlet {
  write(text: string): void;
}

/** stdout in text mode: the answer and nothing else. A run that failed has none. */
export function answerSink(outlet: AnswerOutlet): Sink {
  return {
    end({ verdict, message }: RunOutcome) {
      if (verdict.class === 'success' && message !== '') outlet.write(`${plain(message)}\n`);
    },
  };
}

/** stdout in a dialect, as it happens. Of records arriving together, the first is written before anything is loaded, the rest in one piece. */
export function dialectSink(writer: Writer, outlet: Pick<Outlet, 'write'>): Sink {
  let waiting = false;
  const send = (): void => {
    const { size } = writer;
    outlet.write(writer.takePieces(), size);
  };
  return {
    writesRecords: writer.isRecords,
    record(record) {
      // For the tape alone: whoever reads along has no use for a conversation that comes again.
      if (record.type === 'wire.recorded') return;
      writer.record(record);
      if (waiting) return;
      send();
      waiting = true;
      setImmediate(() => {
        waiting = false;
        writer.flush();
        send();
      });
    },
    end(outcome) {
      writer.end(outcome);
      send();
    },
  };
}

/** One JSON response; the session it names is the scratchpad of this query. */
export function responseSink(writer: Writer, outlet: Outlet, scratchpad: string): Sink {
  const sink = dialectSink(writer, outlet);
  return {
    ...sink,
    record: (record) =>
      sink.record?.(record.type === 'thread.started' ? { ...record, session_id: scratchpad } : record),
  };
}

/** The report alone, indented. */
export function finalReportSink(outlet: Outlet): Sink {
  let runId: string | undefined;
  return {
    record(record) {
      if (record.type === 'thread.started') runId = record.run_id;
    },
    end: (outcome) => outlet.write(`${escapeToAscii(JSON.stringify(writeEnding(outcome, runId), null, 2))}\n`),
  };
}

/** Live events, and after the last of them the report once more, for people. */
export function reportSink(writer: Writer, outlet: Outlet): Sink {
  const sink = dialectSink(writer, outlet);
  const report = finalReportSink(outlet);
  return {
    ...sink,
    record(record) {
      report.record?.(record);
      sink.record?.(record);
    },
    end(outcome) {
      sink.end?.(outcome);
      report.end?.(outcome);
    },
  };
}
