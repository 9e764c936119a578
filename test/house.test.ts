import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { generatedFiles } from '../scripts/generated-files.ts';
import { commands } from '../src/cli/commands.ts';
import { dialects } from '../src/dialects/registry.ts';
import { version } from '../src/version.ts';

const root = join(import.meta.dirname, '..');
const src = join(root, 'src');

/** Which rooms a room may import; `duration.ts`, `failure.ts`, `nearest.ts`, `path-pattern.ts`, `pause.ts`, `present.ts`, `secret-names.ts`, `version.ts` and `vocabulary.ts` are for all. */
const mayImport: Record<string, readonly string[]> = {
  events: [],
  outcome: ['events'],
  dialects: ['outcome', 'events', 'faults.ts'],
  redact: ['events'],
  pipeline: ['dialects', 'outcome', 'redact', 'events', 'faults.ts'],
  terminal: [],
  expect: ['outcome', 'events'],
  reports: ['terminal', 'outcome', 'events'],
  telemetry: ['outcome', 'redact', 'events'],
  processes: [],
  jsonrpc: ['dialects'],
  builtin: ['processes', 'outcome', 'redact', 'events', 'faults.ts', 'repository-file.ts'],
  agents: ['processes', 'pipeline', 'dialects', 'outcome', 'events'],
  stores: ['outcome', 'events'],
  workspace: ['processes'],
  run: [
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
  acp: ['jsonrpc', 'run', 'builtin', 'dialects', 'outcome', 'events', 'faults.ts'],
  ledger: ['agents', 'stores', 'pipeline', 'dialects', 'outcome', 'redact', 'events'],
  orchestrate: ['run', 'workspace', 'builtin', 'agents', 'outcome', 'events', 'faults.ts'],
  fleet: ['run', 'ledger', 'workspace', 'agents', 'stores', 'outcome', 'events'],
  server: ['ledger', 'stores', 'pipeline', 'dialects', 'outcome', 'events'],
  cli: [
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
  'schemas.ts': ['fleet', 'run', 'expect', 'dialects', 'outcome', 'events'],
  'portable.ts': ['pipeline', 'dialects', 'outcome', 'redact', 'events', 'schemas.ts'],
  'index.ts': ['portable.ts', 'run'],
  'duration.ts': [],
  'failure.ts': [],
  'faults.ts': ['events'],
  'nearest.ts': [],
  'path-pattern.ts': [],
  'pause.ts': [],
  'new-id.ts': [],
  'present.ts': [],
  'repository-file.ts': [],
  'secret-names.ts': [],
  'version.ts': [],
  'vocabulary.ts': [],
  'xdg.ts': [],
};
const forAll = [
  'duration.ts',
  'failure.ts',
  'nearest.ts',
  'new-id.ts',
  'path-pattern.ts',
  'pause.ts',
  'present.ts',
  'secret-names.ts',
  'version.ts',
  'vocabulary.ts',
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
  'repository-file.ts',
  'xdg.ts',
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
    const allowed = new Set([room, ...(mayImport[room] ?? []), ...forAll, ...(touchesNode.has(room) ? ['xdg.ts'] : [])]);
    const targets = importsOf(path)
      .filter((target) => target.startsWith('.'))
      .map((target) => relative(src, join(src, dirname(path), target)));
    expect(mayImport).toHaveProperty([room]);
    expect(targets.map(roomOf).filter((target) => !allowed.has(target))).toEqual([]);
    expect(touchesNode.has(room) ? [] : importsOf(path).filter((target) => target.startsWith('node:'))).toEqual([]);
    // Whatever is started is guarded, so that it does not outlive us.
    expect(room === 'processes' ? [] : importsOf(path).filter((target) => target.endsWith('child_process'))).toEqual([]);
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

it('has the same folder for every dialect', () => {
  for (const { id, about, encoder } of dialects) {
    const have = readdirSync(join(src, 'dialects', id), { recursive: true, encoding: 'utf8' });
    const read = about.reads === undefined ? [] : ['detect.ts', join('read', 'decode.ts')];
    const wanted = ['index.ts', ...read, ...(encoder === undefined ? [] : [join('write', 'encode.ts')])];
    expect({ id, missing: wanted.filter((path) => !have.includes(path)) }).toEqual({ id, missing: [] });
  }
  const folders = readdirSync(join(src, 'dialects'), { withFileTypes: true }).filter(
    (each) => each.isDirectory() && each.name !== 'shared',
  );
  expect(folders.map((each) => each.name).toSorted()).toEqual(dialects.map(({ id }) => id).toSorted());
});

it('calls the same tool the same kind in every dialect', async () => {
  const kinds = new Map<string, string>();
  for (const { id } of dialects) {
    const path = join(src, 'dialects', id, 'words.ts');
    if (!existsSync(path)) continue;
    const { toolKinds = {} } = (await import(path)) as { toolKinds?: Record<string, string> };
    for (const [name, kind] of Object.entries(toolKinds)) {
      const same = name.toLowerCase().replaceAll(/[_-]/g, '');
      expect({ id, name, kind }).toEqual({ id, name, kind: kinds.get(same) ?? kind });
      kinds.set(same, kind);
    }
  }
  expect(kinds.get('listdirectory')).toBe('search');
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
