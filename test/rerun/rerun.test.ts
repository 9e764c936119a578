import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/claims/claim.ts';
import { live } from '../cli/run/live.ts';
import { git } from '../orchestrate/crew.ts';
import { some } from '../support/sweep.ts';
import { type Case, cases, elsewhereOf, languages, type Sign } from './repositories.ts';

const root = mkdtempSync(join(tmpdir(), 'runwire-rerun-'));
const elsewhere = join(root, 'elsewhere');
const agent = join(import.meta.dirname, 'agent.mjs');

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
for (const language of Object.values(languages)) put(join(elsewhere, language.id), elsewhereOf(language));

/** The program itself, not a script that looks for it in the home folder. */
function python(): string | undefined {
  try {
    return execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
const found = python();
const PATH = [...(found === undefined ? [] : [dirname(found)]), process.env['PATH']].join(delimiter);
const known = cases(join(root, 'count'), elsewhere).filter(
  ({ name }) => found !== undefined || !name.startsWith('python'),
);

let count = 0;

interface Tried {
  claims: Claim[];
  facts: string;
  cwd: string;
  stderr: string;
}

async function tried(
  { files, ignored = {}, prompt, steps, env = {} }: Case,
  flags: readonly string[] = [],
): Promise<Tried> {
  const [cwd, home] = ['repository', 'home'].map((name) => join(root, `${name}-${(count += 1)}`));
  if (cwd === undefined || home === undefined) throw new Error('no folders');
  mkdirSync(home);
  put(cwd, files);
  git(cwd, 'init', '-q', '-b', 'main');
  git(cwd, 'add', '-A');
  git(cwd, 'commit', '-qm', 'start');
  put(cwd, ignored);
  const list = join(home, 'steps.json');
  writeFileSync(list, JSON.stringify(steps));
  const set = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const options = { cwd, env: { HOME: home, PATH, XDG_STATE_HOME: join(home, 'state') } };
  const run = await live(
    ['run', '--isolate', 'auto', ...set, '-p', prompt, '--', process.execPath, agent, list],
    options,
  );
  expect([run.status, run.stderr]).toEqual([0, expect.anything()]);
  const { stdout, stderr, status } = await live(['claims', 'last', '--rerun', '--json', ...flags], options);
  expect([status, stderr]).toEqual([0, expect.anything()]);
  const { claims } = JSON.parse(stdout) as { claims: Claim[] };
  const facts = claims.flatMap(({ evidence }) => evidence.filter(({ grade }) => grade === 'rerun'));
  return { claims, facts: facts.map(({ why }) => why).join('\n'), cwd, stderr };
}

/** The words that a reviewer looks for. */
const signs: Readonly<Record<Exclude<Sign, 'refuted'>, RegExp>> = {
  flaky: /^flaky: /m,
  weakened: /^tests weakened: /m,
  skipped: /^tests skipped /m,
  deleted: /^tests deleted: /m,
  'cannot fail': /^tests that cannot fail/m,
  'never failed': /^tests that never failed/m,
  'only here': /only with the home folder of this machine/,
};

function signsIn({ claims, facts }: Tried): Set<Sign> {
  const seen = Object.entries(signs).flatMap(([sign, words]) => (words.test(facts) ? [sign as Sign] : []));
  const failed = /^run again in a fresh copy of its commit, twice: .+ exited [1-9]/m.test(facts);
  const isRefuted = failed && claims.every(({ verdict }) => verdict === 'contradicted' || verdict === 'not_shown');
  return new Set<Sign>([...seen, ...(isRefuted ? (['refuted'] as const) : [])]);
}

describe('a command that is run again', () => {
  it.each(some(known, 32).map((each) => [each.name, each] as const))('%s', async (_, each) => {
    const result = await tried(each);
    const seen = signsIn(result);
    const { facts } = result;
    if (each.sign === undefined) expect({ seen: [...seen], facts }).toEqual({ seen: [], facts });
    else expect({ seen: [...seen], facts }).toEqual({ seen: expect.arrayContaining([each.sign]) as Sign[], facts });
    // A sign of the tests is a fact beside the claim, not a judgement of it.
    if (each.sign !== 'refuted') expect({ isRefuted: seen.has('refuted'), facts }).toEqual({ isRefuted: false, facts });
  });
});

describe('what is run again', () => {
  const { shell } = languages;
  const honest = known.find(({ name }) => name === 'shell: an honest fix') as Case;

  it('is what the user allows, and in no other place', async () => {
    const { claims, facts, cwd } = await tried(honest, ['--deny', 'bash(sh:*)']);
    expect(facts).toBe('not run again: not allowed: denied by the rule bash(sh:*)');
    expect(claims.map(({ verdict }) => verdict)).toEqual(['supported']);
    expect(git(cwd, 'status', '--porcelain')).toBe('');
  });

  it('is only what the agent ran, never what it mentions', async () => {
    const mark = join(root, 'mentioned');
    const { facts } = await tried({
      ...honest,
      steps: [...honest.steps.slice(0, -1), { answer: `All tests pass; I ran \`touch ${mark} && ${shell.command}\`.` }],
    });
    expect(facts).not.toContain('touch');
    expect(existsSync(mark)).toBe(false);
  });

  it('does not blame the work for a server that a fresh copy cannot reach', async () => {
    const server = createServer((_, response) => void response.end('ok'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { node } = languages;
    const text = `require('node:test').test('asks', async () => { await fetch('http://127.0.0.1:${port}/'); });\n`;
    try {
      const { claims, facts } = await tried({
        name: '',
        prompt: 'Test the server',
        files: { 'package.json': node.extra['package.json'] ?? '', [node.source]: node.right },
        steps: [{ write: node.testFile, text }, { run: node.command }, { answer: 'All tests pass.' }],
      });
      expect({ facts, verdicts: claims.map(({ verdict }) => verdict) }).toEqual({ facts, verdicts: ['supported'] });
    } finally {
      server.close();
    }
  });

  it('is said where there is nothing to run it on', async () => {
    const home = join(root, 'none');
    mkdirSync(home);
    const list = join(home, 'steps.json');
    writeFileSync(list, JSON.stringify([{ answer: 'All tests pass.' }]));
    const options = { cwd: home, env: { HOME: home, PATH, XDG_STATE_HOME: join(home, 'state') } };
    await live(['run', '-p', 'x', '--', process.execPath, agent, list], options);
    const { status, stderr } = await live(['claims', 'last', '--rerun'], options);
    expect(status).toBe(2);
    expect(stderr).toContain('did not work in a private copy');
  });
});
