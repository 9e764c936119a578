import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import { lossOf } from '../../losses.ts';
import { asText, compact, isObject } from '../../read.ts';
import { finalReport } from './ending.ts';
import { Lines } from './lines.ts';
import { Tools } from './tools.ts';
import { Turns } from './turns.ts';

/** The events that dev-agent's documents promise, and the outcome inside the final report. */
export function encoder(sink: EncoderSink): Encoder {
  const lines = new Lines(sink);
  const turns = new Turns(sink, lines);
  const tools = new Tools(sink, lines, turns);
  let task: string | undefined;

  function end(outcome: RunOutcome): void {
    lines.release();
    turns.end(outcome.message);
    const final_report = finalReport(outcome);
    lines.write('thread.completed', { status: final_report.status, summary: final_report.summary, final_report });
  }

  /** A line that nobody knows keeps all but its number. */
  function repeat({ dialect, wire }: EventOf<'line.unknown'>): void {
    if (dialect !== 'dev-agent' || !isObject(wire)) return sink.lose('unknown_line');
    const { type, sequence: _sequence, ...fields } = wire;
    lines.write(asText(type), fields);
  }

  return {
    record(record: EventRecord) {
      if (!startsOrRefuses(record)) lines.release();
      lines.at(record);
      switch (record.type) {
        case 'thread.started':
          task = record.task;
          return lines.write('thread.started', {
            task: task ?? '',
            project_name: record.project_name ?? '',
            parent_branch_id: record.parent_branch_id ?? '',
            headless: record.headless ?? true,
          });
        case 'turn.started':
          return turns.start(record);
        case 'turn.completed':
          return turns.complete(record.synthetic, record);
        case 'text.completed':
          return turns.say(record, record.synthetic);
        case 'item.started':
          return tools.start(record);
        case 'item.completed':
          return tools.end(record);
        case 'error':
          turns.fail();
          return lines.write('error', {
            scope: record.scope,
            message: record.message,
            ...compact({ iteration: record.iteration, turn_id: record.turn_id, item_id: record.item_id }),
          });
        case 'prompt.submitted':
          // The first prompt is the task of the final report.
          if (task !== undefined && task !== record.text) sink.lose('prompt');
          task ??= record.text;
          return;
        case 'line.unknown':
          return repeat(record);
        case 'text.delta':
        case 'reasoning.delta':
        case 'usage.reported':
        case 'file.edited':
        case 'limit.reached':
        case 'agent.finished':
        case 'thread.completed':
          // Whole texts above; totals, files, limits and the verdict in the final report.
          return;
        default:
          return sink.lose(lossOf[record.type]);
      }
    },
    flush: () => lines.release(),
    end,
  };
}

/** A call that starts, or is refused before the next one starts. */
function startsOrRefuses(record: EventRecord): boolean {
  return (
    record.type === 'item.started' ||
    record.type.startsWith('permission.') ||
    (record.type === 'item.completed' && record.status === 'denied')
  );
}
