import type { ErrorCode } from '../../src/events/event.ts';
import type { VerdictClass } from '../../src/failure.ts';
import { dirname } from 'node:path';
import { lastResults, type ModelRequest, type TurnInput } from '../support/model-server/index.ts';
import type { Hands, Place } from './agent.ts';

/** An answer, or one that is made of what was asked. */
type Answer = TurnInput | ((request: ModelRequest) => TurnInput);

export interface Scenario {
  prompt: string;
  /** The prompt comes in on stdin instead of as an argument. */
  onStdin?: true;
  /** On top of the agent's own; the permission mode is `full` unless it is here. */
  flags?: readonly string[];
  turns(hands: Hands, place: Place): readonly Answer[];
  /** A signal to the command: while a tool runs, or while the model is silent in the middle of its answer. */
  interrupt?: { signal: 'SIGINT' | 'SIGTERM'; during: 'tool' | 'silence' };
  /** A command that another terminal gives while a tool waits for it; `PLACE.started` and `.done` are files. */
  order?: readonly string[];
  /** How often the run waits for a limit to reset; absent: never. */
  waits?: number;
  /** Nobody reads stdout for so long. */
  readAfterMs?: number;
  /** The first run ends well and its session is resumed, by this prompt. */
  resumeWith?: string;
  is: VerdictClass;
  exit: number;
  /** What the verdict blames. */
  code?: ErrorCode;
  /** The status of each call that was served, in order; absent: all are completed. */
  statuses?: readonly string[];
  /** Files that are changed at the end, each with what was done to it. */
  changes?: readonly string[];
  /** Runwire itself refuses: no agent is started, nothing is written to stdout. */
  refused?: true;
  /** Answers until the limit strikes; one more may be under way by then. */
  turnsUntilLimit?: number;
  /** Over ACP, for agents that speak it: by itself, or through a `runwire acp` that runs its command line. */
  acp?: 'direct' | 'bridge';
  /** Another scenario: agents differ here as they do there. */
  like?: 'sigint-tool';
  /** Only these: others wait for the limit themselves, are started with a limit of their own, or tell no calls. */
  agents?: readonly string[];
  /** `quick` runs in CI; `slow` are the ones in which agents retry for a minute and more. */
  speed?: 'quick' | 'slow';
}

const usage = { input: 1200, cached: 400, output: 60 };
const thoughtful = { ...usage, reasoning: 6 };
const say = (text: string): TurnInput => ({ text, usage });
const hello = 'Hello! How can I help you with this project today?';
const fine = 'The project holds a README and a small script. Everything looks fine.';
const look = 'Please look at this project and help me with it.';

/** 200 KB in which every line is another. */
const longText = Array.from(
  { length: 4000 },
  (_, line) => `Line ${String(line).padStart(5, '0')} of a long answer: ${'·-'.repeat(8)}`,
).join('\n');

const unicodeText = [
  'Latin: na\u00efve caf\u00e9 \u00dcn\u00efc\u00f6d\u00e9 \u00df',
  'CJK: \u65e5\u672c\u8a9e \u4e2d\u6587 \ud55c\uad6d\uc5b4',
  'RTL: \u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u05e2\u05d1\u05e8\u05d9\u05ea',
  'Emoji: \u{1f98a} \u{1f469}\u200d\u{1f469}\u200d\u{1f467} \u{1f1f3}\u{1f1f1} \u{1f44d}\u{1f3fd}',
  'Line sep:\u2028after U+2028, para sep:\u2029after U+2029, NEL:\u0085after',
  'Zero width: a\u200bb\u200dc\ufeffd \u{1f98a} end',
].join('\n');

/** It tells that it runs only after a while: some agents report a command late. */
const slowCommand = ({ shell }: Hands, { started }: Place): readonly TurnInput[] => [
  {
    text: 'Running a slow command.',
    calls: [shell(`echo begun; sleep 3; touch ${started}; sleep 47; echo finished`)],
    usage,
  },
  say('It came to its end.'),
];
const silence = (): readonly TurnInput[] => [
  {
    ...say('This answer starts well enough, and then it stops coming for a very long time.'),
    fault: { type: 'stall', after: 2 },
  },
];
const cut = (times?: number): TurnInput => ({
  ...say('This answer is cut off in the middle of the stream, and may be whole another time.'),
  fault: { type: 'disconnect', after: 2, ...(times === undefined ? {} : { times }) },
});

