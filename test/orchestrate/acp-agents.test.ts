import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readCrewFlags } from '../../src/cli/orchestrate/flags.ts';
import { live } from '../cli/run/live.ts';
import { brokenProject, verify } from './crew.ts';

const writer = join(import.meta.dirname, '..', 'support', 'acp', 'writer.mjs');

it('races any command that speaks ACP', async () => {
  const cwd = brokenProject();
  const agents = ['left', 'right'].map((text) => `acp:${process.execPath} ${writer} value.txt ${text}`).join(',');
  const { stdout, stderr, status } = await live(
    ['race', 'Make the test pass', '--agents', agents, '--verify', verify, '--best', 'smallest'],
    { cwd },
  );
  const { lineage } = JSON.parse(stdout) as { lineage: { branches: { verified?: string; winner?: boolean }[] } };
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  expect(lineage.branches.slice(1).map(({ verified, winner }) => [verified, winner === true])).toEqual([
    ['base_red', false],
    ['passed', true],
  ]);
});

it.each([
  ['acp:gemini', [{ agent: 'acp:gemini' }]],
  ['codex,acp:gemini=flash,pi', [{ agent: 'codex' }, { agent: 'acp:gemini', model: 'flash' }, { agent: 'pi' }]],
  ['acp:my-agent --model=a=b', [{ agent: 'acp:my-agent --model=a=b' }]],
  [`acp:my-agent 'a,b',pi`, [{ agent: `acp:my-agent 'a,b'` }, { agent: 'pi' }]],
  ['acp:./mine --acp', [{ agent: 'acp:/here/mine --acp' }]],
  [`acp:'./my agent' "it's"`, [{ agent: `acp:'/here/my agent' 'it'\\''s'` }]],
])('reads --agents %s', (agents, expected) => {
  expect(readCrewFlags({ agents }, '/here').agents).toEqual(expected);
});

it.each(['acp:', 'codex,acp:', 'acp:gemini=', `acp:"my-agent`])('refuses --agents %s', (agents) => {
  expect(() => readCrewFlags({ agents }, '/here')).toThrow(/acp needs the command|expected names|never closed/);
});

it('says which command is not there', async () => {
  const { stderr, status } = await live(['race', 'Do it', '--agents', 'acp:no-such-agent --acp'], {
    cwd: brokenProject(),
  });
  expect({
    status,
    isSaid: stderr.includes('--agents: no-such-agent is not installed: no no-such-agent in PATH') || stderr,
  }).toEqual({
    status: 2,
    isSaid: true,
  });
});
