// What the wire costs: a model asked through a gateway, beside the same model asked directly, in turns.
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
  served: number;
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
const gateway = start('wire-gateway.ts', direct);
const wired = await line(gateway);
const agent = new Agent({ keepAlive: true, maxSockets: streams });

async function used(): Promise<Used> {
  gateway.stdin!.write('\n');
  return JSON.parse(await line(gateway)) as Used;
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

const sides = { direct, wired };
type Side = keyof typeof sides;

/** The same for both, in turns: what else the machine does falls on both. */
async function inTurns<T>(count: number, measure: (base: string) => Promise<T>): Promise<Record<Side, T[]>> {
  const found: Record<Side, T[]> = { direct: [], wired: [] };
  for (let turn = 0; turn < count; turn++)
    for (const side of turn % 2 === 0 ? (['direct', 'wired'] as const) : (['wired', 'direct'] as const))
      found[side].push(await measure(sides[side]));
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
  const added = (share: number): string => ms(at(through, share) - at(bare, share));
  console.log(`  added           p50 ${added(0.5)}  p95 ${added(0.95)}  target p95 <= 5 ms`);
}

async function together(base: string): Promise<number> {
  const started = performance.now();
  await Promise.all(Array.from({ length: streams }, () => ask(base, { events })));
  return performance.now() - started;
}

const before = await used();
const all = await inTurns(rounds, together);
const after = await used();
const ratios = all.direct.map((bare, turn) => bare / (all.wired[turn] ?? Number.NaN));
const perSecond = (times: readonly number[]): string =>
  `${Math.round((streams * events * 1000) / at(times, 0.5)).toLocaleString('en')} events/s`;
console.log(`${streams} streams at once, ${events} events each, as fast as they are read`);
console.log(`  direct          ${perSecond(all.direct)}`);
console.log(`  through wire    ${perSecond(all.wired)}  ratio ${at(ratios, 0.5).toFixed(2)} (median of ${rounds})`);
const cpu = (after.cpuMs - before.cpuMs) / (rounds * streams * events);
console.log(`  gateway         ${(cpu * 1000).toFixed(1)} µs of CPU an event, peak ${after.peakMb.toFixed(0)} MB`);

// A model says some 50 to 200 events a second: what counts is whether so many streams keep up with that.
console.log(`  at 200 events/s ${streams} streams would take ${(cpu * streams * 200 * 0.1).toFixed(0)} % of a core`);

const long = await inTurns(rounds, (base) => ask(base, { megabytes }));
const end = await used();
const longRatio = at(
  long.direct.map(({ ms: bare }, turn) => bare / (long.wired[turn]?.ms ?? Number.NaN)),
  0.5,
);
console.log(`one answer of ${megabytes} MB`);
console.log(`  throughput      ratio ${longRatio.toFixed(2)} (median of ${rounds})`);
console.log(
  `  gateway         peak ${end.peakMb.toFixed(0)} MB, ${(end.peakMb - after.peakMb).toFixed(0)} MB more than before`,
);

const bytes = new Set([...long.direct, ...long.wired].map((answer) => answer.bytes));
if (bytes.size !== 1) throw new Error(`answers differ in size: ${[...bytes].join(', ')}`);

agent.destroy();
gateway.stdin!.end();
model.kill();
