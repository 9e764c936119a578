import { expect, it } from 'vitest';
import { factsOf, wordsOfFacts } from '../../src/orchestrate/facts.ts';

it('tells changed tests, deleted tests, protected files and files of the verify command apart', () => {
  const facts = factsOf(
    [
      { path: 'src/a.ts', operation: 'modified' },
      { path: 'test/a.test.ts', operation: 'modified' },
      { path: 'spec/b_spec.rb', operation: 'deleted' },
      { path: 'test/new.test.ts', operation: 'created' },
      { path: 'package.json', operation: 'modified' },
      { path: 'scripts/check.sh', operation: 'modified' },
    ],
    { protect: ['*.json'], verify: 'CI=1 sh ./scripts/check.sh && make' },
  );
  expect(wordsOfFacts(facts)).toBe(
    'tests deleted: spec/b_spec.rb; tests changed: test/a.test.ts; protected files touched: package.json; files of the verify command touched: scripts/check.sh',
  );
  expect(wordsOfFacts(factsOf([{ path: 'src/a.ts', operation: 'modified' }], { protect: [] }))).toBe('');
});

it('sees names from the folder of the work too, and the files of known programs', () => {
  const changes = [
    'sub/check.sh',
    'sub/data/a.txt',
    'Makefile',
    'package.json',
    'sub/package.json',
    'other/package.json',
  ].map((path) => ({
    path,
    operation: 'modified' as const,
  }));
  const touched = (verify: string) => factsOf(changes, { protect: ['data/**'], verify, repository: { below: 'sub' } });
  expect(touched('sh ./check.sh').verify_touched).toEqual(['sub/check.sh']);
  expect(touched('cd .. && make test').verify_touched).toEqual(['Makefile']);
  expect(touched('CI=1 npm test').verify_touched).toEqual(['package.json', 'sub/package.json']);
  expect(touched('true').protected_touched).toEqual(['sub/data/a.txt']);
});
