import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Fields } from '../../src/contract/field.ts';
import {
  fields,
  flagOfLimit,
  type Found,
  optionOf,
  type Requested,
  withDefaults,
  wordsOf,
} from '../../src/contract/requested.ts';
import { kit, RunSpec } from '../../src/contract/spec.ts';
import { run as runCommand } from '../../src/cli/commands/run.ts';
import { realContext } from '../../src/cli/effects.ts';
import { commandHelp } from '../../src/cli/help.ts';
import { parseWords } from '../../src/cli/parse.ts';
import { readFlags } from '../../src/cli/run/flags.ts';
import type { RunValues } from '../../src/cli/run/options.ts';
import { readInputs, specOfFlags } from '../../src/cli/run/settings.ts';
import { codeOfLimit } from '../../src/outcome/limits.ts';
import { QueuedSpec } from '../../src/fleet/job.ts';
import { run } from '../../src/run/library.ts';
import { checkOptions } from '../../src/run/options.ts';

type Schema = z.core.JSONSchema.BaseSchema;

const word = fc.stringMatching(/^[\w ./:=,'"$-]{1,20}$/).filter((text) => text.trim() !== '');
/** Of the fields that do not take any value of their type. */
const particular: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  agent: fc.constantFrom('builtin', 'codex', 'claude'),
  command: fc.constant(['codex', 'exec']),
  cwd: fc.constant(realpathSync(tmpdir())),
  dialect: fc.constantFrom('codex', 'claude'),
  base_url: fc.constant('http://localhost:11434/v1'),
  price: fc.record({ input: fc.integer({ min: 0, max: 9 }), output: fc.double({ min: 1e-7, max: 9, noNaN: true }) }),
  models: fc.subarray(['gpt-5', 'claude-*', 'openai/gpt-5']),
  allow_host: fc.subarray(['packages.example.com', '*.example.com', 'a.example:8443']),
  allow: fc.subarray(['bash(npm test:*)', 'write(src/**)', 'fetch(example.com)']),
  deny: fc.subarray(['bash(rm:*)', 'write(test/**)']),
  directories: fc.subarray(['/srv/a', '/srv/b c']),
  record_model: fc.constant('/srv/model.jsonl'),
  output_schema: fc.constantFrom(
    { type: 'object' },
    { type: 'object', properties: { a: { type: 'string', enum: ["it's"] } } },
  ),
  expect: fc.subarray<unknown>(
    [
      { rule: 'answer_contains', text: 'x' },
      { rule: 'call', tool: 'bash', not: true },
    ],
    { minLength: 1 },
  ),
  labels: fc.dictionary(fc.stringMatching(/^[a-z][a-z._/-]{0,9}$/), fc.stringMatching(/^(?:[\w=][\w =]{0,9}[\w=])?$/)),
  max_cost_usd: fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
  retries: fc.integer({ min: 0, max: 999 }),
  on_limit: fc.constantFrom('fail', 'wait', 'wait:5h', 'wait:1h30m'),
  min_quota: fc.double({ min: 1e-6, max: 1, noNaN: true }).map((share) => Number(share.toPrecision(6))),
  max_waits: fc.integer({ min: 0, max: 999 }),
  fallback: fc.subarray(['claude', 'codex=gpt-5', 'builtin=openai/gpt-5', 'acp:my-agent --acp'], { minLength: 1 }),
  fallback_after_work: fc.constant(true),
  parent_branch_id: word,
};
/** What no flag alone asks for: the command stands after --, the prompt is read with stdin, variables and the parent come from around the run. */
const fromElsewhere = new Set(['command', 'prompt', 'pass_env', 'parent', 'limits', 'workspace', 'from', 'branch']);

function arbitrary({ name, field }: Found): fc.Arbitrary<unknown> {
  return particular[name] ?? byType(z.toJSONSchema((field as Fields[string]).schema(kit), { unrepresentable: 'any' }));
}

function byType({ type, enum: words, items, minimum = 1 }: Schema): fc.Arbitrary<unknown> {
  if (words !== undefined) return fc.constantFrom(...words);
  if (type === 'array') return fc.array(byType(items as Schema), { maxLength: 3 }).map((all) => [...new Set(all)]);
  if (type === 'integer' || type === 'number') return fc.integer({ min: Math.max(1, minimum), max: 1_000_000 });
  if (type === 'boolean') return fc.boolean();
  return word;
}

/** Any request that flags can make. */
const anyRequest: fc.Arbitrary<Requested> = fc
  .record(
    Object.fromEntries(
      fields
        .filter(({ name }) => !fromElsewhere.has(name))
        .map((each) => [`${each.under ?? ''}.${each.name}`, arbitrary(each)]),
    ),
    { requiredKeys: ['.cwd'] },
  )
  .map((values) => {
    const request: Record<string, unknown> = {};
    const below: Record<string, Record<string, unknown>> = { limits: {}, workspace: {} };
    for (const [key, value] of Object.entries(values)) {
      const [under = '', name = ''] = key.split('.');
      (below[under] ?? request)[name] = value;
    }
    const { workspace, limits } = below;
    return { ...request, limits, ...(workspace?.['isolate'] === undefined ? {} : { workspace }) };
  });

describe('what can be asked of a run', () => {
  it('survives the way into the words of a command line and back', async () => {
    const context = realContext();
    await fc.assert(
      fc.asyncProperty(anyRequest, async (asked) => {
        const from = asked.parent_branch_id;
        const spec = withDefaults({
          ...asked,
          ...(asked.workspace === undefined ? {} : { workspace: { ...asked.workspace, from } }),
        });
        const { values, operands } = parseWords(runCommand, wordsOf(spec));
        const flags = readFlags(values as RunValues, operands);
        const inputs = await readInputs(flags, context);
        expect(specOfFlags(flags, { ...inputs, prompt: '', command: undefined }, { ...context, env: {} })).toEqual(
          spec,
        );
        expect(RunSpec.parse(spec)).toEqual(spec);
      }),
    );
  });

  it.each(
    fields.flatMap((each) =>
      optionOf(each) === undefined || each.name === 'price' ? [] : [[optionOf(each) ?? '', each] as const],
    ),
  )('is an option of run(): %s', (option, field) => {
    const [value] = fc.sample(arbitrary(field), 1);
    expect(() =>
      checkOptions(field.under === 'limits' ? { limits: { [option]: value } } : { [option]: value }),
    ).not.toThrow();
  });

  it.each(['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'])(
    'has no price below zero, which would fill a budget: %s',
    (name) => {
      const spec = { prompt: 'x', price: { input: 0, output: 0, [name]: -1 } };
      expect(QueuedSpec.safeParse(spec).error?.issues.map(({ path }) => path.join('.'))).toEqual([`price.${name}`]);
    },
  );

  it('has a default in the queue wherever a spec must have a value', () => {
    expect(RunSpec.safeParse(QueuedSpec.parse({ prompt: 'x' })).error?.issues ?? []).toEqual([
      {
        code: 'unrecognized_keys',
        keys: ['keys', 'needs', 'priority', 'after', 'publish'],
        path: [],
        message: expect.any(String) as string,
      },
    ]);
  });

  it('has a flag for every limit that a run may reach, but those of agents', () => {
    const words = Object.keys(codeOfLimit).filter((limit) => limit !== 'tool_calls');
    expect(words.filter((limit) => flagOfLimit(limit) === undefined)).toEqual([]);
  });

  it('is in the help, under a heading', () => {
    const help = commandHelp(runCommand, 100, true);
    expect(
      fields.flatMap(({ field: { flag } }) =>
        flag === undefined || help.includes(`--${flag.name}`) ? [] : [flag.name],
      ),
    ).toEqual([]);
    expect(
      Object.entries(runCommand.options).flatMap(([name, { group }]) => (group === undefined ? [name] : [])),
    ).toEqual([]);
    const left = help
      .split('\n')
      .flatMap((line) => /^ {2}(?: {4}|-\w, )--\S+(?: \S+)? {2,}(?=\S)/.exec(line)?.[0].length ?? []);
    expect(Math.max(...left)).toBeLessThanOrEqual(34);
  });
});

it('run() works in a private copy of the checkout', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'copied-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const git = (...words: string[]): string => execFileSync('git', words, { cwd, encoding: 'utf8' });
  git('init', '--quiet');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'first');
  const work = run({
    command: ['cp', 'local.txt', 'new.txt'],
    isolate: 'clone',
    dirty: 'ignore',
    setup: 'echo set > local.txt',
    copy: [],
    cwd,
  });
  const { lineage } = await work.outcome;
  const kept = lineage?.branches.at(-1);
  expect([kept?.isolation, git('show', `${kept?.branch_id ?? ''}:new.txt`)]).toEqual(['clone', 'set\n']);
});
