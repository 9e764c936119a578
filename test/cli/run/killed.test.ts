import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dialects } from '../../../src/dialects/registry.ts';
import type { EventRecord } from '../../../src/events/event.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { fileTape } from '../../../src/stores/file-tape.ts';
import { streamOf } from '../../../src/stores/tape.ts';
import { isSweep } from '../../support/sweep.ts';
import { inside, live, modelAt, project, serve } from './live.ts';
import { folder } from './scripted.ts';

const step = (count: number): string =>
  `${JSON.stringify({ type: 'item.completed', item: { id: `i${count}`, type: 'agent_message', text: `step ${count}.` } })}\n`;
const opening = `${JSON.stringify({ type: 'thread.started', thread_id: 't' })}\n${JSON.stringify({ type: 'turn.started' })}\n`;
const upTo = <Item>(count: number, make: (each: number) => Item): Item[] => Array.from({ length: count }, (_, index) => make(index + 1));

/** Speaks like Codex in small bursts, so that there is always something on its way. It ends: some formats are written at the end only. */
const agent = `
process.stdout.write(${JSON.stringify(opening)});
const step = ${step.toString()};
let count = 0;
(function burst() {
  for (let line = 0; line < 3; line += 1) process.stdout.write(step((count += 1)));
  if (count < 600) setTimeout(burst, count % 2);
})();
`;

/** What is run, for about as many printed bytes as this. */
const sources: readonly (readonly [bytes: number, args: (cwd: string) => Promise<string[]>])[] = [
  [
    20_000,
    async (cwd) => {
      writeFileSync(join(cwd, 'agent.mjs'), agent);
      return ['--', process.execPath, 'agent.mjs'];
    },
  ],
  [
    2_000_000,
    async (cwd) => {
      writeFileSync(join(cwd, 'said.jsonl'), opening + upTo(20_000, step).join(''));
      return ['--', 'cat', 'said.jsonl'];
    },
  ],
  [
    20_000,
    async () => {
      const turns = upTo(40, (count) => ({ text: `step ${count}.`, calls: [{ name: 'read', args: { path: 'a.txt' } }] }));
      return [...modelAt(await serve(turns)), '--prompt', 'Go on'];
    },
  ],
];
const places = [[], ['--ledger', 'none', '--tape', 'run.tape'], ['--ledger', 'none', '--tape', 'run.tape.zst']];
// Every other one is the format of the tape, which can be compared byte by byte.
const formats = dialects.filter(({ encoder }) => encoder !== undefined).flatMap(({ id }) => (id === 'runwire' ? [] : ['runwire', id]));

interface Killed {
  format: string;
  place: readonly string[];
  bytes: number;
  args: (cwd: string) => Promise<string[]>;
}

/** Kills the command once it has printed this many bytes; what was printed, and what is on its tape. */
async function killed({ format, place, bytes, args }: Killed): Promise<{ printed: string; taped: string; home: string }> {
  const [home, cwd] = [folder(), project()];
  const { stdout } = await live(['run', '--to', format, ...place, ...(await args(cwd))], {
    cwd,
    env: { HOME: home },
    watch: (child, said) => void (said.length >= bytes && child.kill('SIGKILL')),
  });
  const tapes = [home, cwd].flatMap((parent) =>
    readdirSync(parent, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tape(?:\.zst)?$/.test(name))
      .map((name) => join(parent, name)),
  );
  expect(tapes).toHaveLength(1);
  const taped: Uint8Array[] = [];
  for await (const part of streamOf(fileTape(tapes[0] ?? ''))) taped.push(new Uint8Array(part));
  return { printed: stdout, taped: Buffer.concat(taped).toString(), home };
}

const lastStep = (text: string): number => Math.max(0, ...Array.from(text.matchAll(/step (\d+)\./g), ([, count]) => Number(count)));

it('has everything on its tape that it printed before it was killed', { timeout: 900_000 }, async () => {
  const cases = upTo(isSweep ? 67 : 3, (round) =>
    sources.map(([most, args], index): Killed => {
      const kill = round * sources.length + index;
      // From the first byte, where the tape has just been opened, to the middle of the work.
      const bytes = round % 4 === 0 ? 1 : (kill * 7919) % most;
      return { format: formats[kill % formats.length] ?? '', place: places[round % places.length] ?? [], bytes, args };
    }),
  ).flat();
  for (let first = 0; first < cases.length; first += 2)
    await Promise.all(
      cases.slice(first, first + 2).map(async (each) => {
        const { printed, taped } = await killed(each);
        const isTaped = each.format === 'runwire' ? taped.startsWith(printed) : lastStep(taped) >= lastStep(printed);
        expect({ ...each, isPrinted: printed !== '', isTaped }).toEqual({ ...each, isPrinted: true, isTaped: true });
      }),
    );
});

it('is recorded with what its tape has', async () => {
  const [, args] = sources[0] ?? expect.fail();
  const { taped, home } = await killed({ format: 'runwire', place: [], bytes: 1, args });
  const records = taped
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as EventRecord);
  const { stdout } = await inside(['runs', 'show', 'last', '--json'], { env: { HOME: home } });
  const { evidence } = (JSON.parse(stdout) as { outcome: RunOutcome }).outcome.verdict;
  expect(evidence[0]?.detail).toMatch(/^the (?:stream|run) stopped without an end$/);
  const count = `${records.length} record${records.length === 1 ? '' : 's'}`;
  expect(evidence.at(-1)?.detail).toBe(`the process that ran it is gone; its tape has ${count}, the last at ${records.at(-1)?.timestamp}`);
});
