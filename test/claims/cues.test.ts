import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf } from '../../src/claims/answer/blocks.ts';
import { type Clause, clauseOf } from '../../src/claims/answer/clause.ts';
import { piecesOf, sentencesOf } from '../../src/claims/answer/sentences.ts';
import { mayClaim, readClause } from '../../src/claims/kinds/registry.ts';

const golden = join(import.meta.dirname, 'golden');
const answers = readdirSync(golden).map((name): [name: string, answer: string] => {
  const { answer } = JSON.parse(readFileSync(join(golden, name, 'labels.json'), 'utf8')) as { answer: string };
  return [name, answer];
});

/** Every sentence of an answer, and every piece of one. */
function clausesOf(answer: string): Clause[] {
  return [...blocksOf(answer)].flatMap((block) => {
    const around = { block, sentence: '', before: '', answer: answer.toLowerCase(), named: [] };
    return sentencesOf(block.text).flatMap(({ text }) =>
      [text, ...piecesOf(text).map((piece) => piece.text.trim())].map((each) =>
        clauseOf(each, 0, { ...around, sentence: text.toLowerCase() }),
      ),
    );
  });
}

/** One sentence of each kind, in words that no case has. */
const sentences = [
  'Access was forbidden by the sandbox.',
  'I was unable to push.',
  'The pipeline is green.',
  'I saw the bug before the fix.',
  'Opened PR #7.',
  'The branch is now on origin.',
  'The last change was amended.',
  'Everything was rolled back.',
  'The worktree is clean.',
  'Three files were touched.',
  '12/12 green',
  'Nothing references it any more.',
  'mypy is happy.',
  'There were zero deprecations.',
  'zod is at 4.1.0',
  'The daemon listens on 8080.',
  'I skimmed `a.ts`.',
  'The readme got a section.',
  'I benchmarked it with hyperfine.',
  'It printed "hello".',
];

describe('cues', () => {
  it.each([...answers, ['one of each kind', sentences.join('\n\n')] as const])(
    'keep no reader from a claim: %s',
    (_, answer) => {
      const kinds = (isSparing: boolean): string[] =>
        clausesOf(answer).map((clause) => `${readClause(clause, isSparing)?.kind ?? '–'} ${clause.quote}`);
      expect(kinds(true)).toEqual(kinds(false));
    },
  );

  it('keep the readers from what claims nothing', () => {
    const quiet = ['Hello.', 'Done with the sandbox.', 'Hope that helps!', 'Median sorts its input.'];
    expect(
      clausesOf(quiet.join('\n\n'))
        .filter(mayClaim)
        .map(({ quote }) => quote),
    ).toEqual([]);
  });
});
