import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunAgent } from '../../../src/builtin/agent.ts';
import { RunOutcome } from '../../../src/outcome/outcome.ts';
import { runwire } from '../../support/command.ts';
import type { Context, LastWords } from '../../../src/cli/context.ts';
import { live } from './live.ts';
import { endings, folder, goodRun, outside, runScripted, telling } from './scripted.ts';

const outcomeAt = (path: string): RunOutcome => RunOutcome.parse(JSON.parse(readFileSync(path, 'utf8')));

it('are for their user alone, but for a file whose permissions the user has chosen', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'shared.md'), 'old');
  chmodSync(join(cwd, 'shared.md'), 0o664);
  const summary = join(cwd, 'summary.md');
  const names = {
    '--outcome': 'o.json',
    '--report-md': 'r.md',
    '--report-html': 'r.html',
    '--junit': 'j.xml',
    '--tape': 't.jsonl',
  };
  const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary };
  await live(['run', '-q', ...Object.entries(names).flat(), '--', 'echo', 'hello'], { cwd, env });
  await live(['run', '-q', '--report-md', 'shared.md', '--', 'echo', 'hello'], { cwd });
  const modes = [...Object.values(names), 'summary.md', 'shared.md'].map((name) => [
    name,
    statSync(join(cwd, name)).mode & 0o777,
  ]);
  expect(Object.fromEntries(modes)).toEqual({
    ...Object.fromEntries([...Object.values(names), 'summary.md'].map((name) => [name, 0o600])),
    'shared.md': 0o664,
  });
  expect(readFileSync(join(cwd, 'shared.md'), 'utf8')).toContain('Runwire');
});

describe('--outcome', () => {
  it.each(endings)('holds what a run came to: %s', async (name, code, drafts) => {
    const cwd = folder();
    const { status, stdout } = await runScripted(['Do it', '--outcome', 'out/o.json', '-q'], telling(...drafts), {
      cwd,
    });
    expect(outcomeAt(join(cwd, 'out/o.json')).verdict).toMatchObject({ class: name, exit_code: code });
    expect({ status, stdout }).toEqual({ status: code, stdout: name === 'success' ? 'All done ✓\n' : '' });
    expect(readdirSync(join(cwd, 'out'))).toEqual(['o.json']);
  });

  it('is stdout itself with -, instead of the answer', async () => {
    const { stdout } = await runScripted(['Do it', '--outcome', '-', '-q'], telling(...goodRun));
    expect(RunOutcome.parse(JSON.parse(stdout)).message).toBe('All done ✓');
    await expect(runScripted(['Do it', '--outcome', '-', '--to', 'codex'], telling(...goodRun))).rejects.toThrow(
      '--outcome -: stdout has --to already; name a file',
    );
  });

  it('is there for a run that was refused, and nothing of an earlier one', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'o.json'), 'old');
    await expect(
      runScripted(['Do it', '--outcome', 'o.json', '--max-turns', 'no'], telling(...goodRun), { cwd }),
    ).rejects.toThrow('--max-turns');
    const { verdict, error_details, metadata } = outcomeAt(join(cwd, 'o.json'));
    expect(verdict).toMatchObject({ class: 'input', exit_code: 2 });
    expect(error_details?.message).toContain('--max-turns no');
    expect(metadata.initial_prompt).toBe('Do it');
    await expect(runScripted(['Do it', '--outcome', 'o.json/x'], telling(...goodRun), { cwd })).rejects.toThrow(
      'cannot be written',
    );
  });

  it('writes to a pipe or a device and leaves it there, and through a link', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'real.json'), 'old');
    symlinkSync('real.json', join(cwd, 'link.json'));
    await runScripted(['Do it', '--outcome', '/dev/null', '--report-md', 'link.json', '-q'], telling(...goodRun), {
      cwd,
    });
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    expect(lstatSync(join(cwd, 'link.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, 'real.json'), 'utf8')).toContain('Runwire: success');
    await expect(runScripted(['Do it', '--outcome', '.'], telling(...goodRun), { cwd })).rejects.toThrow(
      'it is a directory',
    );
  });

  it('follows no link that an agent laid where it might be written first', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'precious'), 'mine');
    const laying: RunAgent = async (options, emit) => {
      symlinkSync('precious', join(cwd, `o.json.${process.pid}.part`));
      symlinkSync('precious', join(cwd, 'o.json'));
      return telling(...goodRun)(options, emit);
    };
    await runScripted(['Do it', '--outcome', 'o.json', '-q'], laying, { cwd });
    expect(readFileSync(join(cwd, 'precious'), 'utf8')).toBe('mine');
    expect(lstatSync(join(cwd, 'o.json')).isFile()).toBe(true);
    expect(outcomeAt(join(cwd, 'o.json')).verdict.class).toBe('success');
  });

  it('refuses a folder that cannot be made, and one file for two documents', async () => {
    const cwd = folder();
    const start = (...flags: string[]) => runScripted(['Do it', ...flags], telling(...goodRun), { cwd });
    await expect(start('--outcome', '/proc/none/o.json')).rejects.toThrow('cannot be written');
    await expect(start('--outcome', 'same', '--junit', './same')).rejects.toThrow(
      'two documents cannot be the same file',
    );
    await start('--outcome', 'a/b/o.json', '-q');
    expect(outcomeAt(join(cwd, 'a', 'b', 'o.json')).verdict.class).toBe('success');
  });

  it('is there for a flag that is unknown, through the command', async () => {
    const cwd = folder();
    const { status, stderr } = await runwire(['run', 'hello', '--outcome', join(cwd, 'o.json'), '--no-such-flag']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('unknown option --no-such-flag') as string,
    });
    expect(outcomeAt(join(cwd, 'o.json')).verdict.class).toBe('input');
  });
});

