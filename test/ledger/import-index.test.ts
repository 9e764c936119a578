import { appendFileSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inside } from '../cli/run/live.ts';
import { folder } from '../cli/run/scripted.ts';
import { textOf } from '../support/costs/streams.ts';
import { homeWith, places } from '../usage/stores.ts';

const calls = [{ fresh: 1000, output: 100 }];
const claude = textOf('claude session', 'claude-sonnet-4-5', calls);
const more = textOf('claude session', 'claude-sonnet-4-5', [...calls, ...calls]);
const subAgent = '.claude/projects/-w/s-claude/subagents/agent-a1.jsonl';
const subLine = (id: string): string =>
  claude
    .split('\n')[1]
    ?.replace('"isSidechain":false', '"isSidechain":true,"agentId":"a1"')
    .replaceAll('a0', id)
    .replaceAll('msg_0', id)
    .replaceAll('req_0', id)
    .concat('\n') ?? '';

const begin = (files: Record<string, string> = {}) => {
  const home = homeWith({
    [places.claude]: claude,
    [places.codex]: textOf('codex session', 'gpt-5.5', calls),
    [places.pi]: textOf('pi session', 'gpt-5.5', calls),
    [subAgent]: subLine('x0'),
    ...files,
  });
  const ledger = join(folder(), 'ledger.db');
  const again = async (...flags: string[]): Promise<string> => {
    const { stderr } = await inside(['runs', 'import', ...flags, '--ledger', ledger, home]);
    return stderr.trim();
  };
  const file = join(home, places.claude);
  return { home, ledger, again, file, index: `${ledger}.imports` };
};

/** Other bytes, which only somebody who reads the file sees. */
function changeUnseen(file: string): void {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, readFileSync(file, 'utf8').replace('Part 0.', 'Part 7.'));
  utimesSync(file, atime, mtime);
}

describe('a store that is imported again', () => {
  it('is not read, as far as it has not changed', async () => {
    const { home, again, file } = begin();
    // Node.js sets times of whole milliseconds.
    utimesSync(file, 1e9, 1e9);
    expect(await again()).toBe('runwire: 3 runs added');
    changeUnseen(file);
    expect(await again()).toBe('runwire: 0 runs added, 3 there before');
    appendFileSync(join(home, places.codex), '\n');
    expect(await again()).toBe('runwire: 0 runs added, 3 there before');
  });

  it('is read where it has grown, or a sub-agent has', async () => {
    const { home, again, file, ledger } = begin();
    const input = async (): Promise<number | undefined> => {
      const { stdout } = await inside(['runs', 'list', '--agent', 'claude', '--json', '--ledger', ledger]);
      return (JSON.parse(stdout) as { input_tokens?: number }).input_tokens;
    };
    await again();
    expect(await input()).toBe(2000);
    writeFileSync(file, more);
    expect(await again()).toBe('runwire: 0 runs added, 2 there before, 1 grown');
    expect(await input()).toBe(3000);
    appendFileSync(join(home, subAgent), subLine('x1').replace('10:00:01', '10:00:09'));
    expect(await again()).toBe('runwire: 0 runs added, 2 there before, 1 grown');
    expect(await input()).toBe(4000);
  });

  it('is imported again where its run was removed', async () => {
    const { again, ledger } = begin();
    await again();
    await inside(['runs', 'prune', '--agent', 'codex', '--yes', '--ledger', ledger]);
    expect(await again()).toBe('runwire: 1 run added, 2 there before');
  });

  it.each([
    ['cut off', (index: string) => truncateSync(index, 100)],
    ['no JSON', (index: string) => writeFileSync(index, '\0\0')],
    [
      'of another version',
      (index: string) =>
        writeFileSync(index, readFileSync(index, 'utf8').replace(/"version":"[^"]+"/, '"version":"0.0.0"')),
    ],
    [
      'with other ids',
      (index: string) => writeFileSync(index, readFileSync(index, 'utf8').replace(/"id":"[^"]+"/g, '"id":"x"')),
    ],
  ])('is read when the index is %s', async (_title, damage) => {
    const { again, index } = begin();
    await again();
    damage(index);
    expect(await again()).toBe('runwire: 0 runs added, 3 there before');
    expect(JSON.parse(readFileSync(index, 'utf8'))).toHaveProperty('files');
  });

  it('says each time what cannot be read, and is read again with another dialect', async () => {
    const { again } = begin({ 'x/broken.jsonl': 'nothing\n' });
    const first = await again();
    expect(first).toContain('broken.jsonl');
    expect(await again()).toBe(first.replace('3 runs added, ', '0 runs added, 3 there before, '));
    expect(await again('--from', 'codex')).toContain('without a turn');
  });
});
