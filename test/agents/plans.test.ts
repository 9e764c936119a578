import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ask, Plan } from '../../src/agents/agent-cli.ts';
import type { PermissionMode } from '../../src/words/vocabulary.ts';
import { agents, findAgent } from '../../src/agents/registry.ts';
import { isAtLeast, splitModel } from '../../src/agents/words.ts';
import { dialects } from '../../src/dialects/registry.ts';
import { Failure } from '../../src/failure.ts';
import { anyText } from '../support/any-text.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';

const modes: readonly PermissionMode[] = ['read-only', 'edit', 'full'];

const fuzz = { seed: fuzzSeed, numRuns: fuzzRuns(100) };

const plain = (given: Partial<Ask> = {}): Ask => ({
  prompt: 'fix the tests',
  cwd: '/project',
  permissionMode: 'edit',
  directories: [],
  extraArgs: [],
  ...given,
});

const everything = plain({
  model: 'openai/gpt-5',
  resume: 'session-1',
  maxTurns: 7,
  maxCostUsd: 1.5,
  system: 'You are "brief".\n-x',
  appendSystem: '--dry',
  directories: ['/lib', '/data/'],
  baseUrl: 'http://127.0.0.1:8080/v1',
  extraArgs: ['--extra', 'word'],
});

/** Title → what is asked, of the version that it was tried with. */
const asks: readonly (readonly [title: string, ask: Ask])[] = [
  ...modes.map((permissionMode) => [permissionMode, plain({ permissionMode })] as const),
  ['everything', everything],
  ['everything, read-only', { ...everything, permissionMode: 'read-only' }],
  ['everything, full', { ...everything, permissionMode: 'full' }],
  ['a model of another provider', plain({ model: 'anthropic/claude-sonnet-4-5', baseUrl: 'http://127.0.0.1:8080' })],
  ['a local model', plain({ model: 'ollama/qwen3' })],
  ['a model by the name that the agent has for it', plain({ model: 'best' })],
  ['a prompt that looks like a flag', plain({ prompt: '--help' })],
  ['a lone hyphen', plain({ prompt: '-' })],
];

/** What changed from version to version. */
const versions: Readonly<Record<string, readonly string[]>> = {
  codex: ['0.41.0', '0.42.0', '0.43.0', '0.117.0'],
  claude: ['1.0.109'],
  opencode: ['0.11.0', '1.3.0', '1.4.0', '1.17.12'],
  gemini: ['0.5.0', '0.6.0', '0.11.0'],
  qwen: ['0.2.0', '0.3.0'],
  cursor: ['2025.09.12-4852336', '2026.01.23-abc'],
  cline: ['2.18.0'],
};

describe.each(agents)('$id', (agent) => {
  it('plans what it always planned', async () => {
    const former = (versions[agent.id] ?? []).map(
      (version) => [`version ${version}`, { ...everything, permissionMode: 'full' as const }, version] as const,
    );
    const golden = [...asks.map(([title, ask]) => [title, ask, agent.tested] as const), ...former].map(
      ([title, ask, version]) => `${title}\n${written(agent.plan(ask, version))}`,
    );
    await expect(golden.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'plans', `${agent.id}.txt`));
  });

  it('gives the prompt once, whatever it is, and never as a flag', () => {
    const mark = '#4f1c#';
    const text = fc.oneof(
      anyText(30),
      fc.constantFrom('-', '--', '--json=', '@file', '/help', '"', "'", '$(id)', '\n', '{', 'resume '),
    );
    fc.assert(
      fc.property(text, fc.constantFrom(...modes), fc.boolean(), (start, permissionMode, isLong) => {
        const prompt = `${start}${isLong ? 'x'.repeat(130_000) : ''}${mark}`;
        const plan = agent.plan(plain({ prompt, permissionMode }), agent.tested);
        expect(ways(plan, prompt, mark)).toHaveLength(1);
        expect(JSON.stringify(plan.env)).not.toContain(mark);
        const isTooLong = plan.args.some((word) => Buffer.byteLength(word) >= 128 * 1024);
        if (isTooLong) expect(plan.refused).toContain('too long');
      }),
      fuzz,
    );
  });

  it('plans anything without throwing', () => {
    const word = anyText(12);
    const wish = fc.record(
      {
        model: word,
        resume: word,
        maxTurns: fc.nat(),
        maxCostUsd: fc.double({ noNaN: true }),
        system: word,
        appendSystem: word,
        baseUrl: word,
        directories: fc.array(word, { maxLength: 3 }),
        extraArgs: fc.array(word, { maxLength: 3 }),
        permissionMode: fc.constantFrom(...modes),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(wish, fc.option(word, { nil: undefined }), (given, version) => {
        const ask = plain(given);
        const { args, env, unsupported } = agent.plan(ask, version);
        expect([...args, ...Object.values(env), ...unsupported].every((each) => typeof each === 'string')).toBe(true);
        // The words that we know nothing of are all there, in their order.
        const at = args.findIndex((_, index) => ask.extraArgs.every((each, offset) => args[index + offset] === each));
        expect(at).toBeGreaterThanOrEqual(0);
      }),
      fuzz,
    );
  });

  it('says of itself what it plans', () => {
    for (const mode of agent.abilities.permissionModes) {
      const others = modes.filter((each) => each !== mode);
      const planned = (permissionMode: PermissionMode): string => {
        const { args, env } = agent.plan(plain({ permissionMode }), agent.tested);
        return JSON.stringify([args, env]);
      };
      expect(others.some((other) => planned(other) !== planned(mode))).toBe(true);
    }
    const differs = (given: Partial<Ask>): boolean => {
      const [with_, without] = [agent.plan(plain(given)), agent.plan(plain())];
      return JSON.stringify([with_.args, with_.env]) !== JSON.stringify([without.args, without.env]);
    };
    expect({
      model: differs({ model: 'openai/x' }),
      resume: differs({ resume: 'x' }),
      turns: differs({ maxTurns: 3 }),
    }).toEqual({
      model: agent.abilities.model,
      resume: agent.abilities.resume,
      turns: agent.abilities.ownLimits.includes('turns'),
    });
    expect(agent.plan(plain({ maxTurns: 3, maxCostUsd: 1 })).ownLimits).toEqual(agent.abilities.ownLimits);
    expect(agent.plan(plain()).ownLimits).toEqual([]);
    expect(agent.plan(plain()).stdin === undefined ? 'argument' : 'stdin').toBe(agent.abilities.prompt);
    expect(dialects.map(({ id }) => id)).toContain(agent.dialect);
  });
});

