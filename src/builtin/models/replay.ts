import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, systemCode } from '../../failure.ts';
import { type Pause, pause as pauseByClock } from '../../time/pause.ts';
import { FaultError } from './fault.ts';
import type { Model, ModelPart, OpenModel } from './model.ts';
import {
  cwdMarks,
  describeEntry,
  type Entry,
  entriesOf,
  RecordedCall,
  RecordedFault,
  RecordingHead,
} from './recording.ts';
import type { Environment } from '../../words/vocabulary.ts';
import { parseJson } from '../../json/parse.ts';

interface ReplayOptions {
  env: Environment;
  cwd: string;
  pause?: Pause;
}

/**
 * A recorded model: it repeats the recorded answers as long as the conversation takes the recorded course. Who speaks, which tools
 * are called with which arguments and whether they succeed must be the same; what they print need not.
 */
export function openReplay(name: string, { env, cwd, pause = pauseByClock }: ReplayOptions): OpenModel {
  const { file, speed } = readName(name, env);
  const { model, calls } = readRecording(resolve(cwd, file), file);
  const { mark, unmark, unmarkJson } = cwdMarks(cwd);
  let next = 0;
  let expected: Entry[] = [];

  const replayed: Model = {
    specificationVersion: 'v4',
    provider: 'replay',
    modelId: model,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('a recording can only be streamed')),
    async doStream({ prompt, abortSignal }) {
      const call = calls[next];
      const number = next + 1;
      next += 1;
      if (call === undefined)
        throw left(file, number, `the end of the recording after ${calls.length} calls`, 'another call');
      expected = [...expected.slice(0, call.after), ...call.entries];
      compare(expected, entriesOf(prompt, mark), (before, came) => left(file, number, before, came));
      if (call.fault !== undefined) throw new FaultError(call.fault);
      const signal = abortSignal ?? new AbortController().signal;
      return { stream: streamOf(call, { unmark, unmarkJson, speed, pause, signal, file }) };
    },
  };
  return { model: replayed, id: model };
}

/** `FILE`, or `FILE?timing=real`; a speed of 0 means at once. */
function readName(name: string, env: ReplayOptions['env']): { file: string; speed: number } {
  const query = /^(.+)\?timing=(real|none)$/.exec(name);
  if (query !== null) return { file: query[1] ?? name, speed: query[2] === 'real' ? 1 : 0 };
  const given = env['RUNWIRE_REPLAY_SPEED'];
  const speed = given === undefined || given === '' || given === 'max' ? 0 : Number(given);
  if (!(speed >= 0))
    throw new Failure('config', `RUNWIRE_REPLAY_SPEED is "${given}" (expected a number such as 1 or 10, or max)`);
  return { file: name, speed };
}

function readRecording(path: string, file: string): { model: string; calls: RecordedCall[] } {
  let lines: string[];
  try {
    lines = readFileSync(path, 'utf8').split('\n');
  } catch (error) {
    throw new Failure('config', `cannot read the recording ${path}: ${systemCode(error) ?? String(error)}`, {
      cause: error,
    });
  }
  const [head, ...calls] = lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [{ value: parseJson(line), at: index + 1 }],
  );
  const model = RecordingHead.safeParse(head?.value);
  if (!model.success)
    throw new Failure('config', `${file} is not a recording of a model; make one with --record-model`);
  return {
    model: model.data.model,
    calls: calls.map(({ value, at }) => {
      const call = RecordedCall.safeParse(value);
      if (call.success) return call.data;
      const [issue] = call.error.issues;
      throw new Failure(
        'config',
        `${file} line ${at} is not a recorded call: ${issue?.path.join('.')}: ${issue?.message}`,
      );
    }),
  };
}

function left(file: string, call: number, expected: string, came: string): FaultError {
  const message = `the conversation left the recording ${file} at model call ${call}: expected ${expected}, but got ${came}`;
  return new FaultError({ code: 'config', message, retryable: false, name: 'ReplayMismatch' });
}

function compare(
  expected: readonly Entry[],
  came: readonly Entry[],
  differ: (expected: string, came: string) => FaultError,
): void {
  for (let index = 0; index < Math.max(expected.length, came.length); index += 1) {
    const [before, now] = [describeEntry(expected[index]), describeEntry(came[index])];
    if (before !== now) throw differ(before, now);
  }
}

interface Play {
  unmark: (text: string) => string;
  unmarkJson: (text: string) => string;
  speed: number;
  pause: Pause;
  signal: AbortSignal;
  file: string;
}

function streamOf(
  { parts, call }: RecordedCall,
  { unmark, unmarkJson, speed, pause, signal, file }: Play,
): ReadableStream<ModelPart> {
  let index = 0;
  let clock = 0;
  let isEnded = false;
  return new ReadableStream<ModelPart>({
    async pull(controller) {
      const timed = parts[index++];
      if (timed === undefined) {
        if (!isEnded)
          controller.enqueue({
            type: 'error',
            error: left(file, call, 'no more, because the recorded run was stopped here', 'a run that goes on'),
          });
        return controller.close();
      }
      const [ms, part] = timed;
      if (speed > 0 && ms > clock && !(await pause((ms - clock) / speed, signal)))
        return controller.error(signal.reason);
      clock = ms;
      if (part.type === 'finish' || part.type === 'error') isEnded = true;
      controller.enqueue(played(part, unmark, unmarkJson));
    },
  });
}

function played(
  part: { type: string; [field: string]: unknown },
  unmark: Play['unmark'],
  unmarkJson: Play['unmarkJson'],
): ModelPart {
  if (part.type === 'error') return { type: 'error', error: new FaultError(RecordedFault.parse(part['fault'])) };
  if (part.type === 'tool-call') return { ...part, input: unmarkJson(String(part['input'])) } as unknown as ModelPart;
  return (typeof part['delta'] === 'string' ? { ...part, delta: unmark(part['delta']) } : part) as unknown as ModelPart;
}
