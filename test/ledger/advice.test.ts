import { describe, expect, it } from 'vitest';
import { advise, adviseOnCrew, type AdviceOptions } from '../../src/ledger/advice.ts';
import { fold } from '../../src/pipeline/convert.ts';
import type { RunOutcome, Verdict } from '../../src/outcome/outcome.ts';

const builtin: AdviceOptions = {
  agent: 'builtin',
  canResume: true,
  takesModel: true,
  permissionModes: ['edit', 'full'],
  flags: () => [],
  isFull: false,
};
const codex: AdviceOptions = { ...builtin, agent: 'codex' };
const dexter: AdviceOptions = {
  agent: 'dexter',
  canResume: false,
  takesModel: false,
  permissionModes: [],
  flags: () => [],
  isFull: false,
};
const command: AdviceOptions = { ...dexter, agent: undefined };
const empty = await fold([]);

type Ended = Partial<Pick<RunOutcome, 'limits_hit' | 'session_id' | 'denials'>>;
const ended = (name: Verdict['class'], code?: Verdict['code'], more: Ended = {}): RunOutcome => ({
  ...empty,
  session_id: 'abc-1',
  ...more,
  verdict: { class: name, exit_code: 0, evidence: [], ...(code === undefined ? {} : { code }) },
});

it.each<[string, RunOutcome, AdviceOptions, string[]]>([
  ['a success', ended('success'), codex, ['runwire --agent codex --resume abc-1 continue']],
  [
    'what was said before',
    ended('success'),
    { ...builtin, flags: () => ['--model', 'openai-compatible/a b', '--cwd', "/it's", '--allow', 'bash(npm test:*)'] },
    ["runwire --model 'openai-compatible/a b' --cwd '/it'\\''s' --allow 'bash(npm test:*)' --resume abc-1 continue"],
  ],
  ['a flag that a terminal would obey', ended('success'), { ...builtin, flags: () => ['--cwd', '/a\u001b[2J'] }, []],
  [
    'what was denied, in the form that permits it',
    ended('permission'),
    {
      ...builtin,
      denied: [
        { tool: 'bash', touched: 'npm publish --access public && git push' },
        { tool: 'write', touched: 'src/it is.ts' },
        { tool: 'bash', touched: 'for f in *; do rm $f; done' },
        { tool: 'bash', touched: 'npm test > out.txt' },
      ],
    },
    [
      "--allow 'bash(npm publish --access public)' --allow 'bash(git push)' --allow 'write(src/it is.ts)' permits what was denied, --permission-mode full everything",
      'runwire --resume abc-1 continue',
    ],
  ],
  [
    'what was denied in a run that ended for another reason',
    ended('config', 'config', { denials: { count: 1, every: true } }),
    { ...builtin, denied: [{ tool: 'bash', touched: 'node --test' }] },
    ["--allow 'bash(node --test)' permits what was denied, --permission-mode full everything"],
  ],
  ['a success of a command', ended('success'), command, []],
  ['a session that a shell would read', ended('success', undefined, { session_id: 'a;rm -rf $HOME' }), builtin, []],
  ['a session that looks like a flag', ended('success', undefined, { session_id: '--model' }), builtin, []],
  [
    'no key',
    ended('provider', 'auth'),
    dexter,
    ['check its key or sign in; "runwire doctor dexter" shows what is set up'],
  ],
  ['a busy model', ended('provider', 'rate_limit'), command, ['try again, or let --retries 2 do it']],
  ['an empty account', ended('provider', 'quota'), command, ['the account has no credit left: top it up']],
  [
    'a limit',
    ended('time_limit', 'time_limit', { limits_hit: [{ limit: 'idle' }] }),
    builtin,
    ['a larger --idle-timeout lets it go further', 'runwire --resume abc-1 continue'],
  ],
  ["a command's own limit", ended('turn_limit', 'turn_limit', { limits_hit: [{ limit: 'turns' }] }), command, []],
  ['a missing program', ended('config', 'config'), codex, ['"runwire doctor codex" shows what is missing']],
  [
    'a broken install',
    {
      ...ended('config', 'config'),
      verdict: {
        class: 'config',
        exit_code: 1,
        code: 'config',
        evidence: [{ signal: 'verdict', detail: 'the program does not work as it is installed: no binary' }],
      },
    },
    { ...codex, install: 'npm install -g x' },
    ['install it again: npm install -g x'],
  ],
  [
    'a wrong request',
    ended('provider', 'refused'),
    command,
    ['trying again will not help: the request was refused; change the prompt'],
  ],
  [
    'a wrong request that its agent calls something else',
    { ...ended('incomplete', 'unknown'), error_details: { message: 'API Error: 400 {"type":"error"}' } },
    command,
    [],
  ],
  [
    'a program that prints plain text',
    {
      ...ended('incomplete'),
      verdict: {
        class: 'incomplete',
        exit_code: 8,
        evidence: [{ signal: 'verdict', detail: 'no output in a known format was received' }],
      },
    },
    command,
    [
      'a program that prints plain text is read with --wire, from what its model answers; --from DIALECT names a format',
    ],
  ],
  ['a run that broke off', ended('incomplete'), command, ['--retries 2 restarts a run that breaks off']],
  [
    'a denial with everything allowed',
    ended('permission', 'permission'),
    { ...codex, isFull: true, canResume: false },
    [],
  ],
  ['a denial that no flag lifts', ended('permission', 'permission'), dexter, []],
])('%s', (_what, outcome, asked, expected) => expect(advise(outcome, asked)).toEqual(expected));

describe('the work of several agents', () => {
  const branches = [
    { branch_id: 'main', commit: 'a' },
    { branch_id: '1', parent_branch_id: 'main', run_id: 'r1', commit: 'b', winner: true },
  ];
  const crew = (outcome: RunOutcome, all: typeof branches = branches): RunOutcome => ({
    ...outcome,
    lineage: { start_branch_id: 'main', latest_branch_id: '1', branches: all },
  });
  const id = '01m7txgj0v82381kwyc45t1j4b';

  it.each<[string, RunOutcome, string[] | undefined]>([
    ['one agent', ended('success'), undefined],
    ['a winner', crew({ ...ended('success'), status: 'success' }), ['runwire apply c45t1j4b', 'runwire drop c45t1j4b']],
    ['a limit', crew(ended('cost_limit')), ['runwire orchestrate --resume c45t1j4b']],
    ['a race without a winner', crew(ended('tool', undefined, { session_id: '' })), []],
    ['a wrong key', crew(ended('config')), []],
  ])('%s', (_, outcome, expected) => expect(adviseOnCrew(outcome, id)).toEqual(expected));
});
