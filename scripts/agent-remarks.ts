/** What no field of the registry says, by agent: seen with the versions that were tried, or said by its documents. */
export const remarks: Readonly<Record<string, readonly string[]>> = {
  codex: [
    'It may start outside a git repository, because you named the folder.',
    'It tells no model calls: `--max-turns` counts each of its tool calls as a turn.',
    'In a private copy its own sandbox works, as root and as a user. In mode `edit` it may not write to `.git`: what it left is committed for it.',
    'A folder that you trust by its path is not the folder of a clone.',
  ],
  claude: [
    'What it says in the place of the model (an empty account, an expired login) is a failure, not the answer.',
    'Files of resumed sessions repeat what came before; each message counts once.',
  ],
  opencode: [
    'The prompt goes by stdin: an argument with a space in it reaches the model in quotes.',
    'It tells a call when the call ends: of a run that was stopped inside a step, calls under way are missing, and a note says so.',
  ],
  gemini: [
    'It trusts the folder, because you named it, and is told not to start itself again: a second process does not hear signals.',
    'Unless you name a model it asks one which to use; these calls are in its tokens.',
  ],
  qwen: [
    'The prompt goes by stdin: it drops what follows `--`.',
    'It is told not to start itself again: a second process outlives the first.',
  ],
  pi: ['The prompt goes by stdin: it takes words that begin with `@` for files.', 'In mode `edit` it can edit anywhere, and has no shell.'],
  'agent-code': [
    'In a single run it allows whatever it would ask for; therefore `edit` is its `plan` mode.',
    'A prompt that does not fit into one argument is refused before the start.',
  ],
  dexter: ['Its one response is written at its end: until then nothing is known of the run but that it goes on.'],
  'dev-agent': [
    'Its stream ends with a report over many lines; both are read.',
    'A prompt that does not fit into one argument is refused before the start.',
  ],
  cursor: [
    'It trusts the folder, because you named it. In mode `edit` it proposes edits and makes none.',
    'A prompt that does not fit into one argument is refused before the start.',
  ],
  amp: ['Its own rules decide in the modes `read-only` and `edit`.'],
  goose: ['It has no tools at all in the modes `read-only` and `edit`.'],
  droid: ['`edit` is its autonomy level `low`.'],
  copilot: ['`GITHUB_TOKEN` reaches it, as its key; other agents do not get that variable.'],
  cline: ['`edit` and `read-only` are its plan mode: no edits, and commands that change nothing by its own list.', 'It names no session.'],
  continue: [
    'It prints its answer and little else; tokens, cost and turns are from its session file, which is known by the folder that it worked in.',
    'It names neither its calls nor the files that it changes; in a [private copy](../copies.md) git tells those.',
    'Prompts from 400,000 characters are refused: it would cut them.',
    'Of several at once in overlays of one checkout, tokens and cost are unknown; `--isolate clone` gives each a folder of its own.',
  ],
  kilo: ['A fork of OpenCode: the prompt goes by stdin, and a call is told when it ends.'],
};
