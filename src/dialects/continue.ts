import type { JsonObject } from '../json/json.ts';
import { present } from '../json/present.ts';
import { objectIn } from '../json/parse.ts';
import { asText } from '../json/read.ts';
import type { Decoder, DecoderSink, Dialect } from './dialect.ts';
import { faultOf, type Fault } from './kit/ending.ts';

export const continueCli: Dialect = {
  id: 'continue',
  about: {
    agent: 'Continue CLI, `cn --print --format json`',
    reads: 'the answer, housekeeping lines, the error on stderr',
  },
  detect,
  // An answer that was cut off: Continue wraps answers in a one-line object that begins with this key.
  detectText: (text) => (text.startsWith(`${wrapping}"`) ? 0.7 : 0),
  decoder,
  schema,
};

/** The `status` of a line beside the answer. */
const noteStatuses = ['info', 'success', 'warning', 'error'] as const;

/** All fields that such a line can have. */
const noteFields = new Set(['status', 'message', 'contextUsage', 'historyLength']);

/** Printed on stderr if there is nothing to do. */
const noPrompt = 'Error: A prompt is required when using the -p/--print flag';

/** The beginning of the object that wraps an answer which is not JSON. */
const wrapping = '{"response":';

/** The model's own JSON may be printed unchanged, so only Continue's own words are proof. */
function detect(head: readonly JsonObject[], stderr: readonly string[]): number {
  if (head.some(isWrapped)) return head.every((wire) => isWrapped(wire) || isNote(wire)) ? 1 : 0;
  if (head.some(isNote)) return head.some((wire) => 'type' in wire) ? 0 : 0.7;
  if (head.length > 0) return 0;
  if (stderr.some((text) => text.startsWith(noPrompt))) return 0.9;
  return stderr.some((text) => text.startsWith('{"status":"error"') && isNote(objectIn(text))) ? 0.7 : 0;
}

/** Exactly these three fields: the answer was not JSON and was put into an object. */
function isWrapped(wire: JsonObject): boolean {
  const { response, status, note, ...rest } = wire;
  return (
    typeof response === 'string' && status === 'success' && typeof note === 'string' && Object.keys(rest).length === 0
  );
}

function isNote(wire: JsonObject): boolean {
  if (typeof wire.message !== 'string' || !noteStatuses.some((status) => status === wire.status)) return false;
  return Object.keys(wire).every((key) => noteFields.has(key));
}

function decoder(sink: DecoderSink): Decoder {
  let isIntroduced = false;
  let isAnswered = false;
  let hasFailed = false;
  let answers = 0;
  /** Another run's answer begins here and cannot be read. */
  let isCut = false;

  function line(wire: JsonObject): void {
    introduce();
    if (isWrapped(wire)) {
      // A run prints one answer: this is another run's.
      if (isAnswered) beginAgain();
      isAnswered = true;
      isCut = false;
      return readAnswer(asText(wire.response));
    }
    if (isNote(wire)) return readNote(wire);
    readAnswer(JSON.stringify(wire));
  }

  function introduce(): void {
    if (!isIntroduced) sink.emit({ type: 'thread.started', agent: 'continue' });
    isIntroduced = true;
  }

  function beginAgain(): void {
    if (!isCut) finish();
    isIntroduced = false;
    introduce();
  }

  /** The last JSON value is the answer; failures print none on stdout. */
  function readAnswer(text: string): void {
    const id = `answer_${++answers}`;
    sink.emit({ type: 'text.completed', text, message_id: id, block_id: id });
  }

  function readNote(wire: JsonObject): void {
    const text = asText(wire.message);
    if (wire.status === 'error') return fail(faultOf(text), 'error');
    sink.emit({ type: 'log', stream: 'agent', level: wire.status === 'warning' ? 'warning' : 'info', text });
  }

  function fail({ code, message }: Required<Fault>, raw_status?: string): void {
    hasFailed = true;
    sink.emit({ type: 'agent.finished', status: 'failed', code, ...present({ raw_status }), message });
  }

  /** There is no closing line: an answer without an error is a good end. */
  function finish(): void {
    if (!hasFailed) sink.emit({ type: 'agent.finished', status: 'ok' });
  }

  function stderr(text: string, wire?: JsonObject): boolean {
    const isError = wire?.status === 'error' && isNote(wire);
    if (!isError && !text.startsWith(noPrompt)) return false;
    introduce();
    if (isError) readNote(wire);
    else fail(faultOf(text.slice('Error: '.length), 'input'));
    return true;
  }

  function readCut(broken: string): void {
    if (!broken.startsWith(wrapping)) return;
    introduce();
    sink.emit({ type: 'log', stream: 'agent', level: 'warning', text: 'an answer that cannot be read' });
    if (!isAnswered) return;
    beginAgain();
    isCut = true;
  }

  return { line, stderr, text: readCut, end: () => (answers > 0 && !isCut ? finish() : undefined) };
}

/** The answer that Continue had to wrap, one of its notes, or whatever JSON object the model answered. */
async function schema() {
  const { z } = await import('zod');
  const more = { contextUsage: z.json().optional(), historyLength: z.json().optional() };
  return z.union([
    z.strictObject({ response: z.string(), status: z.literal('success'), note: z.string() }),
    z.strictObject({ status: z.enum(noteStatuses), message: z.string(), ...more }),
    z.record(z.string(), z.json()),
  ]);
}
