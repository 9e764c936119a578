import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inside, project } from '../cli/run/live.ts';
import { codex, scriptedAgents } from '../support/scripted-agents.ts';

const token = ['ghp', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('_');
const hostile = `@everyone closes #1 <img src=x> [a](http://b) \`\`\`\n# Heading\n<!-- runwire:pr-comment -->\n/merge\n${token}\n${'long '.repeat(40_000)}`;

function agents(text: string) {
  const edit = {
    type: 'item.completed',
    item: { id: 'e', type: 'file_change', changes: [{ path: 'a.txt', kind: 'update' }], status: 'completed' },
  };
  return scriptedAgents({ codex: [{ lines: [...codex.began('s'), edit, codex.says(text), codex.done(1200, 30)] }] });
}

/** What Markdown shows as text of its own, outside fences and code spans. */
function bare(markdown: string): string {
  return markdown.replace(/^(`{3,})text\n[^]*?\n\1$/gm, '').replace(/(`+) .*? \1/g, '');
}

it('is a report that is bounded, in which nothing of the agent acts', async () => {
  const cwd = project();
  const { status } = await inside(['run', '--agent', 'codex', '--pr-comment', 'comment.md', 'Do it'], {
    cwd,
    env: agents(hostile).env,
  });
  expect(status).toBe(0);
  const body = readFileSync(join(cwd, 'comment.md'), 'utf8');
  expect(body.startsWith('<!-- runwire:pr-comment -->\n## ✅ Runwire: success\n')).toBe(true);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(60_000);
  expect(body).toMatch(/\*\*tokens\*\*: 1,?200/);
  expect(body).toMatch(/### Files[^]*a\.txt/);
  expect(body).not.toContain(token);
  for (const word of ['@everyone', '<img', '](http', '# Heading', '/merge']) expect(bare(body)).not.toContain(word);
});

it('takes the place of the answer on stdout', async () => {
  const { stdout } = await inside(['run', '--agent', 'codex', '--pr-comment', '-', 'Do it'], {
    env: agents('Done.').env,
  });
  expect(stdout.startsWith('<!-- runwire:pr-comment -->\n')).toBe(true);
  expect(stdout.match(/Done\./g)).toHaveLength(1);
});

it.each([
  [['--outcome', '-'], 'stdout can have one of them'],
  [['--json'], 'stdout has --json already'],
])('does not share stdout with %j', async (flags, why) => {
  const { status, stdout, stderr } = await inside(['run', '--agent', 'codex', '--pr-comment', '-', ...flags, 'Do it'], {
    env: agents('Done.').env,
  });
  expect(status).not.toBe(0);
  expect(stdout + stderr).toContain(why);
});

it('is there for a run that was refused, too', async () => {
  const cwd = project();
  await inside(['run', '--agent', 'codex', '--pr-comment', 'comment.md', '--timeout', 'soon', 'Do it'], { cwd });
  expect(existsSync(join(cwd, 'comment.md'))).toBe(true);
  expect(readFileSync(join(cwd, 'comment.md'), 'utf8')).toContain('## ❌ Runwire: input');
});
