import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { version } from '../../src/version.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { schema } from '../../src/cli/commands/schema.ts';
import type { Context } from '../../src/cli/context.ts';
import { type Result, runwire } from '../support/command.ts';
import { inside } from './run/live.ts';

const root = join(import.meta.dirname, '..', '..');
const good = 'examples/codex-run.jsonl';
const bad = 'examples/false-success.jsonl';
const temporary = mkdtempSync(join(tmpdir(), 'runwire-cli-'));

function file(name: string, text: string): string {
  const path = join(temporary, name);
  writeFileSync(path, text);
  return path;
}

/** The same without a process: for tables of cases. */
async function asked(args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  const { stdout, stderr, status } = await inside(args, { cwd: root, env: { ...process.env, ...env } });
  return { stdout, stderr, status };
}

describe('runwire', () => {
  it('shows its version', async () =>
    expect(await runwire(['--version'])).toEqual({ stdout: `${version}\n`, stderr: '', status: 0 }));

  it('teaches in --help: every command, every exit code', async () => {
    const { stdout, status } = await runwire(['--help']);
    expect(status).toBe(0);
    const width = Math.max(...commands.map(({ name }) => name.length));
    for (const { name, summary } of commands) expect(stdout).toContain(`${name.padEnd(width)}  ${summary}`);
    for (const code of ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '124', '130, 143'])
      expect(stdout).toMatch(new RegExp(`^ +${code}  \\w+`, 'm'));
  });

  it.each(commands.map(({ name }) => name))('%s --help shows usage, options and examples', async (name) => {
    const { stdout, status } = await asked([name, '--help']);
    expect(status).toBe(0);
    expect(stdout).toMatch(new RegExp(`^runwire ${name}: .+\n\nUsage: runwire ${name} `));
    expect(stdout).toContain('\nExamples:\n');
  });

  it.each([
    ['a hyphen', ['-'], 'runwire: "-" is not a prompt: stdin is read without it, such as: runwire < prompt.txt\n'],
    [
      'a misspelt command',
      ['outcom'],
      'runwire: unknown command "outcom" (did you mean "outcome"?); see "runwire --help"; for a prompt that begins with this word, use -p\n',
    ],
    [
      'a command of the ledger',
      ['stats', '--by', 'model'],
      'runwire: unknown command "stats" (did you mean "runs stats"?); see "runwire --help"; for a prompt that begins with this word, use -p\n',
    ],
    [
      'an unknown flag',
      ['outcome', '--colour', good],
      'runwire: unknown option --colour; see "runwire outcome --help"\n',
    ],
    ['an unreadable file', ['outcome', 'no-such-file'], 'runwire: cannot read no-such-file: no such file\n'],
    ['a directory', ['outcome', 'src'], 'runwire: cannot read src: it is a directory\n'],
    [
      'an unknown signal',
      ['outcome', '--process-exit', 'SIGWHAT', good],
      'runwire: --process-exit SIGWHAT: neither an exit code (0 to 255) nor a signal such as SIGTERM\n',
    ],
    [
      'an unknown failure',
      ['outcome', '--fail-on', 'rain', good],
      'runwire: --fail-on rain: expected some of tool, denied, empty, warning, limit, model, claims, none, such as tool,denied\n',
    ],
    [
      'an unknown note style',
      ['convert', '--notes', 'xml', good],
      'runwire: --notes xml: expected text, json or none\n',
    ],
    ['an unknown shell', ['completion', 'csh'], 'runwire: completion needs a shell: bash, zsh or fish, not "csh"\n'],
    ['a speed of nothing', ['play', '--speed', '0', good], 'runwire: --speed 0: expected a number above 0, or max\n'],
    [
      'a variant that is none',
      ['convert', '--to', 'codex:xml', good],
      'runwire: codex has no variant "xml"; it has: exec\n',
    ],
  ])('refuses %s with 2 and says what to try', async (_what, args, message) => {
    expect(await asked(args)).toEqual({ stdout: '', stderr: message, status: 2 });
  });

  it('teaches what to do first when nothing is said', async () => {
    const { stdout, stderr, status } = await runwire([]);
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr).toMatch(/^runwire: no prompt: give one as an argument, with -p, or on stdin\n\n/);
    for (const line of [
      'runwire doctor',
      'runwire --agent claude "explain this repository"',
      '| runwire outcome',
      'runwire --help',
    ])
      expect(stderr).toContain(`${line}\n`);
    const lines = stderr.split('\n');
    expect({ rows: lines.length <= 24, columns: lines.every((line) => line.length <= 80) }).toEqual({
      rows: true,
      columns: true,
    });
  });

  it('names the known dialects when one is misspelt', async () => {
    const { stderr, status } = await runwire(['outcome', '--from', 'codx', good]);
    expect(stderr).toMatch(/^runwire: unknown dialect "codx" \(did you mean "codex"\?\); known: runwire, .*codex/);
    expect(status).toBe(2);
  });

  describe('on a Node.js that is too old', () => {
    /** The command's own script, in a package of its own, told that it runs on an old one. */
    function old(): { folder: string; path: string; run: () => string } {
      const folder = mkdtempSync(join(tmpdir(), 'runwire-old-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const script = readFileSync(join(root, 'bin', 'runwire.js'), 'utf8').replace(/^#!.*\n/, '');
      mkdirSync(join(folder, 'bin'));
      const path = join(folder, 'bin', 'runwire.cjs');
      const pretend = `if (!process.env.STARTED) Object.defineProperty(process.versions, 'node', { value: '20.1.0' });`;
      writeFileSync(path, `${pretend}\nprocess.env.STARTED = '1';\n${script}`);
      const run = (): string =>
        execFileSync(process.execPath, [path, 'a b', '--c'], { encoding: 'utf8', stdio: 'pipe' });
      return { folder, path, run };
    }

    it('says what to do', () => {
      expect(old().run).toThrow(
        /needs Node\.js 22\.18 or newer, this is 20\.1\.0 .*\nGet one from .*nvm install 24.*\n.*npm install node@24/,
      );
    });

    it('takes the one beside it with it when it is killed', async () => {
      const { folder, path } = old();
      mkdirSync(join(folder, 'node_modules', 'node', 'bin'), { recursive: true });
      symlinkSync(process.execPath, join(folder, 'node_modules', 'node', 'bin', 'node'));
      mkdirSync(join(folder, 'dist', 'cli'), { recursive: true });
      writeFileSync(
        join(folder, 'dist', 'cli', 'main.js'),
        `exports.main = () => (console.log(process.pid), new Promise(() => setInterval(() => {}, 1000)));`,
      );
      const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      for await (const text of child.stdout.setEncoding('utf8')) {
        said += String(text);
        onTestFinished(() => {
          if (child.signalCode === null) process.kill(Number(said), 'SIGKILL');
        });
        child.kill('SIGKILL');
      }
      // Its output ended, so no process had it any more.
      expect(said).toMatch(/^\d+\n$/);
    });

    it.each([
      ['what it prints', 'echo "$1 $2 $3"', /bin\/runwire\.cjs a b --c\n$/],
      ['its exit code', 'exit 7', 7],
      ['the signal that ends it', 'kill -KILL $$', 'SIGKILL'],
    ])('uses the one that is installed beside it, and passes on %s', (_what, line, expected) => {
      const { folder, run } = old();
      const bin = join(folder, 'node_modules', 'node', 'bin');
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, 'node'), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
      if (expected instanceof RegExp) expect(run()).toMatch(expected);
      else
        expect(run).toThrow(
          expect.objectContaining({ [typeof expected === 'number' ? 'status' : 'signal']: expected }),
        );
    });
  });
});

