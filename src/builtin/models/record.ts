import { appendFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, systemCode } from '../../failure.ts';
import { isWithheld } from '../../redact/secret-names.ts';
import type { AgentOptions } from '../agent.ts';
import { cleanJson } from '../clean.ts';
import { type Fault, faultOf } from './fault.ts';
import type { Model, ModelPart, OpenModel } from './model.ts';
import { cwdMarks, entriesOf, type Entry, isRecorded } from './recording.ts';

type Clean = (text: string) => string;
type TimedPart = [ms: number, part: { type: string; id?: string; delta?: string }];

/** The same model; every model call is also written to a file, one line each, without secrets. */
export function recordModel(
  open: OpenModel,
  file: string,
  options: Pick<AgentOptions, 'cwd' | 'env' | 'keys' | 'redact'>,
): OpenModel {
  const { model } = open;
  const path = resolve(options.cwd, file);
  const hide = secretHider(options);
  const { mark } = cwdMarks(options.cwd);
  const clean: Clean = (text) => mark(hide(text));
  try {
    writeFileSync(path, `${JSON.stringify({ runwire: 'model-recording', version: 1, model: open.id })}\n`, {
      mode: 0o600,
    });
  } catch (error) {
    const why = systemCode(error) ?? String(error);
    throw new Failure('config', `cannot write the recording ${path}: ${why}`, { cause: error });
  }
  let count = 0;
  let before: Entry[] = [];

  const recorded: Model = {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (request) => model.doGenerate(request),
    async doStream(request) {
      const call = ++count;
      const startedAt = performance.now();
      const sinceStart = (): number => Math.round(performance.now() - startedAt);
      const entries = entriesOf(request.prompt, clean);
      const after = commonLength(before, entries);
      before = entries;
      const write = (parts: readonly TimedPart[], more: object = {}): void =>
        appendFileSync(
          path,
          `${JSON.stringify({ call, after, entries: entries.slice(after), parts: cleanTexts(parts, clean), ...more })}\n`,
        );
      const isAborted = (): boolean => request.abortSignal?.aborted === true;
      try {
        const answer = await model.doStream(request);
        const parts: TimedPart[] = [];
        const stream = tap(answer.stream, {
          part: (part) => void (isRecorded(part) && parts.push([sinceStart(), stored(part, clean)])),
          end: () => write(parts),
          broken: (error) => write(isAborted() ? parts : [...parts, [sinceStart(), storedFault(error, clean)]]),
        });
        return { ...answer, stream };
      } catch (error) {
        if (!isAborted()) write([], { fault: cleanFault(error, clean) });
        throw error;
      }
    },
  };
  return { ...open, model: recorded };
}

/** Passes everything on and reports it; the end is reported once, however the stream ends. */
function tap(
  source: ReadableStream<ModelPart>,
  into: { part: (part: ModelPart) => void; end: () => void; broken: (error: unknown) => void },
): ReadableStream<ModelPart> {
  const reader = source.getReader();
  return new ReadableStream<ModelPart>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          into.end();
          return controller.close();
        }
        into.part(value);
        controller.enqueue(value);
      } catch (error) {
        into.broken(error);
        controller.error(error);
      }
    },
    async cancel(reason) {
      into.broken(reason);
      await reader.cancel(reason);
    },
  });
}

function commonLength(before: readonly Entry[], now: readonly Entry[]): number {
  const differs = now.findIndex((entry, index) => JSON.stringify(entry) !== JSON.stringify(before[index]));
  return differs === -1 ? now.length : differs;
}

/** A part as it is stored: without what only its provider can use, and with its strings cleaned. */
function stored(part: ModelPart, clean: Clean): TimedPart[1] {
  switch (part.type) {
    case 'error':
      return storedFault(part.error, clean);
    case 'tool-call':
      return {
        type: part.type,
        toolCallId: part.toolCallId,
        toolName: clean(part.toolName),
        input: cleanJson(part.input, clean),
      } as TimedPart[1];
    case 'finish': {
      const { inputTokens, outputTokens } = part.usage;
      return { type: part.type, finishReason: part.finishReason, usage: { inputTokens, outputTokens } } as TimedPart[1];
    }
    default: {
      const { providerMetadata: _, ...rest } = part as ModelPart & { providerMetadata?: unknown };
      return rest;
    }
  }
}

const storedFault = (error: unknown, clean: Clean): TimedPart[1] =>
  ({ type: 'error', fault: cleanFault(error, clean) }) as TimedPart[1];

function cleanFault(error: unknown, clean: Clean): Fault {
  const fault = faultOf(error);
  return { ...fault, message: clean(fault.message) };
}

/** A secret may be split over several deltas: where cleaning changes the whole text, it is stored as one delta. */
function cleanTexts(parts: readonly TimedPart[], clean: Clean): TimedPart[] {
  const wholes = new Map<string, string>();
  const keyOf = ({ type, id }: TimedPart[1]): string => `${type} ${id}`;
  for (const [, part] of parts)
    if (part.delta !== undefined) wholes.set(keyOf(part), (wholes.get(keyOf(part)) ?? '') + part.delta);
  return parts.flatMap(([ms, part]): TimedPart[] => {
    const whole = part.delta === undefined ? undefined : wholes.get(keyOf(part));
    if (whole === undefined) return part.delta === undefined ? [[ms, part]] : [];
    const cleaned = part.type === 'tool-input-delta' ? cleanJson(whole, clean) : clean(whole);
    if (cleaned === whole) return [[ms, part]];
    wholes.delete(keyOf(part));
    return [[ms, { ...part, delta: cleaned }]];
  });
}

/** Applies the caller's cleaning, and in any case hides the keys that this run may have used. */
function secretHider({
  env,
  keys = {},
  redact = (text) => text,
}: Pick<AgentOptions, 'env' | 'keys' | 'redact'>): Clean {
  const named = Object.entries(env).flatMap(([name, value]) => (isWithheld(name) && value ? [value] : []));
  const values = [...named, ...Object.values(keys)]
    .filter((value) => value.length >= 8)
    .toSorted((a, b) => b.length - a.length);
  return (text) => redact(values.reduce((cleaned, value) => cleaned.replaceAll(value, '[redacted]'), text));
}
