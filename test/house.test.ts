import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../scripts/generated-files.ts';
import { commands } from '../src/cli/commands.ts';
import { dialects } from '../src/dialects/registry.ts';
import { version } from '../src/version.ts';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');

function foldersIn(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => name);
}

/** Which rooms a room may import, besides those in `forAll`. */
const mayImport: Record<string, readonly string[]> = {
  events: [],
  claims: ['events'],
  outcome: ['claims', 'events'],
  dialects: ['outcome', 'redact', 'events'],
  redact: ['events'],
  pipeline: ['dialects', 'outcome', 'redact', 'events'],
  terminal: [],
  expect: ['claims', 'outcome', 'redact', 'events'],
  reports: ['claims', 'terminal', 'outcome', 'events'],
  telemetry: ['outcome', 'redact', 'events'],
  processes: [],
  jsonrpc: [],
  builtin: ['network', 'processes', 'outcome', 'redact', 'events'],
  wire: ['outcome', 'redact', 'events'],
  network: ['processes', 'events'],
  agents: ['wire', 'processes', 'terminal', 'pipeline', 'dialects', 'outcome', 'redact', 'events'],
  contract: ['expect', 'outcome', 'redact', 'events'],
  stores: ['contract', 'tapes', 'processes', 'outcome', 'redact', 'events'],
  tapes: ['processes', 'redact', 'events'],
  workspace: ['processes', 'redact'],
  run: [
    'claims',
    'contract',
    'expect',
    'telemetry',
    'jsonrpc',
    'workspace',
    'builtin',
    'agents',
    'wire',
    'network',
    'stores',
    'tapes',
    'ledger',
    'processes',
    'terminal',
    'pipeline',
    'dialects',
    'outcome',
    'redact',
    'events',
  ],
  acp: ['contract', 'jsonrpc', 'run', 'builtin', 'dialects', 'outcome', 'redact', 'events'],
  ledger: [
    'contract',
    'expect',
    'wire',
    'reports',
    'builtin',
    'agents',
    'processes',
    'stores',
    'tapes',
    'terminal',
    'pipeline',
    'dialects',
    'outcome',
    'redact',
    'events',
  ],
  replay: ['contract', 'run', 'ledger', 'workspace', 'wire', 'stores', 'processes', 'outcome', 'redact', 'events'],
  usage: ['contract', 'builtin', 'stores', 'dialects', 'outcome', 'redact', 'events'],
  orchestrate: [
    'claims',
    'contract',
    'run',
    'workspace',
    'processes',
    'builtin',
    'agents',
    'outcome',
    'redact',
    'events',
  ],
  rerun: ['claims', 'orchestrate', 'workspace', 'network', 'processes', 'builtin', 'redact', 'terminal'],
  fleet: ['contract', 'run', 'ledger', 'workspace', 'agents', 'stores', 'tapes', 'outcome', 'redact', 'events'],
  server: ['contract', 'ledger', 'stores', 'tapes', 'pipeline', 'dialects', 'outcome', 'events'],
  cli: [...foldersIn(src), 'schemas.ts'],
  'schemas.ts': ['claims', 'contract', 'fleet', 'expect', 'dialects', 'outcome', 'events'],
  'portable.ts': ['pipeline', 'dialects', 'outcome', 'redact', 'events', 'schemas.ts'],
  'index.ts': ['portable.ts', 'contract', 'run', 'ledger', 'stores'],
  files: [],
  ids: [],
  json: [],
  time: [],
  words: [],
  'failure.ts': [],
  'version.ts': [],
};
const forAll = ['files', 'ids', 'json', 'time', 'words', 'failure.ts', 'version.ts'];
const touchesNode = new Set([
  'rerun',
  'telemetry',
  'processes',
  'workspace',
  'orchestrate',
  'replay',
  'fleet',
  'builtin',
  'wire',
  'network',
  'agents',
  'run',
  'stores',
  'tapes',
  'ledger',
  'usage',
  'server',
  'cli',
  'files',
  'index.ts',
]);

