import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { parseRules } from '../../src/builtin/permissions/rules.ts';
import { builtinTools } from '../../src/builtin/tools/index.ts';
import { clip } from '../../src/builtin/tools/clip.ts';
import type { Draft } from '../../src/events/event.ts';
import { present } from '../../src/json/present.ts';
import { findNamespace } from '../../src/processes/namespace.ts';
import { processesWith, until } from '../support/processes.ts';
import { callBuiltin, temporaryFolder, type Called } from '../support/tool-call.ts';

const hasNamespaces = (await findNamespace()) !== undefined;

const isAlive = (pid: number): boolean => {
  try {
    // A process that ended but was not waited for is still in the table.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

it('is a list of tools with a schema that every provider takes', () => {
  const tools = builtinTools({ permissions: parseRules('edit') });
  expect(tools.map(({ name, kind }) => [name, kind])).toEqual([
    ['bash', 'command'],
    ['read', 'read'],
    ['write', 'file_edit'],
    ['edit', 'file_edit'],
    ['grep', 'search'],
    ['glob', 'search'],
    ['fetch', 'web'],
    ['todo', 'plan'],
  ]);
  for (const tool of tools)
    expect(z.toJSONSchema(tool.input)).toMatchObject({ type: 'object', additionalProperties: false });
});

it('loads no search program, diff or HTML converter before they are used', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(name, context, next) { seen.push(name); return next(name, context); } });
    const { builtinTools } = await import('./src/builtin/tools/index.ts');
    await import('./src/builtin/mcp/connect.ts');
    builtinTools({ permissions: { mode: 'full', allow: [], deny: [], directories: [] } });
    console.log(JSON.stringify(seen.filter((name) => !name.startsWith('.') && !name.startsWith('node:') && !name.includes('zod'))));
  `;
  const root = join(import.meta.dirname, '..', '..');
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' })).toBe(
    '[]\n',
  );
});

describe('bash', () => {
  const bash = (
    input: { command: string; timeout_ms?: number },
    options: Partial<Parameters<typeof callBuiltin>[2]> = {},
  ): Promise<Called> => callBuiltin('bash', input, { cwd: temporaryFolder(), ...options });

  it('tells both streams live and together', async () => {
    expect(await bash({ command: 'echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three' })).toEqual({
      status: 'success',
      output: 'one\ntwo\nthree',
      exit_code: 0,
      drafts: [
        { type: 'item.output', item_id: 'item-1', stream: 'stdout', chunk: 'one\n' },
        { type: 'item.output', item_id: 'item-1', stream: 'stderr', chunk: 'two\n' },
        { type: 'item.output', item_id: 'item-1', stream: 'stdout', chunk: 'three\n' },
      ],
    });
  });

  it.each([
    ['exit 3', { status: 'error', output: '(no output)\n[exit code 3]', exit_code: 3 }],
    ['kill -9 $$', { status: 'error', output: '(no output)\n[ended by SIGKILL]', exit_code: 137 }],
    ['true', { status: 'success', output: '(no output)', exit_code: 0 }],
    ['cat; read x; echo "$x."', { status: 'success', output: '.', exit_code: 0 }],
    ['printf "\\303"; sleep 0.1; printf "\\244"', { status: 'success', output: 'ä', exit_code: 0 }],
    ['test -t 0 || (: </dev/tty) 2>/dev/null || echo alone', { status: 'success', output: 'alone', exit_code: 0 }],
  ])('%s', async (command, expected) => {
    const { drafts: _, ...result } = await bash({ command });
    expect(result).toEqual(expected);
  });

  it('says that a command could not be started', async () => {
    const { status, output } = await bash({ command: 'true' }, { cwd: '/nowhere/at/all' });
    expect({ status, output }).toEqual({
      status: 'error',
      output: 'the command could not be started: spawn /bin/bash ENOENT',
    });
  });

  it('cuts a long output between words, so that no key is halved', async () => {
    const { output } = await bash({ command: `for i in $(seq 1 3000); do printf 'word-%08d-end ' $i; done` });
    const words = output.split(/\s+/).filter((word) => word.startsWith('word') || word.endsWith('end'));
    expect(words.filter((word) => !/^word-\d{8}-end$/.test(word))).toEqual([]);
    expect(words.length).toBeGreaterThan(1500);
  });

  it('keeps the head and the tail of a long output', async () => {
    const { output, drafts } = await bash({
      command: 'printf "begin\\n"; yes 0123456789 | head -c 1100000; printf "end"',
    });
    expect({
      begins: output.startsWith('begin\n0123456789\n'),
      ends: output.endsWith('\n0123456789\nend'),
      cut: /\n\[(\d+) characters cut here\]\n/.exec(output)?.[1],
    }).toEqual({ begins: true, ends: true, cut: String(1_100_009 - 30_000 + 4) });
    const live = drafts.map((draft) =>
      draft.type === 'item.output' && draft.stream === 'stdout' ? draft.chunk.length : 0,
    );
    // The line that would be cut in two is not shown.
    expect(live.reduce((sum, length) => sum + length, 0)).toBe(299_998);
    expect(drafts.at(-1)).toEqual({
      type: 'item.output',
      item_id: 'item-1',
      stream: 'progress',
      chunk: '[more than 300000 characters; the rest is not shown live]',
    });
  });

  it('ends the whole group when the time is up, even who does not listen', async () => {
    const cwd = temporaryFolder();
    const command = `trap '' TERM; (trap '' TERM; echo $BASHPID > inner; while :; do sleep 0.05; done) & echo $$ > outer; echo here; wait; wait`;
    const { drafts: _, ...result } = await bash({ command, timeout_ms: 300 }, { cwd });
    expect(result).toEqual({ status: 'error', output: 'here\n[ended: it ran longer than its time limit of 300 ms]' });
    await wait(100);
    expect(['inner', 'outer'].map((name) => isAlive(Number(readFileSync(join(cwd, name), 'utf8'))))).toEqual([
      false,
      false,
    ]);
  });

  it('ends the group when the run is cancelled, and does not begin after that', async () => {
    const cwd = temporaryFolder();
    const controller = new AbortController();
    const onDraft = (): void => controller.abort();
    const command = 'sleep 60 & echo $! > pid; echo here; wait';
    const { drafts: _, ...result } = await bash({ command }, { cwd, signal: controller.signal, onDraft });
    expect(result).toEqual({ status: 'cancelled', output: 'here\n[cancelled]' });
    expect(isAlive(Number(readFileSync(join(cwd, 'pid'), 'utf8')))).toBe(false);
    expect(await bash({ command: 'touch late' }, { cwd, signal: controller.signal })).toEqual({
      status: 'cancelled',
      output: 'cancelled',
      drafts: [],
    });
    expect(existsSync(join(cwd, 'late'))).toBe(false);
  });

  it.each([
    ['that holds the pipes', 'sleep 600 & echo $! > pid; echo here', 'here\n[its background processes were ended]'],
    [
      'that has no pipes',
      'sleep 600 >/dev/null 2>&1 & echo $! > pid; echo here',
      'here\n[its background processes were ended]',
    ],
  ])('does not wait for a background process %s, and ends it', async (_title, command, output) => {
    const cwd = temporaryFolder();
    const result = await bash({ command }, { cwd });
    expect({ status: result.status, output: result.output }).toEqual({ status: 'success', output });
    expect(isAlive(Number(readFileSync(join(cwd, 'pid'), 'utf8')))).toBe(false);
  });

  it.each([
    ['with the pipes', 'setsid sh -c "echo \\$\\$ > pid; exec sleep 60" & sleep 0.2; echo here'],
    ['as a daemon', 'setsid sh -c "(echo \\$\\$ > pid; exec sleep 60) &" <&- >&- 2>&-; sleep 0.2; echo here'],
  ])('ends a process that left the group %s', async (_title, command) => {
    const cwd = temporaryFolder();
    const { status, output } = await bash({ command }, { cwd });
    expect({ status, output }).toEqual({ status: 'success', output: 'here\n[its background processes were ended]' });
    expect(isAlive(Number(readFileSync(join(cwd, 'pid'), 'utf8')))).toBe(false);
  });

  describe.runIf(hasNamespaces)('in a namespace, where the system has them', () => {
    const contained = async (command: string, timeout_ms?: number): Promise<Called> =>
      bash({ command, ...present({ timeout_ms }) }, { cwd: temporaryFolder(), contained: true });

    it.each([
      ['echo "$PPID"', { status: 'success', output: '1', exit_code: 0 }],
      ['exit 3', { status: 'error', output: '(no output)\n[exit code 3]', exit_code: 3 }],
      ['kill -9 $$', { status: 'error', output: '(no output)\n[exit code 137]', exit_code: 137 }],
      ['cat; read x; echo "$x."', { status: 'success', output: '.', exit_code: 0 }],
      ['(sleep 0.05; echo late) & echo early', { status: 'success', output: 'early\nlate', exit_code: 0 }],
      [
        'id -u; touch a; stat -c %u a',
        { status: 'success', output: `${process.geteuid?.()}\n${process.geteuid?.()}`, exit_code: 0 },
      ],
    ])('%s', async (command, expected) => {
      const { drafts: _, ...result } = await contained(command);
      expect(result).toEqual(expected);
    });

    it('ends what left everything behind by which it could be found', async () => {
      const mark = `6${randomInt(10 ** 6, 10 ** 7)}`;
      const { status, output } = await contained(`env -i setsid sleep ${mark} <&- >&- 2>&- & sleep 0.1; echo here`);
      expect({ status, output }).toEqual({ status: 'success', output: 'here\n[its background processes were ended]' });
      expect(processesWith(mark)).toEqual([]);
    });

    it('ends all when the time is up, even who does not listen', async () => {
      const mark = `6${randomInt(10 ** 6, 10 ** 7)}`;
      const { output } = await contained(
        `trap '' TERM; env -i setsid sleep ${mark} & echo here; wait; sleep ${mark}`,
        300,
      );
      expect(output).toBe('here\n[ended: it ran longer than its time limit of 300 ms]');
      expect(processesWith(mark)).toEqual([]);
    });
  });

  it('keeps secrets of the environment from the command', async () => {
    const env = {
      PATH: process.env.PATH ?? '',
      PLAIN: 'seen',
      OPENAI_API_KEY: 'x',
      GITHUB_TOKEN: 'x',
      MY_SECRET: 'x',
      DB_PASSWORD: 'x',
      db_passwd: 'x',
      dbPass: 'x',
      SLACK_WEBHOOK: 'https://hooks.example.com/services/x',
      REQUEST_SIGNATURE: 'c2lnbmF0dXJlIG9mIGEgcmVxdWVzdA',
      HTTPS_PROXY: 'http://proxy.example.com:3128',
      GOOGLE_APPLICATION_CREDENTIALS: 'x',
      DATABASE_URL: ['postgres://user:', 'word@host/db'].join(''),
      HOME_PAGE: 'https://example.com/',
      SSH_AUTH_SOCK: '/run/agent',
    };
    const { output } = await bash({ command: 'env | cut -d= -f1 | grep -vE "^(PWD|SHLVL|_)$" | sort' }, { env });
    expect(output.split('\n')).toEqual(['HOME_PAGE', 'HTTPS_PROXY', 'PATH', 'PLAIN', 'RUNWIRE_RUNS', 'SSH_AUTH_SOCK']);
  });

  it.each([
    ['leaves in the middle', 'process.exit(7)', { status: 7, signal: null }],
    ['is killed', "process.kill(process.pid, 'SIGKILL')", { status: null, signal: 'SIGKILL' }],
  ])('leaves nobody behind when Runwire %s', async (_title, leave, end) => {
    const mark = randomUUID();
    const command = `setsid sh -c '(sleep 60; : ${mark}) <&- >&- 2>&- &'; trap '' TERM; sleep 0.2; echo go; sleep 60; : ${mark}`;
    const script = `
      import { builtinTools } from './src/builtin/tools/index.ts';
      const [bash] = builtinTools({ permissions: { mode: 'full', allow: [], deny: [], directories: [] } });
      const emit = () => ${leave};
      await bash.run({ command: ${JSON.stringify(command)} }, { itemId: 'i', cwd: '/', env: process.env, signal: new AbortController().signal, emit });
    `;
    const root = join(import.meta.dirname, '..', '..');
    const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      stdio: 'ignore',
    });
    expect({ status, signal }).toEqual(end);
    expect(await until(() => processesWith(mark).length === 0)).toBe(true);
  });
});

it('never cuts in the middle of a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 2, max: 40 }), (text, limit) => {
      const clipped = clip(text, limit);
      expect(clipped.isWellFormed()).toBe(text.isWellFormed());
      if (text.length <= limit - 1) expect(clipped).toBe(text);
    }),
  );
});

describe('read', () => {
  const read = async (
    input: { path: string; offset?: number; limit?: number; line_numbers?: boolean },
    files: Record<string, string | Uint8Array>,
  ) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'folder', 'inner'), { recursive: true });
    mkdirSync(join(cwd, 'empty'));
    for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
    const { status, output } = await callBuiltin('read', input, { cwd });
    return { status, output };
  };
  const numbers = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`);

  it.each<[string, Parameters<typeof read>[0], Record<string, string | Uint8Array>, string]>([
    ['a file', { path: 'a' }, { a: 'one\ntwo\n' }, 'one\ntwo\n'],
    ['a file without a last line end', { path: './a' }, { a: 'one\ntwo' }, 'one\ntwo\n'],
    ['numbers', { path: 'a', line_numbers: true }, { a: 'one\ntwo\n' }, '1\tone\n2\ttwo\n'],
    [
      'some lines',
      { path: 'a', offset: 2, limit: 1 },
      { a: 'one\ntwo\nthree\n' },
      'two\n[lines 2 to 2 of 3; continue with offset 3]\n',
    ],
    ['the last lines', { path: 'a', offset: 3 }, { a: 'one\ntwo\nthree\n' }, 'three\n[lines 3 to 3 of 3; the end]\n'],
    ['an empty file', { path: 'a' }, { a: '' }, '(empty file)'],
    [
      'many lines',
      { path: 'a' },
      { a: numbers.join('\n') },
      `${numbers.slice(0, 2000).join('\n')}\n[lines 1 to 2000 of 5000; continue with offset 2001]\n`,
    ],
    [
      'a very long line',
      { path: 'a' },
      { a: `${'x'.repeat(60_000)}\nnext` },
      `${'x'.repeat(50_000)}\n[line 1 is cut: it has 60001 characters]\n[lines 1 to 1 of 2; continue with offset 2]\n`,
    ],
    ['a folder', { path: '.' }, { b: '', a: '' }, 'a\nb\nempty/\nfolder/'],
    ['an empty folder', { path: 'empty' }, {}, '(empty folder)'],
  ])('%s', async (_title, input, files, output) => {
    expect(await read(input, files)).toEqual({ status: 'success', output });
  });

  it.each<[string, Parameters<typeof read>[0], Record<string, string | Uint8Array>, string]>([
    ['a binary file', { path: 'a' }, { a: Uint8Array.of(1, 0, 2) }, 'a is a binary file of 3 bytes'],
    ['nothing', { path: 'none' }, {}, 'none does not exist'],
    ['a file as a folder', { path: 'a/b' }, { a: '' }, 'a part of a/b is not a folder'],
    ['behind the end', { path: 'a', offset: 9 }, { a: 'one\n' }, 'a has 1 lines; offset 9 is behind its end'],
    [
      'a large file',
      { path: 'a' },
      { a: Buffer.alloc(11 * 1024 * 1024, 'x') },
      'a has 11534336 bytes; files to 10485760 bytes are taken whole: use grep to see parts of it',
    ],
  ])('refuses %s', async (_title, input, files, output) => {
    expect(await read(input, files)).toEqual({ status: 'error', output });
  });
});

