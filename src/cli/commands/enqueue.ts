import { command } from '../command.ts';
import { orderOptions, specOptions } from '../fleet/flags.ts';
import { queueOption } from '../fleet/queue.ts';

export const enqueueCommand = command({
  name: 'enqueue',
  summary: 'Queue runs for the workers of a team, in PostgreSQL',
  operands: '[PROMPT | SPEC.json… | -] [-- COMMAND…]',
  takesCommand: true,
  description: `The flags of "runwire run" say what to do; or files of RunSpecs say it, or JSON lines of them on stdin (see "runwire schema
queued-spec"). All errors are reported before anything is queued. stdout gets one JSON line for each run: its id and state.
A worker fetches the repository by its remote and commit, into a folder of its own; nothing else from this machine is there.
The job names variables and never holds their values: a worker gives those of its own that it allows.`,
  options: { ...specOptions, ...orderOptions, ...queueOption },
  examples: [
    ['runwire enqueue --agent codex --key repo=web "fix the flaky test"', 'One run'],
    ['runwire enqueue --priority 5 --at 2026-11-17T02:00Z --label gpu nightly.jsonl', 'Many, at night, for workers with a GPU'],
    [
      `jq -c '{id: .number|tostring, prompt: .title, agent: "claude"}' issues.json | runwire enqueue -`,
      'One for each issue, and never twice',
    ],
    ['runwire enqueue --after 7kq2 -p "write the changelog"', 'When another has succeeded'],
  ],
  async run(values, operands, context, program) {
    const { enqueue } = await import('../fleet/enqueue.ts');
    return enqueue(values, operands, context, program);
  },
});
