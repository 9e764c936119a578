import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inside, live, project } from './live.ts';
import { asking, folder, lines, runScripted } from './scripted.ts';

const noPrompt = 'runwire: no prompt: give one as an argument, with -p, or on stdin; see "runwire run --help"\n';

describe('a command line that is wrong', () => {
  it.each([
    ['no prompt', ['run'], 'runwire: no prompt: give one as an argument, with -p, or on stdin\n\nWhat works here'],
    ['no prompt, but flags', ['run', '-q'], noPrompt],
    ['a blank prompt', ['run', '  '], noPrompt],
    ['two prompts', ['-p', 'a', 'b'], 'runwire: two prompts: --prompt and "b"; give one\n'],
    ['two formats', ['--json', '--format', 'json', 'x'], 'runwire: one format at a time: --json and --format json\n'],
    [
      'text and another',
      ['--output-format', 'text', '--stream-json', 'x'],
      'runwire: one format at a time: --output-format text and --stream-json\n',
    ],
    ['an unknown bus format', ['--format', 'xml', 'x'], 'runwire: unknown format: xml (expected json)\n'],
    [
      'a bare number',
      ['--timeout', '90', 'x'],
      'runwire: --timeout 90: expected a duration such as 90s, 5m or 1h30m\n',
    ],
    [
      'no time at all',
      ['--timeout', '0s', 'x'],
      'runwire: --timeout 0s: expected a duration such as 90s, 5m or 1h30m\n',
    ],
    ['no turns', ['--max-turns', '0', 'x'], 'runwire: --max-turns 0: expected a number from 1, such as 20\n'],
    [
      'no money',
      ['--max-cost-usd', '-1', 'x'],
      'runwire: --max-cost-usd -1: expected an amount above 0, such as 0.50\n',
    ],
    [
      'time before now',
      ['--timeout', '-5s', 'x'],
      'runwire: --timeout -5s: expected a duration such as 90s, 5m or 1h30m\n',
    ],
    [
      'a flag where a value belongs',
      ['--model', '--quiet', 'x'],
      'runwire: --model needs a value: --model PROVIDER/NAME; see "runwire run --help"\n',
    ],
    ['a flag without its value', ['x', '-p'], 'runwire: -p needs a value: -p TEXT; see "runwire run --help"\n'],
    ['a value where none belongs', ['--quiet=yes', 'x'], 'runwire: --quiet takes no value, but "yes" was given\n'],
    [
      'odd money',
      ['--max-cost-usd', '1e3', 'x'],
      'runwire: --max-cost-usd 1e3: expected an amount above 0, such as 0.50\n',
    ],
    [
      'half a price',
      ['--price', 'input=3', 'x'],
      'runwire: --price input=3: output is missing; expected USD per million tokens, such as input=3,output=15,cache_read=0.3\n',
    ],
    [
      'a price of what',
      ['--price', 'in=3', 'x'],
      'runwire: --price in=3: "in=3" is not input, output, cache_read, cache_write or cache_write_1h; expected USD per million tokens, such as input=3,output=15,cache_read=0.3\n',
    ],
    [
      'an odd address',
      ['--base-url', 'localhost', 'x'],
      'runwire: --base-url localhost: expected a URL such as http://localhost:11434/v1\n',
    ],
    [
      'an odd mode',
      ['--permission-mode', 'all', 'x'],
      'runwire: --permission-mode all: expected read-only, edit or full\n',
    ],
    ['no such folder', ['--cwd', 'nowhere', 'x'], 'runwire: --cwd nowhere: there is no such folder\n'],
    ['no such schema', ['--output-schema', 'none.json', 'x'], 'runwire: cannot read none.json: no such file\n'],
    ['a schema that is none', ['--output-schema', 'a.txt', 'x'], 'runwire: --output-schema a.txt: not JSON: '],
    ['an unknown dialect', ['--to', 'codx', 'x'], 'runwire: unknown dialect "codx" (did you mean "codex"?); known: '],
    [
      'retries that are no number',
      ['--retries', 'x', 'x'],
      'runwire: --retries x: expected a number from 0 to 999, such as 2\n',
    ],
    [
      'too many retries',
      ['--retries', '1000', 'x'],
      'runwire: --retries 1000: expected a number from 0 to 999, such as 2\n',
    ],
    [
      'a retry delay without a unit',
      ['--retry-delay', '5', 'x'],
      'runwire: --retry-delay 5: expected a duration such as 90s, 5m or 1h30m\n',
    ],
    [
      'no idle time',
      ['--idle-timeout', '0', 'x'],
      'runwire: --idle-timeout 0: expected a duration such as 90s, 5m or 1h30m\n',
    ],
    [
      'an odd first event',
      ['--first-event-timeout', 'soon', 'x'],
      'runwire: --first-event-timeout soon: expected a duration such as 90s, 5m or 1h30m\n',
    ],
    [
      'an odd patience',
      ['--permission-timeout', '1', 'x'],
      'runwire: --permission-timeout 1: expected a duration such as 90s, 5m or 1h30m\n',
    ],
    ['no tokens', ['--max-tokens', '0', 'x'], 'runwire: --max-tokens 0: expected a number from 1, such as 200000\n'],
    [
      'a variable that begins with a digit',
      ['--env', '1A', 'x'],
      'runwire: an environment variable is NAME, NAME=VALUE, PREFIX_* or *, with letters, digits and _ in its name\n',
    ],
    [
      'a variable without a name',
      ['--env', '=hush', 'x'],
      'runwire: an environment variable is NAME, NAME=VALUE, PREFIX_* or *, with letters, digits and _ in its name\n',
    ],
    [
      'a variable with a hyphen',
      ['--env', 'A-B=hush', 'x'],
      'runwire: an environment variable is NAME, NAME=VALUE, PREFIX_* or *, with letters, digits and _ in its name\n',
    ],
    ['an agent without a name', ['--agent', '', 'x'], 'runwire: --agent is empty; expected for example codex\n'],
    [
      'a rule for another agent',
      ['--agent', 'codex', '--deny', 'bash', 'x'],
      'runwire: --deny: only the built-in agent knows this\n',
    ],
    [
      'rules for another agent',
      ['--agent', 'codex', '--allow', 'bash', '--record-model', 'm', 'x'],
      'runwire: --allow, --record-model: only the built-in agent knows this\n',
    ],
    [
      'a word for an agent that has no command line',
      ['--agent-arg', 'y', 'x'],
      'runwire: --agent-arg: not for the built-in agent\n',
    ],
    ['a dialect of nobody', ['--from', 'codex', 'x'], 'runwire: --from: not for the built-in agent\n'],
    [
      'an unknown dialect to read',
      ['--from', 'codx', '--', 'true'],
      'runwire: unknown dialect "codx" (did you mean "codex"?); known: ',
    ],
    [
      'an unknown dialect of an agent',
      ['--from', 'codx', '--agent', 'codex', 'x'],
      'runwire: unknown dialect "codx" (did you mean "codex"?); known: ',
    ],
    [
      'no command',
      ['run', '--'],
      'runwire: no command after --; such as: runwire run -- codex exec --json "fix the tests"\n',
    ],
    ['an empty command', ['run', '--', ''], 'runwire: no command after --; such as: '],
    [
      'a command and an agent',
      ['run', '--agent', 'codex', '--', 'true'],
      'runwire: --agent: not with a COMMAND after --\n',
    ],
    [
      'a command and what it cannot keep',
      ['run', '--resume', 'y', '--permission-mode', 'edit', '--deny', 'bash', '--', 'true'],
      'runwire: --deny, --permission-mode, --resume: not with a COMMAND after --\n',
    ],
    ['an unknown flag', ['--colour', 'x'], 'runwire: unknown option --colour; see "runwire run --help"\n'],
    [
      'a misspelt flag',
      ['--max-turn', '3', 'x'],
      'runwire: unknown option --max-turn (did you mean --max-turns?); see "runwire run --help"\n',
    ],
  ])('%s is said with 2, before any config', async (_what, args, message) => {
    const cwd = project();
    writeFileSync(join(cwd, 'runwire.json'), 'this is not JSON');
    const { stdout, stderr, status } = await inside(args, { cwd });
    expect({ stdout, status, stderr: stderr.slice(0, message.length) }).toEqual({
      stdout: '',
      status: 2,
      stderr: message,
    });
  });

  it.each([
    [
      'an unknown agent',
      ['--agent', 'codx', 'x'],
      'unknown agent "codx" (did you mean "codex"?); known: builtin, codex, ',
    ],
    [
      'an agent that is not here',
      ['--agent', 'codex', 'x'],
      'Codex is not installed: no codex in PATH; install it with: npm install -g @openai/codex',
    ],
    [
      'a program that is not here',
      ['--', 'no-such-program'],
      'there is no program no-such-program in PATH; install it, or give its path',
    ],
    [
      'a path that leads nowhere',
      ['--', './no-such-program'],
      'no-such-program, or the interpreter that its first line names is missing; check the path',
    ],
  ])('%s is the outcome of the run, of class config', async (_what, args, message) => {
    const env = { PATH: '/nonexistent' };
    const { stderr, status } = await live(['run', ...args], { env });
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(message) });
    expect(stderr).toContain('failed: config: ');
    const told = await inside(['run', '--output-format', 'json', ...args], { env });
    expect(lines(told.stdout).at(-1)).toMatchObject({ type: 'session_end', exit_code: 1 });
    expect(JSON.parse((await inside(['run', '--json', ...args], { env })).stdout)).toMatchObject({ status: 'error' });
  });

  it('a word that is nearly a command was meant as one', async () => {
    expect(await live(['outcom', 'run.jsonl'])).toMatchObject({
      stdout: '',
      stderr:
        'runwire: unknown command "outcom" (did you mean "outcome"?); see "runwire --help"; for a prompt that begins with this word, use -p\n',
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
    expect(stderr).toContain('runwire: nothing came on stdin in 3 s, continuing without it');
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
      `--model openai/gpt --base-url http://localhost:1/v1 --price input=3,output=15,cache_read=.3,cache_write=3.75,cache_write_1h=6 --system s --append-system more
       --output-schema ${join(cwd, 'schema.json')} --resume id-1 --cwd sub --max-turns 7 --max-cost-usd 0.50 --timeout 1h30m
       --permission-mode read-only --allow read --allow bash(ls) --deny write --add-dir other --record-model model.jsonl
       --project-name acme --parent-branch-id b-1 do-it`.split(/\s+/),
      agent,
      { cwd },
    );
    const [{ env: _env, signal, calls, redact, hide, ...rest } = {} as never] = asked;
    expect(rest).toEqual({
      prompt: 'do-it',
      lifted: new Set(),
      ready: expect.any(Function),
      model: 'openai/gpt',
      cwd: join(cwd, 'sub'),
      permissions: {
        mode: 'read-only',
        allow: ['read', 'bash(ls)'],
        deny: ['write'],
        directories: [join(cwd, 'other')],
      },
      baseUrl: 'http://localhost:1/v1',
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWriteHour: 6 },
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
    expect({
      aborted: signal.aborted || calls?.aborted,
      redact: redact?.('hello'),
      hide: hide?.('hello', 'read', 'a.txt'),
    }).toEqual({
      aborted: false,
      redact: 'hello',
      hide: 'hello',
    });
  });

  it('is not told how to redact when nothing shall be redacted', async () => {
    const secret = ['sk', 'proj', 'Zq8'.repeat(14)].join('-');
    const { agent, asked } = asking();
    const { stdout } = await runScripted(['--no-redact', '--to', 'runwire', secret], agent, {
      env: { MY_TOKEN: secret },
    });
    expect(asked[0]).not.toHaveProperty('redact');
    expect(asked[0]).not.toHaveProperty('hide');
    expect(stdout).toContain(secret);
    expect((await runScripted(['--to', 'runwire', secret], agent, { env: { MY_TOKEN: secret } })).stdout).not.toContain(
      secret,
    );
  });
});

it('--tape keeps every event of a run, whatever stdout gets', async () => {
  const { agent } = asking();
  const { cwd } = await runScripted(['--tape', 'run.tape', 'Do it'], agent);
  const tape = lines(readFileSync(join(cwd, 'run.tape'), 'utf8'));
  expect(tape[0]).toMatchObject({ type: 'thread.started', task: 'Do it', headless: true, sequence: 1 });
  expect(tape.at(-1)).toMatchObject({ type: 'thread.completed', status: 'success' });
});
