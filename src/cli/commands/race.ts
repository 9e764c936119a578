import { bestWays } from '../../words/vocabulary.ts';
import { command } from '../command.ts';
import { readCount, readWord } from '../../contract/flag-values.ts';
import { crewOptions, readCrewFlags } from '../orchestrate/flags.ts';

export const race = command({
  name: 'race',
  summary: 'Give one task to several agents, verify what each did, and name a winner',
  operands: '[PROMPT]',
  description: `Every agent works in a private copy of the repository; your checkout is never touched. The work of each is on a branch
runwire/RUN/N-…, and is verified in a fresh copy of its commit; the base is verified first.
The winner did what was asked, passes --verify, deleted no test and touched no protected file; if several qualify, --best decides:
the first to end (the others are stopped at once), the cheapest, the smallest change, or the fastest. A tie goes to the one
named first. The exit code is the winner's; without a winner, it is that of the class in which most of them ended.
stdout gets the final report as JSON, stderr a table.`,
  options: {
    prompt: {
      type: 'string',
      short: 'p',
      value: 'TEXT',
      help: 'What to do (default: the argument, or stdin)',
      group: 'What to do',
      common: true,
    },
    ...crewOptions,
    attempts: {
      type: 'string',
      value: 'N',
      help: 'How many times each agent takes part (default: 1)',
      group: 'What to do',
      common: true,
    },
    best: {
      type: 'string',
      value: bestWays.join('|'),
      choices: bestWays,
      help: 'How to choose a winner among those that pass (default: first)',
      group: 'What to do',
      common: true,
    },
  },
  examples: [
    [
      'runwire race "fix the failing test" --agents codex,claude,opencode --verify "npm test"',
      'The first to pass wins',
    ],
    [
      'runwire race "make it faster" --agents claude --attempts 5 --best cheapest --verify "npm test" --max-cost-usd 3',
      'The same agent five times, under one budget',
    ],
  ],
  async refuse(failure, words, context) {
    return (await import('../run/refuse.ts')).refuseCrew(failure, words, context);
  },
  async run({ attempts, best, prompt, ...values }, operands, context) {
    const { conductRace } = await import('../orchestrate/race.ts');
    const crewFlags = readCrewFlags(values, context.cwd);
    return conductRace(
      {
        prompt: prompt ?? (operands.length === 0 ? undefined : operands.join(' ')),
        values,
        crewFlags,
        attempts: readCount('--attempts', attempts, 3) ?? 1,
        best: readWord('--best', best, bestWays) ?? 'first',
      },
      context,
    );
  },
});
