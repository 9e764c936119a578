import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { live, project } from './live.ts';
import { asking, folder, lines, runScripted } from './scripted.ts';

const noPrompt = 'runwire: no prompt: give one as an argument, with -p, or on stdin; see "runwire run --help"\n';

describe('a command line that is wrong', () => {
  it.each([
    ['no prompt', ['run'], noPrompt],
    ['a blank prompt', ['run', '  '], noPrompt],
    ['two prompts', ['-p', 'a', 'b'], 'runwire: two prompts: --prompt and "b"; give one\n'],
    ['two formats', ['--json', '--format', 'json', 'x'], 'runwire: one format at a time: --json and --format json\n'],
    [
      'text and another',
      ['--output-format', 'text', '--stream-json', 'x'],
      'runwire: one format at a time: --output-format text and --stream-json\n',
    ],
    ['an unknown bus format', ['--format', 'xml', 'x'], 'runwire: unknown format: xml (expected json)\n'],
    ['a bare number', ['--timeout', '90', 'x'], 'runwire: --timeout 90: expected a duration such as 90s, 5m or 1h30m\n'],
    ['no time at all', ['--timeout', '0s', 'x'], 'runwire: --timeout 0s: expected a duration such as 90s, 5m or 1h30m\n'],
    ['no turns', ['--max-turns', '0', 'x'], 'runwire: --max-turns 0: expected a number from 1, such as 20\n'],
    ['no money', ['--max-cost-usd', '-1', 'x'], "runwire: Option '--max-cost-usd' argument is ambiguous"],
    ['odd money', ['--max-cost-usd', '1e3', 'x'], 'runwire: --max-cost-usd 1e3: expected an amount above 0, such as 0.50\n'],
    [
      'half a price',
      ['--price', 'input=3', 'x'],
      'runwire: --price input=3: output is missing; expected USD per million tokens, such as input=3,output=15,cache_read=0.3\n',
    ],
    [
      'a price of what',
      ['--price', 'in=3', 'x'],
      'runwire: --price in=3: "in=3" is not input, output or cache_read; expected USD per million tokens, such as input=3,output=15,cache_read=0.3\n',
    ],
    [
      'an odd address',
      ['--base-url', 'localhost', 'x'],
      'runwire: --base-url localhost: expected a URL such as http://localhost:11434/v1\n',
    ],
    ['an odd mode', ['--permission-mode', 'all', 'x'], 'runwire: --permission-mode all: expected read-only, edit or full\n'],
    ['no such folder', ['--cwd', 'nowhere', 'x'], 'runwire: --cwd nowhere: there is no such folder\n'],
    ['no such schema', ['--output-schema', 'none.json', 'x'], 'runwire: cannot read none.json: no such file\n'],
    ['a schema that is none', ['--output-schema', 'a.txt', 'x'], 'runwire: --output-schema a.txt: not JSON: '],
    ['a tape in no folder', ['--tape', 'no/run.tape', 'x'], 'runwire: cannot write '],
    ['an unknown dialect', ['--to', 'codx', 'x'], 'runwire: unknown dialect "codx"; known: '],
    ['an unknown flag', ['--colour', 'x'], "runwire: Unknown option '--colour'; see --help\n"],
  ])('%s is said with 2, before any config', async (_what, args, message) => {
    const cwd = project();
    writeFileSync(join(cwd, 'runwire.json'), 'this is not JSON');
    const { stdout, stderr, status } = await live(args, { cwd });
    expect({ stdout, status, stderr: stderr.slice(0, message.length) }).toEqual({ stdout: '', status: 2, stderr: message });
  });

  it('a word that is nearly a command was meant as one', async () => {
    expect(await live(['outcom', 'run.jsonl'])).toMatchObject({
      stdout: '',
      stderr: 'runwire: unknown command "outcom" (did you mean "outcome"?); see "runwire --help"\n',
      status: 2,
    });
  });
});

