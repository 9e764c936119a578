import type { EventOf, EventRecord } from '../../../events/event.ts';
import type { RunOutcome } from '../../../outcome/outcome.ts';
import { present } from '../../../json/present.ts';
import type { Encoder, EncoderSink } from '../../dialect.ts';
import { lossOf } from '../../kit/losses.ts';
import { asText, filled, isObject, time } from '../../../json/read.ts';
import { lineTypes } from '../words.ts';
import { withoutSecrets } from './args.ts';
import { writeEnding } from './ending.ts';
import { Lines } from './lines.ts';
import { Tools } from './tools.ts';
import { Turns } from './turns.ts';

/** The events that dev-agent documents, and the outcome inside the final report. */
export function encoder(sink: EncoderSink): Encoder {
  const lines = new Lines(sink);
  const turns = new Turns(sink, lines);
  const tools = new Tools(sink, lines, turns);
  let task: string | undefined;
  let runId: string | undefined;
  /** The agent's last claim about its end. */
  let claim: EventOf<'agent.finished'> | undefined;

  function end(outcome: RunOutcome): void {
    lines.release();
    turns.end(outcome.message, claim?.status === 'ok' && claim.has_answer !== false);
    const final_report = writeEnding(outcome, runId);
    lines.write('thread.completed', { status: final_report.status, summary: final_report.summary, final_report });
  }

  /** An unknown line keeps everything but its number and what sounds secret. One of a known type is damaged and is not repeated. */
  function repeat({ dialect, wire }: EventOf<'line.unknown'>): void {
    if (dialect !== 'dev-agent' || !isObject(wire)) return sink.lose('unknown_line');
    const { type, sequence: _sequence, thread_id: _thread, timestamp, ...fields } = wire;
    if (filled(type) === undefined || lineTypes.has(asText(type))) return sink.lose('unknown_line');
    lines.write(asText(type), {
      ...(time(timestamp) === undefined ? {} : { timestamp: asText(timestamp) }),
      ...withoutSecrets(fields),
    });
  }

  return {
    record(record: EventRecord) {
      if (!startsOrRefuses(record)) lines.release();
      lines.at(record);
      switch (record.type) {
        case 'thread.started':
          task = record.task;
          runId = record.run_id;
          return lines.write('thread.started', {
            task: task ?? '',
            project_name: record.project_name ?? '',
            parent_branch_id: record.parent_branch_id ?? '',
            headless: record.headless ?? true,
          });
        case 'turn.started':
          claim = undefined;
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
            ...present({ ...turns.place(record), item_id: record.item_id, fatal: record.fatal ? undefined : false }),
          });
        case 'prompt.submitted':
          // The first prompt is the task of the final report.
          if (task !== undefined && task !== record.text) sink.lose('prompt');
          task ??= record.text;
          return turns.goOn();
        case 'line.unknown':
          return repeat(record);
        case 'retry.scheduled':
          if (record.scope === 'run') turns.goOn();
          return sink.lose(lossOf[record.type]);
        case 'agent.finished':
          claim = record;
          return;
        case 'text.delta':
        case 'reasoning.delta':
        case 'usage.reported':
        case 'file.edited':
        case 'limit.reached':
        case 'children.reported':
        case 'expectation.checked':
        case 'branch.updated':
        case 'branch.published':
        case 'thread.completed':
          // Covered elsewhere: complete texts above; totals, files, branches, limits and the verdict in the final report.
          return;
        default:
          return sink.lose(lossOf[record.type]);
      }
    },
    flush: () => lines.release(),
    end,
  };
}

/** Whether a call starts, or is refused before the next one starts. */
function startsOrRefuses(record: EventRecord): boolean {
  return (
    record.type === 'item.started' ||
    record.type.startsWith('permission.') ||
    (record.type === 'item.completed' && record.status === 'denied')
  );
}
