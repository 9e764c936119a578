import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../scripts/generated-files.ts';
import { commands } from '../src/cli/commands.ts';
import { dialects } from '../src/dialects/registry.ts';
import { version } from '../src/version.ts';
import { compiled } from './support/compiled.ts';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');

/** Which rooms a room may import; `duration.ts`, `failure.ts`, `field-of.ts`, `nearest.ts`, `path-pattern.ts`, `pause.ts`, `present.ts`, `secret-names.ts`, `unless-too-large.ts`, `version.ts`, `vocabulary.ts` and `without-user.ts` are for all. */
const mayImport: Record<string, readonly string[]> = {
  events: [],
  outcome: ['events'],
  dialects: ['outcome', 'events', 'faults.ts', 'relayed-fault.ts'],
  redact: ['events'],
  pipeline: ['dialects', 'outcome', 'redact', 'events', 'faults.ts'],
  terminal: [],
  expect: ['outcome', 'redact', 'events'],
  reports: ['terminal', 'outcome', 'events'],
  telemetry: ['outcome', 'redact', 'events'],
  processes: [],
  jsonrpc: ['dialects'],
  builtin: ['processes', 'outcome', 'redact', 'events', 'faults.ts', 'repository-file.ts'],
  agents: ['processes', 'terminal', 'pipeline', 'dialects', 'outcome', 'redact', 'events'],
  contract: ['expect', 'outcome', 'redact', 'events'],
  stores: ['contract', 'outcome', 'redact', 'events'],
  workspace: ['processes', 'redact', 'repository-file.ts'],
  run: [
    'contract',
    'expect',
    'telemetry',
    'jsonrpc',
    'workspace',
    'builtin',
    'agents',
    'stores',
    'ledger',
    'processes',
    'terminal',
    'pipeline',
    'dialects',
    'outcome',
    'redact',
    'events',
    'faults.ts',
    'repository-file.ts',
  ],
  acp: ['contract', 'jsonrpc', 'run', 'builtin', 'dialects', 'outcome', 'redact', 'events', 'faults.ts'],
  ledger: ['contract', 'reports', 'builtin', 'agents', 'stores', 'terminal', 'pipeline', 'dialects', 'outcome', 'redact', 'events'],
  orchestrate: ['contract', 'run', 'workspace', 'processes', 'builtin', 'agents', 'outcome', 'redact', 'events', 'faults.ts'],
  fleet: ['contract', 'run', 'ledger', 'workspace', 'agents', 'stores', 'outcome', 'redact', 'events'],
  server: ['contract', 'ledger', 'stores', 'pipeline', 'dialects', 'outcome', 'events'],
  cli: [
    'contract',
    'acp',
    'jsonrpc',
    'server',
    'expect',
    'reports',
    'telemetry',
    'orchestrate',
    'fleet',
    'workspace',
    'run',
    'ledger',
    'builtin',
    'agents',
    'stores',
    'terminal',
    'processes',
    'pipeline',
    'dialects',
    'outcome',
    'redact',
    'events',
    'faults.ts',
    'schemas.ts',
  ],
  'schemas.ts': ['contract', 'fleet', 'expect', 'dialects', 'outcome', 'events'],
  'portable.ts': ['pipeline', 'dialects', 'outcome', 'redact', 'events', 'schemas.ts'],
  'index.ts': ['portable.ts', 'contract', 'run', 'ledger', 'stores'],
  'duration.ts': [],
  'failure.ts': [],
  'inside.ts': [],
  'faults.ts': ['events'],
  'relayed-fault.ts': ['events', 'faults.ts'],
  'field-of.ts': [],
  'nearest.ts': [],
  'path-pattern.ts': [],
  'pause.ts': [],
  'new-id.ts': [],
  'present.ts': [],
  'repository-file.ts': [],
  'secret-names.ts': [],
  'unless-too-large.ts': [],
  'version.ts': [],
  'vocabulary.ts': [],
  'without-user.ts': [],
  'xdg.ts': [],
};
const forAll = [
  'duration.ts',
  'failure.ts',
  'field-of.ts',
  'nearest.ts',
  'new-id.ts',
  'path-pattern.ts',
  'pause.ts',
  'present.ts',
  'secret-names.ts',
  'unless-too-large.ts',
  'version.ts',
  'vocabulary.ts',
  'without-user.ts',
];
const touchesNode = new Set([
  'telemetry',
  'processes',
  'workspace',
  'orchestrate',
  'fleet',
  'builtin',
  'agents',
  'run',
  'stores',
  'ledger',
  'server',
  'cli',
  'inside.ts',
  'repository-file.ts',
  'xdg.ts',
]);

