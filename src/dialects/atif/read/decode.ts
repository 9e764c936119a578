import { present } from '../../../json/present.ts';
import type { Decoder, DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { filled, list, object, string, time } from '../../../json/read.ts';
import { minorOf, unknownVersion } from '../words.ts';
import { readDiagnostics } from './diagnostics.ts';
import { readEnding } from './ending.ts';
import { textOf } from './content.ts';
import { readRetries, type StepReader, stepReader } from './steps.ts';
import { isPiece, lossIn, losses } from './whole.ts';
import { countsCacheApart, readTotals } from './usage.ts';

/** One document is one run; several documents are several. */
export function decoder(sink: DecoderSink): Decoder {
  let isTorn = false;
  return {
    line(wire) {
      if (minorOf(wire.schema_version) === undefined || !Array.isArray(wire.steps)) {
        isTorn ||= isPiece(wire);
        return sink.unknown(wire);
      }
      readTrajectory(wire, sink);
    },
    end() {
      if (isTorn) sink.emit({ type: 'log', stream: 'agent', cause: 'cut', text: 'a document is torn apart' });
    },
  };
}

function readTrajectory(wire: JsonObject, sink: DecoderSink): void {
  const extra = object(wire.extra);
  const steps = list(wire.steps).map(object);
  const first = steps.find(({ source }) => source !== 'system');
  const task = first?.source === 'user' ? first : undefined;
  sink.at(time(string(steps[0]?.timestamp)));
  sink.emit({
    type: 'thread.started',
    ...introduction(wire),
    ...present({ task: task && filled(textOf(task.message)) }),
  });
  const loss = lossIn(wire);
  if (loss > 0) {
    const what = `a document that does not fit its format, in which ${losses[loss]} may be missing`;
    sink.note('unrecognised', what);
    sink.emit({ type: 'log', stream: 'agent', cause: 'broken', text: what });
  }
  const hasRunRetries = steps.some((step) =>
    list(object(step.extra).retries).some((retry) => object(retry).scope === 'run'),
  );
  const isCacheApart = countsCacheApart(wire, steps);
  const totals = readTotals(wire, steps, isCacheApart);
  const read = stepReader({ sink, wire, isCacheApart, countsSteps: totals.length === 0 || !hasRunRetries });
  for (const step of steps) if (step !== task) read.step(step);
  finish(read, wire, extra, sink);
  for (const usage of totals) sink.emit(usage);
  readEnding(wire, steps, sink);
}

function finish(read: StepReader, wire: JsonObject, extra: JsonObject, sink: DecoderSink): void {
  read.end();
  readRetries(extra.retries, sink);
  readDiagnostics(extra, sink);
  if (filled(wire.continued_trajectory_ref) !== undefined)
    sink.emit({
      type: 'log',
      stream: 'agent',
      level: 'info',
      text: `goes on in ${string(wire.continued_trajectory_ref)}`,
    });
}

function introduction(wire: JsonObject) {
  const agent = object(wire.agent);
  const extra = object(wire.extra);
  const version = filled(agent.version);
  return present({
    agent: filled(agent.name),
    agent_version: version === unknownVersion ? undefined : version,
    model: filled(agent.model_name),
    session_id: filled(wire.session_id) ?? filled(wire.trajectory_id),
    cwd: filled(extra.cwd),
  });
}
