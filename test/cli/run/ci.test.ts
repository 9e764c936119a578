import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../src/events/event.ts';
import { outputs as declared } from '../../../src/reports/step-outputs.ts';
import { endings, folder, goodRun, ok, runScripted, started, telling } from './scripted.ts';

/** A step of a job: its files, and what it wrote there. */
function step() {
  const cwd = folder();
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_STEP_SUMMARY: join(cwd, 'summary'),
    GITHUB_OUTPUT: join(cwd, 'output'),
    RUNNER_TEMP: join(cwd, 'temp'),
  };
  mkdirSync(env.RUNNER_TEMP);
  for (const name of ['summary', 'output']) writeFileSync(join(cwd, name), '');
  const text = (name: string): string => readFileSync(join(cwd, name), 'utf8');
  return { cwd, env, text, outputs: () => outputsIn(text('output')) };
}

/** As the runner reads them. */
function outputsIn(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const lines = text.split('\n');
  for (let at = 0; at < lines.length - 1; at += 1) {
    const [name = '', delimiter = ''] = (lines[at] ?? '').split('<<');
    const end = lines.indexOf(delimiter, at + 1);
    found[name] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return found;
}

describe('in GitHub Actions', () => {
  it.each(endings)('a run tells what it came to: %s', async (name, code, drafts) => {
    const { cwd, env, outputs, text } = step();
    const { stderr } = await runScripted(['Do it'], telling(...drafts), { cwd, env });
    const { outcome_file: file = '', duration_ms: took, message, ...rest } = outputs();
    const isGood = name === 'success';
    expect(rest).toEqual({
      verdict: isGood ? 'success' : name === 'incomplete' ? 'incomplete' : 'error',
      class: name,
      exit_code: String(code),
      cost_usd: isGood ? '0.03' : '',
      input_tokens: isGood ? '2100' : '',
      output_tokens: isGood ? '50' : '',
      cache_read_tokens: '',
      turns: isGood ? '2' : expect.stringMatching(/^[01]$/),
      waited_ms: '0',
      model: 'acme/large',
      session_id: '5f0c4a52-5c5e-4f3c-9a52-0d2f8f1c7a11',
      files_changed: isGood ? '1' : '0',
      fallbacks: '0',
    });
    expect(Object.keys(outputs())).toEqual(Object.keys(declared));
    expect([took, typeof message]).toEqual([expect.stringMatching(/^\d+$/), 'string']);
    expect((JSON.parse(readFileSync(file, 'utf8')) as { verdict: object }).verdict).toMatchObject({ class: name });
    expect(text('summary')).toContain(`Runwire: ${name}`);
    const lines = stderr.split('\n');
    const token = /^::stop-commands::(.+)$/.exec(lines[1] ?? '')?.[1] ?? '';
    expect([lines[0], lines.indexOf(`::${token}::`), lines.indexOf('::endgroup::')]).toEqual([
      '::group::runwire',
      expect.any(Number),
      lines.indexOf(`::${token}::`) + 1,
    ]);
    expect(lines.indexOf('::endgroup::')).toBeGreaterThan(1);
    expect(lines.some((line) => line.startsWith(`::error title=runwire%3A ${name}`))).toBe(name !== 'success');
  });

  it('no words of an agent are a command, in the log or in a file', async () => {
    const evil = '::set-env name=PATH::x\n  ::error::gone\n##[add-mask]x\nclass<<E\nsuccess\nE\n</details><script>';
    const drafts: Draft[] = [
      started,
      { type: 'turn.started' },
      { type: 'item.started', item_id: 'a', kind: 'command', name: '::error::', args: { command: evil } },
      { type: 'item.completed', item_id: 'a', status: 'success', output: evil },
      { type: 'text.completed', text: evil },
      { type: 'turn.completed' },
      ok,
    ];
    const { cwd, env, outputs, text } = step();
    const { stdout, stderr } = await runScripted(['Do it'], telling(...drafts), { cwd, env });
    expect(stdout.split('\n').filter((line) => /^\s*::/.test(line) || line.includes('##['))).toEqual([]);
    const lines = stderr.split('\n');
    const token = /^::stop-commands::(.+)$/.exec(lines[1] ?? '')?.[1] ?? '';
    const outside = [...lines.slice(0, 2), ...lines.slice(lines.indexOf(`::${token}::`))].join('\n');
    expect(outside).not.toContain('gone');
    expect(outputs()).toMatchObject({ class: 'success', message: evil });
    expect(text('summary').replaceAll(/^(`{3,})text\n[\s\S]*?^\1$|`+ .*? `+/gm, '')).not.toMatch(/<script|::error/);
  });

  it('keeps the summary under what GitHub shows, and off where it is told to', async () => {
    const { cwd, env, text } = step();
    const many = Array.from({ length: 200 }, (): Draft => ({ type: 'text.completed', text: 'ü'.repeat(9000) }));
    await runScripted(['Do it', '-q'], telling(started, { type: 'turn.started' }, ...many, ok), { cwd, env });
    await runScripted(['Do it', '-q'], telling(started, { type: 'turn.started' }, ...many, ok), { cwd, env });
    expect(Buffer.byteLength(text('summary'))).toBeLessThan(1024 * 1024);
    const other = step();
    const { stderr } = await runScripted(['Do it', '--no-github'], telling(...goodRun), other);
    expect([
      stderr.includes('::'),
      other.text('summary'),
      other.text('output'),
      readdirSync(other.env.RUNNER_TEMP),
    ]).toEqual([false, '', '', []]);
  });

  it('tells of a run that was refused', async () => {
    const { cwd, env, outputs } = step();
    await expect(runScripted(['Do it', '--retries', 'x'], telling(...goodRun), { cwd, env })).rejects.toThrow(
      '--retries',
    );
    expect(outputs()).toMatchObject({ verdict: 'error', class: 'input', exit_code: '2' });
  });
});

it('GitLab has a section, Buildkite a group and an annotation', async () => {
  const gitlab = await runScripted(['Do it'], telling(...goodRun), { env: { GITLAB_CI: 'true' } });
  const shown = gitlab.stderr.replaceAll('\r\u001b[0K', '<ERASE>');
  const [, name] = /^section_start:\d+:(runwire_\w+)\[collapsed=true\]<ERASE>runwire\n/.exec(shown) ?? [];
  expect(shown).toMatch(new RegExp(`section_end:\\d+:${name}<ERASE>\\n$`));
  const cwd = folder();
  // Not one of the working folder, which is not trusted.
  const bin = folder();
  writeFileSync(join(bin, 'buildkite-agent'), `#!/bin/sh\necho "$@" > ${cwd}/args; cat > ${cwd}/body\n`);
  chmodSync(join(bin, 'buildkite-agent'), 0o755);
  const failing = endings.find(([ending]) => ending === 'tool')?.[2] ?? [];
  const env = { BUILDKITE: 'true', PATH: `${bin}:${process.env['PATH']}` };
  const { stderr } = await runScripted(['Do it'], telling(...failing), { cwd, env });
  expect([stderr.startsWith('--- runwire\n'), stderr.endsWith('+++ runwire: tool\n')]).toEqual([true, true]);
  expect(readFileSync(join(cwd, 'args'), 'utf8')).toBe('annotate --style error --context runwire\n');
  expect(readFileSync(join(cwd, 'body'), 'utf8')).toContain('Runwire: tool');
});
