import { command } from '../command.ts';
import { replayOptions } from '../replay/options.ts';

export const rehearse = command({
  name: 'rehearse',
  summary: 'Run recorded runs through another version of an agent, and compare',
  operands: 'AGENT[@VERSION] [RUN…]',
  description: `Runs with --wire record are run again with another version of their agent, offline and in private copies, as "runwire replay"
does: an npm version, installed into the cache once, or any program (--with). Answers are found by what the user and the model
said. Reported are requests (system prompt, tools, parameters, results of tools), events, lines that nobody knows, exit codes,
verdicts and tokens. Without RUN, the newest recorded runs of this agent are taken.
Exits with 9 when a run ends in another verdict or asks for what was not recorded; other changes are no failure.
Prints text on a terminal, else one JSON document (see "runwire schema rehearsal").`,
  options: {
    package: {
      type: 'string',
      value: 'NAME',
      help: 'The npm package of that version, if it has another name than the one that is known',
    },
    limit: { type: 'string', value: 'N', help: 'Without RUN: at most so many runs (default: 20)' },
    ...replayOptions,
  },
  examples: [
    ['runwire rehearse codex@latest', 'What would the newest Codex do otherwise?'],
    ['runwire rehearse codex@0.169.0 7kq2 last', 'Two runs, and one version'],
    ['runwire rehearse codex --with ./target/release/codex --json', 'A program that you built'],
  ],
  async run(values, operands, context) {
    return (await import('../replay/rehearse.ts')).rehearseRuns(values, operands, context);
  },
});
