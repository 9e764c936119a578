import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesPath } from '../../src/files/path-pattern.ts';
import { decide, parseRules } from '../../src/builtin/permissions/rules.ts';
import type { PermissionMode } from '../../src/words/vocabulary.ts';
import { readScript } from '../../src/builtin/permissions/shell.ts';
import type { Need } from '../../src/builtin/tools/tool.ts';
import { fuzzRuns } from '../support/fuzz.ts';

const may = (tool: string, need: Need, mode: PermissionMode, allow: string[] = [], deny: string[] = []): boolean =>
  decide(parseRules(mode, allow, deny), tool, need).allowed;
const command = (subject: string): Need => ({ access: 'execute', subject });
const runs = (subject: string, allow: string[], deny: string[] = [], mode: PermissionMode = 'edit'): boolean =>
  may('bash', command(subject), mode, allow, deny);

describe('modes', () => {
  it.each<[string, Need['access'], Record<PermissionMode, boolean>]>([
    ['todo', 'none', { 'read-only': true, edit: true, full: true }],
    ['read', 'read', { 'read-only': true, edit: true, full: true }],
    ['grep', 'read', { 'read-only': true, edit: true, full: true }],
    ['glob', 'read', { 'read-only': true, edit: true, full: true }],
    ['write', 'write', { 'read-only': false, edit: true, full: true }],
    ['edit', 'write', { 'read-only': false, edit: true, full: true }],
    ['bash', 'execute', { 'read-only': false, edit: false, full: true }],
    ['fetch', 'network', { 'read-only': false, edit: false, full: true }],
    ['mcp__files__remove', 'execute', { 'read-only': false, edit: false, full: true }],
  ])('%s', (tool, access, expected) => {
    const need: Need = { access, subject: 'x' };
    expect({
      'read-only': may(tool, need, 'read-only'),
      edit: may(tool, need, 'edit'),
      full: may(tool, need, 'full'),
    }).toEqual(expected);
  });
});

