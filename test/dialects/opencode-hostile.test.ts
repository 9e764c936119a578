import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { gemini } from '../../src/dialects/gemini/index.ts';
import { kilo } from '../../src/dialects/kilo.ts';
import { opencode } from '../../src/dialects/opencode/index.ts';
import { AgentEvent } from '../../src/events/event.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { readLines, type Wire } from '../support/lines.ts';

const numRuns = fuzzRuns(12) * 10;
const seed = fuzzSeed;

const runWords = 'step_start text reasoning tool_use step_finish error completed bash write stop length';
const busWords = [
  'session.created session.status session.idle session.error message.updated message.part.updated message.part.delta file.edited',
  'file.watcher.updated command.executed permission.asked permission.replied question.rejected session.step.started session.step.ended',
  'session.text.delta session.text.ended session.tool.called session.tool.progress session.tool.success session.tool.failed',
  'session.retried session.execution.failed text tool step-start step-finish retry patch file running completed error assistant user idle',
].join(' ');
const geminiWords =
  'init message tool_use tool_result error result assistant user write_file replace success FatalTurnLimitedError';

const busKeys = [
  'properties data info part id callID partID messageID sessionID session_id role type text delta field time start end created completed',
  'tool state status input output error metadata exit sessionId files name message data statusCode isRetryable attempt tokens input',
  'output reasoning cache read write total cost reason finish file path event command exitCode diff additions deletions permission',
  'requestID reply patterns ordinal assistantMessageID content parentID version filePath patchText',
].flatMap((some) => some.split(' '));
const geminiKeys = [
  'role content delta tool_name tool_id parameters file_path old_string status output error type message severity stats models tools',
  'byName count fail decisions reject response session_id warnings code total_tokens input_tokens output_tokens cached duration_ms tokens prompt',
].flatMap((some) => some.split(' '));

/** Objects of the right names with anything at all in the right and the wrong places. */
function lines(words: readonly string[], keys: readonly string[], whole: readonly string[]): fc.Arbitrary<Wire[]> {
  const { wire } = fc.letrec<{ wire: Wire; value: unknown; fields: Wire }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<unknown>('', 'x', 'call', null, true, false, 0, -1, 1.5, 1e21),
      fc.constantFrom(...words),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('fields'),
    ),
    fields: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 9 }),
    // The envelope is right, so that most lines are read.
    wire: fc
      .tuple(
        fc.constantFrom(...words),
        fc.record(Object.fromEntries(whole.map((key) => [key, tie('fields')]))),
        tie('fields'),
      )
      .map(([type, envelope, fields]) => ({ sessionID: 'x', ...fields, ...envelope, type })),
  }));
  return fc.array(wire, { maxLength: 12 });
}

const cases: [string, typeof opencode, fc.Arbitrary<Wire[]>][] = [
  ['opencode: the run stream', opencode, lines(runWords.split(' '), busKeys, ['part'])],
  ['kilo', kilo, lines(runWords.split(' '), busKeys, ['part'])],
  ['opencode: the bus', opencode, lines(busWords.split(' '), busKeys, ['properties'])],
  ['opencode: the bus of version 2', opencode, lines(busWords.split(' '), busKeys, ['data'])],
  ['gemini', gemini, lines(geminiWords.split(' '), geminiKeys, [])],
];

it.each(cases)('%s: no lines break it or make bad events', (_title, dialect, some) => {
  fc.assert(
    fc.property(some, (wires) => {
      for (const event of readLines(wires, { dialect }).events)
        expect(AgentEvent.safeParse(event).error).toBeUndefined();
    }),
    { numRuns, seed },
  );
});
