import { Failure } from '../../failure.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command, type Options } from '../command.ts';
import { runOptions } from '../run/options.ts';

/** Flags of a run that make no sense when an editor asks: what to say, where, and what goes to stdout. */
const left = new Set([
  'prompt',
  'json',
  'output-format',
  'format',
  'stream-json',
  'to',
  'resume',
  'cwd',
  'from',
  'tape',
  'outcome',
  'report-md',
  'junit',
  'github',
  'no-github',
  'on-end',
  'notify',
  'quiet',
  'record-model',
  'output-schema',
]);

const options: Options = Object.fromEntries(Object.entries(runOptions).filter(([name]) => !left.has(name)));

export const acp = command({
  name: 'acp',
  summary: 'Serve any agent to an editor: Runwire as an agent of the Agent Client Protocol',
  operands: '[-- COMMAND…]',
  takesCommand: true,
  description: `An editor that speaks ACP starts this, and talks with it on stdin and stdout. Every prompt is a run of --agent, with the limits
and rules that are given here, and is remembered in the ledger like any other. What the built-in agent may not do without a rule, and what
an agent of ACP asks for, the person at the editor is asked. The answer to a prompt has the outcome in _meta.runwire.outcome.
stdout carries the protocol and nothing else; people read stderr.`,
  options,
  examples: [
    ['runwire acp --agent codex', 'In the settings of an editor: Codex, as an agent of ACP'],
    ['runwire acp --model anthropic/claude-sonnet-4-5 --max-cost-usd 2', 'The built-in agent, with a limit for each prompt'],
    ['runwire acp --agent acp:gemini', 'An agent that speaks ACP itself, with our ledger and rules'],
  ],
  async run(values, operands, context, program) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${oneLine(operands.join(' '), 60)}"; the editor gives the prompts`);
    const { serveAcp } = await import('../acp/start.ts');
    return serveAcp(values, program, context);
  },
});
