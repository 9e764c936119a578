import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { owners } from '../../src/run/sources/isolated.ts';
import { isolations } from '../../src/words/vocabulary.ts';
import { listCopies } from '../../src/workspace/reclaim.ts';
import { inside, live } from '../cli/run/live.ts';
import { makeCheckout, type Place } from '../support/checkouts.ts';
import { some } from '../support/sweep.ts';

const places: Place[] = [];
afterAll(() => places.forEach((place) => place.remove()));
const example = join(import.meta.dirname, '..', '..', 'examples', 'codex-run.jsonl');

/** A checkout in which files that end with `.sealed` cannot be stored without a filter. */
function sealed(filter: string): { place: Place; root: string } {
  const place = makeCheckout();
  places.push(place);
  const root = place.checkout('project', {
    '.gitattributes': '*.sealed filter=seal\n',
    'seal.sh': `#!/bin/sh\n${filter}\n`,
  });
  place.git(root, 'config', 'filter.seal.clean', 'sh ./seal.sh');
  place.git(root, 'config', 'filter.seal.required', 'true');
  return { place, root };
}

describe.skipIf(process.platform !== 'linux')('work that is not kept', () => {
  it.concurrent.each(some(isolations, 3))(
    'in a %s makes the run a failure that says so, and its copy stays',
    async (isolation) => {
      const { place, root } = sealed('exit 1');
      const run = [
        'run',
        `--isolate=${isolation}`,
        `--cwd=${root}`,
        '--',
        'sh',
        '-c',
        `echo a > a.sealed; echo b > b; cat '${example}'`,
      ];
      const { status, stderr } = await inside(run, { env: place.env });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(
          /failed: config: not all work is on runwire\/\S+: a\.sealed: the filter seal, which it needs, did not run/,
        ),
      });
      const branch = place.git(root, 'for-each-ref', '--format=%(refname)', 'refs/heads/runwire');
      expect(place.git(root, 'ls-tree', '--name-only', branch).split('\n')).toEqual(['.gitattributes', 'b', 'seal.sh']);
      expect(listCopies(place.env, owners).map((copy) => copy.root)).toEqual([root]);
    },
  );

  it('does not hold up a run that was told to stop', async () => {
    const { place, root } = sealed('touch "$HOME/begun"; sleep 3600');
    const run = ['run', '--isolate=overlay', `--cwd=${root}`, '--', 'sh', '-c', `echo a > a.sealed; cat '${example}'`];
    const env = { ...place.env, RUNWIRE_PATIENCE: '0.1' };
    let child: ChildProcess | undefined;
    const ended = live(run, { env, watch: (each) => void (child = each) });
    await expect.poll(() => existsSync(join(place.folder, 'home', 'begun'))).toBe(true);
    child?.kill('SIGINT');
    const { status, stderr } = await ended;
    expect({ status, stderr }).toEqual({
      status: 130,
      stderr: expect.stringContaining('the work could not be kept within'),
    });
  });
});
