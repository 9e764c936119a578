import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dialects } from '../../../src/dialects/registry.ts';
import type { EventRecord } from '../../../src/events/event.ts';
import type { RunOutcome } from '../../../src/outcome/outcome.ts';
import { fileTape } from '../../../src/tapes/file-tape.ts';
import { streamOf } from '../../../src/tapes/tape.ts';
import { isSweep } from '../../support/sweep.ts';
import { inside, live, modelAt, project, serve } from './live.ts';
import { folder } from './scripted.ts';

const step = (count: number): string =>
  `${JSON.stringify({ type: 'item.completed', item: { id: `i${count}`, type: 'agent_message', text: `step ${count}.` } })}\n`;
const opening = `${JSON.stringify({ type: 'thread.started', thread_id: 't' })}\n${JSON.stringify({ type: 'turn.started' })}\n`;
const upTo = <Item>(count: number, make: (each: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

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
      const turns = upTo(40, (count) => ({
        text: `step ${count}.`,
        calls: [{ name: 'read', args: { path: 'a.txt' } }],
      }));
      return [...modelAt(await serve(turns)), '--prompt', 'Go on'];
    },
  ],
];
const places = [[], ['--ledger', 'none', '--tape', 'run.tape'], ['--ledger', 'none', '--tape', 'run.tape.zst']];
// Every other one is the format of the tape, which can be compared byte by byte.
const formats = dialects
  .filter(({ encoder }) => encoder !== undefined)
  .flatMap(({ id }) => (id === 'runwire' ? [] : ['runwire', id]));

interface Killed {
  format: string;
  place: readonly string[];
  bytes: number;
  args: (cwd: string) => Promise<string[]>;
}

/** Kills the command once it has printed this many bytes; what was printed, and what is on its tape. */
async function killed({
  format,
  place,
  bytes,
  args,
}: Killed): Promise<{ printed: string; taped: string; home: string }> {
  const [home, cwd] = [folder(), project()];
  const { stdout } = await live(['run', '--to', format, ...place, ...(await args(cwd))], {
    cwd,
    env: { HOME: home },
    watch: (child, said) => void (said.length >= bytes && child.kill('SIGKILL')),
  });
  return { printed: stdout, taped: await onTape(home, cwd), home };
}

/** What is on the only tape below these folders. */
async function onTape(...parents: string[]): Promise<string> {
  const tapes = parents.flatMap((parent) =>
    readdirSync(parent, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tape(?:\.zst)?$/.test(name))
      .map((name) => join(parent, name)),
  );
  expect(tapes).toHaveLength(1);
  const taped: Uint8Array[] = [];
  for await (const part of streamOf(fileTape(tapes[0] ?? ''))) taped.push(new Uint8Array(part));
  return Buffer.concat(taped).toString();
}

const lastStep = (text: string): number =>
  Math.max(0, ...Array.from(text.matchAll(/step (\d+)\./g), ([, count]) => Number(count)));

it('has everything on its tape that it printed before it was killed', async () => {
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

/** The numbers of this many kills: from the first byte to the middle of the work. */
const kills = upTo(isSweep ? 40 : 2, (round) => (round % 4 === 1 ? 1 : (round * 7919) % 20_000));
const [steps] = sources.map(([, args]) => args);

it('has the whole response of --json on its tape, killed as soon as it is printed', async () => {
  for (const [round] of kills.entries()) {
    const [home, cwd] = [folder(), project()];
    writeFileSync(
      join(cwd, 'said.jsonl'),
      `${opening}${upTo(3 + 50 * round, step).join('')}{"type":"turn.completed"}\n`,
    );
    const { stdout } = await live(
      ['run', '--json', ...(places[round % places.length] ?? []), '--', 'cat', 'said.jsonl'],
      {
        cwd,
        env: { HOME: home },
        watch: (child, said) => void (said !== '' && child.kill('SIGKILL')),
      },
    );
    const taped = await onTape(home, cwd);
    expect([lastStep(stdout), lastStep(taped)]).toEqual([3 + 50 * round, 3 + 50 * round]);
    expect(taped).toMatch(/\{"type":"thread\.completed".*\n$/);
  }
});

it('has everything on its tape that people were told', async () => {
  for (const bytes of kills) {
    const [home, cwd] = [folder(), project()];
    const { stderr } = await live(['run', ...((await steps?.(cwd)) ?? [])], {
      cwd,
      env: { HOME: home },
      hear: (child, said) => void (lastStep(said) > 0 && said.length >= bytes / 10 && child.kill('SIGKILL')),
    });
    expect(lastStep(stderr)).toBeGreaterThan(0);
    expect(lastStep(await onTape(home, cwd))).toBeGreaterThanOrEqual(lastStep(stderr));
  }
});

it('has every record on its tape that a server was told of', async () => {
  for (const bytes of kills) {
    const [home, cwd] = [folder(), project()];
    let [told, kill] = ['', (): void => {}];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text;
        if (told.length + body.length >= bytes) kill();
      });
      request.on('close', () => {
        const lines = body.split('\n').slice(1, -1);
        told += lines.map((line) => `${line}\n`).join('');
        const last = lines.findLast((line) => line.startsWith('{"type"'));
        response.end(
          JSON.stringify({ accepted_to: last === undefined ? 0 : (JSON.parse(last) as EventRecord).sequence }),
        );
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const words = ['run', '--quiet', '--report', url, ...((await steps?.(cwd)) ?? [])];
    await live(words, { cwd, env: { HOME: home }, watch: (child) => void (kill = () => child.kill('SIGKILL')) });
    await new Promise((resolve) => void server.close(resolve));
    const taped = new Set((await onTape(home, cwd)).split('\n'));
    const records = told.split('\n').filter((line) => line.startsWith('{"type"'));
    expect(records.length).toBeGreaterThan(0);
    expect(records.filter((line) => !taped.has(line))).toEqual([]);
  }
});

it('has everything on its tape that an editor was told', async () => {
  const message = (wire: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...wire })}\n`;
  for (const bytes of kills) {
    const [home, cwd] = [folder(), project()];
    const model = (await sources[2]?.[1](cwd))?.filter((word) => !['--prompt', 'Go on'].includes(word)) ?? [];
    let isAsked = false;
    const { stdout } = await live(['acp', ...model], {
      cwd,
      env: { HOME: home },
      stdin: null,
      watch(child, said) {
        const session = /"sessionId":"[^"]+"/.exec(said)?.[0];
        if (said === '') child.stdin?.write(message({ id: 1, method: 'session/new', params: { cwd, mcpServers: [] } }));
        else if (session !== undefined && !isAsked) {
          isAsked = true;
          const prompt = [{ type: 'text', text: 'Go on' }];
          child.stdin?.write(
            message({ id: 2, method: 'session/prompt', params: { ...(JSON.parse(`{${session}}`) as object), prompt } }),
          );
        } else if (said.includes('step ') && said.length >= bytes) child.kill('SIGKILL');
      },
    });
    expect(lastStep(stdout)).toBeGreaterThan(0);
    expect(lastStep(await onTape(home, cwd))).toBeGreaterThanOrEqual(lastStep(stdout));
  }
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
  expect(evidence.at(-1)?.detail).toBe(
    `the process that ran it is gone; its tape has ${count}, the last at ${records.at(-1)?.timestamp}`,
  );
});
