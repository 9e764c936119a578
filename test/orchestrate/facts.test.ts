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