describe('a run that only the watchdog could end', () => {
  it.each([['o.json'], ['-']])('has its documents, made at once: --outcome %s', async (outcome) => {
    const around = outside();
    let words: LastWords | undefined;
    let lastWords: (() => LastWords) | undefined;
    const context: Context = {
      ...around.context,
      watchTime(_ms, say) {
        lastWords = say;
        return () => {};
      },
    };
    const flags = [
      '--outcome',
      outcome,
      '--report-md',
      'r.md',
      '--junit',
      'j.xml',
      '--timeout',
      '9s',
      '-q',
      '--github',
    ];
    const env = { ...context.env, GITHUB_OUTPUT: join(around.cwd, 'outputs') };
    await runScripted(
      ['Do it', ...flags],
      async (options, emit) => {
        await telling(...goodRun.slice(0, 6))(options, emit);
        words = lastWords?.();
        const read = (name: string): string => readFileSync(join(around.cwd, name), 'utf8');
        expect(words?.exitCode).toBe(124);
        expect(
          RunOutcome.parse(JSON.parse(outcome === '-' ? (words?.stdout ?? '') : read('o.json'))).verdict.class,
        ).toBe('time_limit');
        expect(read('r.md')).toMatch(/Runwire: time_limit[^]*I look at both/);
        expect(read('j.xml')).toContain('type="time_limit"');
        expect(read('outputs')).toContain('time_limit');
        expect(readdirSync(around.cwd).filter((name) => name.endsWith('.part'))).toEqual([]);
      },
      { ...around, context: { ...context, env } },
    );
    expect(words).toBeDefined();
  });
});

