import { expect, it } from 'vitest';
import { subject } from '../../src/events/subject.ts';

it.each([
  [{ command: 'ls', path: 'a' }, 'ls'],
  [{ cmd: ['rm', '-r', 'a b'] }, 'rm -r a b'],
  [{ limit: 5, file_path: '/a.txt' }, '/a.txt'],
  [{ changes: [{ path: 'a' }, { path: 'b', kind: 'add' }] }, 'a b'],
  [{ changes: ['a'] }, '{"changes":["a"]}'],
  [{ path: 5, depth: 2 }, '{"path":5,"depth":2}'],
  [{ prompts: ['Fix it', 'Test it'], num_branches: 2 }, 'Fix it · Test it'],
  [{ branch_id: '1', full_output: true }, '1'],
  [{}, ''],
  [[1], '[1]'],
  ['as it is', 'as it is'],
  [null, ''],
  [7, ''],
])('the argument that says most of %j', (args, told) => expect(subject(args)).toBe(told));
