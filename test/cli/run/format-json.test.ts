import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { inside, live, modelAt, serve, twoTurns, ways } from './live.ts';
import { lines } from './scripted.ts';

/** What the run itself came to, from its tape, beside what its stream is read as. */
async function both(stdout: string, cwd: string): Promise<[run: RunOutcome, read: RunOutcome]> {
  writeFileSync(join(cwd, 'stream.jsonl'), stdout);
  const [run, read] = await Promise.all(
    ['run.tape', 'stream.jsonl'].map((name) => inside(['outcome', join(cwd, name)])),
  );
  return [JSON.parse(run?.stdout ?? '') as RunOutcome, JSON.parse(read?.stdout ?? '') as RunOutcome];
}

const short = ({ session_id, message, verdict, tool_calls, metrics, artifacts }: RunOutcome, cwd: string): object => ({
  session_id,
  message,
  class: verdict.class,
  // A refusal is told in a sentence of OpenCode's own; the others in the tool's very words.
  tools: tool_calls.map(({ name, inputs, outputs, status, reason }) => [name, inputs, status, reason ?? outputs]),
  tokens: [metrics.input_tokens, metrics.output_tokens],
  model: metrics.model_name,
  // The bus has whole paths.
  files: artifacts.map(({ path, operation }) => `${operation} ${resolve(cwd, path)}`),
});

describe('--format json', () => {
  it('writes bus events in the documented shapes', async () => {
    const server = await serve(twoTurns);
    const { stdout, status, cwd } = await live(['--format', 'json', ...modelAt(server), 'Do it']);
    const events = lines(stdout) as { type: string; properties: Record<string, Record<string, unknown>> }[];
    expect(events[0]).toMatchObject({
      type: 'session.created',
      properties: { info: { directory: cwd, title: 'Do it' } },
    });
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set([
        'session.created',
        'message.updated',
        'message.part.updated',
        'session.status',
        'file.edited',
        'session.updated',
        'session.idle',
      ]),
    );
    const parts = events.flatMap(({ type, properties }) => (type === 'message.part.updated' ? [properties.part] : []));
    expect(new Set(parts.map((part) => part?.type))).toEqual(new Set(['text', 'reasoning', 'tool', 'file']));
    expect(status).toBe(0);
  });

  it('tells of commands and permissions', async () => {
    const calls = ['echo hi; echo no >&2', 'rm -rf x'].map((command) => ({ name: 'bash', args: { command } }));
    const server = await serve([{ calls }, { text: 'Half done.' }]);
    const { stdout } = await live(['--format', 'json', '--allow', 'bash(echo:*)', ...modelAt(server), 'Do it']);
    const properties = (wanted: string): unknown[] =>
      lines(stdout).flatMap(({ type, properties: each }) => (type === wanted ? [each] : []));
    expect(properties('command.executed')).toMatchObject([{ exitCode: 0, stdout: 'hi\n', stderr: 'no\n' }]);
    expect(properties('permission.updated')).toMatchObject([{ type: 'bash' }]);
    expect(properties('permission.replied')).toMatchObject([{ response: 'reject' }]);
  });

  it.each(ways)('%s: runwire outcome of that stream gives the outcome of the run', async (name, code, turns, flags) => {
    const server = await serve(turns);
    const { stdout, status, cwd } = await inside([
      '--format',
      'json',
      '--tape',
      'run.tape',
      ...modelAt(server),
      ...flags,
      'Do it',
    ]);
    const [run, read] = await both(stdout, cwd);
    expect(short(read, cwd)).toEqual(short(run, cwd));
    expect({ class: read.verdict.class, status }).toEqual({ class: name, status: code });
  });
});