describe('--report-html', () => {
  const data = (
    path: string,
  ): { run: { class: string; prompt: string; tape?: string }; records: { type: string }[] } => {
    const page = readFileSync(path, 'utf8');
    const from = page.indexOf('{"run":');
    return JSON.parse(page.slice(from, page.indexOf('</script>', from))) as ReturnType<typeof data>;
  };

  it('is one page with all of the run, with a ledger and without, however it ends', async () => {
    const cwd = folder();
    const recording = join(import.meta.dirname, '..', '..', '..', 'examples', 'codex-run.jsonl');
    const state = { XDG_STATE_HOME: join(cwd, 'state') };
    const file = (name: string): string => join(cwd, name);
    const [kept, lost, late, refused, race, orchestrated] = await Promise.all([
      runwire(['run', '-q', '--report-html', file('kept.html'), '--', 'cat', recording], { env: state }),
      runwire(['run', '-q', '--ledger', 'none', '--report-html', file('lost.html'), '--', 'cat', recording]),
      runwire([
        'run',
        '-q',
        '--ledger',
        'none',
        '--timeout',
        '1s',
        '--report-html',
        file('late.html'),
        '--',
        'sh',
        '-c',
        `head -5 ${recording}; sleep 60`,
      ]),
      runwire(['run', 'Do </script> it', '--report-html', file('refused.html'), '--max-turns', 'no']),
      runwire(['race', 'Do it', '--no-such-flag', '--report-html', file('race.html'), '--junit', file('race.xml')]),
      runwire([
        'orchestrate',
        '--task',
        'Do it',
        '--dirty',
        'maybe',
        '--outcome',
        file('o.json'),
        '--report-md',
        file('o.md'),
      ]),
    ]);
    expect([kept, lost, late, refused, race, orchestrated].map(({ status }) => status)).toEqual([0, 0, 124, 2, 2, 2]);
    const pages = ['kept', 'lost', 'late', 'refused', 'race'].map((name) => data(file(`${name}.html`)));
    expect(pages.map(({ run }) => run.class)).toEqual(['success', 'success', 'time_limit', 'input', 'input']);
    // Nothing leads to a tape that is gone.
    expect(pages.map(({ run }) => run.tape !== undefined)).toEqual([true, false, false, false, false]);
    expect(pages.map(({ records }) => records.some(({ type }) => type === 'item.started'))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(pages.slice(3).map(({ run }) => run.prompt)).toEqual(['Do </script> it', 'Do it']);
    expect(readFileSync(file('race.xml'), 'utf8')).toContain('type="input"');
    expect(outcomeAt(file('o.json')).verdict.class).toBe('input');
    expect(readFileSync(file('o.md'), 'utf8')).toContain('Runwire: input');
    expect(readdirSync(cwd).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('has an end, also of a run whose words have none', async () => {
    const cwd = folder();
    const agent = `const text = 'x'.repeat(10 * 1024 * 1024);
      const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
      say({ type: 'thread.started', thread_id: 't' });
      say({ type: 'item.completed', item: { id: 'a', type: 'command_execution', command: 'make', aggregated_output: text, exit_code: 0, status: 'completed' } });
      say({ type: 'item.completed', item: { id: 'b', type: 'agent_message', text: 'Done.' } });
      say({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 1 } });`;
    const state = { XDG_STATE_HOME: join(cwd, 'state') };
    const made = await runwire(
      ['run', '-q', '--report-html', join(cwd, 'huge.html'), '--', process.execPath, '-e', agent],
      { env: state },
    );
    expect(made.status).toBe(0);
    expect(statSync(join(cwd, 'huge.html')).size).toBeLessThan(1_000_000);
    const { run, records } = data(join(cwd, 'huge.html'));
    expect(run.class).toBe('success');
    expect(records.at(-1)).toMatchObject({ type: 'thread.completed' });
  });
});

describe('--report-md', () => {
  it('tells verdict, cost, answer, files and what happened', async () => {
    const cwd = folder();
    await runScripted(['Do it', '--report-md', 'r.md', '-q'], telling(...goodRun), { cwd });
    const text = readFileSync(join(cwd, 'r.md'), 'utf8').replace(/- \*\*time\*\*: .*\n/, '');
    expect(text).toBe(`## ✅ Runwire: success

\` the agent finished, and nothing contradicts it \` (exit code 0)

- **agent**: \` runwire \`
- **model**: \` acme/large \`
- **cost**: $0.0300 (reported)
- **tokens**: 2,100 in 50 out
- **work**: 2 turns, 2 tool calls

### Answer

\`\`\`text
All done ✓
\`\`\`

### Evidence

- claim: \` ok \`

### Files

- created \` b.txt \` +1 -0

<details>
<summary>Transcript (4 steps)</summary>

\`\`\`text
I look at both.
\`\`\`

**tool** \` read \` \` a.txt \` success

\`\`\`text
{"lines":2}
\`\`\`

**tool** \` write \` \` b.txt \` success

\`\`\`text
written
\`\`\`

\`\`\`text
All done ✓
\`\`\`

</details>
`);
  });
});

describe('runwire outcome', () => {
  it('is for people where it is asked to be', async () => {
    const { stdout } = await runwire(['outcome', '--text', '--process-exit', '0', 'examples/false-success.jsonl']);
    expect(stdout).toMatch(/^\w+ {2}.* {2}\(exit code \d\)\n/);
    for (const part of ['agent    ', 'cost     ', '\nWhy\n']) expect(stdout).toContain(part);
  });
});
