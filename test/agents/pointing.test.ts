import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentCli, Ask } from '../../src/agents/agent-cli.ts';
import { pointAgent } from '../../src/agents/pointing/point.ts';
import type { Destination, Pointing } from '../../src/agents/pointing/pointing.ts';
import { agents, findAgent } from '../../src/agents/registry.ts';
import { anyText } from '../support/any-text.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { key, otherKey, type PointingCase } from './pointing/case.ts';
import { cline } from './pointing/cline.ts';
import { codex } from './pointing/codex.ts';
import { continueCli } from './pointing/continue.ts';
import { claude, copilot, devAgent, dexter, goose, never } from './pointing/from-documents.ts';
import { gemini } from './pointing/gemini.ts';
import { kilo, opencode } from './pointing/opencode.ts';
import { pi } from './pointing/pi.ts';
import { qwen } from './pointing/qwen.ts';

const cases: Readonly<Record<string, readonly PointingCase[]>> = {
  codex,
  opencode,
  kilo,
  gemini,
  qwen,
  pi,
  cline,
  continue: continueCli,
  claude,
  copilot,
  goose,
  dexter,
  'dev-agent': devAgent,
  'agent-code': never,
  amp: never,
  antigravity: never,
  auggie: never,
  kimi: never,
  openhands: never,
  droid: never,
  cursor: never,
};

const [home, checkout] = ['/home/me', '/project'];
const to: Destination = { address: (route) => `http://127.0.0.1:1/TOKEN/${route}`, token: 'TOKEN', folder: '/private' };

function point(
  agent: AgentCli,
  { files = {}, env = {}, ask = {}, version = agent.tested }: Omit<PointingCase, 'title'>,
): Promise<Pointing> {
  const whole: Ask = { prompt: 'x', cwd: checkout, permissionMode: 'edit', directories: [], extraArgs: [], ...ask };
  const texts = new Map(
    Object.entries(files).map(([path, text]) => [path.startsWith('/') ? path : join(home, path), text]),
  );
  const read = (path: string): string | undefined => {
    expect(join(path)).toMatch(/^\/(?!project)/);
    return texts.get(path);
  };
  const list = (folder: string): string[] => [
    ...new Set(
      [...texts.keys()]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''),
    ),
  ];
  return pointAgent(agent, whole, { env: { HOME: home, ...env }, version, read, list });
}

it('knows of every agent', () => {
  expect(Object.keys(cases).toSorted()).toEqual(agents.map(({ id }) => id).toSorted());
});

describe.each(Object.entries(cases))('%s', (id, table) => {
  const agent = findAgent(id);

  it('points where it always pointed', async () => {
    const golden: string[] = [];
    for (const { title, ...given } of table) golden.push(`${title}\n${written(await point(agent, given))}`);
    await expect(golden.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'pointing', `${id}.txt`));
  });

  it.each(table)('leaves no key with it: $title', async (given) => {
    const pointing = await point(agent, given);
    if ('cannot' in pointing) return expect(pointing.cannot).not.toMatch(new RegExp(`${key}|${otherKey}`));
    const { args, env, files, covered, without } = pointing.direct(to);
    expect(JSON.stringify([args, env, files, covered])).not.toMatch(new RegExp(`${key}|${otherKey}`));
    if (pointing.keys === 'passed') return;
    const kept = Object.entries(given.env ?? {}).filter(([name]) => env[name] === undefined && !without.includes(name));
    expect(kept.filter(([, value]) => value === key || value === otherKey)).toEqual([]);
    for (const [path, text] of Object.entries(given.files ?? {}))
      if (text.includes(key)) expect(Object.keys(covered)).toContain(path.startsWith('/') ? path : join(home, path));
  });

  it('takes any settings without a crash', async () => {
    const paths = [...new Set(table.flatMap(({ files = {} }) => Object.keys(files)))];
    const known = [...new Set(table.flatMap(({ files = {} }) => Object.values(files)))];
    const damaged = fc
      .tuple(fc.constantFrom('', ...known), fc.nat(), fc.nat(20), anyText(8))
      .map(([text, at, count, put]) => {
        const start = text === '' ? 0 : at % text.length;
        return `${text.slice(0, start)}${put}${text.slice(start + count)}`;
      });
    const files = fc.dictionary(fc.constantFrom('.nothing', ...paths), fc.oneof(damaged, anyText(40)), { maxKeys: 3 });
    const words = fc.array(fc.oneof(anyText(8), fc.constantFrom('-c', '--config=a.b=1', '-p', '--profile')), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(files, words, fc.option(anyText(12), { nil: undefined }), async (texts, extraArgs, model) => {
        const pointing = await point(agent, {
          files: texts,
          env: table[0]?.env ?? {},
          ask: { extraArgs, ...(model === undefined ? {} : { model }) },
        });
        if (!('cannot' in pointing)) expect(pointing.direct(to)).toBeDefined();
      }),
      { seed: fuzzSeed, numRuns: fuzzRuns(100) },
    );
  });
});

function written(pointing: Pointing): string {
  if ('cannot' in pointing) return `  cannot: ${pointing.cannot}\n`;
  const { args, env, without, files, links, covered } = pointing.direct(to);
  const lines = [
    `keys ${pointing.keys}${pointing.tried ? '' : ', only if asked for'}`,
    ...pointing.remarks.map((remark) => `remark: ${remark}`),
    ...pointing.routes.map(
      ({ name, upstream, key: held }) => `route ${name} to ${upstream}${held === undefined ? '' : ` with ${held}`}`,
    ),
    ...(args.length === 0 ? [] : [`args ${JSON.stringify(args)}`]),
    ...Object.entries(env).map(([name, value]) => `env ${name}=${value}`),
    ...without.map((name) => `without ${name}`),
    ...Object.entries(files).map(([path, text]) => `file ${path}: ${text.trimEnd()}`),
    ...Object.entries(links).map(([path, target]) => `link ${path} to ${target}`),
    ...Object.entries(covered).map(([path, text]) => `covered ${path}: ${text.trimEnd()}`),
  ];
  return lines.map((line) => `  ${line.replaceAll('\n', '\n    ')}\n`).join('');
}