/** The files that may start a process, and why; all others ask one of them. */
const mayStart = new Set([
  // It holds what was started, and starts nothing itself.
  'processes/guarded.ts',
  // Under the guard: programs that we read from or write to, agents, and commands in a namespace.
  'processes/child.ts',
  'processes/supervise.ts',
  'processes/namespace.ts',
  // The guard itself, which outlives us to end the rest.
  'processes/guard.ts',
  // The user's browser, which is to outlive us.
  'processes/browser.ts',
  // fallocate, which is over at once and starts nothing; a guard for each of many calls would cost more than it gives.
  'processes/followed-file.ts',
]);

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));

function importsOf(path: string): string[] {
  const text = readFileSync(join(src, path), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'([^']+)'|^import '([^']+)'/gm)].map((match) => match[1] ?? match[2] ?? '');
}

const roomOf = (path: string): string => path.split(sep)[0] ?? path;

describe('imports point one way', () => {
  it.each(files)('%s', (path) => {
    const room = roomOf(path);
    const allowed = new Set([room, ...(mayImport[room] ?? []), ...forAll, ...(touchesNode.has(room) ? ['inside.ts', 'xdg.ts'] : [])]);
    const targets = importsOf(path)
      .filter((target) => target.startsWith('.'))
      .map((target) => relative(src, join(src, dirname(path), target)));
    expect(mayImport).toHaveProperty([room]);
    expect(targets.map(roomOf).filter((target) => !allowed.has(target))).toEqual([]);
    expect(touchesNode.has(room) ? [] : importsOf(path).filter((target) => target.startsWith('node:'))).toEqual([]);
    // Whatever is started is guarded, so that it does not outlive us.
    expect(mayStart.has(path) ? [] : importsOf(path).filter((target) => target.endsWith('child_process'))).toEqual([]);
    // Inside the dialects, a folder knows itself, `shared`, and what lies beside the folders.
    const own = path.split(sep).length > 2 && room === 'dialects' ? path.split(sep)[1] : undefined;
    const neighbours = targets.filter(
      (target) =>
        own !== undefined &&
        roomOf(target) === 'dialects' &&
        target.split(sep).length > 2 &&
        target.split(sep)[1] !== 'shared' &&
        target.split(sep)[1] !== own,
    );
    expect(neighbours).toEqual([]);
  });
});

const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name);