/** The files that may start a process, and why; all others ask one of them. */
const mayStart = new Set([
  // It holds what was started, and starts nothing itself.
  'processes/guarded.ts',
  // Under the guard: programs that we read from or write to, agents, and commands in a namespace.
  'processes/child.ts',
  'processes/supervise.ts',
  'processes/namespace.ts',
  // Opens listeners in another network; it is over before anything else starts, and ends when we do.
  'network/own-network.ts',
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
  return [...text.matchAll(/(?:from|import\()\s*'([^']+)'|^import '([^']+)'/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
}

const roomOf = (path: string): string => path.split(sep)[0] ?? path;
/** The dialect that a file of that room belongs to: its folder, or the file itself. */
const dialectOf = (path: string): string => (path.split(sep)[1] ?? '').replace(/\.ts$/, '');

describe('imports point one way', () => {
  it.each(files)('%s', (path) => {
    const room = roomOf(path);
    const allowed = new Set([room, ...(mayImport[room] ?? []), ...forAll]);
    const targets = importsOf(path)
      .filter((target) => target.startsWith('.'))
      .map((target) => relative(src, join(src, dirname(path), target)));
    expect(mayImport).toHaveProperty([room]);
    expect(targets.map(roomOf).filter((target) => !allowed.has(target))).toEqual([]);
    // A room without Node.js also takes nothing that needs it from the rooms that are for all.
    const reached = touchesNode.has(room) ? [] : [path, ...targets].flatMap(importsOf);
    expect(reached.filter((target) => target.startsWith('node:'))).toEqual([]);
    // Whatever is started is guarded, so that it does not outlive us.
    expect(mayStart.has(path) ? [] : importsOf(path).filter((target) => target.endsWith('child_process'))).toEqual([]);
    // Inside the dialects, each knows itself, `kit`, `shared` and `dialect.ts`; the registry knows all.
    const own = room === 'dialects' ? dialectOf(path) : 'registry';
    const known = new Set([own, 'kit', 'shared', 'dialect']);
    const neighbours = targets.filter(
      (target) => own !== 'registry' && roomOf(target) === 'dialects' && !known.has(dialectOf(target)),
    );
    expect(neighbours).toEqual([]);
  });
});

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
});

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
    .filter((path) => /^[\w-]+\.ts$|\bread[/\\].*\.ts$/.test(path))
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

it('has no test that waits for a second only: expect.poll has the patience of all tests', () => {
  const hasty = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.test.ts') &&
      path !== 'house.test.ts' &&
      /vi\.waitFor\(/.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
  );
  expect(hasty).toEqual([]);
});

/** More than this is a folder. */
const mostLines = 400;

it('has one file for every small dialect, the same folder for every other, and a page for each', () => {
  for (const { id, about, encoder } of dialects) {
    if (files.includes(join('dialects', `${id}.ts`))) {
      const lines = readFileSync(join(src, 'dialects', `${id}.ts`), 'utf8').split('\n').length - 1;
      expect({ id, isLong: lines > mostLines }).toEqual({ id, isLong: false });
      continue;
    }
    const have = readdirSync(join(src, 'dialects', id), { recursive: true, encoding: 'utf8' });
    const read = about.reads === undefined ? [] : ['detect.ts', join('read', 'decode.ts')];
    // An object of our own is a record, whose schema is that of events.
    const wire = id === 'runwire' ? [] : ['wire.ts'];
    // Who knows tools has words for them.
    const words = have.includes(join('read', 'tools.ts')) ? ['words.ts'] : [];
    const wanted = [
      'index.ts',
      ...wire,
      ...words,
      ...read,
      ...(encoder === undefined ? [] : [join('write', 'encode.ts')]),
    ];
    expect({ id, missing: wanted.filter((path) => !have.includes(path)) }).toEqual({ id, missing: [] });
    if (about.reads === undefined)
      expect({ id, have: have.filter((path) => /^(?:detect\.ts|read)$/.test(path)) }).toEqual({ id, have: [] });
  }
  const pages = dialects.map(({ id }) =>
    join('dialects', files.includes(join('dialects', `${id}.ts`)) ? `${id}.md` : join(id, 'README.md')),
  );
  expect(pages.filter((path) => !existsSync(join(src, path)))).toEqual([]);
  const have = new Set(files.filter((path) => roomOf(path) === 'dialects').map(dialectOf));
  expect([...have].toSorted()).toEqual(
    [...dialects.map(({ id }) => id), 'dialect', 'kit', 'registry', 'shared'].toSorted(),
  );
});

it('calls the same tool the same kind in every dialect', () => {
  const kinds = new Map<string, string>();
  for (const { id, toolKinds = {} } of dialects) {
    for (const [name, kind] of Object.entries(toolKinds)) {
      const same = name.toLowerCase().replaceAll(/[_-]/g, '');
      expect({ id, name, kind }).toEqual({ id, name, kind: kinds.get(same) ?? kind });
      kinds.set(same, kind);
    }
  }
  expect(kinds.get('listdirectory')).toBe('search');
});

it('has the kinds of tools of every dialect that knows them', () => {
  const knows = files.filter(
    (path) =>
      /^dialects\b(?!.\b(?:kit|shared)\b)/.test(path) && /\bkindIn\(/.test(readFileSync(join(src, path), 'utf8')),
  );
  const without = dialects.filter(({ toolKinds }) => toolKinds === undefined).map(({ id }) => id);
  expect(without.filter((id) => knows.some((path) => dialectOf(path) === id))).toEqual([]);
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

/** Names that say how a value came and not what it holds, and types that were called alike all over the house. */
const goneNames: readonly RegExp[] = [
  /(?:\b(?:const|let|function|readonly)\s+|[([{,]\s*|^\s*|\.\.\.)#?(?:told|said|asked)\??\s*(?:[:=(,)}\]]|of\b)/m,
  /\{[^{}]*:\s*(?:told|said|asked)\b[^{}]*\}\s*(?:of\b|=[^=>])/,
  /^(?:export )?(?:interface|type|class) (?:Asked|Families|Place|Room|Sought|Speaks|Told|Ways)\b/m,
];

it.each(goneNames)('names nothing %s', (name) => {
  const elsewhere = ['web', 'src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => join(folder, path)),
  );
  expect(elsewhere.filter((path) => name.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
});

it('says the same version everywhere', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(version).toBe(manifest.version);
});

it('has generated files that are up to date', async () => {
  for (const [path, text] of await generatedFiles())
    expect({ path, text: readFileSync(join(root, path), 'utf8') }).toEqual({ path, text });
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
