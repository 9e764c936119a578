import type { RunOutcome } from '../../outcome/outcome.ts';
import { escapeToAscii, type Writer } from '../../pipeline/writer.ts';
import type { Outlet } from './outlet.ts';
import type { Sink } from './perform.ts';
import { plain } from './plain.ts';

/** stdout in text mode: the answer and nothing else. A run that failed has none. */
export function answerSink(outlet: Outlet): Sink {
  return {
    end({ verdict, message }: RunOutcome) {
      if (verdict.class === 'success' && message !== '') outlet.write(`${plain(message)}\n`);
    },
  };
}

/** stdout in a dialect, line by line as it happens. */
export function dialectSink(writer: Writer, outlet: Outlet): Sink {
  return {
    record(record) {
      writer.record(record);
      outlet.write(writer.take());
    },
    end() {
      writer.end();
      outlet.write(writer.take());
    },
  };
}

/** One JSON response; the session it names is the scratchpad of this query. */
export function responseSink(writer: Writer, outlet: Outlet, scratchpad: string): Sink {
  const sink = dialectSink(writer, outlet);
  return {
    ...sink,
    record: (record) => sink.record?.(record.type === 'thread.started' ? { ...record, session_id: scratchpad } : record),
  };
}

/** Live events, and after the last of them its report once more, for people. */
export function reportSink(writer: Writer, outlet: Outlet): Sink {
  return {
    record(record) {
      writer.record(record);
      const text = writer.take();
      outlet.write(text);
      if (record.type === 'thread.completed') outlet.write(`${escapeToAscii(JSON.stringify(reportOf(text), null, 2))}\n`);
    },
  };
}

function reportOf(line: string): unknown {
  return (JSON.parse(line) as { final_report: unknown }).final_report;
}