/** A plan that is used up, as providers say it; not one that is busy, which agents wait for themselves. */
const usedUp = (resets: number, left: number): TurnInput['fault'] => {
  const message = `You've hit your usage limit. Try again in ${left}s.`;
  const error = { type: 'usage_limit_reached', code: 'insufficient_quota', message };
  return {
    status: 429,
    body: { type: 'error', error: { ...error, resets_at: Math.ceil(resets / 1000), resets_in_seconds: left } },
  };
};

/** The folder that an agent works in, by its own word: a copy may be elsewhere. */
function toldFolder(request: ModelRequest, { work }: Place): string {
  const told = lastResults(request).map(({ result }) => result);
  const base = dirname(work);
  const at = told.join('\n').match(/\/[\w./-]+/g) ?? [];
  return at.findLast((path) => path.startsWith(`${base}/`)) ?? work;
}

const editedInCopy = ({ shell, write, edit, read }: Hands, place: Place): readonly Answer[] => {
  let folder = '';
  return [
    { text: 'Where am I?', calls: [shell('pwd')], usage },
    (request) => {
      folder = toldFolder(request, place);
      return { text: 'I write the notes.', calls: [write(`${folder}/notes.txt`, 'alpha\nbravo\n')], usage };
    },
    () => ({ calls: [read(`${folder}/notes.txt`)], usage }),
    () => ({ calls: [edit(`${folder}/notes.txt`, 'bravo', 'BRAVO')], usage }),
    { calls: [shell('cat notes.txt && git status --short && rm hello.sh && echo more >> README.md')], usage },
    say('I wrote notes.txt, and removed the script.'),
  ];
};

const inCopy = {
  prompt: 'Write a notes file, correct it, and remove the script.',
  turns: editedInCopy,
  changes: ['README.md modified', 'hello.sh deleted', 'notes.txt created'],
  is: 'success',
  exit: 0,
} as const satisfies Scenario;

const editing = ({ read, write, edit, shell }: Hands, { work }: Place): readonly TurnInput[] => [
  { text: 'Reading the README first.', calls: [read(`${work}/README.md`)], usage },
  { text: 'Now I write the notes.', calls: [write(`${work}/notes.txt`, 'alpha\nbravo\ncharlie\n')], usage },
  { text: 'One word must change.', calls: [edit(`${work}/notes.txt`, 'bravo', 'BRAVO')], usage },
  { calls: [shell('cat notes.txt')], usage },
  say('I wrote notes.txt and changed bravo to BRAVO.'),
];

const denied = {
  prompt: 'Write a file and run a command, though you may not.',
  flags: ['--permission-mode', 'read-only'],
  turns: ({ shell, write }, { work }) => [
    { text: 'Trying a command that writes.', calls: [shell('echo forbidden > outside.txt && cat outside.txt')], usage },
    { text: 'Trying to write a file.', calls: [write(`${work}/forbidden.txt`, 'forbidden\n')], usage },
    say('I was not allowed to do either.'),
  ],
  statuses: ['error denied', 'error denied'],
  is: 'permission',
  exit: 7,
} as const satisfies Scenario;