describe('rules for commands', () => {
  it.each([
    ['npm test', true],
    ['npm test -- --watch', true],
    ['  npm   test  ', true],
    ['npm "test"', true],
    [String.raw`n\pm te''st`, true],
    ['npm test "a; rm -rf /"', true],
    ["npm test '$(rm -rf /)'", true],
    ['npm test \\; rm', true],
    ['npm test *.ts $HOME ~', true],
    ['npm test 2>&1', true],
    ['npm test >/dev/null 2>&1', true],
    ['npm test # and then rm -rf /', true],
    ['npm test && git status', true],
    ['npm test; git status', true],
    ['npm test\ngit status\n', true],
    ['npm test | git status &', true],
    ['(npm test; git status)', true],
    ['npm test $(git status)', true],
    ['npm test "`git status`"', true],
    ['npm test $(npm test $(git status))', true],
    ['npm testing', false],
    ['npm', false],
    ['npm run test', false],
    ['git status --short', false],
    ['git  status', true],
    ['NODE_OPTIONS=x npm test', false],
    ['./npm test', false],
    ['npm $X', false],
    ['$X test', false],
    ['npm te*', false],
    ['npm {test,x}', false],
    ['npm test; rm -rf /', false],
    ['npm test & rm -rf /', false],
    ['npm test\nrm -rf /', false],
    ['npm test || rm -rf /', false],
    ['npm test | rm -rf /', false],
    ['npm test |& rm -rf /', false],
    ['(npm test; rm -rf /)', false],
    ['npm test $(rm -rf /)', false],
    ['npm test "$(rm -rf /)"', false],
    ['npm test `rm -rf /`', false],
    ['npm test "`rm -rf /`"', false],
    ['npm test <(rm -rf /)', false],
    ['npm test >(rm -rf /)', false],
    ['npm test > file', false],
    ['npm test >> file', false],
    ['npm test &> file', false],
    ['npm test >& file', false],
    ['npm test >| file', false],
    ['npm test 2> file', false],
    ['npm test < file', false],
    ['npm test <<< x', false],
    ['npm test << X\nrm\nX\nrm -rf /', false],
    ['npm test ${X:-$(rm -rf /)}', false],
    ['npm test $((1+1))', false],
    ["npm test $'\\x3b'", false],
    ['npm() { rm -rf /; }; npm test', false],
    ['for x in a; do npm test; done', false],
    ['{ npm test; }', false],
    ['! npm test', false],
    ['npm test "unfinished', false],
    ["npm test 'unfinished", false],
    ['npm test $(git status', false],
    ['npm test )', false],
    ['npm test \\', false],
    ['npm test "$\\\n(rm)"', false],
    ['npm test\r\nrm', false],
    ['npm test \0', false],
    ['', false],
    ['# nothing', false],
    ['>/dev/null', false],
  ])('%j → %s', (text, expected) => {
    expect(runs(text, ['bash(npm test:*)', 'bash(git status)'])).toBe(expected);
  });

  it.each([
    ['bash(node --test*)', 'node --test', true],
    ['bash(node --test*)', 'node --test-only test/a.js', true],
    ['bash(node --test*)', 'node --test test/a.js', true],
    ['bash(node --test*)', 'node --tes', false],
    ['bash(node --test*)', 'node', false],
    ['bash(node --test*)', 'node x --test', false],
    ['bash(node --test*)', 'node --test; rm x', false],
    ['bash(node --test*)', 'node --test > x', false],
    ['bash(node --test *)', 'node --test a.js', true],
    ['bash(node --test *)', 'node --test', true],
    ['bash(node --test *)', 'node --test-only', false],
    ['bash(npm*)', 'npm test', true],
    ['bash(npm*)', 'npx x', false],
    ['bash(*)', 'anything | at > all', true],
    ['bash(ls *.ts)', 'ls *.ts', true],
    ['bash(ls *.ts)', 'ls a.ts', false],
    ["bash(grep 'a*')", "grep 'a*'", true],
    ["bash(grep 'a*')", 'grep ab', false],
  ])('%s and %j → %s', (rule, text, expected) => {
    expect(runs(text, [rule])).toBe(expected);
  });

  it.each([
    ['bash(rm*)', 'sudo /bin/rmdir x', true],
    ['bash(git push*)', 'git push --force', true],
    ['bash(git push*)', 'git pull', false],
    ['bash(git push*)', 'git $X', true],
  ])('a denial %s covers %j: %s', (rule, text, expected) => {
    expect(decide(parseRules('full', [], [rule]), 'bash', command(text)).allowed).toBe(!expected);
  });

  it.each([
    ['rm -rf x', true],
    ['git push', true],
    ['git push --force', true],
    ['git pull', false],
    ['ls; rm x', true],
    ['ls $(rm x)', true],
    ['/bin/rm x', true],
    ['A=1 rm x', true],
    ['sudo rm x', true],
    ['ls | xargs rm', true],
    ['find . -exec rm {} \\;', true],
    ['find . -exec grep x {} \\;', false],
    ['sh -c "ls; rm x"', true],
    ['bash -c "for f in *; do rm $f; done"', true],
    ['$X x', true],
    ['git $X', true],
    ['r? x', true],
    ['for f in *; do rm $f; done', true],
    ['echo "rm x"', false],
    ['grep rm file', false],
    ['rmdir x', false],
    ['git status > file', false],
  ])('mode full, rm and git push denied: %j → %s', (text, denied) => {
    expect(runs(text, ['bash'], ['bash(rm:*)', 'bash(git push:*)'], 'full')).toBe(!denied);
  });

  it('lets a bare rule allow every command, and a denial win over it', () => {
    expect([runs('for f in *; do rm $f; done > x', ['bash']), runs('ls', ['bash'], ['bash']), runs('ls', [])]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('takes a command line apart', () => {
    expect(readScript(`a "b c" 'd'e | f $(g "$h" > i) ; (j k*) 2>&1 >/dev/null`)).toEqual({
      commands: [
        ['a', 'b c', 'de'],
        ['g', '\0$h'],
        ['f', '\0$()'],
        ['j', 'k\0*'],
      ],
      files: ['i'],
    });
  });
});

describe('rules for paths and hosts', () => {
  const path = (tool: string, subject: string): Need => ({
    access: tool === 'read' || tool === 'grep' ? 'read' : 'write',
    subject,
  });

  it.each([
    ['write(src/**)', 'write', 'src/a.ts', true],
    ['write(src/**)', 'write', 'src/a/.b/c.ts', true],
    ['write(src/**)', 'edit', 'src/a.ts', true],
    ['edit(src/**)', 'write', 'src/a.ts', false],
    ['write(src/**)', 'write', 'src2/a.ts', false],
    ['write(src/**)', 'write', 'lib/src/a.ts', false],
    ['write(./src/*.ts)', 'write', 'src/a.ts', true],
    ['write(src/*.ts)', 'write', 'src/b/a.ts', false],
    ['write(**/*.md)', 'write', 'README.md', true],
    ['write(**/*.md)', 'write', 'docs/a/b.md', true],
    ['write(src/?.ts)', 'write', 'src/a.ts', true],
    ['write(src/?.ts)', 'write', 'src//.ts', false],
    ['write(app/[id]/*.{ts,tsx})', 'write', 'app/[id]/page.tsx', true],
    ['write(app/[id]/*)', 'write', 'app/i/page.tsx', false],
    ['write(/data/**)', 'write', '/data/x', true],
    ['write', 'write', 'anything', true],
  ])('%s lets %s %s: %s', (rule, tool, subject, expected) => {
    expect(may(tool, path(tool, subject), 'read-only', [rule])).toBe(expected);
  });

  it('denies reading to every tool that reads', () => {
    const deny = ['read(secrets/**)'];
    expect(['read', 'grep'].map((tool) => may(tool, path(tool, 'secrets/a'), 'full', ['read'], deny))).toEqual([
      false,
      false,
    ]);
    expect(may('write', path('write', 'secrets/a'), 'full', [], deny)).toBe(true);
  });

  it.each([
    ['fetch(example.com)', 'example.com', true],
    ['fetch(Example.COM.)', 'example.com', true],
    ['fetch(example.com)', 'a.example.com', false],
    ['fetch(example.com)', 'evilexample.com', false],
    ['fetch(*.example.com)', 'a.b.example.com', true],
    ['fetch(*.example.com)', 'example.com', false],
    ['fetch(*.example.com)', 'evilexample.com', false],
    ['fetch', 'anything.test', true],
  ])('%s lets fetch %s: %s', (rule, subject, expected) => {
    expect(may('fetch', { access: 'network', subject }, 'read-only', [rule])).toBe(expected);
  });

  it.each([
    ['mcp__files__list', true],
    ['mcp__files', true],
    ['mcp__file', false],
    ['mcp__files__li', false],
    ['bash', false],
  ])('%s lets mcp__files__list: %s', (rule, expected) => {
    expect(may('mcp__files__list', command('mcp__files__list'), 'edit', [rule])).toBe(expected);
  });
});

it('takes time in proportion to the pattern, whatever the pattern', () => {
  // Each of these would keep a matcher that goes back and forth busy for longer than a test may take.
  const need: Need = { access: 'write', subject: `${'a/'.repeat(2000)}b` };
  const name: Need = { access: 'write', subject: 'a'.repeat(255) };
  const patterns = [
    `${'**/a*a*a*a*/'.repeat(50)}c`,
    `${'*a'.repeat(100)}b`,
    '{a,b}'.repeat(50),
    `{${','.repeat(300_000)}`,
    '{,'.repeat(150_000),
    '}'.repeat(300_000),
    `{${'a,'.repeat(150_000)}}`,
  ];
  for (const pattern of patterns) {
    expect(may('write', need, 'read-only', [`write(${pattern})`])).toBe(false);
    expect(may('write', name, 'read-only', [`write(${pattern})`])).toBe(false);
  }
  expect(runs('env '.repeat(5000), [], ['bash(rm:*)'], 'full')).toBe(true);
});

it('matches paths as a regular expression would', () => {
  const spread = (pattern: string): string[] => {
    const [all, inside] = /\{([^{}]*,[^{}]*)\}/.exec(pattern) ?? [];
    if (all === undefined || inside === undefined) return [pattern];
    return inside.split(',').flatMap((each) => spread(pattern.replace(all, () => each)));
  };
  const segment = (text: string): string =>
    text.replaceAll(/[.*+?^${}()|[\]\\]/g, (each) => (each === '*' ? '[^/]*' : each === '?' ? '[^/]' : `\\${each}`));
  const regExp = (pattern: string): RegExp => {
    const parts = `/${pattern}`
      .split('/')
      .slice(1)
      .map((each) => (each === '**' ? '(?:/[^/]*)*' : `/${segment(each)}`));
    return new RegExp(`^${parts.join('')}$`);
  };
  const piece = fc.constantFrom('a', 'b', '*', '?', '**', '/', '/**/', '{a,b}', '{', '}', ',');
  const pattern = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''));
  const path = fc
    .array(fc.constantFrom('a', 'b', '/', 'ab', '{', ','), { minLength: 1, maxLength: 6 })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(pattern, path, (asked, subject) => {
      expect(matchesPath(asked)(subject)).toBe(spread(asked).some((each) => regExp(each).test(`/${subject}`)));
    }),
    { numRuns: 2000 },
  );
});

