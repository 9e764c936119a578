import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileTape } from '../../../src/stores/file-tape.ts';
import { streamOf } from '../../../src/stores/tape.ts';
import { isSweep } from '../../support/sweep.ts';
import { live, project } from './live.ts';
import { folder } from './scripted.ts';

/** Prints in small bursts without an end, so that there is always something on its way. */
const agent = `
console.log(JSON.stringify({ type: 'thread.started', thread_id: 't' }));
console.log(JSON.stringify({ type: 'turn.started' }));
let count = 0;
(function burst() {
  for (let line = 0; line < 3; line += 1) {
    count += 1;
    console.log(JSON.stringify({ type: 'item.completed', item: { id: 'i' + count, type: 'agent_message', text: 'step ' + count } }));
  }
  setTimeout(burst, count % 2);
})();
`;

const linesIn = (text: string): string[] => text.split('\n').slice(0, -1);

/** Kills the command once it has printed this many lines; what was printed, and what is on its tape. */
async function killedAfter(count: number, flags: readonly string[] = []): Promise<{ printed: string[]; taped: string[] }> {
  const [home, cwd] = [folder(), project()];
  writeFileSync(join(cwd, 'agent.mjs'), agent);
  const { stdout } = await live(['run', '--to', 'runwire', ...flags, '--', process.execPath, 'agent.mjs'], {
    cwd,
    env: { HOME: home },
    watch: (child, said) => void (linesIn(said).length >= count && child.kill('SIGKILL')),
  });
  const tapes = [home, cwd].flatMap((place) =>
    readdirSync(place, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tape(?:\.zst)?$/.test(name))
      .map((name) => join(place, name)),
  );
  const taped: Uint8Array[] = [];
  for (const path of tapes) for await (const bytes of streamOf(fileTape(path))) taped.push(new Uint8Array(bytes));
  return { printed: linesIn(stdout), taped: linesIn(Buffer.concat(taped).toString()) };
}

const kills = isSweep ? 200 : 6;

it('has everything on its tape that it printed before it was killed', { timeout: 600_000 }, async () => {
  for (let kill = 0; kill < kills; kill += 2) {
    // From the first line, where the tape has just been opened, to the middle of the work.
    const counts = [kill, kill + 1].map((each) => 1 + ((each * 7) % 60));
    for (const { printed, taped } of await Promise.all(counts.map((count) => killedAfter(count)))) {
      expect(printed.length).toBeGreaterThan(0);
      expect(taped.slice(0, printed.length)).toEqual(printed);
    }
  }
});

it('has it in the file of --tape as well, without a ledger', async () => {
  const { printed, taped } = await killedAfter(1, ['--ledger', 'none', '--tape', 'run.tape']);
  expect(taped.slice(0, printed.length)).toEqual(printed);
});
