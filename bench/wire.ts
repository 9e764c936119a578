// What the wire costs: a model asked through a gateway, beside the same model asked directly and through a process that only
// passes everything on, in turns. The latter is the floor: nothing that stands in between can cost less.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';

const requests = Number(process.env.BENCH_REQUESTS ?? 400);
const streams = Number(process.env.BENCH_STREAMS ?? 50);
const events = Number(process.env.BENCH_EVENTS ?? 2000);
const megabytes = Number(process.env.BENCH_MB ?? 200);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);

interface Answer {
  firstByteMs: number;
  ms: number;
  bytes: number;
}

interface Used {
  cpuMs: number;
  peakMb: number;
}

function start(file: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, file), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

async function line(child: ChildProcess): Promise<string> {
  const [text] = (await once(child.stdout!, 'data')) as [Buffer];
  return text.toString().trim();
}

const model = start('wire-model.ts');
const direct = `http://127.0.0.1:${await line(model)}`;
const between = { piped: start('wire-pipe.ts', direct), wired: start('wire-gateway.ts', direct) };
const sides = { direct, piped: await line(between.piped), wired: await line(between.wired) };
type Side = keyof typeof sides;
const agent = new Agent({ keepAlive: true, maxSockets: streams });

async function used(side: keyof typeof between): Promise<Used> {
  between[side].stdin!.write('\n');
  return JSON.parse(await line(between[side])) as Used;
}

function ask(base: string, metadata: object, padding = 4000): Promise<Answer> {
  const body = JSON.stringify({
    model: 'bench',
    stream: true,
    metadata,
    messages: [{ role: 'user', content: 'x'.repeat(padding) }],
  });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const outgoing = request(`${base}/v1/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      let firstByteMs = 0;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        firstByteMs ||= performance.now() - started;
        bytes += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ firstByteMs, ms: performance.now() - started, bytes }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const orders: readonly (readonly Side[])[] = [
  ['direct', 'piped', 'wired'],
  ['wired', 'direct', 'piped'],
  ['piped', 'wired', 'direct'],
];

/** The same for all, in turns: what else the machine does falls on each. */
async function inTurns<T>(count: number, measure: (base: string) => Promise<T>): Promise<Record<Side, T[]>> {
  const found: Record<Side, T[]> = { direct: [], piped: [], wired: [] };
  for (let turn = 0; turn < count; turn++)
    for (const side of orders[turn % orders.length] ?? []) found[side].push(await measure(sides[side]));
  return found;
}

const at = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
};
const ms = (value: number): string => `${value.toFixed(2)} ms`;

await inTurns(Math.min(20, requests), (base) => ask(base, { events: 1 }));

for (const padding of [4000, 100_000]) {
  const found = await inTurns(requests, (base) => ask(base, { events: 1 }, padding));
  const bare = found.direct.map(({ firstByteMs }) => firstByteMs);
  const through = found.wired.map(({ firstByteMs }) => firstByteMs);
  console.log(`first byte, ${requests} requests of ${padding / 1000} KB`);
  console.log(`  direct          p50 ${ms(at(bare, 0.5))}  p95 ${ms(at(bare, 0.95))}`);
  console.log(`  through wire    p50 ${ms(at(through, 0.5))}  p95 ${ms(at(through, 0.95))}`);
  const added = (part: number): string => ms(at(through, part) - at(bare, part));
  console.log(`  added           p50 ${added(0.5)}  p95 ${added(0.95)}  target p95 <= 5 ms`);
}

async function together(base: string): Promise<number> {
  const started = performance.now();
  await Promise.all(Array.from({ length: streams }, () => ask(base, { events })));
  return performance.now() - started;
}

const median = (values: readonly number[]): number => at(values, 0.5);
/** How fast `side` is beside `base`, which is 1: the median of the turns. */
const share = (found: Record<Side, readonly number[]>, side: Side, base: Side): string =>
  median(found[side].map((each, turn) => (found[base][turn] ?? Number.NaN) / each)).toFixed(2);
const ratios = (found: Record<Side, readonly number[]>): string =>
  `ratio ${share(found, 'wired', 'direct')} (target >= 0.9), of the floor ${share(found, 'wired', 'piped')}; the floor itself ${share(found, 'piped', 'direct')} (medians of ${rounds})`;

const before = { piped: await used('piped'), wired: await used('wired') };
const all = await inTurns(rounds, together);
const after = { piped: await used('piped'), wired: await used('wired') };
const perSecond = (times: readonly number[]): string =>
  `${Math.round((streams * events * 1000) / median(times)).toLocaleString('en')} events/s`;
console.log(`${streams} streams at once, ${events} events each, as fast as they are read`);
console.log(`  direct          ${perSecond(all.direct)}`);
console.log(`  through a pipe  ${perSecond(all.piped)}`);
console.log(`  through wire    ${perSecond(all.wired)}  ${ratios(all)}`);
const cpuOf = (side: keyof typeof between): number =>
  (after[side].cpuMs - before[side].cpuMs) / (rounds * streams * events);
const cpu = cpuOf('wired');
console.log(
  `  CPU an event    ${(cpu * 1000).toFixed(1)} µs, of the pipe ${(cpuOf('piped') * 1000).toFixed(1)} µs; peak ${after.wired.peakMb.toFixed(0)} MB`,
);

// A model says some 50 to 200 events a second: what counts is whether so many streams keep up with that.
console.log(`  at 200 events/s ${streams} streams would take ${(cpu * streams * 200 * 0.1).toFixed(0)} % of a core`);

const long = await inTurns(rounds, (base) => ask(base, { megabytes }));
const end = { piped: await used('piped'), wired: await used('wired') };
const times = { direct: [], piped: [], wired: [] } as Record<Side, number[]>;
for (const side of ['direct', 'piped', 'wired'] as const) times[side] = long[side].map(({ ms: each }) => each);
const cpuAnswer = (side: keyof typeof between): string => ((end[side].cpuMs - after[side].cpuMs) / rounds).toFixed(0);
console.log(`one answer of ${megabytes} MB`);
console.log(`  throughput      ${ratios(times)}`);
console.log(`  CPU an answer   ${cpuAnswer('wired')} ms, of the pipe ${cpuAnswer('piped')} ms`);
console.log(
  `  peak            ${end.wired.peakMb.toFixed(0)} MB, ${(end.wired.peakMb - after.wired.peakMb).toFixed(0)} MB more than before; of the pipe ${end.piped.peakMb.toFixed(0)} MB`,
);

const bytes = new Set(Object.values(long).flatMap((answers) => answers.map((answer) => answer.bytes)));
if (bytes.size !== 1) throw new Error(`answers differ in size: ${[...bytes].join(', ')}`);

agent.destroy();
for (const process of Object.values(between)) process.stdin!.end();
model.kill();