describe('write', () => {
  it('creates a file with its folders, changes it, and tells both with a diff that applies', async () => {
    const cwd = temporaryFolder();
    const other = temporaryFolder();
    const path = 'new/deep folder/file.txt';
    const created = await callBuiltin('write', { path, content: 'one\ntwo\nthree\n' }, { cwd });
    const modified = await callBuiltin('write', { path: join(cwd, path), content: 'one\n2\nthree\nfour' }, { cwd });
    expect([created, modified].map(({ status, output }) => ({ status, output }))).toEqual([
      { status: 'success', output: `created ${path} (+3 -0)` },
      { status: 'success', output: `modified ${path} (+2 -1)` },
    ]);
    const common = { type: 'file.edited', path, item_id: 'item-1', diff: expect.any(String) };
    expect([created.drafts, modified.drafts]).toEqual([
      [{ ...common, operation: 'created', additions: 3, deletions: 0 }],
      [{ ...common, operation: 'modified', additions: 2, deletions: 1 }],
    ]);
    for (const { drafts } of [created, modified]) {
      const [draft] = drafts;
      execFileSync('git', ['apply', '-'], { cwd: other, input: draft?.type === 'file.edited' ? draft.diff : '' });
    }
    expect(readFileSync(join(other, path), 'utf8')).toBe('one\n2\nthree\nfour');
  });

  it('tells nothing where nothing changed', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a'), 'same');
    expect(await callBuiltin('write', { path: 'a', content: 'same' }, { cwd })).toEqual({
      status: 'success',
      output: 'a already has this content',
      drafts: [],
    });
  });

  it('writes over a binary file without a diff, and keeps the mode of a file', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a'), Uint8Array.of(0, 1), { mode: 0o755 });
    expect(await callBuiltin('write', { path: 'a', content: 'text' }, { cwd })).toEqual({
      status: 'success',
      output: 'modified a',
      drafts: [{ type: 'file.edited', path: 'a', operation: 'modified', item_id: 'item-1' }],
    });
    expect(statSync(join(cwd, 'a')).mode & 0o777).toBe(0o755);
  });

  it('creates an empty file', async () => {
    const { output, drafts } = await callBuiltin('write', { path: 'a', content: '' }, { cwd: temporaryFolder() });
    expect({ output, drafts }).toEqual({
      output: 'created a (+0 -0)',
      drafts: [expect.objectContaining({ operation: 'created', additions: 0, deletions: 0 })],
    });
  });

  it.each([
    ['folder', 'folder is a folder'],
    ['file/x', 'a part of file/x is not a folder'],
  ])('refuses %s', async (path, output) => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'folder'));
    writeFileSync(join(cwd, 'file'), '');
    expect(await callBuiltin('write', { path, content: 'x' }, { cwd })).toEqual({
      status: 'error',
      output,
      drafts: [],
    });
  });
});

