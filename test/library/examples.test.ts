import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const examples = join(root, 'examples', 'library');

describe('examples of docs/library.md print what they say they print', () => {
  it.each(readdirSync(examples))('%s', (name) => {
    const path = join(examples, name);
    const promised = [...readFileSync(path, 'utf8').matchAll(/^\/\/ → (.*)$/gm)].map((match) => match[1]);
    expect(promised.length).toBeGreaterThan(0);
    expect(execFileSync(process.execPath, [path], { cwd: root, encoding: 'utf8' }).trimEnd().split('\n')).toEqual(
      promised,
    );
  });

  it('are all shown in the guide', () => {
    const guide = readFileSync(join(root, 'docs', 'library.md'), 'utf8');
    for (const name of readdirSync(examples)) expect(guide).toContain(`<!-- examples/library/${name} -->`);
  });
});