describe('CONTRIBUTING.md', () => {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const partOf = (title: string): string => text.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  const [, house = ''] = partOf('The house').split('```');
  /** The folders that it tells of, in `src` or in `test`. */
  const toldIn = (place: string): string[] =>
    [...house.matchAll(new RegExp(`(?:^|  )${place}/([\\w-]+) `, 'gm'))].map(([, name]) => name ?? '').toSorted();

  it('tells of every room, once', () => expect(toldIn('src')).toEqual(foldersIn(src).toSorted()));

  it('tells which way imports point, and they do', () => {
    const [, line = ''] = /Imports point one way: `([^`]+)`/.exec(text) ?? [];
    const floors = line.split(' → ').map((floor) => floor.split(', '));
    expect(floors.flat().toSorted()).toEqual(foldersIn(src).toSorted());
    const floorOf = (room: string): number => floors.findIndex((floor) => floor.includes(room));
    const upwards = floors
      .flat()
      .flatMap((room) =>
        (mayImport[room] ?? [])
          .filter((other) => floorOf(other) !== -1 && floorOf(other) < floorOf(room))
          .map((other) => `${room} imports ${other}`),
      );
    expect(upwards).toEqual([]);
  });

  it('explains every folder of tests that is not one of src', () => {
    const rooms = new Set(foldersIn(src));
    expect(foldersIn(import.meta.dirname).filter((name) => !rooms.has(name))).toEqual(toldIn('test'));
    expect([...rooms].filter((room) => !existsSync(join(import.meta.dirname, room)))).toEqual([]);
  });

  describe('a line of Codex output', () => {
    const rows = partOf('A line of Codex output, from byte to exit code')
      .split('\n')
      .filter((line) => line.startsWith('| ') && line.includes('.ts'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    const rooms = rows.map(([, room = '']) => room).filter((room) => room !== '');
    let room = '';
    const named = rows.flatMap(([, given = '', names = '']) => {
      room = given === '' ? room : given;
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => join(room, name));
    });

    it('passes fourteen files at most, and enters each room once', () => {
      expect(rows.length).toBeGreaterThan(10);
      expect(rows.length).toBeLessThanOrEqual(14);
      expect(rooms).toEqual([...new Set(rooms)]);
      expect(rooms.filter((each) => !foldersIn(src).includes(each))).toEqual([]);
      expect(named.filter((path) => !files.includes(path))).toEqual([]);
    });

    it('really does: something of every file is called', () => {
      const folder = mkdtempSync(join(tmpdir(), 'runwire-house-'));
      const main = pathToFileURL(join(src, 'cli', 'main.ts')).href;
      const program = `import { main } from ${JSON.stringify(main)}; process.exitCode = await main(process.argv.slice(1));`;
      const recording = join(import.meta.dirname, 'recordings', 'codex@0.166.0', 'multi-tool', 'stdout.jsonl');
      const args = ['run', '-q', '--ledger', 'none', '--to', 'runwire', '--', 'cat', recording];
      const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program, '--', ...args], {
        cwd: folder,
        env: { PATH: process.env['PATH'], HOME: folder, NODE_V8_COVERAGE: join(folder, 'coverage'), ...compiled },
        encoding: 'utf8',
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      const called = new Set<string>();
      for (const name of readdirSync(join(folder, 'coverage'))) {
        const { result } = JSON.parse(readFileSync(join(folder, 'coverage', name), 'utf8')) as Coverage;
        for (const { url, functions } of result)
          if (functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)) called.add(url);
      }
      rmSync(folder, { recursive: true });
      expect(named.filter((path) => !called.has(pathToFileURL(join(src, path)).href))).toEqual([]);
    });
  });
});

/** What V8 writes of a process: how often each function was called. */
interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

it('has tests in the folders of src, at every depth', () => {
  const beside = /^(?:support|golden|plans|expected)$/;
  const rooms = foldersIn(src).filter((room) => existsSync(join(import.meta.dirname, room)));
  const folders = rooms.flatMap((room) => [
    room,
    ...readdirSync(join(import.meta.dirname, room), { recursive: true, withFileTypes: true })
      .filter((each) => each.isDirectory())
      .map((each) => relative(import.meta.dirname, join(each.parentPath, each.name))),
  ]);
  const own = folders.filter((folder) => !folder.split(sep).some((name) => beside.test(name)));
  expect(own.filter((folder) => !existsSync(join(src, folder)))).toEqual([]);
  const loose = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && name !== 'house.test.ts');
  expect(loose.filter((name) => !existsSync(join(src, name.replace('.test.ts', '.ts'))))).toEqual([]);
});

it('cuts no text of others inside a message: quoted() and its like take secrets out first', () => {
  // What is told of a run is clean already; a terminal and a page shorten what they are given.
  const isClean = /^(?:redact|terminal|reports|outcome|telemetry|events)\b|^dialects\/(?:[\w-]+\/)*write\b/;
  // Ids, times and digests; lists, of which some entries are shown; our own page; what was cut beside a secret.
  const isHarmless =
    /(?:commit|toISOString\(\)|digest\('\w+'\)|randomUUID\(\)|files|page|safeEnd\(.*)(?:\.slice|\))|\.slice\([^)]*\)\.join/;
  const cuts = /\$\{[^}`]*\.(?:slice\((?:0, |-)|substring\()[^}]*\}/g;
  const raw = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !isClean.test(path.split(sep).join('/')))
    .flatMap((path) => (readFileSync(join(src, path), 'utf8').match(cuts) ?? []).map((cut) => `${path}: ${cut}`))
    .filter((each) => !isHarmless.test(each));
  expect(raw.toSorted()).toEqual([
    // The name that a server gave its tool: told by clean records.
    'builtin/mcp/connect.ts: ${wanted.slice(0, longestName - `_${count}',
    // Compared, never shown.
    'dialects/claude/read/message.ts: ${text.slice(0, 40)}',
    // A title, of a clean record.
    'stores/rows.ts: ${line.slice(0, titleLength - 1).toWellFormed()}',
  ]);
});

