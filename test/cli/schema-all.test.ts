import { Ajv2020 } from 'ajv/dist/2020.js';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { schemaNames } from '../../src/cli/commands/schema.ts';
import { inside } from './run/live.ts';

const place = (): string => mkdtempSync(join(tmpdir(), 'runwire-schemas-'));
const writeAll = (cwd: string, folder = 'schemas') => inside(['schema', '--all', folder], { cwd });

it('writes every schema as a file of its own, which is a JSON Schema, and says how many', async () => {
  const cwd = place();
  const { status, stdout, stderr } = await writeAll(cwd, 'a/new/folder');
  const folder = join(cwd, 'a', 'new', 'folder');
  const names = readdirSync(folder).toSorted();
  expect({ status, stdout, stderr, names }).toEqual({
    status: 0,
    stdout: '',
    stderr: `runwire: ${names.length} schemas in ${folder}\n`,
    names: schemaNames()
      .map((name) => `${name}.schema.json`)
      .toSorted(),
  });
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const name of names) {
    const schema = JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
    expect({ name, isValid: ajv.validateSchema(schema), errors: ajv.errors }).toEqual({
      name,
      isValid: true,
      errors: null,
    });
    expect(() => ajv.compile(schema)).not.toThrow();
  }
});

it('replaces schemas of an earlier version, and leaves other files of the folder alone', async () => {
  const cwd = place();
  mkdirSync(join(cwd, 'schemas'));
  const old = join(cwd, 'schemas', 'outcome.schema.json');
  writeFileSync(old, '{"$id":"runwire:outcome:0.9"}');
  writeFileSync(join(cwd, 'schemas', 'mine.json'), 'mine');
  expect((await writeAll(cwd)).status).toBe(0);
  expect(readFileSync(old, 'utf8')).toContain('"title": "Runwire outcome"');
  expect(readFileSync(join(cwd, 'schemas', 'mine.json'), 'utf8')).toBe('mine');
});

it.each<[what: string, put: (path: string, cwd: string) => void]>([
  ["somebody else's schema", (path) => writeFileSync(path, '{"$id":"https://example.com/outcome"}')],
  ['a schema of another name', (path) => writeFileSync(path, '{"$id":"runwire:record:1.1"}')],
  ['a file that is not JSON', (path) => writeFileSync(path, 'notes')],
  ['a folder', (path) => mkdirSync(path)],
  [
    'a link, whatever it leads to',
    (path, cwd) => {
      writeFileSync(join(cwd, 'elsewhere'), '{"$id":"runwire:outcome:1.1"}');
      symlinkSync(join(cwd, 'elsewhere'), path);
    },
  ],
])('refuses to overwrite %s, and then writes nothing', async (_what, put) => {
  const cwd = place();
  mkdirSync(join(cwd, 'schemas'));
  const path = join(cwd, 'schemas', 'outcome.schema.json');
  put(path, cwd);
  expect(await writeAll(cwd)).toMatchObject({
    status: 2,
    stderr: `runwire: ${path} exists and is not a schema that Runwire wrote; remove it, or name another folder\n`,
  });
  expect(readdirSync(join(cwd, 'schemas'))).toEqual(['outcome.schema.json']);
});

it('says why a folder cannot be made', async () => {
  const cwd = place();
  writeFileSync(join(cwd, 'schemas'), '');
  expect(await writeAll(cwd)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('cannot write the schemas to') as string,
  });
  expect(await inside(['schema', 'outcome', '--all', 'x'], { cwd })).toMatchObject({
    status: 2,
    stderr: 'runwire: --all writes all of them, not "outcome" alone\n',
  });
});