it('says why', () => {
  const reason = (tool: string, need: Need, allow: string[] = [], deny: string[] = []): string =>
    decide(parseRules('edit', allow, deny), tool, need).reason;
  expect([
    reason('read', { access: 'read', subject: 'a' }),
    reason('bash', command('ls')),
    reason('fetch', { access: 'network', subject: 'example.com' }),
    reason('bash', command('npm test && ls -l *'), ['bash(npm test:*)']),
    reason('bash', command('npm test > log'), ['bash(npm test:*)']),
    reason('bash', command('npm test'), ['bash(npm test:*)']),
    reason('bash', command('npm test'), ['bash(npm test:*)'], ['bash(npm:*)']),
  ]).toEqual([
    'permission mode edit',
    'permission mode edit does not let bash run, and no rule allows it',
    'permission mode edit does not let fetch use the network, and no rule allows it',
    'no rule allows bash(ls -l *); allowed: bash(npm test:*)',
    'the command redirects to or from log; only mode full allows that',
    'allowed by the rule bash(npm test:*)',
    'denied by the rule bash(npm:*)',
  ]);
});

it.each([
  ['bash(', 'it is not a tool name with a pattern in brackets'],
  ['', 'it is not a tool name with a pattern in brackets'],
  ['Bash(ls)', 'there is no tool "Bash"'],
  ['constructor', 'there is no tool "constructor"'],
  ['bash(ls; rm)', 'a rule names one plain command, without ;, &&, |, redirections or substitutions'],
  ['bash(ls > x)', 'a rule names one plain command, without ;, &&, |, redirections or substitutions'],
  ['bash(:*)', 'a rule names one plain command, without ;, &&, |, redirections or substitutions'],
  ['bash(git * main)', 'a * stands for words only at the end of a command'],
  ['bash()', 'a rule names one plain command, without ;, &&, |, redirections or substitutions'],
  ['write(src/)', 'a folder is named by its contents'],
  ['write(../x)', 'a path cannot have .. in it or begin with ~'],
  ['read(~/x)', 'a path cannot have .. in it or begin with ~'],
  ['fetch(https://example.com)', 'a host is a name without scheme, port or path'],
  ['fetch(example.com:80)', 'a host is a name without scheme, port or path'],
  ['fetch(exa*.com)', 'a host is a name without scheme, port or path'],
  ['todo(x)', 'todo takes no pattern'],
  ['mcp__a__b(x)', 'mcp__a__b takes no pattern'],
])('refuses the rule %j', (rule, why) => {
  for (const list of [[[rule], []] as const, [[], [rule]] as const]) {
    expect(() => parseRules('edit', ...list)).toThrow(
      expect.objectContaining({
        code: 'config',
        message: expect.stringContaining(`bad permission rule "${rule}": ${why}; write `),
      }),
    );
  }
});

