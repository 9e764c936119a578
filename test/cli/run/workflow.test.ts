import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { outputs as declared } from '../../../src/reports/step-outputs.ts';
import { bash, write } from '../../orchestrate/crew.ts';
import type { TurnInput } from '../../support/model-server/index.ts';
import { defaults, folderWithNpm, runAction } from './action.ts';
import { serve } from './live.ts';
import { folder } from './scripted.ts';

// The example workflow, step by step, as a runner would take them: what it says in its file is what is run.

const root = join(import.meta.dirname, '..', '..', '..');
const example = readFileSync(join(root, 'examples', 'ci', 'github.yml'), 'utf8');
/** The lines of a step below its `with:`, as values. */
const given = Object.fromEntries(
  Array.from(
    (/uses: runwire\/runwire[^\n]*\n {8}with:\n((?: {10}.*\n)+)/.exec(example)?.[1] ?? '').matchAll(
      /^ {10}(\w+): (?:\|\n((?: {12}.*\n)+)|(.*)\n)/gm,
    ),
    ([, name = '', block, line]): [string, string] => [name, block?.replaceAll(/^ {12}/gm, '') ?? line ?? ''],
  ),
);
const artifacts =
  /\n {10}path: \|\n((?: {12}.*\n?)+)/
    .exec(example)?.[1]
    ?.trim()
    .split(/\s*\n\s*/) ?? [];

interface Ended {
  status: number | null;
  outputs: Record<string, string>;
  uploaded: boolean[];
}

async function job(turns: readonly TurnInput[], more: string): Promise<Ended> {
  const [server, cwd] = [await serve(turns, 'secret-key-1234'), folder()];
  writeFileSync(join(cwd, 'package.json'), '{ "scripts": { "test": "test -f fixed.txt" } }');
  const inputs: Record<string, string> = { ...given, prompt: 'Fix it: $(touch pwned)' };
  inputs['args'] += `--base-url\n${server.baseUrl('anthropic')}\n--ledger\nnone\n${more}`;
  const path = `${folderWithNpm()}:${process.env['PATH']}`;
  const { status, outputs } = await runAction(inputs, { cwd, path, env: { ANTHROPIC_API_KEY: 'secret-key-1234' } });
  expect(existsSync(join(cwd, 'pwned'))).toBe(false);
  const paths = artifacts.map((each) =>
    each.replace('${{ steps.agent.outputs.outcome_file }}', outputs['outcome_file'] ?? ''),
  );
  return { status, outputs, uploaded: paths.map((each) => existsSync(join(each.startsWith('/') ? '/' : cwd, each))) };
}

const fix: TurnInput[] = [{ calls: [write('fixed.txt', 'yes\n')] }, { text: 'Fixed.' }];

it('reads the example', () => {
  expect(Object.keys(given)).toEqual(['prompt', 'model', 'expect', 'args']);
  expect([given['model'], artifacts.length, defaults['version']]).toEqual(['anthropic/claude-sonnet-4-5', 2, '']);
});

it.concurrent.each<[string, TurnInput[], string, string, string, number]>([
  ['passing', fix, '', 'success', 'success', 0],
  ['failing', [{ text: 'I would rather not.' }], '', 'error', 'expectation', 9],
  [
    'denied',
    [{ calls: [bash('npm publish')] }, { text: 'It was not allowed.' }],
    '--deny\nbash\n',
    'error',
    'permission',
    7,
  ],
  ['limited', fix, '--max-turns\n1\n', 'error', 'turn_limit', 6],
])(
  'the steps of the example give the documented outputs: a %s run',
  async (_name, turns, more, verdict, name, code) => {
    const { status, outputs, uploaded } = await job(turns, more);
    expect({ status, verdict: outputs['verdict'], class: outputs['class'], exit_code: outputs['exit_code'] }).toEqual({
      status: code,
      verdict,
      class: name,
      exit_code: String(code),
    });
    expect(Object.keys(outputs)).toEqual(Object.keys(declared));
    expect(uploaded).toEqual([true, true]);
  },
);
