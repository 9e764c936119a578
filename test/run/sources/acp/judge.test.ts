import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseRules } from '../../../../src/builtin/permissions/rules.ts';
import type { AskPerson, Question } from '../../../../src/builtin/permissions/question.ts';
import type { Json } from '../../../../src/json/json.ts';
import { object } from '../../../../src/json/read.ts';
import type { ItemKind } from '../../../../src/events/event.ts';
import { Judge } from '../../../../src/run/sources/acp/judge.ts';
import type { PermissionMode } from '../../../../src/words/vocabulary.ts';

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'runwire-judge-')));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const options = ['allow_always', 'allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind }));

interface Asked {
  mode?: PermissionMode;
  allow?: string[];
  deny?: string[];
  directories?: string[];
  person?: AskPerson;
  offers?: typeof options;
  signal?: AbortSignal;
}

async function answer(
  kind: ItemKind,
  args: Json,
  { mode = 'edit', allow, deny, directories, person, offers = options, signal }: Asked = {},
  call = {},
) {
  const judge = new Judge({
    rules: parseRules(mode, allow, deny, directories),
    cwd,
    ask: person,
    signal: signal ?? new AbortController().signal,
  });
  judge.see({ type: 'prompt.submitted', text: 'Do it' });
  judge.see({ type: 'item.started', item_id: 'c', kind, name: 'tool', args });
  const { outcome } = await judge.answer({ toolCall: { toolCallId: 'c', ...call }, options: offers });
  return object(outcome).optionId ?? object(outcome).outcome;
}

it('forgets calls that never end, the oldest first: then nothing is known of them', async () => {
  const judge = new Judge({
    rules: parseRules('edit', ['bash(ls)']),
    cwd,
    ask: undefined,
    signal: new AbortController().signal,
  });
  judge.see({ type: 'prompt.submitted', text: 'Do it' });
  for (let count = 1; count <= 1001; count += 1)
    judge.see({ type: 'item.started', item_id: `c${count}`, kind: 'command', name: 'bash', args: { command: 'ls' } });
  const answerTo = async (toolCallId: string) =>
    object((await judge.answer({ toolCall: { toolCallId }, options })).outcome).optionId;
  expect(await Promise.all(['c1', 'c501', 'c1001'].map(answerTo))).toEqual(['reject_once', 'allow_once', 'allow_once']);
});

it.each<[string, ItemKind, Json, Asked, string, object?]>([
  ['a command in mode edit', 'command', { command: 'ls' }, {}, 'reject_once'],
  ['a command in mode full', 'command', { command: 'ls' }, { mode: 'full' }, 'allow_once'],
  ['a command that a rule allows', 'command', { command: 'npm test' }, { allow: ['bash(npm test:*)'] }, 'allow_once'],
  [
    'a command and more than a rule allows',
    'command',
    { command: 'npm test; rm x' },
    { allow: ['bash(npm test:*)'] },
    'reject_once',
  ],
  [
    'a command of words',
    'command',
    { command: ['rm', '-r', 'a b'] },
    { mode: 'full', deny: ['bash(rm:*)'] },
    'reject_once',
  ],
  ['a file of the folder', 'file_edit', { path: 'a' }, {}, 'allow_once'],
  ['a file of the folder in mode read-only', 'file_edit', { path: 'a' }, { mode: 'read-only' }, 'reject_once'],
  ['a file elsewhere', 'file_edit', { path: '/etc/passwd' }, {}, 'reject_once'],
  ['a file elsewhere, in mode full', 'file_edit', { path: '/etc/passwd' }, { mode: 'full' }, 'allow_once'],
  [
    'a file of another folder that is named',
    'file_edit',
    { path: '/etc/passwd' },
    { directories: ['/etc'] },
    'allow_once',
  ],
  ['a file that a rule denies', 'file_edit', { path: join(cwd, 'a') }, { deny: ['write(a)'] }, 'reject_once'],
  [
    'two files, one of them elsewhere',
    'file_edit',
    {},
    {},
    'reject_once',
    { locations: [{ path: 'a' }], content: [{ type: 'diff', path: '/etc/b', newText: '' }] },
  ],
  ['a way out of the folder', 'file_edit', {}, {}, 'reject_once', { locations: [{ path: `${cwd}/../x` }] }],
  ['a file to read', 'read', { path: 'a' }, { mode: 'read-only' }, 'allow_once'],
  ['a file to read elsewhere', 'read', { path: '/etc/passwd' }, {}, 'reject_once'],
  ['a host', 'web', { url: 'https://example.com/x' }, {}, 'reject_once'],
  [
    'a host that a rule allows',
    'web',
    { url: 'https://example.com/x' },
    { allow: ['fetch(example.com)'] },
    'allow_once',
  ],
  [
    'a host in the middle of words',
    'web',
    { prompt: 'read https://evil.com/ please' },
    { allow: ['fetch(example.com)'] },
    'reject_once',
  ],
  ['thoughts', 'tool_call', {}, { mode: 'read-only' }, 'allow_once', { kind: 'think' }],
  ['to begin to act', 'tool_call', {}, {}, 'allow_once', { kind: 'switch_mode' }],
  ['to begin to act in mode read-only', 'tool_call', {}, { mode: 'read-only' }, 'reject_once', { kind: 'switch_mode' }],
  ['whatever else', 'tool_call', {}, {}, 'reject_once'],
  ['everything', 'tool_call', {}, { mode: 'full' }, 'allow_once'],
  ['nothing but always', 'command', { command: 'x' }, { allow: ['bash(x)'], offers: options.slice(0, 1) }, 'cancelled'],
  [
    'nothing but always, in mode full',
    'command',
    { command: 'x' },
    { mode: 'full', offers: options.slice(0, 1) },
    'allow_always',
  ],
  ['no answer at all', 'read', { path: 'a' }, { offers: [] }, 'cancelled'],
])('answers %s', async (_, kind, args, asked, expected, call) => {
  expect(await answer(kind, args, asked, call)).toBe(expected);
});

it('asks a person about what nothing allows and no rule denies', async () => {
  const heard: Question[] = [];
  const person: AskPerson = async (question) => heard.push(question) === 1;
  expect(await answer('command', { command: 'ls' }, { person })).toBe('allow_once');
  expect(await answer('command', { command: 'ls' }, { person })).toBe('reject_once');
  expect(await answer('command', { command: 'rm' }, { person, deny: ['bash(rm)'] })).toBe('reject_once');
  expect(await answer('file_edit', { path: '/etc/x' }, { person })).toBe('reject_once');
  expect(heard).toMatchObject([{ itemId: 'c', kind: 'command', name: 'tool', subject: 'ls' }, {}]);
});

it('says that it was cancelled when the run is', async () => {
  expect(await answer('read', { path: 'a' }, { signal: AbortSignal.abort() })).toBe('cancelled');
});

it('allows nothing when nothing is asked for', async () => {
  const judge = new Judge({
    rules: parseRules('full'),
    cwd,
    ask: async () => true,
    signal: new AbortController().signal,
  });
  const asked = async () =>
    object((await judge.answer({ toolCall: { toolCallId: 'c', title: 'ls' }, options })).outcome).outcome;
  expect(await asked()).toBe('cancelled');
  judge.see({ type: 'prompt.submitted', text: 'Do it' });
  expect(await asked()).toBe('selected');
  judge.see({ type: 'agent.finished', status: 'ok' });
  expect(await asked()).toBe('cancelled');
});