it('refuses an unknown mode and an empty folder', () => {
  expect(() => parseRules('yolo')).toThrow('unknown permission mode "yolo"; known: read-only, edit, full');
  expect(() => parseRules('edit', [], [], [' '])).toThrow('" " is not a folder; give a path such as ../shared');
});

describe('no compound command is allowed unless all its parts are', () => {
  const simple = fc.constantFrom(
    'ok',
    'ok 1',
    'ok "a b"',
    "ok ';bad'",
    'ok $X',
    'bad',
    'bad ok',
    'X=1 ok',
    'b"a"d',
    '$X',
  );
  const { script } = fc.letrec<{ script: string; nested: string }>((tie) => ({
    script: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      simple,
      fc
        .tuple(tie('script'), fc.constantFrom(';', ' && ', '||', '|', ' & ', '\n', '|&'), tie('script'))
        .map((parts) => parts.join('')),
      tie('nested'),
    ),
    nested: tie('script').chain((inner) =>
      fc.constantFrom(
        `(${inner})`,
        `ok $(${inner})`,
        `ok "x $(${inner})"`,
        inner.includes('`') ? `(${inner})` : `ok \`${inner}\``,
        `ok > f ; ${inner}`,
      ),
    ),
  }));

  it('whatever the shape', () => {
    fc.assert(
      fc.property(script, (text) => {
        const unquoted = text.replaceAll("';bad'", '').replaceAll('b"a"d', 'bad');
        const isPure = !/bad|X=1|^\$X|[\n;&|(`]\s*\$X|> f/.test(unquoted);
        if (runs(text, ['bash(ok:*)'])) expect({ text, isPure }).toEqual({ text, isPure: true });
      }),
      { numRuns: 2000 },
    );
  });

  it('as a real shell sees it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'runwire-shell-'));
    const marker = join(folder, 'ran');
    writeFileSync(join(folder, 'ok'), '#!/bin/sh\n');
    writeFileSync(join(folder, 'bad'), `#!/bin/sh\n: > "${marker}"\n`);
    for (const name of ['ok', 'bad']) chmodSync(join(folder, name), 0o755);
    const tokens = 'ok bad ; & | ( ) $( ` " \' \\ $ { } # > < = ! x /dev/null 2 ['.split(' ');
    const token = fc.constantFrom(' ', ' ', '\n', ...tokens);
    const line = fc.array(token, { maxLength: 14 }).map((parts) => `ok ${parts.join('')}`);
    let allowed = 0;
    fc.assert(
      fc.property(line, (text) => {
        if (!text.includes('bad') || !runs(text, ['bash(ok:*)'])) return;
        allowed += 1;
        try {
          execFileSync('/bin/bash', ['-c', text], {
            cwd: folder,
            env: { PATH: folder },
            stdio: 'ignore',
            timeout: 5000,
          });
        } catch {
          // A syntax error is no matter here: only what ran counts.
        }
        expect({ text, ran: existsSync(marker) }).toEqual({ text, ran: false });
      }),
      { numRuns: fuzzRuns(3000) },
    );
    rmSync(folder, { recursive: true });
    expect(allowed).toBeGreaterThan(0);
  });
});
