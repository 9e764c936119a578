import { command } from '../command.ts';
import { enqueueOptions } from '../fleet/flags.ts';
import { queueOption } from '../fleet/queue.ts';

export const enqueueCommand = command({
  name: 'enqueue',
  summary: "Queue runs for a team's workers, in PostgreSQL",
  operands: '[PROMPT | SPEC.json… | -] [-- COMMAND…]',
  takesCommand: true,
  description: `What to do is given by flags of "runwire run", by files of RunSpecs, or by RunSpecs as JSON lines on stdin (see "runwire schema
queued-spec"). All errors are reported before anything is queued. stdout gets one JSON line for each run: its id and state.
A worker fetches the repository, by its remote and commit, into a separate folder; nothing else from this machine is available there.
A job names environment variables and never holds their values: a worker passes on those of its own that it allows.`,
  options: { ...enqueueOptions, ...queueOption },
  examples: [
    ['runwire enqueue --agent codex --key repo=web "fix the flaky test"', 'One run'],
    [
      'runwire enqueue --priority 5 --at 2026-11-17T02:00Z --label gpu nightly.jsonl',
      'Many, at night, for workers with a GPU',
    ],
    [
      `jq -c '{id: .number|tostring, prompt: .title, agent: "claude"}' issues.json | runwire enqueue -`,
      'One for each issue, and never twice',
    ],
    ['runwire enqueue --after 7kq2 -p "write the changelog"', 'Once another run has succeeded'],
  ],
  async run(values, operands, context, program) {
    const { enqueue } = await import('../fleet/enqueue.ts');
    return enqueue(values, operands, context, program);
  },
});
