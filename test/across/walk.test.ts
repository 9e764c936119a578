import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compiled } from '../support/compiled.ts';

const root = join(import.meta.dirname, '..', '..');

interface Stretch {
  room: string;
  files: string[];
}

/** What V8 writes of a process: how often each function was called. */
interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

describe('the walk of a line in CONTRIBUTING.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-walk-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const part =
    readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('\n## A line of Codex output')[1]?.split('\n## ')[0] ??
    '';
  let seen: { stretches: Stretch[]; figures: string };

  beforeAll(() => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'walk.ts'), '--json'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, NODE_V8_COVERAGE: join(folder, 'coverage'), ...compiled },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    seen = JSON.parse(stdout) as typeof seen;
  });

  it('has the rooms and files of a live run, in their order', () => {
    const stretches: Stretch[] = [];
    for (const [, room = '', names = ''] of part.matchAll(/^\| (\w*) ?\| (`[^|]+`) \|/gm)) {
      if (room !== '') stretches.push({ room, files: [] });
      stretches.at(-1)?.files.push(...[...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    }
    expect(stretches).toEqual(seen.stretches);
  });

  it('counts them, and there are no more than there were', () => {
    expect(part).toContain(seen.figures);
    const [files, changes, pipeline, run] = [...seen.figures.matchAll(/\d+/g)].map(Number);
    const most = { files: 18, changes: 11, pipeline: 4, run: 3 };
    expect({ files, changes, pipeline, run }).toEqual(most);
  });

  it('names beside it what is called as well', () => {
    const called = new Set<string>();
    for (const name of readdirSync(join(folder, 'coverage'))) {
      const { result } = JSON.parse(readFileSync(join(folder, 'coverage', name), 'utf8')) as Coverage;
      for (const { url, functions } of result)
        if (functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0))
          called.add(url);
    }
    const named = [...(part.split('Beside the way:')[1] ?? '').matchAll(/`([\w/-]+\.ts)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((path) => !called.has(pathToFileURL(join(root, 'src', path)).href))).toEqual([]);
  });
});
