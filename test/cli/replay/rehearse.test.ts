import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RehearsalReport } from '../../../src/replay/report.ts';
import { networkFlags, reading, type Recorded, stage } from './recorded.ts';
import { isSweep } from '../../support/sweep.ts';

let shared: Promise<Recorded> | undefined;

/** A run that was recorded once for all tests here: a rehearsal adds nothing to it. */
async function recorded(): Promise<Recorded> {
  const made = await (shared ??= record());
  made.quirk({});
  return made;
}

async function record(): Promise<Recorded> {
  const made = await stage(reading, true);
  const { status, stderr } = await made.record();
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return made;
}

async function rehearse(made: Recorded, ...flags: readonly string[]) {
  const program = join(made.place.folder, 'bin', 'codex');
  const words = flags.length > 0 ? flags : ['codex', '--with', program];
  const { status, stdout, stderr } = await made.runwire('rehearse', ...words, '--json', ...networkFlags);
  return { status, stderr, report: stdout === '' ? undefined : (JSON.parse(stdout) as RehearsalReport) };
}

/** What is reported, in a few words each. */
const shown = ({ changes = [] }: Partial<RehearsalReport> = {}): string[] =>
  changes.map(({ area, what, change, detail }) => [area, what, change, detail].filter(Boolean).join(' ')).toSorted();

describe('a rehearsal', () => {
  it('of a version against itself lists nothing', async () => {
    const made = await recorded();
    const { status, report } = await rehearse(made);
    expect({ status, shown: shown(report) }).toEqual({ status: 0, shown: [] });
    expect(report).toMatchObject({
      agent: 'codex',
      verdict_changes: 0,
      runs: [{ result: 'same', requests: { recorded: 3, answered: 3 }, differences: [] }],
    });
  });

  it('lists every change that is planted, and goes on to the end', async () => {
    const made = await recorded();
    made.quirk({
      version: '1.1.0',
      system: 'You are an agent.\nBe very brief.\nAsk nobody.',
      tools: ['search'],
      description: 'A better tool',
      parameters: { temperature: 0.5 },
      written: 'it is written',
      event: 'agent.mood',
      tokens: 4500,
    });
    const { status, report } = await rehearse(made);
    expect(shown(report)).toEqual(
      expect.arrayContaining([
        'parameter temperature added',
        'system system prompt changed +2 −1 lines',
        'tool tool read changed function.description',
        'tool tool search added',
        'tool tool write changed function.description',
        'tokens input_tokens that it reports changed',
      ]),
    );
    expect(shown(report).filter((line) => line.startsWith('result result of write'))).toHaveLength(1);
    expect(shown(report).filter((line) => line.startsWith('unknown'))).toHaveLength(1);
    expect(status).toBe(0);
    expect(report?.runs[0]).toMatchObject({
      requests: { recorded: 3, answered: 3 },
      verdict: { now: { class: 'success' } },
    });
  });

  it('exits with 9 when a verdict changes, or what was not recorded is asked', async () => {
    const made = await recorded();
    made.quirk({ exit: 3 });
    const { status, report } = await rehearse(made);
    expect({ status, changes: report?.verdict_changes, shown: shown(report) }).toEqual({
      status: 9,
      changes: 1,
      shown: ['exit exit code of the agent changed'],
    });
    made.quirk({ path: '/responses' });
    expect(await rehearse(made)).toMatchObject({ status: 9, report: { runs: [{ result: 'departed' }] } });
  });

  it('is a table for people', async () => {
    const made = await recorded();
    made.quirk({ tools: ['search'] });
    const { stdout } = await made.runwire(
      'rehearse',
      'codex',
      '--with',
      join(made.place.folder, 'bin', 'codex'),
      '--text',
      ...networkFlags,
    );
    expect(stdout).toMatch(/^rehearsal of codex/);
    expect(stdout).toContain('tool search');
  });

  it.runIf(isSweep)('installs a version from npm into the cache, once', async () => {
    const made = await recorded();
    const bin = join(made.place.folder, 'bin');
    const log = join(made.place.folder, 'npm.log');
    // An npm that installs the same program.
    writeFileSync(
      join(bin, 'npm'),
      `#!/bin/sh\necho "$*" >> ${log}\ncase "$*" in *9.9.9*) echo "404 no such version" >&2; exit 1;; esac\nmkdir -p "$3/node_modules/.bin" "$3/node_modules/@openai/codex"\necho '{"name":"@openai/codex","version":"2.0.0"}' > "$3/node_modules/@openai/codex/package.json"\ncp ${bin}/codex "$3/node_modules/.bin/codex"\n`,
    );
    chmodSync(join(bin, 'npm'), 0o755);
    for (let time = 0; time < 2; time += 1)
      expect(await rehearse(made, 'codex@2.0.0', 'last')).toMatchObject({
        status: 0,
        report: { runs: [{ result: 'same' }] },
      });
    expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(1);
    expect(await rehearse(made, 'codex@9.9.9')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no such version'),
    });
  });
});

describe('what cannot be rehearsed is said', () => {
  it.each([
    [[], 'expected an agent'],
    [['codex'], 'codex@latest'],
    [['codex@1.0.0', '--with', 'x'], 'give one'],
    [['nobody@1.0.0'], 'nobody'],
    [['goose@1.0.0'], 'not installed from npm'],
    [['codex@../../x'], 'is not a version'],
    [['codex@1.0.0', '--package', '../../x'], 'not the name of an npm package'],
    [['pi', '--with', '/bin/true'], 'no run of pi has a recording'],
    [['pi', '--with', '/bin/true', 'last'], 'not of pi'],
  ])('%s', async (words, why) => {
    const { runwire } = await recorded();
    const { status, stderr } = await runwire('rehearse', ...words);
    expect({ status, stderr }).toEqual({
      status: expect.toBeOneOf([1, 2]) as unknown,
      stderr: expect.stringContaining(why),
    });
  });
});
