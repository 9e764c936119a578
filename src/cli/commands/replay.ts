import { command } from '../command.ts';
import { replayOptions } from '../replay/options.ts';

export const replay = command({
  name: 'replay',
  summary: 'Run a recorded run again, offline: the real agent, answered from the recording',
  operands: 'RUN',
  description: `RUN is a run with --wire record: the beginning of its id, or "last". Its agent is started again in a private copy of the commit
that it began with, with a network in which nothing can be reached, and its model is answered from the recording: by what a
request says, never by its order. A request that was not recorded is refused, and the field that differs is shown.
Exits with 0 when every answer came from the recording and verdict, answer and files are the same, with 9 when not.
Prints text on a terminal, else one JSON document (see "runwire schema replay"). The replay itself is not recorded in the ledger.`,
  options: {
    'learn-from': {
      type: 'string',
      value: 'RUN',
      help: 'The same task, recorded once more: short fields that differ between the two, such as ids, are not compared',
    },
    ...replayOptions,
  },
  examples: [
    ['runwire run --agent codex --wire record "fix the tests"', 'Record a run'],
    ['runwire replay last', 'Does it do the same again, without a model and without a key?'],
    ['runwire replay 7kq2 --json | jq .departure', 'Where it left the recording, and how'],
  ],
  async run(values, operands, context) {
    return (await import('../replay/replay.ts')).replayRun(values, operands, context);
  },
});