describe('runwire outcome', () => {
  it('prints one line of JSON a file and exits with 0', async () => {
    const { stdout, stderr, status } = await runwire(['outcome', good, bad]);
    const outcomes = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RunOutcome);
    expect(outcomes.map((each) => each.verdict.class)).toEqual(['success', 'provider']);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  it.each([
    ['success', [good], 0],
    ['a failure that exited with 0', ['--process-exit', '0', bad], 4],
    ['the first failure of several files', [good, bad], 4],
    ['a good claim and a bad exit', ['--process-exit', '1', good], 8],
    ['a good claim, then a crash', ['--process-exit', 'SEGV', good], 8],
    [
      'a failed tool that the caller does not forgive',
      ['--fail-on', 'tool', 'test/recordings/codex@0.166.0/failing-shell/stdout.jsonl'],
      3,
    ],
    ['a failed tool that it does', ['test/recordings/codex@0.166.0/failing-shell/stdout.jsonl'], 0],
    [
      'a retry that the caller does not forgive',
      ['--fail-on', 'warning', 'test/recordings/codex@0.166.0/rate-limit-then-ok/stdout.jsonl'],
      8,
    ],
    ['a good claim, then ended from outside', ['--process-exit', 'SIGTERM', good], 0],
  ])('--exit-code exits with the verdict: %s', async (_what, args, code) => {
    expect((await asked(['outcome', '--exit-code', ...args])).status).toBe(code);
  });

  it('prices what a last line without its end tells', async () => {
    const whole = join(root, 'test', 'recordings', 'gemini@0.61.0', 'plain', 'stdout.jsonl');
    const cut = file('no-line-end.jsonl', readFileSync(whole, 'utf8').trimEnd());
    const [expected = '', told] = (await runwire(['outcome', whole, cut])).stdout.split('\n');
    expect((JSON.parse(expected) as RunOutcome).metrics.cost).toBeGreaterThan(0);
    expect(told).toBe(expected);
  });

  it('reads stdin, and knows nothing of a run from nothing', async () => {
    const piped = await runwire(['outcome'], { stdin: readFileSync(join(root, good)) });
    expect((JSON.parse(piped.stdout) as RunOutcome).message).toBe('I wrote notes.txt and changed bravo to BRAVO.');
    const empty = await runwire(['outcome', '--exit-code', '--process-exit', '0']);
    expect((JSON.parse(empty.stdout) as RunOutcome).verdict.class).toBe('incomplete');
    expect(empty.status).toBe(8);
  });

  it('takes the evidence of stderr', async () => {
    const stderr = file('stderr.txt', 'Error: You must provide a message or a command\n');
    const { stdout } = await runwire(['outcome', '--stderr', stderr, '--process-exit', '1']);
    expect((JSON.parse(stdout) as RunOutcome).verdict).toMatchObject({ class: 'input', exit_code: 2 });
  });

  it('fills the metadata it is told', async () => {
    const { stdout } = await asked(['outcome', '--prompt', 'fix it', '--attempt', '3', good]);
    expect((JSON.parse(stdout) as RunOutcome).metadata).toMatchObject({
      initial_prompt: 'fix it',
      attempt_number: 3,
      retry_count: 2,
    });
  });

  it('cuts long outputs unless --full', async () => {
    const line = JSON.stringify({
      type: 'item.completed',
      item: {
        id: 'item_1',
        type: 'command_execution',
        command: 'x',
        aggregated_output: 'y'.repeat(10_000),
        exit_code: 0,
        status: 'completed',
      },
    });
    const path = file('long.jsonl', `{"type":"thread.started","thread_id":"t"}\n${line}\n`);
    const outputs = async (...args: string[]): Promise<number | undefined> =>
      (JSON.parse((await asked(['outcome', ...args, path])).stdout) as RunOutcome).tool_calls[0]?.outputs?.length;
    expect(await outputs('--full')).toBe(10_000);
    expect(await outputs()).toBeLessThan(4200);
  });
});

describe('runwire convert', () => {
  it('writes nothing but the format to stdout, and counts losses on stderr', async () => {
    const { stdout, stderr, status } = await runwire(['convert', '--to', 'codex', '--process-exit', '0', good]);
    expect(stdout).toBe(readFileSync(join(root, good), 'utf8'));
    expect({ stderr, status }).toEqual({ stderr: `runwire: ${good}: lost in conversion: process\n`, status: 0 });
  });

  it('tells losses to machines, and makes them fatal on demand', async () => {
    const { stderr, status } = await runwire([
      'convert',
      '--to',
      'codex',
      '--process-exit',
      '0',
      '--notes',
      'json',
      '--strict',
      good,
    ]);
    expect(JSON.parse(stderr)).toEqual({ file: good, kind: 'lost', what: 'process', count: 1 });
    expect(status).toBe(2);
  });

  it('refuses what is no stream at all', async () => {
    const path = file('prose.txt', 'Dear diary,\n');
    expect(await runwire(['convert', path])).toEqual({
      stdout: '',
      stderr: `runwire: ${path}: no known dialect in it; name one with --from (see "runwire dialects")\n`,
      status: 2,
    });
  });

  it('writes each line as soon as it can be written', async () => {
    const child = spawn(process.execPath, [join(root, 'bin', 'runwire.js'), 'convert', '--to', 'codex'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [first] = readFileSync(join(root, good), 'utf8').split('\n');
    child.stdin.write(`${first}\n`);
    const line = await new Promise<string>((resolve) =>
      child.stdout.once('data', (data: Buffer) => resolve(data.toString())),
    );
    child.stdin.end();
    expect(line).toBe(`${first}\n`);
  });

  it('ends cleanly when its reader goes away', async () => {
    const lines = readFileSync(join(root, good), 'utf8').repeat(2000);
    const path = file('many.jsonl', lines);
    const command = `"${process.execPath}" bin/runwire.js convert --from codex --notes none "${path}" | head -1; echo "\${PIPESTATUS[0]}"`;
    const output = execFileSync('bash', ['-c', command], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
      .trimEnd()
      .split('\n');
    expect(JSON.parse(output[0] ?? '')).toMatchObject({ type: 'thread.started', sequence: 1 });
    expect(output[1]).toBe('0');
  });
});

describe('secrets', () => {
  const key = ['sk', 'proj', 'Zx9'.repeat(12)].join('-');
  const path = file(
    'secret.jsonl',
    `{"type":"thread.started","thread_id":"t"}\n${JSON.stringify({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: `The key is ${key}, the word is correct-horse-battery.` } })}\n{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}\n`,
  );
  const env = { MY_PASSWORD: 'correct-horse-battery' };

  it.each([
    ['outcome', path],
    ['convert', path],
    ['convert', '--to', 'codex', path],
    ['play', '--speed', 'max', path],
  ])('do not leave %s', async (...args) => {
    const { stdout, stderr } = await asked(args, env);
    expect(stdout).toContain('The key is [redacted:');
    expect(stdout + stderr).not.toMatch(/Zx9Zx9|horse/);
  });

  it('leave when they are asked for', async () => {
    expect((await runwire(['outcome', '--no-redact', path], { env })).stdout).toContain(key);
  });
});

describe('runwire validate', () => {
  it('finds nothing wrong with a recording', async () => {
    expect(await runwire(['validate', good])).toEqual({
      stdout: '',
      stderr: `runwire: ${good}: 19 objects, 0 problems, dialect codex\n`,
      status: 0,
    });
  });

  it('names file, line and field of what is wrong', async () => {
    const path = file(
      'wrong.jsonl',
      '{"type":"thread.started","thread_id":"t"}\nhello\n{"type":"turn.completed","usage":{"input_tokens":"many","output_tokens":1}}\n',
    );
    const { stdout, status } = await runwire(['validate', path]);
    expect(stdout).toBe(
      `${path}:2: not JSON: hello\n${path}:3: usage.input_tokens: Invalid input: expected number, received string\n`,
    );
    expect(status).toBe(2);
    const json = await runwire(['validate', '--json', path]);
    expect(JSON.parse(json.stdout.split('\n')[0] ?? '')).toEqual({
      file: path,
      line: 2,
      path: '',
      message: 'not JSON: hello',
    });
  });
});

describe('runwire schema', () => {
  it('lists the names, and prints one', async () => {
    const names = (await runwire(['schema'])).stdout.trimEnd().split('\n');
    expect(names).toEqual(expect.arrayContaining(['event', 'record', 'outcome', 'codex']));
    const isSchema = (name: string): object => ({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: `Runwire ${name}`,
    });
    const { stdout, status } = await runwire(['schema', 'outcome']);
    expect({ status, schema: JSON.parse(stdout) as unknown }).toMatchObject({ status: 0, schema: isSchema('outcome') });
    for (const name of names) {
      let printed = '';
      const context = { print: async (text: string) => void (printed += text) } as Partial<Context> as Context;
      await schema.run({}, [name], context);
      expect(JSON.parse(printed)).toMatchObject(isSchema(name));
    }
  });
});

describe('runwire play', () => {
  it('keeps the time between events, divided by the speed', async () => {
    const at = (ms: number): string => new Date(1_700_000_000_000 + ms).toISOString();
    const record = (sequence: number, ms: number, event: object): string =>
      JSON.stringify({ ...event, sequence, timestamp: at(ms), thread_id: 't', source: 'agent', synthetic: false });
    const path = file(
      'timed.tape',
      `${[record(1, 0, { type: 'thread.started', agent: 'x' }), record(2, 1000, { type: 'log', stream: 'agent', text: 'later' })].join('\n')}\n`,
    );
    const waits = async (...args: string[]): Promise<number[]> => {
      const slept: number[] = [];
      let time = 0;
      const clock = { now: () => time, sleep: async (ms: number) => void (slept.push(ms), (time += ms)) };
      expect((await inside(['play', path, ...args], { clock })).stdout.trimEnd().split('\n')).toHaveLength(3);
      return slept;
    };
    expect(await waits()).toEqual([1000]);
    expect(await waits('--speed', '2')).toEqual([500]);
    expect(await waits('--speed', 'max')).toEqual([]);
    // The real clock once, without looking at it: all of it comes out of a process too.
    expect((await runwire(['play', path, '--speed', '100'])).stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  it('plays a compressed tape, and what its last line lacks', async () => {
    const text = (await runwire(['convert', '--to', 'runwire', good])).stdout;
    const played = (await runwire(['play', '--speed', 'max', file('plain.tape', text)])).stdout;
    const packed = join(temporary, 'packed.tape.zst');
    writeFileSync(packed, zstdCompressSync(text.trimEnd()));
    expect((await runwire(['play', '--speed', 'max', packed])).stdout).toBe(played);
    expect(played.split('\n').length).toBe(text.split('\n').length);
    expect(await runwire(['play', 'no-such.tape.zst'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('cannot read no-such.tape.zst') as string,
    });
  });

  it('says when there are no times to keep', async () => {
    expect((await runwire(['play', good])).stderr).toBe(
      `runwire: ${good}: its lines have no timestamps, so it was written at once\n`,
    );
  });
});
