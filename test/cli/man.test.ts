import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadCommands } from '../../src/cli/commands.ts';

const root = join(import.meta.dirname, '..', '..');
const path = join(root, 'docs', 'man', 'runwire.1');
const page = readFileSync(path, 'utf8');
const section = (name: string): string =>
  new RegExp(`^\\.SH ${name}\\n([^]*?)^\\.SH `, 'm').exec(page)?.[1]?.replaceAll('\\-', '-') ?? '';
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
  .join('\n');
const found = (pattern: RegExp): string[] =>
  [...new Set(Array.from(sources.matchAll(pattern), ([, name = '']) => name))].toSorted();
const isHere = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

describe('the man page', () => {
  it.skipIf(!isHere('man'))('is formatted by man without a warning', () => {
    const { status, stdout, stderr } = spawnSync('man', ['--warnings', '-l', path], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', MANWIDTH: '80' },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^NAME\n\s+runwire - the truth, in JSON, about what an AI agent did$/m);
    expect(stdout).toContain('[PROMPT] [-- COMMAND...]');
  });

  it.skipIf(!isHere('groff'))('is formatted by groff with all warnings on, without one', () => {
    const { status, stderr } = spawnSync('groff', ['-man', '-ww', '-Tascii', path], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('is ASCII, and has every command, flag and section', async () => {
    expect(page).not.toMatch(/\P{ASCII}/u);
    for (const name of ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'COMMANDS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES'])
      expect(section(name)).not.toBe('');
    const commands = section('COMMANDS');
    for (const { name, options } of await loadCommands()) {
      expect(commands).toContain(`.SS runwire ${name} `);
      for (const flag of Object.keys(options)) expect(commands).toContain(`--${flag}`);
    }
  });

  it('ENVIRONMENT has every variable of Runwire that the source names', () => {
    const named = new Set(section('ENVIRONMENT').match(/\b[A-Z][A-Z_0-9]+\b/g));
    const read = found(/\b(RUNWIRE_[A-Z_]+[A-Z])\b/g);
    expect(read.length).toBeGreaterThan(15);
    expect(read.filter((name) => !named.has(name))).toEqual([]);
    expect([...named].filter((name) => name.startsWith('RUNWIRE_') && !read.includes(name))).toEqual([]);
  });

  it('FILES has everything that is made below the state folder, and the config file', () => {
    const files = section('FILES');
    const made = found(/stateFolder\(\w+\), '([\w.-]+)'/g);
    expect(made).toEqual(expect.arrayContaining(['ledger.db', 'sessions', 'serve.token']));
    // The folders beside a ledger, wherever that is.
    made.push('tapes', 'outbox');
    expect(made.filter((name) => !files.includes(name))).toEqual([]);
    expect(files).toContain('~/.config/runwire/config.json');
    expect(files).toContain('runwire.json');
  });
});
