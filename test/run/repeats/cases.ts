import { bash, edit, type Made, mcp, patch, read, times, write } from './calls.ts';

type Case = readonly [title: string, calls: readonly Made[]];

const failing = bash('npm test', '1 failed', 1);
const [on, off] = [edit('app.ts', 'debug = false', 'debug = true'), edit('app.ts', 'debug = true', 'debug = false')];
const flip = (from: string, to: string): Made =>
  patch(`*** Begin Patch\n*** Update File: a.txt\n@@\n-${from}\n+${to}\n*** End Patch`);
const noise = (index: number): Made => bash('date +%N', String(index));

/** Five rounds of the same, in every shape that people report. */
export const loops: readonly Case[] = [
  ['one command', times(5, () => bash('ls', 'a.txt'))],
  ['one command that prints nothing', times(5, () => bash('true', ''))],
  ['one command that fails', times(5, () => failing)],
  ['one command, many times', times(40, () => bash('ls', 'a.txt'))],
  ['one file', times(5, () => read('a.txt', 'hello'))],
  ['one search without a hit', times(5, () => ({ kind: 'search', name: 'grep', args: { pattern: 'x' }, output: [] }))],
  ['one page', times(5, () => ({ kind: 'web', name: 'fetch', args: { url: 'https://example.com' }, output: 'hi' }))],
  ['one tool of a server', times(5, () => mcp('tracker.list', { open: true }, { issues: [] }))],
  ['a tool without arguments', times(5, () => mcp('git_status', {}, 'clean'))],
  [
    'arguments in another order',
    times(5, (index) => mcp('find', index % 2 === 0 ? { a: 1, b: 2 } : { b: 2, a: 1 }, 'x')),
  ],
  ['an edit that does not apply', times(5, () => ({ ...on, status: 'error', output: 'no such text' }))],
  ['a call that is denied', times(5, () => ({ ...bash('rm -rf x', ''), status: 'denied', error: 'not allowed' }))],
  [
    'a call that fails with a message alone',
    times(5, () => ({ ...mcp('go', {}, null), status: 'error', error: 'no' })),
  ],
  ['the same file written again', times(5, () => write('a.txt', 'hello'))],
  ['the same plan', times(5, () => ({ kind: 'plan', name: 'todo', args: { todos: ['a'] }, output: 'ok' }))],
  ['the same sub-agent', times(5, () => ({ kind: 'subagent', name: 'task', args: { prompt: 'look' }, output: 'no' }))],
  ['after honest work', [...times(30, (index) => read(`${index}.txt`, 'x')), ...times(5, () => failing)]],
  ['before honest work', [...times(5, () => failing), ...times(30, (index) => read(`${index}.txt`, 'x'))]],
  ['a cycle of two', times(5, () => [read('a.txt', 'hello'), failing])],
  ['a cycle of three', times(5, () => [read('a.txt', 'hello'), bash('ls', 'a.txt'), failing])],
  ['a cycle of four', times(5, () => [read('a.txt', 'x'), bash('ls', 'a.txt'), bash('git diff', ''), failing])],
  ['a cycle of four with a pair in it', times(5, () => [failing, failing, read('a.txt', 'x'), read('b.txt', 'y')])],
  ['a cycle that begins in the middle', [failing, ...times(5, () => [read('a.txt', 'x'), failing])]],
  ['a command with waits between', times(5, () => [bash('sleep 1', ''), failing])],
  ['on and off', times(3, () => [on, off])],
  ['on and off, with work between', times(5, (index) => [index % 2 === 0 ? on : off, noise(index)])],
  ['two contents of a file', times(5, (index) => [write('a.txt', String(index % 2)), noise(index)])],
  ['patches back and forth', times(5, (index) => [index % 2 === 0 ? flip('a', 'b') : flip('b', 'a'), noise(index)])],
  [
    'several replacements at once, back and forth',
    times(5, (index) => [
      {
        ...on,
        args: {
          file_path: 'app.ts',
          edits: [index % 2 === 0 ? { oldText: 'a', newText: 'b' } : { oldText: 'b', newText: 'a' }],
        },
      },
      noise(index),
    ]),
  ],
  ['an edit and its undoing by git', times(5, () => [on, bash('git checkout app.ts', '')])],
  [
    'two files, each on and off',
    times(5, (index) => [index % 2 === 0 ? on : off, flip(`${index % 2}`, `${(index + 1) % 2}`), noise(index)]),
  ],
  [
    'two sub-agents, each in its own circle',
    times(5, () => [
      { ...failing, parent: 'item-0' },
      { ...read('a.txt', 'x'), parent: 'item-1' },
    ]),
  ],
  [
    'a sub-agent, while the one above it works',
    times(5, (index) => [{ ...failing, parent: 'item-0' }, read(`${index}.txt`, 'x'), edit('a.ts', `${index}`, 'b')]),
  ],
  ['within a sub-agent', times(5, (index) => [{ ...failing, parent: 'item-0' }, noise(index)])],
];