it('has no decoder that cuts what it tells', () => {
  const told = readdirSync(join(src, 'dialects'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:^|[/\\])read[/\\]/.test(path) && path.endsWith('.ts'))
    .flatMap((path) =>
      readFileSync(join(src, 'dialects', path), 'utf8')
        .split('\n')
        .map((line) => `${path}: ${line.trim()}`),
    )
    .filter((line) => /sink\.(?:emit|note|unknown)\(.*\.(?:slice\((?:0, |-)|substring\()/.test(line));
  expect(told).toEqual([]);
});

it('has no test that looks at a clock', () => {
  const timed = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.test.ts') &&
      path !== 'house.test.ts' &&
      /performance\.now|hrtime|[cC]puUsage/.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
  );
  // It prints what redaction costs, and compares nothing.
  expect(timed).toEqual([join('redact', 'redact.test.ts')]);
});

it('has the same folder for every dialect', () => {
  for (const { id, about, encoder } of dialects) {
    const have = readdirSync(join(src, 'dialects', id), { recursive: true, encoding: 'utf8' });
    const read = about.reads === undefined ? [] : ['detect.ts', join('read', 'decode.ts')];
    // An object of our own is a record, whose schema is that of events.
    const wire = id === 'runwire' ? [] : ['wire.ts'];
    // Who knows tools has words for them.
    const words = have.includes(join('read', 'tools.ts')) ? ['words.ts'] : [];
    const wanted = ['index.ts', ...wire, ...words, ...read, ...(encoder === undefined ? [] : [join('write', 'encode.ts')])];
    expect({ id, missing: wanted.filter((path) => !have.includes(path)) }).toEqual({ id, missing: [] });
    if (about.reads === undefined)
      expect({ id, have: have.filter((path) => /^(?:detect\.ts|read)$/.test(path)) }).toEqual({ id, have: [] });
  }
  const folders = foldersIn(join(src, 'dialects')).filter((name) => name !== 'shared');
  expect(folders.toSorted()).toEqual(dialects.map(({ id }) => id).toSorted());
});

it('calls the same tool the same kind in every dialect', async () => {
  const kinds = new Map<string, string>();
  const found: string[] = [];
  for (const path of files.filter((each) => roomOf(each) === 'dialects' && each.endsWith(`${sep}words.ts`))) {
    const { toolKinds } = (await import(join(src, path))) as { toolKinds?: Record<string, string> };
    // Who has kinds for tools tells them under this name.
    if (/\bToolKinds\b/.test(readFileSync(join(src, path), 'utf8')))
      expect({ path, toolKinds }).toHaveProperty('toolKinds', expect.anything());
    if (toolKinds === undefined) continue;
    found.push(dirname(relative('dialects', path)));
    for (const [name, kind] of Object.entries(toolKinds)) {
      const same = name.toLowerCase().replaceAll(/[_-]/g, '');
      expect({ path, name, kind }).toEqual({ path, name, kind: kinds.get(same) ?? kind });
      kinds.set(same, kind);
    }
  }
  expect(found).toEqual(expect.arrayContaining(['claude', 'codex', join('shared', 'opencode')]));
  expect(kinds.get('listdirectory')).toBe('search');
});

/** What meant nothing to a reader, and what stands there instead. */
const goneWords: readonly (readonly [RegExp, instead: string])[] = [
  [/\bseed 00[0-3]\b/i, 'the name of the tool: Dexter, agent-code, OpenCode, dev-agent'],
  [/\bSurroundings\b/, 'what it is: options, a place, a context'],
  [/\bgone on with\b/i, 'resumed'],
  [/\bdeafUntil\b/, 'what is waited for'],
  [/\bnobody['’]s\b/i, 'a sentence that says who'],
  [/\bcalls? of (?:the model|a tool)\b/i, 'a model call, a tool call'],
];

it.each(goneWords)('no longer says %s', (word) => {
  const told = ['src', 'docs', 'test'].flatMap((place) =>
    readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(?:ts|md)$/.test(path) && !/^(?:recordings|fixtures)\b|^house\.test\.ts$/.test(path))
      .map((path) => join(place, path)),
  );
  expect(told.filter((path) => word.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
});

it('says the same version everywhere', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(version).toBe(manifest.version);
});

it('has generated files that are up to date', async () => {
  for (const [path, text] of await generatedFiles()) expect({ path, text: readFileSync(join(root, path), 'utf8') }).toEqual({ path, text });
});

it('has a command table that tells what the commands tell', async () => {
  for (const entry of commands) {
    const command = await entry.load();
    expect({ name: entry.name, summary: entry.summary }).toEqual({ name: command.name, summary: command.summary });
  }
});

it('names no registry host in the lock file', () => {
  expect(readFileSync(join(root, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": *"http/);
});
