import { Failure } from '../../failure.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command, type Entry } from '../command.ts';
import { requestOptions } from '../../contract/flags.ts';
import { crewOptions, publishOptions } from '../orchestrate/flags.ts';

const clean: Entry = {
  name: 'clean',
  summary: 'Reclaim private copies left by a crash: keep their work, remove them',
  load: async () => (await import('../orchestrate/clean.ts')).clean,
};

export const orchestrate = command({
  name: 'orchestrate',
  summary: 'Have a model hand out work to agents on branches, and publish what passes',
  description: `A model (--model) splits the task into pieces and gives them to coding agents. Each agent works in a private copy of the
repository; your checkout is never touched. Everything it leaves is committed on a branch runwire/RUN/N-… and verified in a
fresh copy; then the model decides what comes next. With --publish, Runwire itself publishes the last branch.
stdout gets the final report as JSON; with --stream-json also every event, as it happens.
The limits on cost, tokens and time apply to everything together; --max-turns counts the calls to the directing model.`,
  options: {
    task: { type: 'string', value: 'TEXT', help: 'What to do (default: stdin)', group: 'What to do', common: true },
    prompt: { type: 'string', short: 'p', value: 'TEXT', help: 'The same as --task', group: 'What to do' },
    'max-turns': {
      type: 'string',
      value: 'N',
      help: 'Stop after N calls to the directing model (exit 6)',
      group: 'Limits',
      common: true,
    },
    ...crewOptions,
    ...publishOptions,
    resume: {
      type: 'string',
      value: 'RUN',
      help: 'Go on with an orchestration that ended early: its conversation, its branches, what is left of its limits',
      group: 'What to do',
      common: true,
    },
    'record-model': requestOptions['record-model'],
    interactive: {
      type: 'boolean',
      help: 'Read what to do next, line by line, from the terminal or stdin, until end of input',
      group: 'What to do',
    },
  },
  subcommands: [clean],
  examples: [
    [
      'runwire orchestrate --task "fix the failing tests" --model anthropic/claude-sonnet-4-5 --agents codex,claude --verify "npm test"',
      'Two kinds of agents, with their work verified',
    ],
    [
      'runwire orchestrate --task "$(cat task.md)" --stream-json --max-cost-usd 5 --publish branch | my-dashboard',
      'Live events, one budget, and a pushed branch',
    ],
    ['runwire orchestrate --resume last --max-cost-usd 10', 'Go on after a limit, a crash or Ctrl-C'],
    ['runwire orchestrate clean', 'Clean up after a crash'],
  ],
  async refuse(failure, words, context) {
    return (await import('../run/refuse.ts')).refuseCrew(failure, words, context);
  },
  async run({ task, prompt, interactive, resume, ...values }, operands, context) {
    // Of a task without quotes, only the first word would be done.
    if (operands.length > 0)
      throw new Failure(
        'input',
        `unexpected "${oneLine(operands.join(' '), 60)}"; a task of several words is quoted: --task "…"`,
      );
    const { conductOrchestration } = await import('../orchestrate/orchestrate.ts');
    if (task !== undefined && prompt !== undefined)
      throw new Failure('input', 'two tasks: --task and --prompt; give one');
    return conductOrchestration({ task: task ?? prompt, values, isInteractive: interactive === true, resume }, context);
  },
});