const counting = (command: string, said: (index: number) => string): Made[] =>
  times(40, (index) => bash(command, said(index)));
const waiting = times(40, () => bash('sleep 5', ''));

/** Long runs that wait for something, or do alike things, and are no loops. */
export const polls: readonly Case[] = [
  ['a bare wait', waiting],
  ['a bare wait in a login shell', times(40, () => bash("/bin/bash -lc 'sleep 30'", ''))],
  ['a wait of a tool', times(40, () => mcp('wait', { seconds: 5 }, 'waited'))],
  ['a wait and a status that moves', times(40, (index) => [bash('sleep 5', ''), bash('git status', `${index} files`)])],
  ['a server that comes up', counting('curl -s localhost/health', (index) => `starting ${index}%`)],
  ['a log that grows', counting('tail -n 3 build.log', (index) => `line ${index}`)],
  ['a job with a clock', counting('gh run view 7', (index) => `in progress, ${index}s`)],
  ['a queue that drains', counting('queue length', (index) => String(400 - index))],
  ['a test that fails in another way each time', counting('npm test', (index) => `${40 - index} failed`)],
  ['a poll that moves every fourth time', counting('status', (index) => `step ${Math.floor(index / 4)}`)],
  ['files one by one', times(40, (index) => read(`src/${index}.ts`, 'same text'))],
  ['pages of one file', times(40, (index) => mcp('read', { path: 'a', offset: index }, 'same text'))],
  [
    'one test after each edit',
    times(40, (index) => [edit('a.ts', `${index}`, `${index + 1}`), bash('npm test', 'ok')]),
  ],
  [
    'a status between edits',
    times(40, (index) => [edit('a.ts', `${index}`, `${index + 1}`), bash('git status', 'M a.ts')]),
  ],
  [
    'a file that is read after each edit',
    times(40, (index) => [edit('a.ts', `${index}`, 'x'), read('a.ts', `${index}`)]),
  ],
  [
    'a status, a diff and a test between edits',
    times(40, (index) => [bash('git status', 'M a'), bash('git diff', `${index}`), failing, patch(`+${index}`)]),
  ],
  ['sub-agents that begin alike', times(40, (index) => ({ ...bash('ls', 'a.txt'), parent: `item-${index}` }))],
  [
    'a round of four of which one differs',
    times(40, (index) => [failing, on, read('a', 'x'), bash(`try ${index}`, '')]),
  ],
  ['arguments with a counter', times(40, (index) => mcp('next', { page: index }, []))],
  ['an output with a time', counting('date', (index) => `10:00:${String(index).padStart(2, '0')}`)],
  ['three in a row, then something else', times(40, (index) => [failing, failing, failing, noise(index)])],
  ['a counter that is written', times(40, (index) => write('n.txt', String(index)))],
  [
    'edits of which nothing is told',
    times(40, () => ({ kind: 'file_edit', name: 'edit', args: { path: 'a.ts' }, output: 'ok' })),
  ],
  ['calls of which nothing is told', times(40, () => ({ kind: 'tool_call', name: 'act', args: {} }))],
  ['calls that are cut off', times(40, () => ({ ...bash('make', ''), status: 'cancelled' }))],
  ['a round of five calls', times(8, () => ['a', 'b', 'c', 'd', 'e'].map((name) => read(name, 'x')))],
  ['on, off and on again', [on, failing, off, bash('npm test', 'ok'), on]],
  [
    'branches of others',
    times(40, () => ({ kind: 'branch_poll', name: 'poll', args: { id: 'b' }, output: 'working' })),
  ],
];