describe('edit', () => {
  const text = 'function add(a, b) {\n  return a - b;\n}\nlog(1);\nlog(2);\n';
  const edit = async (
    input: { old_string: string; new_string: string; replace_all?: boolean },
    content: string | Uint8Array = text,
  ) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.js'), content);
    const called = await callBuiltin('edit', { path: 'a.js', ...input }, { cwd });
    return { ...called, now: readFileSync(join(cwd, 'a.js'), 'utf8') };
  };

  it('replaces one piece', async () => {
    expect(await edit({ old_string: 'a - b', new_string: "$& + $1 $'" })).toEqual({
      status: 'success',
      output: 'modified a.js (+1 -1)',
      now: text.replace('a - b', () => "$& + $1 $'"),
      drafts: [
        {
          type: 'file.edited',
          path: 'a.js',
          operation: 'modified',
          item_id: 'item-1',
          additions: 1,
          deletions: 1,
          diff: "--- a/a.js\n+++ b/a.js\n@@ -1,5 +1,5 @@\n function add(a, b) {\n-  return a - b;\n+  return $& + $1 $';\n }\n log(1);\n log(2);\n",
        },
      ],
    });
  });

  it('replaces all pieces', async () => {
    const { now, output } = await edit({ old_string: 'log(', new_string: 'print(', replace_all: true });
    expect({ now, output }).toEqual({ now: text.replaceAll('log(', 'print('), output: 'modified a.js (+2 -2)' });
  });

  it.each<[string, Parameters<typeof edit>[0], string]>([
    ['not there', { old_string: 'zzzzzzz', new_string: 'x' }, 'old_string was not found in a.js; read the file again'],
    [
      'nearly there',
      { old_string: 'return a-b;', new_string: 'x' },
      'old_string was not found in a.js; the nearest is line 2: "  return a - b;"',
    ],
    [
      'there for one line only',
      { old_string: 'log(1);\nlog(3);', new_string: 'x' },
      'old_string was not found in a.js; its first line stands at line 4: "log(1);"',
    ],
    [
      'there twice',
      { old_string: 'log(', new_string: 'x' },
      'old_string was found 2 times in a.js, at lines 4, 5; add text around it, or set replace_all',
    ],
    ['the same', { old_string: 'log(', new_string: 'log(' }, 'old_string and new_string are the same text'],
    [
      'empty',
      { old_string: '', new_string: 'x' },
      'old_string is empty; to create a file or replace all of it use write',
    ],
  ])('refuses a text that is %s', async (_title, input, output) => {
    expect(await edit(input)).toEqual({ status: 'error', output, now: text, drafts: [] });
  });

  it('edits a file with CRLF in its own way, and keeps its byte order mark', async () => {
    const { now } = await edit({ old_string: 'one\ntwo', new_string: '1\n2\n3' }, '\uFEFFone\r\ntwo\r\n');
    expect(now).toBe('\uFEFF1\r\n2\r\n3\r\n');
  });

  it('leaves a file alone that is not UTF-8', async () => {
    const { status, output } = await edit({ old_string: 'a', new_string: 'b' }, Uint8Array.of(97, 0xe9, 98));
    expect({ status, output }).toEqual({ status: 'error', output: 'a.js is not a UTF-8 text file' });
  });

  it('does not create a file', async () => {
    const cwd = temporaryFolder();
    expect(await callBuiltin('edit', { path: 'x/y', old_string: 'a', new_string: 'b' }, { cwd })).toEqual({
      status: 'error',
      output: 'x/y does not exist',
      drafts: [],
    });
    expect(existsSync(join(cwd, 'x'))).toBe(false);
  });

  it('loses nothing when one turn edits a file many times', async () => {
    const cwd = temporaryFolder();
    const names = Array.from({ length: 20 }, (_, index) => `name${String(index).padStart(2, '0')}`);
    writeFileSync(join(cwd, 'a'), names.join('\n'));
    await Promise.all(
      names.map((name) => callBuiltin('edit', { path: 'a', old_string: name, new_string: `${name}!` }, { cwd })),
    );
    expect(readFileSync(join(cwd, 'a'), 'utf8')).toBe(names.map((name) => `${name}!`).join('\n'));
  });

  it('does what replacing does, for any text', async () => {
    const cwd = temporaryFolder();
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', ' ', '$', '&', 'é'), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(piece, piece, piece, piece, async (before, old_string, after, new_string) => {
        const content = before + old_string + after;
        writeFileSync(join(cwd, 'a'), content);
        const { status } = await callBuiltin('edit', { path: 'a', old_string, new_string, replace_all: true }, { cwd });
        const isEdit = old_string !== '' && old_string !== new_string;
        expect({ status, now: readFileSync(join(cwd, 'a'), 'utf8') }).toEqual({
          status: isEdit ? 'success' : 'error',
          now: isEdit ? content.replaceAll(old_string, () => new_string) : content,
        });
      }),
    );
  });
});

