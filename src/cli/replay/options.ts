import { ledgerOption } from '../runs/ledger.ts';
import type { Options } from '../command.ts';

/** The flags of both commands that run a recorded run again. */
export const replayOptions = {
  with: { type: 'string', value: 'PROGRAM', help: "Start this program instead of the agent's own in PATH" },
  network: {
    type: 'string',
    value: 'model|open',
    choices: ['model', 'open'],
    help: 'open: where the system cannot close the network; the model is answered from the recording all the same (default: model)',
  },
  tape: { type: 'string', value: 'FILE', help: 'Keep everything that happens in this file, with all requests' },
  trust: {
    type: 'boolean',
    help: 'Also take a run that was imported, ran on another machine, or whose tape was changed: what it says is started here',
  },
  json: { type: 'boolean', help: 'Print JSON, even on a terminal' },
  text: { type: 'boolean', help: 'Print text for people, even in a pipe' },
  ...ledgerOption,
} as const satisfies Options;
