import { Failure } from '../../failure.ts';
import { oneLine } from '../../terminal/plain.ts';
import { requestOptionsFor } from '../../contract/flags.ts';
import { command } from '../command.ts';
import { recordingOptions } from '../run/options.ts';

export const acp = command({
  name: 'acp',
  summary: 'Serve any agent to an editor, over the Agent Client Protocol (ACP)',
  operands: '[-- COMMAND…]',
  takesCommand: true,
  description: `An editor that speaks ACP starts this command and talks to it over stdin and stdout. Every prompt is a run of --agent, with the limits
and rules given here, and is recorded in the ledger like any other run. The person at the editor is asked about everything that the
built-in agent may not do without a rule, or that an ACP agent asks permission for. The response to a prompt has the outcome in
_meta.runwire.outcome. stdout carries the protocol and nothing else; messages for people go to stderr.`,
  // An editor gives the prompts and the folder, and has stdout for itself.
  options: { ...requestOptionsFor('acp'), ...recordingOptions },
  examples: [
    ['runwire acp --agent codex', 'In the settings of an editor: Codex as an ACP agent'],
    [
      'runwire acp --model anthropic/claude-sonnet-4-5 --max-cost-usd 2',
      'The built-in agent, with a limit for each prompt',
    ],
    ['runwire acp --agent acp:gemini', 'An agent that speaks ACP itself, with the ledger and rules of Runwire'],
  ],
  async run(values, operands, context, program) {
    if (operands.length > 0)
      throw new Failure('input', `unexpected "${oneLine(operands.join(' '), 60)}"; prompts come from the editor`);
    const { serveAcp } = await import('../acp/start.ts');
    return serveAcp(values, program, context);
  },
});