describe('grep and glob', () => {
  const project = (): string => {
    const cwd = temporaryFolder();
    const files: Record<string, string> = {
      '.gitignore': 'ignored/\n',
      '.git/config': 'needle',
      '.hidden/a.ts': 'needle hidden\n',
      'ignored/a.ts': 'needle ignored\n',
      'src/a.ts': 'one\nneedle here\nthree\n',
      'src/deep/b.tsx': 'Needle (there)\r\n',
      'src/long.js': `needle ${'x'.repeat(2000)}\n`,
      'secrets/s.ts': 'needle secret\n',
      'bin.dat': 'needle\0needle\n',
      '-e': 'needle dash\n',
    };
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(cwd, name, '..'), { recursive: true });
      writeFileSync(join(cwd, name), content);
    }
    return cwd;
  };
  const said = async (
    tool: string,
    input: Record<string, unknown>,
    deny: string[] = [],
  ): Promise<{ status: string; output: string }> => {
    const { status, output } = await callBuiltin(tool, input, {
      cwd: project(),
      permissions: parseRules('read-only', [], deny),
    });
    return { status, output };
  };

  it.each<[string, Record<string, unknown>, string]>([
    ['grep', { pattern: 'needle h', glob: '*.ts' }, '.hidden/a.ts:1:needle hidden\nsrc/a.ts:2:needle here'],
    ['grep', { pattern: 'NEEDLE', path: 'src/deep', ignore_case: true }, 'src/deep/b.tsx:1:Needle (there)'],
    ['grep', { pattern: '(there)', literal: true }, 'src/deep/b.tsx:1:Needle (there)'],
    [
      'grep',
      { pattern: 'needle', path: 'src/a.ts', context: 1 },
      'src/a.ts-1-one\nsrc/a.ts:2:needle here\nsrc/a.ts-3-three',
    ],
    ['grep', { pattern: 'needle', path: '-e' }, '-e:1:needle dash'],
    ['grep', { pattern: '-needle' }, 'no matches'],
    ['grep', { pattern: 'needle', output: 'files', glob: 'src/**' }, 'src/a.ts\nsrc/long.js'],
    ['grep', { pattern: 'needle x', glob: '*.js' }, `src/long.js:1:needle ${'x'.repeat(493)}… (2007 characters)`],
    [
      'grep',
      { pattern: 'needle', glob: '*.{ts,tsx}', limit: 1 },
      '.hidden/a.ts:1:needle hidden\n[more than 1 results; make the search narrower]',
    ],
    ['grep', { pattern: 'nowhere' }, 'no matches'],
    ['glob', { pattern: '**/*.ts' }, '.hidden/a.ts\nsecrets/s.ts\nsrc/a.ts'],
    ['glob', { pattern: '*.{ts,tsx}', path: 'src' }, 'src/a.ts'],
    ['glob', { pattern: './**/b.?sx' }, 'src/deep/b.tsx'],
    ['glob', { pattern: '*', limit: 1 }, '-e\n[more than 1 results; make the search narrower]'],
    ['glob', { pattern: '*.py' }, 'no matches'],
  ])('%s %j', async (tool, input, output) => {
    expect(await said(tool, input)).toEqual({ status: 'success', output });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['grep', { pattern: '(' }, 'unclosed group'],
    ['grep', { pattern: 'x', path: 'none' }, 'none does not exist'],
    ['glob', { pattern: '*', path: '..' }, '.. is outside the working directory; file tools stay inside it'],
  ])('%s %j fails', async (tool, input, output) => {
    expect(await said(tool, input)).toEqual({ status: 'error', output: expect.stringContaining(output) });
  });

  it('leaves out what may not be read', async () => {
    expect(await said('grep', { pattern: 'needle s' }, ['read(secrets/**)'])).toEqual({
      status: 'success',
      output: 'no matches',
    });
    expect(await said('glob', { pattern: '**/s.ts' }, ['glob(secrets/**)'])).toEqual({
      status: 'success',
      output: 'no matches',
    });
    expect(await said('grep', { pattern: 'needle s' }, ['glob(secrets/**)'])).toEqual({
      status: 'success',
      output: 'secrets/s.ts:1:needle secret',
    });
  });

  it('says so where the search program cannot be run', () => {
    const script = `
      import { builtinTools } from './src/builtin/tools/index.ts';
      const glob = builtinTools({ permissions: { mode: 'full', allow: [], deny: [], directories: [] } }).find(({ name }) => name === 'glob');
      console.log(JSON.stringify(await glob.run({ pattern: '*' }, { cwd: process.cwd(), signal: new AbortController().signal })));
    `;
    const root = join(import.meta.dirname, '..', '..');
    // The package looks for a binary of this architecture.
    const env = { ...process.env, npm_config_arch: 'abacus' };
    expect(
      JSON.parse(
        execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root, env, encoding: 'utf8' }),
      ),
    ).toEqual({
      status: 'error',
      output: expect.stringMatching(/^ripgrep, which grep and glob need, cannot be run here: Could not find .*abacus/),
    });
  });

  it('stops when the run is cancelled', async () => {
    const signal = AbortSignal.abort();
    expect(await callBuiltin('grep', { pattern: 'x' }, { cwd: project(), signal })).toEqual({
      status: 'cancelled',
      output: 'cancelled',
      drafts: [],
    });
  });
});

