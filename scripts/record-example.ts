// Makes the recordings of examples/fix-the-test: each runs the built command against a scripted model, recorded as a real one would be.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModelServer, type TurnInput } from '../test/support/model-server/index.ts';

const root = join(import.meta.dirname, '..');
const example = join(root, 'examples', 'fix-the-test');
const allow = ['--allow', 'bash(node --test)'];
const agents = ['model.jsonl', 'second.jsonl'].map((name) => `builtin=replay/${join(example, name)}`).join(',');
const alone = ['run', ...allow, 'A test fails here. Find out why, and fix it.'];
const crew = ['--agents', agents, '--verify', 'node --test', '--task', 'The tests fail. Repair them.'];

/** Agents of an orchestration work on branches. */
const commits =
  'git init -q -b main && git add -A && git -c user.name=me -c user.email=me@example.com commit -qm start';

await record('script.json', 'model.jsonl', alone);
await record('second-script.json', 'second.jsonl', alone);
await record('brain-script.json', 'brain.jsonl', ['orchestrate', ...allow, ...crew]);

async function record(script: string, recording: string, [command = '', ...flags]: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'runwire-example-'));
  const { turns } = JSON.parse(readFileSync(join(example, script), 'utf8')) as { turns: TurnInput[] };
  const server = await startModelServer({ turns });
  try {
    cpSync(join(example, 'project'), folder, { recursive: true });
    const isCrew = command === 'orchestrate';
    if (isCrew) spawnSync('sh', ['-c', commits], { cwd: folder });
    const model = ['--model', 'openai-compatible/scripted', '--base-url', server.baseUrl('chat')];
    const kept = ['--record-model', join(example, recording)];
    const bin = join(root, 'bin', 'runwire.js');
    const run = spawn(process.execPath, [bin, command, '--cwd', folder, ...model, ...kept, ...flags], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [status] = (await once(run, 'close')) as [number | null];
    if (status !== 0) throw new Error(`the run ended with ${status}`);
    if (!isCrew && spawnSync(process.execPath, ['--test'], { cwd: folder }).status !== 0)
      throw new Error('the example is not fixed');
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
}
