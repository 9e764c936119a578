// What agents used, beside ccusage's native program: the same stores, made up, in a home of their own. ccusage is installed into a temporary folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareAgents } from './usage-agents.ts';

const version = '20.0.24';
const rounds = Number(process.env['ROUNDS'] ?? 5);
const megabytes = Number(process.env['MB'] ?? 100);
const large = Number(process.env['LARGE_MB'] ?? megabytes * 10);
const many = Number(process.env['FILES'] ?? 10_000);
const cli = join(import.meta.dirname, '..', 'bin', 'runwire.js');
const place = mkdtempSync(join(tmpdir(), 'runwire-usage-'));

interface Took {
  wall: number;
  cpu: number;
  rss: number;
}

try {
  const other = install();
  console.log('| store | program | wall s | CPU s | peak MB | input | output | cost |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [name, files, bytes] of [
    [`${megabytes} MB in 40 files`, 40, (megabytes * 1e6) / 40],
    [`${large} MB in 40 files`, 40, (large * 1e6) / 40],
    [`${many} files of 4 KB`, many, 4000],
  ] as const) {
    const home = join(place, 'home');
    rmSync(home, { recursive: true, force: true });
    makeStore(home, files, bytes);
    compare(name, home, other);
  }
  if (other !== undefined) compareAgents(other);
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** Undefined: there is no native program for this machine. */
function install(): string | undefined {
  const folder = join(place, 'ccusage');
  mkdirSync(folder);
  const name = `@ccusage/ccusage-${process.platform}-${process.arch}`;
  const done = spawnSync('npm', ['install', '--no-save', '--silent', `${name}@${version}`], {
    cwd: folder,
    stdio: 'ignore',
  });
  const program = join(folder, 'node_modules', name, 'bin', 'ccusage');
  if (done.status !== 0 || !existsSync(program)) return undefined;
  chmodSync(program, 0o755);
  return program;
}

function compare(name: string, home: string, other: string | undefined): void {
  const state = join(home, 'state');
  const env = { PATH: process.env['PATH'], HOME: home, XDG_STATE_HOME: state, TZ: 'UTC' };
  const own = [process.execPath, cli, 'usage', 'daily', '--time-zone', 'UTC', '--json'];
  const theirs = other === undefined ? undefined : [other, 'daily', '--offline', '--json'];
  const took = new Map<string, Took[]>();
  let [ours, their] = ['', ''];
  for (let round = 0; round < rounds; round += 1) {
    rmSync(state, { recursive: true, force: true });
    ours = measure('runwire, cold', own, env, took);
    measure('runwire, warm', own, env, took);
    if (theirs !== undefined) their = measure(`ccusage ${version}`, theirs, env, took);
  }
  const { total } = JSON.parse(ours) as { total: { input_tokens: number; output_tokens: number; cost: number } };
  for (const [program, each] of took) {
    const best = (of: (one: Took) => number): number => Math.min(...each.map(of));
    const figures = program.startsWith('ccusage')
      ? figuresOf(their)
      : [total.input_tokens, total.output_tokens, total.cost];
    const [input, output, cost = 0] = figures;
    console.log(
      `| ${[name, program, best((one) => one.wall).toFixed(2), best((one) => one.cpu).toFixed(2), Math.round(Math.max(...each.map((one) => one.rss))), input, output, cost.toFixed(2)].join(' | ')} |`,
    );
  }
}

/** ccusage counts the cache beside the input. */
function figuresOf(text: string): [number, number, number] {
  const { totals } = JSON.parse(text) as { totals: Record<string, number> };
  const { inputTokens = 0, cacheReadTokens = 0, cacheCreationTokens = 0, outputTokens = 0, totalCost = 0 } = totals;
  return [inputTokens + cacheReadTokens + cacheCreationTokens, outputTokens, totalCost];
}

function measure(
  program: string,
  [command = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  took: Map<string, Took[]>,
): string {
  const log = join(place, 'time');
  const stdout = execFileSync('/usr/bin/time', ['-o', log, '-f', '%e %U %S %M', command, ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [wall = 0, user = 0, system = 0, kilobytes = 0] = execFileSync('cat', [log], { encoding: 'utf8' })
    .split(' ')
    .map(Number);
  const one = { wall, cpu: user + system, rss: kilobytes / 1024 };
  took.set(program, [...(took.get(program) ?? []), one]);
  return stdout;
}

/** Sessions of Claude Code: results of tools, and answers in two lines each. */
function makeStore(home: string, files: number, bytes: number): void {
  const words = 'The quick brown fox "jumps" over\n\tthe lazy dog; const x = {"a": [1, 2, 3]};\n';
  let seed = 1;
  const random = (most: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 4_294_967_296) * most);
  };
  for (let file = 0; file < files; file += 1) {
    const sessionId = `session-${file}`;
    const folder = join(home, '.claude', 'projects', `-home-u-p${file % 7}`);
    mkdirSync(folder, { recursive: true });
    const lines: string[] = [];
    let size = 0;
    for (let number = 0; size < bytes; number += 1) {
      const timestamp = new Date(Date.UTC(2026, 9, 1) + file * 3_600_000 + number * 20_000).toISOString();
      const about = {
        parentUuid: null,
        isSidechain: false,
        userType: 'external',
        cwd: `/home/u/p${file % 7}`,
        sessionId,
        version: '2.1.63',
        gitBranch: 'main',
      };
      const written = random(5000);
      const usage = {
        input_tokens: random(500),
        cache_creation_input_tokens: written,
        cache_read_input_tokens: random(150_000),
        cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: 0 },
        output_tokens: random(900),
        service_tier: 'standard',
      };
      const id = `msg_${file}x${number}abcdefghijklmnopqrst`;
      const model = number % 5 === 0 ? 'claude-opus-4-6' : 'claude-sonnet-4-5-20250929';
      const answer = (uuid: string, content: object) => ({
        ...about,
        message: { id, type: 'message', role: 'assistant', model, content: [content], stop_reason: null, usage },
        requestId: `req_${file}_${number}`,
        type: 'assistant',
        uuid,
        timestamp,
      });
      const result = words.repeat(bytes < 10_000 ? 8 : 20 + random(80));
      for (const line of [
        {
          ...about,
          type: 'user',
          message: {
            role: 'user',
            content: [{ tool_use_id: `toolu_${number}`, type: 'tool_result', content: result }],
          },
          uuid: `${sessionId}-u${number}`,
          timestamp,
        },
        answer(`${sessionId}-a${number}`, { type: 'text', text: words.repeat(2) }),
        answer(`${sessionId}-b${number}`, {
          type: 'tool_use',
          id: `toolu_${number + 1}`,
          name: 'Edit',
          input: { old_string: words.repeat(3) },
        }),
      ]) {
        const text = JSON.stringify(line);
        lines.push(text);
        size += text.length + 1;
      }
    }
    writeFileSync(join(folder, `${sessionId}.jsonl`), `${lines.join('\n')}\n`);
  }
}
