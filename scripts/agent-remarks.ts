/** What no field of the registry says, by agent: seen with the versions that were tried, or taken from its documentation. */
export const remarks: Readonly<Record<string, readonly string[]>> = {
  codex: [
    'It may start outside a git repository, because you named the folder.',
    'It does not report model calls: `--max-turns` counts each of its tool calls as a turn.',
    'Its own sandbox works in a private copy, as root and as a user. In mode `edit` it may not write to `.git`, so Runwire commits what it left.',
    'A folder that you trust by its path is not the folder of a clone.',
  ],
  claude: [
    'A message that it prints in place of a model answer (an empty account, an expired login) is a failure, not the answer.',
    'The files of resumed sessions repeat earlier messages; each message counts once.',
  ],
  opencode: [
    'The prompt goes on stdin: an argument with a space in it reaches the model in quotes.',
    'It reports a call only when the call ends: if a run is stopped in the middle of a step, the calls in progress are missing, and a note says so.',
  ],
  gemini: [
    'It trusts the folder, because you named it, and is told not to restart itself, because the second process does not receive signals.',
    'Unless you name a model, it asks one which to use; its tokens include these calls.',
  ],
  qwen: [
    'The prompt goes on stdin: it drops what follows `--`.',
    'It is told not to restart itself, because the second process outlives the first.',
  ],
  pi: [
    'The prompt goes on stdin: it takes words that begin with `@` for files.',
    'In mode `edit` it can edit anywhere, and has no shell.',
  ],
  'agent-code': [
    'In a single run it allows whatever it would otherwise ask about; therefore `edit` is its `plan` mode.',
    'A prompt that does not fit into one argument is refused before the start.',
  ],
  dexter: [
    'It writes its only response at the end: until then nothing is known about the run except that it is still running.',
  ],
  'dev-agent': [
    'Its stream ends with a report over many lines; both are read.',
    'A prompt that does not fit into one argument is refused before the start.',
  ],
  cursor: [
    'It trusts the folder, because you named it. In mode `edit` it proposes edits and makes none.',
    'A prompt that does not fit into one argument is refused before the start.',
  ],
  amp: [
    'Its own rules decide in the modes `read-only` and `edit`.',
    'Without a key it waits for a login in silence, so Runwire does not start it.',
  ],
  goose: ['It has no tools at all in the modes `read-only` and `edit`.'],
  droid: ['`edit` is its autonomy level `low`.'],
  copilot: ['`GITHUB_TOKEN` reaches it, as its key; other agents do not get that variable.'],
  cline: [
    '`edit` and `read-only` are its plan mode: no edits, and only commands that, according to its own list, change nothing.',
    'It names no session.',
  ],
  continue: [
    'It prints its answer and little else; tokens, cost and turns come from its session file, which is found by the folder that it worked in.',
    'It names neither its calls nor the files that it changes; in a [private copy](../copies.md), git reports the files.',
    'Prompts of more than 400,000 characters are refused, because it would replace them with a summary.',
    'If several run at once in overlays of one checkout, their tokens and cost are unknown; `--isolate clone` gives each its own folder.',
  ],
  antigravity: [
    'Its own limit of five minutes for a run is lifted to a day: `--timeout` of Runwire counts.',
    'A prompt that does not fit into one argument is refused before the start.',
  ],
  kimi: [
    'Printing approves every call, so `read-only` and `edit` are its plan mode, in which it has only tools that read.',
    'It prints its messages and nothing else: no session, no model, no tokens, and no last line. A failure is a sentence and an exit code; 75 is one that a retry may help with.',
    'Where it is not enough, `--agent "acp:kimi acp"` speaks ACP with it.',
  ],
  openhands: [
    'It has no modes without a screen: it approves everything. `--isolate` keeps its edits in a copy.',
    'Its events say nothing of tokens, cost or the model, and it prints its session only for people: `Conversation ID`.',
    'Before May 2026 it printed each event over many lines, which are read as well.',
    'Where it is not enough, `--agent "acp:openhands acp"` speaks ACP with it.',
  ],
  auggie: [
    'It prints one result line with the fields of Claude Code, and neither its calls nor its files; in a [private copy](../copies.md), git reports the files.',
    'Printing runs every tool, so `read-only` and `edit` are its mode `--ask`, in which it has only tools that read.',
    'Where it is not enough, `--agent "acp:auggie --acp"` speaks ACP with it.',
  ],
  kilo: ['A fork of OpenCode: the prompt goes on stdin, and a call is reported only when it ends.'],
};