describe('the prompt', () => {
  const promptOf = async (args: string[], stdin?: string): Promise<string | undefined> => {
    const { agent, asked } = asking();
    await runScripted(args, agent, stdin === undefined ? {} : { stdin });
    return asked[0]?.prompt;
  };

  it.each([
    ['an argument', ['fix it'], undefined, 'fix it'],
    ['words without quotes', ['fix', 'it'], undefined, 'fix it'],
    ['-p', ['-p', 'fix it'], undefined, 'fix it'],
    ['--prompt', ['--prompt=-x'], undefined, '-x'],
    ['stdin', [], '\ufefffix\n  it\n\n', 'fix\n  it'],
    ['an argument and stdin', ['why?'], 'log line\n', 'why?\n\nlog line'],
    ['an argument and an empty stdin', ['why?'], '', 'why?'],
    ['what follows --', ['--', '--help'], undefined, '--help'],
  ] as const)('is %s', async (_what, args, stdin, prompt) => {
    expect(await promptOf([...args], stdin)).toBe(prompt);
  });

  it('does not wait for ever for a pipe that stays silent', async () => {
    const { stderr, status } = await live(['hello there'], { stdin: null });
    expect(stderr).toContain('runwire: nothing came on stdin in 3 s, going on without it');
    expect(status).toBe(1);
  });

  it('without a command is a run', async () => {
    const { stdout, status } = await live(['--output-format', 'json', 'fix it']);
    expect(lines(stdout).at(-1)).toMatchObject({ type: 'session_end', exit_code: 1 });
    expect(status).toBe(1);
  });
});

describe('what the agent is asked', () => {
  it('is what the flags say', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'sub'));
    writeFileSync(join(cwd, 'schema.json'), '{"type":"object"}');
    const { agent, asked } = asking();
    await runScripted(
      `--model openai/gpt --base-url http://localhost:1/v1 --price input=3,output=15,cache_read=.3 --system s --append-system more
       --output-schema ${join(cwd, 'schema.json')} --resume id-1 --cwd sub --max-turns 7 --max-cost-usd 0.50 --timeout 1h30m
       --permission-mode read-only --allow read --allow bash(ls) --deny write --add-dir other --record-model model.jsonl
       --project-name acme --parent-branch-id b-1 do-it`.split(/\s+/),
      agent,
      { cwd },
    );
    const [{ env: _env, signal, redact, ...rest } = {} as never] = asked;
    expect(rest).toEqual({
      prompt: 'do-it',
      model: 'openai/gpt',
      cwd: join(cwd, 'sub'),
      permissions: { mode: 'read-only', allow: ['read', 'bash(ls)'], deny: ['write'], directories: [join(cwd, 'other')] },
      baseUrl: 'http://localhost:1/v1',
      price: { input: 3, output: 15, cacheRead: 0.3 },
      system: 's',
      appendSystem: 'more',
      outputSchema: { type: 'object' },
      resume: 'id-1',
      maxTurns: 7,
      maxCostUsd: 0.5,
      recordModel: join(cwd, 'model.jsonl'),
      projectName: 'acme',
      parentBranchId: 'b-1',
    });
    expect({ aborted: signal.aborted, redact: redact?.('hello') }).toEqual({ aborted: false, redact: 'hello' });
  });

  it('is not told how to redact when nothing shall be redacted', async () => {
    const secret = ['sk', 'proj', 'Zq8'.repeat(14)].join('-');
    const { agent, asked } = asking();
    const { stdout } = await runScripted(['--no-redact', '--to', 'runwire', secret], agent, { env: { MY_TOKEN: secret } });
    expect(asked[0]).not.toHaveProperty('redact');
    expect(stdout).toContain(secret);
    expect((await runScripted(['--to', 'runwire', secret], agent, { env: { MY_TOKEN: secret } })).stdout).not.toContain(secret);
  });
});

it('--tape keeps every event of a run, whatever stdout gets', async () => {
  const { agent } = asking();
  const { cwd } = await runScripted(['--tape', 'run.tape', 'Do it'], agent);
  const tape = lines(readFileSync(join(cwd, 'run.tape'), 'utf8'));
  expect(tape[0]).toMatchObject({ type: 'thread.started', task: 'Do it', headless: true, sequence: 1 });
  expect(tape.at(-1)).toMatchObject({ type: 'thread.completed', status: 'success' });
});