function written({ args, env, stdin, ownLimits, unsupported, refused }: Plan): string {
  expect(refused).toBeUndefined();
  const lines = [
    `args ${JSON.stringify(args)}`,
    ...Object.entries(env).map(([name, value]) => `env ${name}=${value}`),
    `stdin ${stdin === undefined ? 'empty' : JSON.stringify(stdin)}`,
    ...(ownLimits.length === 0 ? [] : [`own limits ${ownLimits.join(', ')}`]),
    ...unsupported.map((sentence) => `cannot: ${sentence}`),
  ];
  return lines.map((line) => `  ${line}\n`).join('');
}

/** Every place that holds the prompt, if it is one that no parser can mistake. */
function ways({ args, stdin }: Plan, prompt: string, mark: string): string[] {
  const end = args.indexOf('--');
  const inArgs = args.flatMap((word, index) => {
    if (!word.includes(mark)) return [];
    if (word === prompt && end !== -1 && index > end) return ['after --'];
    return /^--[a-z-]+=/.test(word) && word.slice(word.indexOf('=') + 1) === prompt
      ? ['value of a flag']
      : ['mistakable', 'mistakable'];
  });
  return stdin === undefined ? inArgs : [...inArgs, ...(stdin === prompt ? ['stdin'] : ['mistakable', 'mistakable'])];
}

it('keeps agents apart by id and by name', () => {
  expect(new Set(agents.map(({ id }) => id)).size).toBe(agents.length);
  expect(findAgent('codex').title).toBe('Codex');
  const binaries = agents.flatMap((agent) => agent.binaries);
  expect(new Set(binaries).size).toBe(binaries.length);
});

it('knows the nearest name of a misspelt one', () => {
  expect(() => findAgent('codx')).toThrow(
    new Failure(
      'config',
      `unknown agent "codx" (did you mean "codex"?); known: builtin, ${agents.map(({ id }) => id).join(', ')}`,
    ),
  );
});

it.each([
  ['0.42.0', '0.42', true],
  ['0.41.9', '0.42', false],
  ['0.100.0', '0.42', true],
  ['1.0.0-beta.1', '1.0.0', true],
  ['2026.01.23-abc', '2026', true],
  ['2025.11.06-8fe8a63', '2026', false],
  [undefined, '99', true],
])('%s is at least %s: %s', (version, least, expected) => {
  expect(isAtLeast(version, least)).toBe(expected);
});

it.each([
  ['openai/gpt-5', { provider: 'openai', name: 'gpt-5' }],
  ['openrouter/openai/gpt-5', { provider: 'openrouter', name: 'openai/gpt-5' }],
  ['sonnet', { provider: undefined, name: 'sonnet' }],
  ['/x', { provider: undefined, name: '/x' }],
  ['x/', { provider: undefined, name: 'x/' }],
])('%s is a model', (model, expected) => {
  expect(splitModel(model)).toEqual(expected);
});