describe('fetch', () => {
  const serve = async (answer: RequestListener): Promise<string> => {
    const server = createServer(answer);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close().closeAllConnections());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const get = async (url: string, options: { allow?: string[]; signal?: AbortSignal } = {}) => {
    const permissions = options.allow === undefined ? parseRules('full') : parseRules('edit', options.allow);
    const { status, output } = await callBuiltin(
      'fetch',
      { url },
      {
        cwd: '/',
        permissions,
        network: { allowPrivate: true },
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
    );
    return { status, output };
  };
  const say =
    (type: string, body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): RequestListener =>
    (_request, response) =>
      void response.writeHead(status, { 'content-type': type, ...headers }).end(body);

  it.each<[string, RequestListener, { status: string; output: string }]>([
    [
      'HTML',
      say('text/html; charset=utf-8', '<h1>Hi</h1><p>A <a href="/x">link</a></p>'),
      { status: 'success', output: '# Hi\n\nA [link](/x)' },
    ],
    ['JSON', say('application/json', '{"a":1}'), { status: 'success', output: '{"a":1}' }],
    ['Latin-1', say('text/plain; charset=iso-8859-1', Uint8Array.of(0xe9)), { status: 'success', output: 'é' }],
    ['an unknown charset', say('text/plain; charset=nonsense', 'é'), { status: 'success', output: 'é' }],
    [
      'gzip',
      say('text/plain', gzipSync('packed'), 200, { 'content-encoding': 'gzip' }),
      { status: 'success', output: 'packed' },
    ],
    ['an error', say('text/plain', 'gone', 404), { status: 'error', output: 'the server answered 404\ngone' }],
    ['an image', say('image/png', 'x'), { status: 'error', output: 'the answer (200) is image/png, not text' }],
    ['NULs', say('text/plain', 'a\0b'), { status: 'error', output: 'the answer (200) is text/plain, not text' }],
    [
      'a broken connection',
      (request) => void request.socket.destroy(),
      { status: 'error', output: expect.stringContaining('socket hang up') },
    ],
  ])('%s', async (_title, answer, expected) => {
    expect(await get(await serve(answer))).toEqual(expected);
  });

  it('reads 1 MB and no more, also of what was packed', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 'x'));
    const { output } = await get(await serve(say('text/plain', bomb, 200, { 'content-encoding': 'gzip' })));
    expect(output).toBe(
      `${'x'.repeat(25_000)}\n[${1024 * 1024 - 50_000} characters cut here]\n${'x'.repeat(25_000)}\n[the answer is longer than 1048576 bytes; the rest was not read]`,
    );
  });

  it('does not wait for a page that is made to be slow', async () => {
    const url = await serve(say('text/html', '<b>x'.repeat(200_000)));
    const { status, output } = await get(url);
    expect({ status, begins: output.slice(0, 6) }).toEqual({ status: 'success', begins: ' x x x' });
  });

  it('follows five redirects, and not six', async () => {
    const url = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end('here');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect([await get(`${url}/5`), await get(`${url}/6`)]).toEqual([
      { status: 'success', output: 'here' },
      { status: 'error', output: `${url}/6 redirects more than 5 times` },
    ]);
  });

  it('is not led to a host that the rules do not allow', async () => {
    const url = await serve(
      (_request, response) => void response.writeHead(302, { location: 'http://other.test/x' }).end(),
    );
    expect(await get(url, { allow: ['fetch(127.0.0.1)'] })).toEqual({
      status: 'error',
      output: `${url}/ leads to http://other.test/x: no rule allows fetch(other.test); allowed: fetch(127.0.0.1)`,
    });
  });

  it('stops when the run is cancelled', async () => {
    const controller = new AbortController();
    const url = await serve(() => controller.abort());
    expect(await get(url, { signal: controller.signal })).toEqual({ status: 'cancelled', output: 'cancelled' });
  });
});

it('todo shows the plan', async () => {
  const todos = [
    { content: 'read', status: 'completed' },
    { content: 'edit', status: 'in_progress' },
    { content: 'test', status: 'pending' },
  ];
  const drafts: Draft[] = [];
  expect(await callBuiltin('todo', { todos }, { cwd: '/' })).toEqual({
    status: 'success',
    output: '1 of 3 done\n[x] read\n[>] edit\n[ ] test',
    drafts,
  });
});
