import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunOutcome } from '../../../src/outcome/outcome.ts';
import { runwire } from '../../support/command.ts';
import { endings, folder, goodRun, runScripted, telling } from './scripted.ts';

const outcomeAt = (path: string): RunOutcome => RunOutcome.parse(JSON.parse(readFileSync(path, 'utf8')));

describe('--outcome', () => {
  it.each(endings)('holds what a run came to: %s', async (name, code, drafts) => {
    const cwd = folder();
    const { status, stdout } = await runScripted(['Do it', '--outcome', 'out/o.json', '-q'], telling(...drafts), { cwd });
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
    await expect(runScripted(['Do it', '--outcome', 'o.json', '--max-turns', 'no'], telling(...goodRun), { cwd })).rejects.toThrow(
      '--max-turns',
    );
    const { verdict, error_details, metadata } = outcomeAt(join(cwd, 'o.json'));
    expect(verdict).toMatchObject({ class: 'input', exit_code: 2 });
    expect(error_details?.message).toContain('--max-turns no');
    expect(metadata.initial_prompt).toBe('Do it');
    await expect(runScripted(['Do it', '--outcome', 'o.json/x'], telling(...goodRun), { cwd })).rejects.toThrow('cannot be written');
  });

  it('writes to a pipe or a device and leaves it there, and through a link', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'real.json'), 'old');
    symlinkSync('real.json', join(cwd, 'link.json'));
    await runScripted(['Do it', '--outcome', '/dev/null', '--report-md', 'link.json', '-q'], telling(...goodRun), { cwd });
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    expect(lstatSync(join(cwd, 'link.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, 'real.json'), 'utf8')).toContain('Runwire: success');
    await expect(runScripted(['Do it', '--outcome', '.'], telling(...goodRun), { cwd })).rejects.toThrow('it is a directory');
  });

  it('is there for a flag that nobody knows, through the command', async () => {
    const cwd = folder();
    const { status, stderr } = await runwire(['run', 'hello', '--outcome', join(cwd, 'o.json'), '--no-such-flag']);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('unknown option --no-such-flag') as string });
    expect(outcomeAt(join(cwd, 'o.json')).verdict.class).toBe('input');
  });
});

describe('--report-md', () => {
  it('tells verdict, cost, answer, files and what happened', async () => {
    const cwd = folder();
    await runScripted(['Do it', '--report-md', 'r.md', '-q'], telling(...goodRun), { cwd });
    const text = readFileSync(join(cwd, 'r.md'), 'utf8').replace(/- \*\*time\*\*: .*\n/, '');
    expect(text).toBe(`## ✅ Runwire: success

\` the agent finished and nothing speaks against it \` (exit code 0)

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