const table = {
  plain: { prompt: 'Say hello.', turns: () => [say(hello)], is: 'success', exit: 0, speed: 'quick' },
  shell: {
    prompt: 'List the files here.',
    turns: ({ shell }) => [
      { text: 'I will list the files.', calls: [shell('ls -1 && echo listed')], usage },
      say(fine),
    ],
    is: 'success',
    exit: 0,
  },
  'multi-tool': {
    prompt: 'Write a notes file, correct it, read it back and show the diff.',
    turns: ({ read, write, edit, shell }, { work }) => [
      {
        reasoning: 'First I read the README.',
        text: 'Reading the README first.',
        calls: [read(`${work}/README.md`)],
        usage: thoughtful,
      },
      { text: 'Now I write the notes.', calls: [write(`${work}/notes.txt`, 'alpha\nbravo\ncharlie\n')], usage },
      { calls: [read(`${work}/notes.txt`)], usage },
      { text: 'One word must change.', calls: [edit(`${work}/notes.txt`, 'bravo', 'BRAVO')], usage },
      { calls: [shell('cat notes.txt && git status --short')], usage },
      { reasoning: 'All done.', text: 'I wrote notes.txt and changed bravo to BRAVO.', usage: thoughtful },
    ],
    changes: ['notes.txt created'],
    is: 'success',
    exit: 0,
    speed: 'quick',
  },
  parallel: {
    prompt: 'Find three facts at once.',
    turns: ({ read, shell }, { work }) => [
      {
        text: 'Running three commands at once.',
        calls: [shell('sleep 0.4; echo first'), shell('echo second'), read(`${work}/README.md`)],
        usage,
      },
      say('All three came back.'),
    ],
    is: 'success',
    exit: 0,
  },
  'failing-command': {
    prompt: 'Run the broken check.',
    turns: ({ shell }) => [
      { text: 'Running the check.', calls: [shell('echo to-stdout; echo to-stderr >&2; exit 3')], usage },
      say('The check failed with status 3.'),
    ],
    statuses: ['error'],
    is: 'success',
    exit: 0,
    speed: 'quick',
  },
  denied,
  'error-401': {
    prompt: look,
    turns: () => [{ fault: { status: 401 } }],
    is: 'provider',
    exit: 4,
    code: 'auth',
    speed: 'quick',
  },
  'rate-limit-then-ok': {
    prompt: look,
    turns: () => [{ ...say(fine), fault: { status: 429, retryAfter: 1, times: 1 } }],
    is: 'success',
    exit: 0,
    speed: 'quick',
  },
  'error-429-always': {
    prompt: look,
    turns: () => [{ fault: { status: 429, retryAfter: 1 } }],
    is: 'provider',
    exit: 4,
    code: 'rate_limit',
    speed: 'slow',
  },
  'error-500-always': {
    prompt: look,
    turns: () => [{ fault: { status: 500 } }],
    is: 'provider',
    exit: 4,
    speed: 'slow',
  },
  'disconnect-always': { prompt: look, turns: () => [cut()], is: 'provider', exit: 4, speed: 'slow' },
  'disconnect-then-ok': { prompt: look, turns: () => [cut(1)], is: 'success', exit: 0 },
  'long-text': {
    prompt: 'Say a very long thing.',
    turns: () => [{ ...say(longText), chunkSize: 400 }],
    is: 'success',
    exit: 0,
    speed: 'quick',
  },
  'slow-reader': {
    prompt: 'Say a very long thing.',
    turns: () => [{ ...say(longText), chunkSize: 400 }],
    readAfterMs: 15_000,
    is: 'success',
    exit: 0,
  },
  unicode: {
    prompt: 'Say something with special characters: \u00e9 \u65e5\u672c \u{1f98a} end',
    turns: ({ shell }) => [
      {
        text: unicodeText,
        calls: [
          shell(
            String.raw`printf 'caf\303\251 \360\237\246\212 \342\200\250sep \033[31mred\033[0m bad:\377\376 cr:\rend\n'`,
          ),
        ],
        usage,
        writeSize: 7,
      },
      say(unicodeText),
    ],
    is: 'success',
    exit: 0,
  },
  'sigint-tool': {
    prompt: 'Run a slow command.',
    turns: slowCommand,
    interrupt: { signal: 'SIGINT', during: 'tool' },
    is: 'cancelled',
    exit: 130,
    statuses: ['cancelled abandoned'],
    speed: 'quick',
  },
  'sigterm-tool': {
    prompt: 'Run a slow command.',
    turns: slowCommand,
    interrupt: { signal: 'SIGTERM', during: 'tool' },
    is: 'cancelled',
    exit: 143,
    statuses: ['cancelled abandoned'],
  },
  'sigint-silence': {
    prompt: look,
    turns: silence,
    interrupt: { signal: 'SIGINT', during: 'silence' },
    is: 'cancelled',
    exit: 130,
  },
  'sigterm-silence': {
    prompt: look,
    turns: silence,
    interrupt: { signal: 'SIGTERM', during: 'silence' },
    is: 'cancelled',
    exit: 143,
  },
  resume: {
    prompt: 'Remember the word: marmalade.',
    resumeWith: 'Which word was it?',
    turns: ({ shell }) => [
      { text: 'I will remember: marmalade.', calls: [shell('echo remembered')], usage },
      say('Noted.'),
      say('The word was marmalade.'),
    ],
    is: 'success',
    exit: 0,
  },
  'stdin-prompt': {
    prompt: 'Say hello. (This prompt came in on stdin.)',
    onStdin: true,
    turns: () => [say('Hello! I read your prompt from stdin.')],
    is: 'success',
    exit: 0,
  },
  'empty-prompt': { prompt: '', turns: () => [say('You said nothing at all.')], refused: true, is: 'input', exit: 2 },
  'turn-limit': {
    prompt: 'Go on for ever.',
    flags: ['--max-turns', '3'],
    // As slow as a model is: there is time to end the run before the next answer is whole.
    turns: ({ shell }) =>
      Array.from({ length: 30 }, (_, step) => ({
        text: 'Once more.',
        calls: [shell(`echo step ${step}`)],
        usage,
        chunkSize: 400,
        delayMs: 1000,
      })),
    turnsUntilLimit: 3,
    is: 'turn_limit',
    exit: 6,
  },
  loop: {
    prompt: 'Go on for ever.',
    flags: ['--max-repeats', '4'],
    agents: ['codex', 'opencode', 'pi', 'qwen'],
    turns: ({ shell }) =>
      Array.from({ length: 30 }, () => ({
        text: 'Once more.',
        calls: [shell('cat README.md')],
        usage,
        chunkSize: 400,
        delayMs: 1000,
      })),
    turnsUntilLimit: 4,
    is: 'turn_limit',
    exit: 6,
    code: 'loop',
    speed: 'quick',
  },
  'reset-waited': {
    prompt: 'Remember the word: marmalade. Then say it.',
    flags: ['--on-limit', 'wait'],
    agents: ['codex', 'pi'],
    turns({ shell }) {
      let resets: number | undefined;
      return [
        { text: 'I will remember: marmalade.', calls: [shell('echo remembered')], usage },
        () => {
          resets ??= Date.now() + 20_000;
          const left = Math.ceil((resets - Date.now()) / 1000);
          return left > 0 ? { fault: usedUp(resets, left) } : say('The word was marmalade.');
        },
      ];
    },
    waits: 1,
    is: 'success',
    exit: 0,
  },
  'limit-raised': {
    prompt: 'Take four turns.',
    flags: ['--max-turns', '2'],
    agents: ['codex', 'opencode', 'pi'],
    turns: ({ shell }, { started }) => [
      { text: 'One.', calls: [shell(`touch ${started}; until [ -e ${started}.done ]; do sleep 0.2; done`)], usage },
      { text: 'Two.', calls: [shell('echo two')], usage },
      { text: 'Three.', calls: [shell('echo three')], usage },
      say('Four.'),
    ],
    order: ['runs', 'limit', 'last', '--max-turns', '9'],
    is: 'success',
    exit: 0,
  },
  'overlay-copy': { ...inCopy, flags: ['--isolate', 'overlay'] },
  'clone-copy': { ...inCopy, flags: ['--isolate', 'clone'] },
  'overlay-sigint': {
    prompt: 'Run a slow command.',
    flags: ['--isolate', 'overlay'],
    like: 'sigint-tool',
    turns: slowCommand,
    interrupt: { signal: 'SIGINT', during: 'tool' },
    is: 'cancelled',
    exit: 130,
    statuses: ['cancelled abandoned'],
  },
  'acp-edit': {
    prompt: 'Write a notes file and correct it.',
    acp: 'direct',
    flags: ['--permission-mode', 'edit', '--allow', 'bash(cat:*)'],
    turns: editing,
    changes: ['notes.txt created'],
    is: 'success',
    exit: 0,
  },
  'acp-denied': { ...denied, acp: 'direct' },
  'acp-sigint': {
    prompt: 'Run a slow command.',
    acp: 'direct',
    turns: slowCommand,
    interrupt: { signal: 'SIGINT', during: 'tool' },
    is: 'cancelled',
    exit: 130,
    statuses: ['cancelled'],
  },
  'acp-bridge': {
    prompt: 'Write a notes file and correct it.',
    acp: 'bridge',
    turns: editing,
    changes: ['notes.txt created'],
    is: 'success',
    exit: 0,
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof table;
export const scenarios: Readonly<Record<ScenarioName, Scenario>> = table;
