import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { fold } from '../../../src/pipeline/convert.ts';
import { inside, live } from './live.ts';
import { folder } from './scripted.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const example = join(root, 'examples', 'fix-the-test');
const [, flags = '', prompt = ''] =
  /npx runwire --cwd "\$dir" (--model \S+ --allow '[^']+') \\\n\s+"([^"]+)"/.exec(
    readFileSync(join(root, 'README.md'), 'utf8'),
  ) ?? [];
const args = [...flags.matchAll(/'([^']+)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');

const passes = (cwd: string): boolean => spawnSync(process.execPath, ['--test'], { cwd }).status === 0;
const offline = { http_proxy: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9' };

async function fixed(command: typeof inside, ...format: string[]): Promise<{ stdout: string; status: number | null }> {
  const cwd = folder();
  cpSync(join(example, 'project'), cwd, { recursive: true });
  const { stdout, status } = await command(['--cwd', cwd, ...args, ...format, prompt], { cwd: root, env: offline });
  expect(passes(cwd)).toBe(true);
  return { stdout, status };
}

it("the README's first command fixes the failing test, without a key or a network", async () => {
  expect(passes(join(example, 'project'))).toBe(false);
  const { stdout, status } = await fixed(live);
  expect(stdout).toMatch(/^The tests pass\./);
  expect(status).toBe(0);
});

it('tells the same run in all four formats', async () => {
  const formats = [['--json'], ['--output-format', 'json'], ['--format', 'json'], ['--stream-json']];
  const runs = await Promise.all(formats.map((format) => fixed(inside, ...format)));
  const outcomes = await Promise.all(runs.map(({ stdout }) => fold([new TextEncoder().encode(stdout)])));
  const short = ({ message, tool_calls, metrics, verdict }: RunOutcome): unknown => ({
    message,
    tools: tool_calls.map(({ name }) => name),
    tokens: [metrics.input_tokens, metrics.output_tokens],
    turns: metrics.turns,
    class: verdict.class,
  });
  expect(outcomes.map(short)).toEqual(
    formats.map(() => ({
      message: expect.stringMatching(/^The tests pass\./) as string,
      tools: ['bash', 'read', 'read', 'edit', 'bash'],
      tokens: [15_840, 302],
      turns: 5,
      class: 'success',
    })),
  );
  expect(runs.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
});
